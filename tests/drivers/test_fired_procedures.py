"""What one procedure of one UE takes, counted where the messages pass."""

from collections import Counter
from pathlib import Path

import pytest

from regstorm.drivers.amplification import FULL, NotMeasured, fire_all
from regstorm.measures.amplification import document
from regstorm.records.files import read
from regstorm.records.operations import PAIRS_PER_IMS_REGISTRATION, PAIRS_PER_REGISTRATION
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

ROOT = Path(__file__).parents[2]
AGGREGATED_AS, AGGREGATED_NUDM = "core.ims.aggregated_download=true", "core.aggregated_nudm=true"


def fired(*changes, ims=True, strategy="self_protection"):
    wanted = ["population.ims=true" if ims else "population.ims=false", *changes]
    scenario = read(ROOT / "scenarios" / "outage_return.yaml", Scenario, wanted)
    of = read(ROOT / "strategies" / f"{strategy}.yaml", Strategy)
    return {one.procedure: one for one in fire_all(scenario, of, seed=1)}


@pytest.fixture(scope="module")
def reference():
    return fired()


def pairs(one):
    return {interface: n for interface, n in one.pairs.items() if n}


def test_every_procedure_costs_its_pairs_at_udm_and_hss(reference):
    assert {name: pairs(one) for name, one in reference.items()} == {
        "5G registration (SUCI)": {"N13": 2, "N8": 5},
        "5G registration (GUTI)": {"N13": 2, "N8": 5},
        "5G registration (resync)": {"N13": 3, "N8": 5},
        "PDU session": {"N10": 3},
        "5G periodic update": {},
        "5G mobility update": {},
        "5G service request": {},
        "release to idle": {},
        "5G deregistration": {"N8": 2, "N10": 4},
        "IMS registration": PAIRS_PER_IMS_REGISTRATION,
        "IMS re-registration": {"Cx": 2},
        "IMS de-registration": {"Cx": 2, "Sh": 2},
        "IMS message": {},
        FULL: PAIRS_PER_REGISTRATION | PAIRS_PER_IMS_REGISTRATION,
    }


@pytest.mark.parametrize(
    ("changes", "in_all"),
    [([], 25), ([AGGREGATED_AS], 20), ([AGGREGATED_AS, AGGREGATED_NUDM], 15)],
)
def test_the_three_deployments_take_25_20_and_15_pairs(reference, changes, in_all):
    full = (fired(*changes) if changes else reference)[FULL]
    assert sum(full.pairs.values()) == in_all


def test_a_full_registration_is_near_a_hundred_messages_through_more_than_ten_functions(reference):
    full = reference[FULL]
    assert 90 <= full.total <= 110
    assert len(full.functions) > 10
    assert {"AMF", "AUSF", "UDM", "SMF", "PCF", "UPF", "SBC", "I-CSCF", "S-CSCF", "HSS", "TAS", "IP-SM-GW"} == {
        *full.functions
    }


def test_a_full_registration_is_the_sum_of_its_parts(reference):
    parts = Counter(reference["5G registration (SUCI)"].messages)
    parts += Counter({message: 2 * n for message, n in reference["PDU session"].messages.items()})
    parts += reference["IMS registration"].messages
    assert parts == reference[FULL].messages


def test_every_request_between_functions_has_its_answer_and_every_pair_is_two_messages(reference):
    for one in reference.values():
        asked = Counter({m: n for m, n in one.messages.items() if m.interface not in ("N1", "N2", "N3", "Gm")})
        requests = {m: n for m, n in asked.items() if not m.name.startswith("answer to ")}
        answers = {m: n for m, n in asked.items() if m.name.startswith("answer to ")}
        assert {(m.source, m.target, m.name): n for m, n in requests.items()} == {
            (m.target, m.source, m.name.removeprefix("answer to ")): n for m, n in answers.items()
        }
        assert all(one.on(interface) == 2 * n for interface, n in one.pairs.items())


def test_sip_of_the_ue_travels_in_the_packets_of_n3_and_is_counted_once(reference):
    for one in reference.values():
        assert one.on("Gm") == one.on("N3")
        assert one.total == sum(one.messages.values()) - one.on("N1") - one.on("Gm")


def test_what_nodes_sent_and_received_is_every_message_twice(reference):
    nodes = reference[FULL].nodes().values()
    assert sum(one["sent"] for one in nodes) == sum(one["received"] for one in nodes) == reference[FULL].total


def test_without_ims_there_is_no_ims_to_measure():
    only_5gc = fired(ims=False)
    assert not any(name.startswith("IMS") for name in only_5gc)
    assert pairs(only_5gc[FULL]) == PAIRS_PER_REGISTRATION


def test_a_strategy_that_bars_the_ue_measures_nothing_and_says_so():
    with pytest.raises(NotMeasured, match="5GMM #22"):
        fired(strategy="release_in_steps")


def test_the_document_says_what_was_fired(reference):
    told = document("outage_return", "self_protection", {"ims": True}, reference.values(), FULL)
    assert told["full_registration"]["messages"] == reference[FULL].total
    assert [one["procedure"] for one in told["procedures"]] == [*reference]
    for one in told["procedures"]:
        assert sum(message["count"] for message in one["by_message"]) == sum(one["interfaces"].values())
