from regstorm.measures.timeline import CATALOGUE, SECOND, Timeline
from regstorm.records import counters


def table(timeline: Timeline) -> list[dict[str, int]]:
    return [dict(zip([SECOND, *timeline.columns()], row, strict=True)) for row in timeline.rows()]


def test_what_happens_within_a_second_is_counted_in_its_row():
    timeline = Timeline(outage_end_s=0)
    timeline.count(counters.UDM_OFFERED, 0.0)
    timeline.count(counters.UDM_OFFERED, 0.999)
    timeline.count(counters.UDM_OFFERED, 1.0, amount=5)
    timeline.close(2.0)
    assert [row[counters.UDM_OFFERED] for row in table(timeline)] == [2, 5]
    assert timeline.total(counters.UDM_OFFERED) == 7


def test_quiet_seconds_have_rows_too():
    timeline = Timeline(outage_end_s=0)
    timeline.count(counters.REJECT, 3.5)
    timeline.close(5.2)
    assert [row[SECOND] for row in table(timeline)] == [0, 1, 2, 3, 4, 5]
    assert timeline.column(counters.REJECT) == [0, 0, 0, 1, 0, 0]
    assert timeline.column(counters.REJECT, begin_s=3) == [1, 0, 0]


def test_a_level_is_what_it_was_at_the_end_of_the_second_and_is_carried_forward():
    timeline = Timeline(outage_end_s=0)
    timeline.gauge(counters.WAITING, 3)
    timeline.gauge(counters.WAITING, -1)
    timeline.advance(2.0)
    timeline.gauge(counters.WAITING, -2)
    timeline.close(4.0)
    assert timeline.column(counters.WAITING) == [2, 2, 0, 0]
    assert timeline.level(counters.WAITING) == 0


def test_a_change_of_a_level_that_is_learned_late_puts_the_seconds_since_then_right():
    timeline = Timeline(outage_end_s=0)
    timeline.gauge(counters.WAITING, 3)
    timeline.advance(4.5)
    timeline.gauge(counters.WAITING, -2, since_s=2.7)
    timeline.close(5.0)
    assert timeline.column(counters.WAITING) == [3, 3, 1, 1, 1]


def test_several_counters_and_several_levels_of_one_instant_stand_in_its_second():
    timeline = Timeline(outage_end_s=0)
    timeline.count_each((counters.REJECT, "reject.5GMM_22"), 1.5)
    timeline.gauge_each((counters.WAITING, "ues.waiting.T3346"), 2, 3.5)
    timeline.gauge(counters.OUTAGE_IN_SERVICE, 1, since_s=4.0)
    timeline.close(5.0)
    for name in (counters.REJECT, "reject.5GMM_22"):
        assert timeline.column(name) == [0, 1, 0, 0, 0]
    for name in (counters.WAITING, "ues.waiting.T3346"):
        assert timeline.column(name) == [0, 0, 0, 2, 2]
    assert timeline.column(counters.OUTAGE_IN_SERVICE) == [0, 0, 0, 0, 1]


def test_a_second_that_has_begun_is_no_row_before_it_has_ended():
    timeline = Timeline(outage_end_s=0)
    timeline.count(counters.REJECT, 1.5)
    assert len(table(timeline)) == 1
    assert timeline.total(counters.REJECT) == 1


def test_columns_stand_in_the_order_of_the_catalogue_then_sub_counters_by_name():
    timeline = Timeline(outage_end_s=0)
    for name in ("udm.offered.N8", "reject.5GMM_22", "udm.offered.N10", counters.PEER_DOWN):
        timeline.count(name, 0.0)
    assert timeline.columns() == [*CATALOGUE, "reject.5GMM_22", "udm.offered.N10", "udm.offered.N8"]
    assert CATALOGUE[0] == counters.REG_INIT_REQ


def test_every_name_of_the_catalogue_is_a_column_of_its_own():
    assert len(set(CATALOGUE)) == len(CATALOGUE)
    assert counters.PROTOCOL_ERRORS in CATALOGUE


def test_sub_counters_are_totalled_by_what_stands_behind_the_dot():
    timeline = Timeline(outage_end_s=0)
    timeline.count("udm.served.N8", 0.0, 5)
    timeline.count("udm.served.N13", 4.0, 2)
    timeline.count("udm.served.N8", 4.0, 1)
    assert list(timeline.subtotals(counters.UDM_SERVED).items()) == [("N13", 2), ("N8", 6)]


def test_the_same_counts_give_the_same_bytes_whatever_came_first():
    def run(names):
        timeline = Timeline(outage_end_s=0)
        for name in names:
            timeline.count(name, 0.5)
        timeline.gauge("ues.waiting.T3346", 1)
        timeline.close(2)
        return timeline.csv()

    names = ["udm.offered.N8", "bus.heartbeats_lost.UDM", "udm.offered"]
    assert run(names) == run(reversed(names))


def test_the_file_has_a_header_and_a_line_for_each_second():
    timeline = Timeline(outage_end_s=0)
    timeline.count("zzz", 0.5, 4)
    timeline.close(2)
    header, first, second = timeline.csv().splitlines()
    assert header.startswith(f"{SECOND},{counters.REG_INIT_REQ},")
    assert header.endswith(",zzz")
    assert first.startswith("0,0,")
    assert first.endswith(",4")
    assert second.startswith("1,0,")
    assert second.endswith(",0")


def test_seconds_that_were_taken_are_forgotten_but_for_totals_and_levels():
    timeline = Timeline(outage_end_s=0)
    timeline.count("a", 0.5)
    timeline.gauge("level", 3)
    timeline.count("a", 1.5, 2)
    timeline.count("a", 2.5, 4)

    assert timeline.take_seconds(until=1) == (0, [({"a": 1}, {"level": 3})])
    assert timeline.take_seconds() == (1, [({"a": 2}, {"level": 3})])
    assert timeline.take_seconds() == (2, [])

    timeline.close(3.0)
    assert timeline.take_seconds() == (2, [({"a": 4}, {"level": 3})])
    assert (timeline.complete, timeline.total("a"), timeline.level("level")) == (3, 7, 3)
    assert timeline.column("a") == [0, 0, 0]
