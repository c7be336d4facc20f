"""Targets: what a file must say, and that nothing is aimed where nobody said "it is mine"."""

import pytest
import yaml

from regstorm.records.files import BadFile
from regstorm.records.target import is_loopback, read_target

K, OPC = "0123456789abcdef" * 2, "fedcba9876543210" * 2
RANGE = {"first": "001010000000998", "count": 10, "k": K, "opc": OPC}


def written(tmp_path, **changes):
    said = {
        "schema": 1,
        "name": "lab",
        "amfs": ["127.0.0.5:38412"],
        "network": {"mcc": "001", "mnc": "01", "tac": 7, "sst": 1, "sd": 0x010203, "dnns": ["internet"]},
        "subscribers": RANGE,
        **changes,
    }
    path = tmp_path / "lab.yaml"
    path.write_text(yaml.safe_dump({name: value for name, value in said.items() if value is not None}))
    return path


def test_a_range_counts_up_from_its_first_imsi(tmp_path):
    target = read_target(written(tmp_path), ues=10, is_mine=False)

    assert [target.subscriber(place).supi for place in (0, 2)] == ["imsi-001010000000998", "imsi-001010000001000"]
    assert target.addresses == (("127.0.0.5", 38412),)


def test_a_csv_file_has_its_own_keys_for_each_subscriber(tmp_path):
    (tmp_path / "subscribers.csv").write_text(f"imsi, k, opc, sqn\nimsi-001010000000001, {K}, {OPC}, 64\n")
    path = written(tmp_path, subscribers=None, subscribers_csv="subscribers.csv")

    target = read_target(path, ues=1, is_mine=False)

    assert (target.subscriber(0).supi, target.subscriber(0).sqn) == ("imsi-001010000000001", 64)


@pytest.mark.parametrize("host", ["192.0.2.1", "core.example", "[2001:db8::1]"])
def test_a_target_outside_loopback_is_refused_unless_somebody_says_that_it_is_theirs(tmp_path, host):
    path = written(tmp_path, amfs=["127.0.0.1:38412", f"{host}:38412"])

    with pytest.raises(BadFile, match="--target-is-mine"):
        read_target(path, ues=1, is_mine=False)
    assert len(read_target(path, ues=1, is_mine=True).addresses) == 2


def test_loopback_is_an_address_and_no_promise_of_a_resolver():
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("localhost.example", "10.0.0.1", "0.0.0.0", "")))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"amfs": []}, "amfs"),
        ({"amfs": ["127.0.0.1"]}, "expected HOST:PORT"),
        ({"subscribers": {**RANGE, "k": "12"}}, "k"),
        ({"subscribers": None}, "either subscribers or subscribers_csv"),
        ({"subscribers_csv": "x.csv"}, "either subscribers or subscribers_csv"),
        ({"outage": {"how": "command"}}, "needs begin and end"),
        ({"speed": 10}, "speed"),
    ],
)
def test_a_wrong_target_is_one_line_with_its_field(tmp_path, changes, expected):
    with pytest.raises(BadFile) as told:
        read_target(written(tmp_path, **changes), ues=1, is_mine=False)

    assert expected in str(told.value)
    assert "\n" not in str(told.value)


def test_a_storm_larger_than_what_the_target_knows_is_refused(tmp_path):
    with pytest.raises(BadFile, match="the storm has 11 UEs, the target knows 10"):
        read_target(written(tmp_path), ues=11, is_mine=False)


def test_a_wrong_line_of_a_csv_file_is_named_without_the_key_in_it(tmp_path):
    (tmp_path / "subscribers.csv").write_text(f"imsi,k,opc\n001010000000001,{K},{OPC}\n001010000000002,{K}ff,{OPC}\n")

    with pytest.raises(BadFile) as told:
        read_target(written(tmp_path, subscribers=None, subscribers_csv="subscribers.csv"), ues=1, is_mine=False)

    assert "line 3: k: expected" in str(told.value)
    assert K not in str(told.value)
