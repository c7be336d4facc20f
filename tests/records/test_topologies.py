"""A topology that contradicts itself gets one line with the path of the field."""

from pathlib import Path

import pytest
import yaml

from regstorm.records.files import BadFile, read
from regstorm.records.topology import Topology

PROVINCE = Path(__file__).parents[2] / "topologies" / "province.yaml"


def refusal(tmp_path, **fields):
    path = tmp_path / "wrong.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(PROVINCE.read_text()) | fields))
    with pytest.raises(BadFile) as refused:
        read(path, Topology)
    return str(refused.value).removeprefix(f"{path}: ")


def udm(name, share, capacity=1_000, **more):
    return {"name": name, "capacity_pairs_per_s": capacity, "share": share, **more}


def fault(**fields):
    return [{"name": "it", **fields}]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"udms": [udm("udm-1", 0.5), udm("udm-2", 0.4)], "faults": []},
            "udms: the shares of active users must add up",
        ),
        ({"udms": [udm("udm-1", 1, capacity=0)]}, "udms.0.capacity_pairs_per_s: expected more than 0"),
        ({"udms": [udm("udm-1", 0.5), udm("udm-2", 0.5, backup="udm-3")]}, "udms.1.backup: unknown UDM udm-3"),
        ({"udms": [udm("udm-1", 0.5), udm("udm-2", 0.5, backup="udm-2")]}, "udms.1.backup: unknown UDM udm-2"),
        ({"udms": []}, "udms: Tuple should have at least 1 item"),
        ({"margins": {"routine": -0.1}}, "margins.routine: expected at least 0"),
        ({"margins": {"emergency": 1}}, "margins.emergency: expected less than 1"),
        ({"layout": "apart"}, "layout: expected 'shared' or '5gc_apart'"),
        ({"layout": "5gc_apart"}, "udms.0.hss_capacity_pairs_per_s: expected in layout 5gc_apart"),
        (
            {"udms": [udm("udm-1", 0.5, hss_capacity_pairs_per_s=5), udm("udm-2", 0.5)]},
            "udms.0.hss_capacity_pairs_per_s: only in layout 5gc_apart",
        ),
        (
            {"amplification": {"5g_registration": {"N8": 5, "N10": 6}}},
            "amplification.5g_registration.N13: missing: 5g_registration needs N13, N8, N10",
        ),
        (
            {"amplification": {"4g_attach": {"S6a": 2, "Cx": 1}}},
            "amplification.4g_attach.Cx: 4g_attach does not use it, expected S6a",
        ),
        ({"amplification": {"4g_attach": {"S6a": 0}}}, "amplification.4g_attach: expected at least one pair"),
        ({"background_pairs_per_s": {"S6": 3}}, "background_pairs_per_s.S6.[key]: expected 'S6a'"),
        ({"background_pairs_per_s": {"S6a": -3}}, "background_pairs_per_s.S6a: expected at least 0"),
        ({"mmes": [{"name": "udm-1"}]}, "mmes.0.name: udm-1 is the name of udms.0 already"),
        ({"mmes": [{"name": "m", "weight": 0}], "faults": []}, "mmes.0.weight: expected more than 0"),
        ({"sbcs": [], "faults": []}, "sbcs: expected at least one, there are users of IMS"),
        ({"users": {"users_4g": 0, "users_5g": 0}}, "users: expected at least one user, 4G or 5G"),
        (
            {"users": {"users_4g": 1, "users_5g": 1, "volte_penetration": 2}},
            "users.volte_penetration: expected at most",
        ),
        ({"faults": fault(lost=["amf-1", "amf-9"])}, "faults.0.lost.1: unknown node amf-9, expected udm-1"),
        ({"faults": fault(users_of=["amf-1"])}, "faults.0.users_of.0: unknown UDM amf-1, expected udm-1, udm-2"),
        ({"faults": fault(lost_data_centre="c")}, "faults.0.lost_data_centre: unknown data centre c, expected a, b"),
        ({"faults": fault(lost_pool="q")}, "faults.0.lost_pool: unknown pool q, expected amf-east"),
        ({"faults": fault(lost=["udm-1", "udm-2"])}, "faults.0: no UDM is left"),
        ({"faults": fault(lost_pool="mme-pool")}, "faults.0: no MME is left for the users who return"),
        ({"faults": [*fault(), *fault()]}, "faults.1.name: it is the name of another set already"),
        ({"faults": [{"name": "routine"}]}, "faults.0.name: routine is the name of another set already"),
        (
            {"users": {"users_4g": 0, "users_5g": 9}, "faults": fault(returning=["4g"])},
            "faults.0.returning: there are no 4G users",
        ),
        (
            {"switches": {"agregated_download": True}},
            "switches.agregated_download: no such field",
        ),
    ],
)
def test_a_wrong_topology_gets_one_line_with_the_path_of_its_field(tmp_path, fields, says):
    line = refusal(tmp_path, **fields)
    assert line.startswith(says)
    assert "\n" not in line


def test_only_the_generation_that_returns_needs_a_front_door(tmp_path):
    path = tmp_path / "right.yaml"
    data = yaml.safe_load(PROVINCE.read_text()) | {"faults": fault(lost_pool="mme-pool", returning=["5g"])}
    path.write_text(yaml.safe_dump(data))
    assert read(path, Topology).faults[0].returning == ("5g",)


@pytest.mark.parametrize("path", sorted(PROVINCE.parent.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_topology_file_is_readable_and_called_like_its_file(path):
    assert read(path, Topology).name == path.stem
