import pytest

from regstorm.overload.amplification import pairs_per_registration, uplink_messages_per_registration
from regstorm.records.scenario import Scenario


def scenario(dnns=("internet", "ims"), **outage):
    return Scenario.model_validate(
        {
            "name": "small",
            "title": "Small",
            "population": {"outage_ues": 10, "online_ues": 0},
            "network": {"dnns": dnns},
            "outage": outage,
            "core": {"udm": {"capacity_pairs_per_s": 10}},
        }
    )


@pytest.mark.parametrize(
    ("outage", "pairs", "messages"),
    [
        ({"amf_context": "kept", "authenticate": "always"}, 13, 6),
        ({"amf_context": "kept", "authenticate": "when_needed"}, 11, 4),
        ({"amf_context": "lost", "authenticate": "always"}, 13, 7),
        ({"amf_context": "lost", "authenticate": "when_needed"}, 13, 7),
    ],
)
def test_a_registration_with_two_sessions_becomes_so_many_pairs_and_messages(outage, pairs, messages):
    assert sum(pairs_per_registration(scenario(**outage)).values()) == pairs
    assert uplink_messages_per_registration(scenario(**outage)) == messages


def test_a_session_fewer_saves_three_pairs_on_n10_and_one_message():
    one_session = scenario(dnns=("internet",))
    assert pairs_per_registration(one_session) == {"N13": 2, "N8": 5, "N10": 3}
    assert uplink_messages_per_registration(one_session) == 5
