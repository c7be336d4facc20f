"""Topologies for the tests: those that are shipped, and random ones."""

from pathlib import Path

from hypothesis import strategies as st

from regstorm.records.files import read
from regstorm.records.topology import Topology

ROOT = Path(__file__).parents[2]


def shipped(name):
    return read(ROOT / "topologies" / f"{name}.yaml", Topology)


def changed(topology, **fields):
    """Another topology, judged like one from a file."""
    return Topology.model_validate(topology.model_dump(by_alias=True) | fields)


@st.composite
def topologies(draw):
    layout = draw(st.sampled_from(["shared", "5gc_apart"]))
    parts = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    capacity = st.floats(500, 50_000)
    udms = [
        {
            "name": f"udm-{number}",
            "capacity_pairs_per_s": draw(capacity),
            "share": part / sum(parts),
            **({"hss_capacity_pairs_per_s": draw(capacity)} if layout == "5gc_apart" else {}),
        }
        for number, part in enumerate(parts)
    ]

    def doors(kind):
        own = st.one_of(st.none(), st.floats(1, 5_000))
        return [
            {"name": f"{kind}-{number}", "weight": draw(st.integers(1, 5)), "capacity_ues_per_s": draw(own)}
            for number in range(draw(st.integers(1, 3)))
        ]

    users_4g = draw(st.integers(0, 1_000_000))
    faults = [{"name": "one_lost", "lost": ["udm-0"]}] if len(udms) > 1 else []
    return Topology.model_validate(
        {
            "name": "random",
            "title": "Random",
            "layout": layout,
            "udms": udms,
            "mmes": doors("mme"),
            "amfs": doors("amf"),
            "sbcs": doors("sbc"),
            "users": {
                "users_4g": users_4g,
                "users_5g": draw(st.integers(0 if users_4g else 1, 1_000_000)),
                "volte_penetration": draw(st.floats(0, 1)),
                "vonr_penetration": draw(st.floats(0, 1)),
            },
            "switches": {"aggregated_download": draw(st.booleans()), "aggregated_nudm": draw(st.booleans())},
            "background_pairs_per_s": {"S6a": draw(st.floats(0, 400)), "N8": draw(st.floats(0, 400))},
            "margins": {"routine": draw(st.floats(0, 0.5))},
            "faults": faults,
        }
    )
