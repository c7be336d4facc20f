"""Non-INVITE transactions (RFC 3261 17.1.2, 17.2.2, 17.2.3) with the timers of TS 24.229 table 7.7.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sip_samples import REGISTER, response

from protocols.sip.encode import encode
from protocols.sip.server_transactions import Absorbed, New, ServerTransactions, WithoutVia, server_key
from protocols.sip.timers import GM, RFC3261
from protocols.sip.transactions import (
    CLIENT_TRANSITIONS,
    SERVER_TRANSITIONS,
    ClientEvent,
    ClientTransaction,
    Deliver,
    ServerEvent,
    ServerTransaction,
    State,
    TimedOut,
    Transmit,
    TransportFailed,
    client_key,
)

TRYING = response(REGISTER, 100)
OK = response(REGISTER, 200)
BUSY = response(REGISTER, 503, ("Retry-After", "5"))
PROFILES = [GM, RFC3261]
REGISTER_OCTETS = encode(REGISTER)


def client(reliable=False, timers=GM, now=0.0):
    return ClientTransaction(REGISTER, reliable=reliable, timers=timers, now=now)


def run(transaction, until=float("inf")):
    """Calls `expire` whenever it is due; gives what came out, with its time."""
    log = []
    while transaction.due_s is not None and transaction.due_s <= until:
        now = transaction.due_s
        log += [(now, output) for output in transaction.expire(now)]
    return log


# --- client -------------------------------------------------------------------------------------------------------


def test_on_gm_an_unanswered_request_is_sent_eleven_times_in_128_seconds():
    log = run(client())
    assert [at for at, output in log if output == Transmit(REGISTER_OCTETS)] == [2, 6, 14, 30, 46, 62, 78, 94, 110, 126]
    assert log[-1] == (128, TimedOut())


def test_with_the_timers_of_rfc_3261_it_is_eleven_times_in_32_seconds():
    log = run(client(timers=RFC3261))
    retransmissions = [at for at, output in log if isinstance(output, Transmit)]
    assert retransmissions == [0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5, 31.5]
    assert log[-1] == (32, TimedOut())


@pytest.mark.parametrize("timers", PROFILES)
def test_over_tcp_it_is_sent_once_and_times_out_all_the_same(timers):
    assert run(client(reliable=True, timers=timers)) == [(64 * timers.t1_s, TimedOut())]


def test_a_provisional_response_slows_retransmission_down_to_t2_and_stops_no_timer():
    transaction = client()
    assert transaction.receive(TRYING, now=1) == (Deliver(TRYING),)
    assert transaction.state is State.PROCEEDING
    log = run(transaction)
    assert [at for at, output in log if isinstance(output, Transmit)] == [2, 18, 34, 50, 66, 82, 98, 114]
    assert log[-1] == (128, TimedOut())


def test_a_final_response_ends_it_and_later_ones_are_absorbed_until_timer_k():
    transaction = client()
    assert transaction.receive(BUSY, now=3) == (Deliver(BUSY),)
    assert transaction.receive(BUSY, now=4) == ()
    assert transaction.receive(TRYING, now=4) == ()
    assert transaction.due_s == 3 + 17
    assert transaction.expire(19.9) == ()
    assert transaction.state is State.COMPLETED
    assert transaction.expire(20) == ()
    assert (transaction.state, transaction.due_s) == (State.TERMINATED, None)


def test_over_tcp_a_final_response_ends_it_at_once():
    transaction = client(reliable=True)
    assert transaction.receive(OK, now=3) == (Deliver(OK),)
    assert (transaction.state, transaction.due_s) == (State.TERMINATED, None)


def test_a_transport_error_ends_it():
    transaction = client()
    assert transaction.transport_failed(now=1) == (TransportFailed(),)
    assert (transaction.state, transaction.due_s) == (State.TERMINATED, None)
    assert transaction.receive(OK, now=2) == ()


def test_a_final_response_after_timer_f_is_nobodys():
    transaction = client()
    run(transaction)
    assert transaction.receive(OK, now=129) == ()


def test_a_response_belongs_to_the_request_with_its_branch_and_method():
    """RFC 3261 17.1.3."""
    assert client_key(OK) == client_key(REGISTER) == ("z9hG4bK776asdhds", "REGISTER")
    assert client_key(OK._replace(headers=OK.headers.replaced("CSeq", "2 MESSAGE"))) != client_key(REGISTER)
    assert client_key(OK._replace(headers=OK.headers.without("Via"))) is None
    assert client_key(OK._replace(headers=OK.headers.replaced("Via", "SIP/2.0/UDP a"))) is None


STEPS = st.lists(
    st.tuples(st.sampled_from(["due", "early", "100", "200", "503", "broken"]), st.floats(0, 20)), max_size=30
)


@given(STEPS, st.booleans(), st.sampled_from(PROFILES))
def test_whatever_happens_a_client_transaction_ends_with_one_outcome(steps, reliable, timers):
    """At most eleven transmissions, one final outcome, nothing after it, and an end within Timers F and K."""
    now = 0.0
    transaction = client(reliable, timers)
    outcomes, transmissions = [], 1
    last_final = None
    ended: list[float | None] = [None]

    def take(outputs):
        nonlocal transmissions, last_final
        for output in outputs:
            assert not outcomes or not isinstance(output, Transmit), "transmitted after the end"
            if isinstance(output, Transmit):
                assert not reliable
                transmissions += 1
            elif not isinstance(output, Deliver) or output.response.status >= 200:
                outcomes.append(output)
                last_final = now
        assert (transaction.due_s is None) == (transaction.state is State.TERMINATED)
        if ended[0] is None and transaction.state is State.TERMINATED:
            ended[0] = now

    for what, wait_s in steps:
        due = transaction.due_s
        now = now + wait_s if due is None else min(now + wait_s, due)
        match what:
            case "due" if due is not None:
                now = due
                take(transaction.expire(now))
                assert transaction.due_s is None or transaction.due_s > now
            case "early" if due is not None and now < due:
                assert transaction.expire(now) == ()
            case "100" | "200" | "503":
                take(transaction.receive({"100": TRYING, "200": OK, "503": BUSY}[what], now))
            case "broken":
                take(transaction.transport_failed(now))
    while transaction.due_s is not None:
        now = transaction.due_s
        take(transaction.expire(now))
    assert len(outcomes) == 1
    assert transmissions <= (1 if reliable else 11)
    assert last_final <= timers.f_s
    assert transaction.state is State.TERMINATED
    assert ended[0] <= last_final + (0 if reliable else timers.k_s)


# --- server -------------------------------------------------------------------------------------------------------


def test_a_retransmission_before_any_response_is_discarded():
    server = ServerTransaction(reliable=False, timers=GM)
    assert server.retransmitted(now=2) == ()


def test_a_retransmission_is_answered_with_the_last_response():
    server = ServerTransaction(reliable=False, timers=GM)
    assert server.respond(TRYING, now=1) == (Transmit(encode(TRYING)),)
    assert server.retransmitted(now=2) == (Transmit(encode(TRYING)),)
    assert server.respond(OK, now=3) == (Transmit(encode(OK)),)
    assert server.retransmitted(now=4) == (Transmit(encode(OK)),)
    assert server.respond(BUSY, now=5) == ()
    assert server.retransmitted(now=6) == (Transmit(encode(OK)),)
    assert server.due_s == 3 + 128
    assert server.expire(131) == ()
    assert server.state is State.TERMINATED
    assert server.retransmitted(now=132) == ()


def test_a_server_transaction_reports_that_its_response_could_not_be_sent():
    server = ServerTransaction(reliable=False, timers=GM)
    server.respond(OK, now=1)
    assert server.transport_failed(now=1) == (TransportFailed(),)
    assert (server.state, server.due_s) == (State.TERMINATED, None)


def test_every_state_of_both_tables_can_be_left_and_terminated_cannot():
    for table, events in ((CLIENT_TRANSITIONS, ClientEvent), (SERVER_TRANSITIONS, ServerEvent)):
        assert set(table) == set(State)
        assert not table[State.TERMINATED]
        for state in set(State) - {State.TERMINATED}:
            assert any(after is not state for _, after in table[state].values())
        assert {event for row in table.values() for event in row} == set(events)


def test_the_same_request_again_is_absorbed_and_another_one_is_new():
    table = ServerTransactions(reliable=False, timers=GM)
    new = table.receive(REGISTER, now=0)
    assert isinstance(new, New)
    assert table.receive(REGISTER, now=2) == Absorbed(())
    table.respond(new.key, OK, now=3)
    assert table.receive(REGISTER, now=6) == Absorbed((Transmit(encode(OK)),))
    for other in (
        REGISTER._replace(method="MESSAGE"),
        REGISTER._replace(headers=REGISTER.headers.replaced("Via", "SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bKother")),
        REGISTER._replace(headers=REGISTER.headers.replaced("Via", "SIP/2.0/UDP 10.0.0.9;branch=z9hG4bK776asdhds")),
    ):
        assert isinstance(table.receive(other, now=7), New)
    assert len(table) == 4


def test_a_transaction_leaves_the_table_by_timer_j():
    table = ServerTransactions(reliable=False, timers=GM)
    first = table.receive(REGISTER, now=0)
    assert table.due_s is None
    table.respond(first.key, OK, now=1)
    assert table.due_s == 129
    table.expire(128.9)
    assert len(table) == 1
    table.expire(129)
    assert (len(table), table.due_s) == (0, None)
    assert isinstance(table.receive(REGISTER, now=130), New)


def test_over_tcp_a_transaction_leaves_the_table_with_its_final_response():
    table = ServerTransactions(reliable=True, timers=GM)
    new = table.receive(REGISTER, now=0)
    table.respond(new.key, TRYING, now=1)
    assert len(table) == 1
    table.respond(new.key, OK, now=1)
    assert len(table) == 0
    assert table.respond(new.key, OK, now=2) == ()


def test_a_failed_or_forgotten_transaction_is_out_of_the_table_and_its_key_starts_anew():
    table = ServerTransactions(reliable=False, timers=GM)
    key = table.receive(REGISTER, now=0).key
    table.respond(key, OK, now=1)
    assert table.transport_failed(key, now=1) == (TransportFailed(),)
    assert table.transport_failed(key, now=1) == ()
    assert isinstance(table.receive(REGISTER, now=100), New)
    table.respond(key, OK, now=101)
    table.expire(129)  # Timer J of the first one: the second one stays
    assert len(table) == 1
    table.forget(key)
    assert len(table) == 0
    table.expire(300)


def test_a_branch_without_the_cookie_is_told_apart_by_the_whole_request():
    """RFC 3261 17.2.3, for elements of RFC 2543."""
    old = REGISTER._replace(headers=REGISTER.headers.without("Via").before((("Via", "SIP/2.0/UDP a;branch=1"),)))
    assert server_key(old) == server_key(old)
    for name, value in (("Call-ID", "other"), ("CSeq", "3 REGISTER"), ("From", "<sip:a@b>;tag=x")):
        assert server_key(old._replace(headers=old.headers.replaced(name, value))) != server_key(old)
    assert server_key(old._replace(uri="sip:other")) != server_key(old)
    assert (
        ServerTransactions(reliable=False, timers=GM).receive(old._replace(headers=old.headers.without("Via")), now=0)
        == WithoutVia()
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["request", "100", "200", "wait"])), max_size=60))
def test_whatever_the_order_a_request_reaches_the_user_once_per_timer_j(steps):
    """Against a model that keeps for each request when it ends, and its last response."""
    table = ServerTransactions(reliable=False, timers=RFC3261)
    requests = [
        REGISTER._replace(headers=REGISTER.headers.replaced("Via", f"SIP/2.0/UDP a;branch=z9hG4bK{i}"))
        for i in range(4)
    ]
    model: dict[int, list] = {}  # index: [last response or None, end or None]
    now = 0.0
    for index, what in steps:
        key = server_key(requests[index])
        match what:
            case "wait":
                now += 10.0
                table.expire(now)
                model = {i: kept for i, kept in model.items() if kept[1] is None or kept[1] > now}
            case "request":
                got = table.receive(requests[index], now)
                if index not in model:
                    assert got == New(key)
                    model[index] = [None, None]
                else:
                    last = model[index][0]
                    assert got == Absorbed(() if last is None else (Transmit(encode(last)),))
            case _:
                said = TRYING if what == "100" else OK
                outputs = table.respond(key, said, now)
                kept = model.get(index)
                if kept is None or kept[1] is not None:
                    assert outputs == ()
                else:
                    assert outputs == (Transmit(encode(said)),)
                    kept[:] = [said, now + 32.0 if said is OK else None]
        ends = [kept[1] for kept in model.values() if kept[1] is not None]
        assert table.due_s == min(ends, default=None)
        assert len(table) == len(model)
