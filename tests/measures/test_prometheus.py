"""Metrics for others: names after TS 28.552, causes as labels, no value summed twice."""

import re

from regstorm.measures import prometheus
from regstorm.measures.timeline import CATALOGUE, Timeline
from regstorm.records import counters, domain_counters, ims_counters

LINE = re.compile(r'^[a-z_:][a-z0-9_:]*(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[0-9.e+-]+$')


def timeline() -> Timeline:
    measured = Timeline(outage_end_s=1)
    measured.count(counters.REG_INIT_FAIL, 0.5, 3)
    measured.count(f"{counters.REG_INIT_FAIL}.22", 0.5, 2)
    measured.count(f"{counters.REG_INIT_FAIL}.T3510", 1.5, 1)
    measured.count(f"{counters.REJECT}.5GMM_22", 1.5, 2)
    measured.gauge(counters.OUTAGE_IN_SERVICE, 5)
    measured.gauge(f"{counters.WAITING}.T3346", 4)
    measured.close(2)
    return measured


def test_a_total_and_its_causes_are_two_families_so_that_a_sum_over_labels_is_right():
    lines = prometheus.of_timeline(timeline()).splitlines()

    assert "regstorm_rm_reg_init_fail_total 3" in lines
    assert 'regstorm_rm_reg_init_fail_by_cause_total{cause="22"} 2' in lines
    assert 'regstorm_rm_reg_init_fail_by_cause_total{cause="T3510"} 1' in lines
    assert 'regstorm_reject_by_cause_total{cause="5GMM #22"} 2' in lines


def test_levels_are_gauges():
    lines = prometheus.of_timeline(timeline()).splitlines()

    assert "# TYPE regstorm_ues_outage_group_in_service gauge" in lines
    assert "regstorm_ues_outage_group_in_service 5" in lines
    assert 'regstorm_ues_waiting_by_timer{timer="T3346"} 4' in lines


def test_with_ims_nodes_timers_and_statuses_are_labels_and_the_funnel_is_a_gauge():
    measured = timeline()
    measured.gauge(domain_counters.NOW_IMS_REGISTERED, 3)
    measured.count(f"{domain_counters.NODE_REQUESTS}.I-CSCF", 2.0, 7)
    measured.count(f"{ims_counters.SBC_RESPONSES}.503", 2.0, 4)
    measured.count(f"{domain_counters.BACK_LATE}.RFC_5626", 2.0)
    lines = prometheus.of_timeline(measured).splitlines()

    assert "# TYPE regstorm_ues_outage_group_ims_registered gauge" in lines
    assert 'regstorm_node_requests_by_node_total{node="I-CSCF"} 7' in lines
    assert 'regstorm_sbc_responses_by_status_total{status="503"} 4' in lines
    assert 'regstorm_ues_back_after_minute_12_by_timer_total{timer="RFC_5626"} 1' in lines


def test_every_counter_of_the_catalogue_has_a_line_and_every_family_is_declared_once_before_its_lines():
    lines = prometheus.of_timeline(timeline(), {"strategy": 'a "quoted" one'}).splitlines()
    declared: list[str] = []
    for line in lines:
        if line.startswith("# TYPE "):
            declared.append(line.split()[2])
        else:
            assert LINE.match(line.replace('\\"', "'")), line
            assert line.split("{")[0] == declared[-1]

    assert len(declared) == len(set(declared))
    assert len([line for line in lines if not line.startswith("#")]) == len(CATALOGUE) + 4
