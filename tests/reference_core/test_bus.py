"""The bus: due times, timeouts that shrink towards the back end, retries at the last hop, heartbeats."""

from core_rig import Counts, HandAgenda

from regstorm.records import operations as ops
from regstorm.records.core_settings import Bus as BusSettings
from regstorm.records.message_classes import MessageClass
from regstorm.reference_core.bus import Bus, Call, Failed, Function, follow_up_of

HOP_S = 0.01


class Bench:
    def __init__(self, **settings):
        self.agenda = HandAgenda()
        self.tally = Counts()
        self.bus = Bus(BusSettings(hop_s=HOP_S, timeout_s=3.0, retries=1, **settings), self.agenda, self.tally)
        self.arrived = []
        self.answers = []
        self.bus.serve(ops.Nf.UDM, self)
        self.reply_after_s = None
        Function(ops.Nf.AUSF, self.bus, {ops.AUTHENTICATE: self._nested})

    def arrives(self, call, deadline_s, reply, now):
        self.arrived.append((now, call, deadline_s))
        if self.reply_after_s is not None:
            self.agenda.at(now + self.reply_after_s, lambda at: reply("answer", at))

    def _nested(self, call, now):
        answer = yield Call(ops.GENERATE_AUTH_DATA, call.subject)
        return ("nested", answer)

    def call(self, operation=ops.GET_AM_DATA, **fields):
        return self.bus.call(
            Call(operation, "imsi-1", **fields), lambda answer, now: self.answers.append((now, answer)), self.agenda.now
        )


def test_a_call_arrives_after_the_hop_and_is_answered_when_the_server_is_done():
    bench = Bench()
    bench.reply_after_s = 0.5
    bench.call()
    bench.agenda.run(2.0)
    assert [now for now, _, _ in bench.arrived] == [HOP_S]
    assert bench.answers == [(HOP_S + 0.5, "answer")]
    assert bench.tally["bus.timeouts"] == 0


def test_an_unanswered_call_is_repeated_once_and_then_failed():
    bench = Bench()
    bench.call()
    bench.agenda.run(10.0)
    assert [now for now, _, _ in bench.arrived] == [HOP_S, 3.0 + HOP_S]
    assert bench.answers == [(6.0, Failed("timeout"))]
    assert (bench.tally["bus.timeouts"], bench.tally["bus.retries"]) == (2, 1)


def test_a_late_answer_to_a_given_up_attempt_is_not_heard():
    bench = Bench()
    bench.reply_after_s = 4.0
    bench.call()
    bench.agenda.run(20.0)
    assert bench.answers == [(6.0, Failed("timeout"))]


def test_a_cancelled_call_is_not_answered_but_the_server_has_the_work():
    bench = Bench()
    bench.reply_after_s = 0.5
    bench.call().cancel()
    bench.agenda.run(10.0)
    assert len(bench.arrived) == 1
    assert bench.answers == []
    assert bench.tally["bus.timeouts"] == 0


def test_an_answer_comes_once():
    bench = Bench()
    bench.arrives = lambda call, deadline_s, reply, now: [reply("first", now), reply("second", now)]
    bench.call()
    bench.agenda.run(1.0)
    assert [answer for _, answer in bench.answers] == ["first"]


def test_a_nested_call_is_retried_at_the_last_hop_only():
    bench = Bench()
    bench.call(ops.AUTHENTICATE)
    bench.agenda.run(30.0)
    assert len(bench.arrived) == 2
    ((at, answer),) = bench.answers
    assert answer == ("nested", Failed("timeout"))
    assert 6.0 < at < bench.bus.patience_s(ops.AUTHENTICATE)


def test_timeouts_shrink_towards_the_back_end():
    bus = Bench().bus
    assert bus.patience_s(ops.CREATE_SM_CONTEXT) > bus.patience_s(ops.GET_SM_DATA)
    assert bus.patience_s(ops.AUTHENTICATE) > 2 * bus.patience_s(ops.GENERATE_AUTH_DATA)


def test_a_nested_call_never_outlives_the_call_that_caused_it():
    bench = Bench()
    bench.bus.call(
        Call(ops.AUTHENTICATE, "imsi-1"), lambda answer, now: bench.answers.append((now, answer)), 0.0, within_s=2.0
    )
    bench.agenda.run(30.0)
    assert len(bench.arrived) == 1
    assert bench.arrived[0][2] < 2.0
    assert bench.answers[0][0] <= 2.0


def test_what_a_procedure_asks_for_after_its_first_pair_follows_up_unless_it_is_an_emergency():
    assert follow_up_of(MessageClass.INITIAL_REGISTRATION) is MessageClass.FOLLOW_UP
    assert follow_up_of(MessageClass.EMERGENCY) is MessageClass.EMERGENCY


def test_three_lost_heartbeats_mean_that_the_peer_is_down_and_one_answer_that_it_is_up():
    bench = Bench(heartbeat_every_s=5.0)
    bench.reply_after_s = 0.0
    bench.bus.start_heartbeats(0.0)
    bench.bus.take_out_of_service(ops.Nf.UDM)
    bench.agenda.run_until(9.0)
    assert not bench.bus.is_down(ops.Nf.UDM)
    bench.agenda.run_until(11.0)
    assert bench.bus.is_down(ops.Nf.UDM)
    assert bench.tally["bus.peer_down"] == 1
    assert bench.tally["bus.heartbeats_lost.UDM"] == 3
    bench.call()
    bench.agenda.run_until(11.5)
    assert bench.answers == [(11.0, Failed("peer down"))]
    bench.bus.bring_into_service(ops.Nf.UDM)
    bench.agenda.run_until(16.0)
    assert not bench.bus.is_down(ops.Nf.UDM)
    assert bench.tally["bus.peer_up"] == 1
    bench.call()
    bench.agenda.run(1.0)
    assert bench.answers[-1][1] == "answer"


def test_what_reaches_a_function_out_of_service_is_lost():
    bench = Bench()
    bench.reply_after_s = 0.0
    bench.bus.take_out_of_service(ops.Nf.UDM)
    bench.call()
    bench.agenda.run(10.0)
    assert bench.arrived == []
    assert bench.answers == [(6.0, Failed("timeout"))]


def test_the_bus_knows_how_often_each_operation_was_called():
    bench = Bench()
    bench.call()
    bench.agenda.run(10.0)
    assert bench.bus.calls == {ops.GET_AM_DATA: 2}
