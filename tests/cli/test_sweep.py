"""regstorm sweep from outside: cells, a table, a page, and how it goes on where it was."""

import csv
import json
import sys
from pathlib import Path

import pytest

from regstorm.cli import sources, storms, sweep_cells, tornado
from regstorm.cli.main import main
from regstorm.cli.sweep_cells import Axis

FAKE_STORM = (sys.executable, str(Path(__file__).with_name("fake_storm.py")))
MANY = ",".join(map(str, range(1, 200)))
ARRIVALS = ["--vary", "outage.arrivals_s=10,300", "--strategies", "precise,tiered"]


@pytest.fixture
def fake_storm(monkeypatch):
    monkeypatch.setattr(storms, "STORM_COMMAND", FAKE_STORM)
    return lambda behaviour: monkeypatch.setenv("FAKE_STORM", behaviour)


def sweep(out: Path, *words: str) -> int:
    return main(["sweep", "outage_return_5gc", *words, "--out", str(out)])


def test_every_combination_is_a_row_of_the_table(fake_storm, tmp_path, capsys):
    out = tmp_path / "out"

    assert sweep(out, *ARRIVALS, "--seeds", "2") == 0

    with (out / "sweep.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["outage.arrivals_s"], row["strategy"], row["seed"]) for row in rows] == [
        (arrivals, strategy, seed) for arrivals in ("10", "300") for strategy in ("precise", "tiered") for seed in "12"
    ]
    assert all(float(row["t99_s"]) > 0 for row in rows)
    document = json.loads((out / "sweep.json").read_text())
    assert document["complete"]
    page = (out / "sweep.html").read_text()
    assert 'data-key="t99"' in page
    assert "8 of 8" in capsys.readouterr().out


def test_two_fields_are_a_heat_map(fake_storm, tmp_path):
    out = tmp_path / "out"
    words = ["--vary", "outage.arrivals_s=10,300", "--vary", "strategy.guidance.t3346.high_s=60,180,600"]

    assert sweep(out, *words, "--strategies", "precise,tiered") == 0

    assert '"type":"heatmap"' in (out / "sweep.html").read_text().replace(" ", "")


def test_the_same_sweep_goes_on_where_it_was_and_another_is_refused(fake_storm, tmp_path, capsys):
    out = tmp_path / "out"
    sweep(out, *ARRIVALS)
    (out / "cells" / "0001-tiered-seed1" / "run.json").unlink()
    before = (out / "cells" / "0000-tiered-seed1" / "run.json").stat().st_mtime_ns
    capsys.readouterr()

    assert sweep(out, *ARRIVALS) == 0
    said = capsys.readouterr().out
    assert "3 of 4 storms are there already" in said
    assert "4 of 4: tiered (simulated), seed 1; outage.arrivals_s 300: done" in said
    assert (out / "cells" / "0000-tiered-seed1" / "run.json").stat().st_mtime_ns == before

    assert sweep(out, "--vary", "outage.arrivals_s=10,45", "--strategies", "tiered") == 2
    assert "holds another sweep" in capsys.readouterr().err


def test_a_storm_that_fails_leaves_a_partial_sweep_that_says_so(fake_storm, tmp_path, capsys):
    fake_storm("crash")
    out = tmp_path / "out"

    assert sweep(out, *ARRIVALS) == 1

    assert json.loads((out / "sweep.json").read_text())["complete"] is False
    page = (out / "sweep.html").read_text().split("<script>")[0]
    assert "PARTIAL: 0 of 4 storms" in page
    assert "the lamp fell over" in page


def test_a_tornado_names_what_moves_t99_most(fake_storm, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    two = tornado.swings(sources.scenario("outage_return_5gc")[0])[:2]
    monkeypatch.setattr(tornado, "swings", lambda _: two)

    assert sweep(out, "--tornado", "--strategies", "tiered") == 0

    page = (out / "sweep.html").read_text()
    assert "What moves T99 most: under tiered it is" in page
    assert 'data-key="tornado-tiered"' in page
    assert "5 of 5: tiered" not in (said := capsys.readouterr().out)
    assert "4 of 4: tiered" in said
    assert len(list((out / "cells").iterdir())) == 4
    assert sum(row["complete"] for row in json.loads((out / "sweep.json").read_text())["rows"]) == 5


def test_variants_are_played_one_at_a_time_beside_the_storm_as_it_is(fake_storm, tmp_path):
    out = tmp_path / "out"
    named = ["--variant", "no T3346, slow: strategy.guidance.t3346=null; outage.arrivals_s=300"]

    assert sweep(out, *named, "--variant", "core.amf.t3502_s=240", "--strategies", "precise,tiered") == 0

    document = json.loads((out / "sweep.json").read_text())
    variants = ["", "no T3346, slow", "core.amf.t3502_s=240"]
    assert [row["values"]["variant"] for row in document["rows"] if row["strategy"] == "tiered"] == variants
    page = (out / "sweep.html").read_text()
    assert '<th scope="row">as it is</th>' in page
    assert 'data-key="back-at-10-min"' in page


def test_changes_of_a_variant_are_made_to_its_storm_alone():
    scenario, strategy = sources.scenario("outage_return")[0], sources.strategy("tiered")[0]
    text = "both: outage.arrivals_s=300; strategy.guidance.t3346=null"

    as_it_is, both = sweep_cells.one_at_a_time(scenario, [strategy], [text])

    assert (as_it_is.scenario.outage.arrivals_s, as_it_is.strategy) == (45, strategy)
    assert (both.scenario.outage.arrivals_s, both.strategy.guidance.t3346) == (300, None)


def test_a_small_sweep_on_the_simulator(tmp_path):
    out = tmp_path / "out"
    small = ["--set", "population.outage_ues=20000", "--set", "core.udm.capacity_pairs_per_s=8700", "--sample", "200"]

    assert sweep(out, "--vary", "outage.arrivals_s=10,60", "--strategies", "tiered", *small) == 0

    rows = json.loads((out / "sweep.json").read_text())["rows"]
    assert all(row["complete"] and row["share_back"] == 1.0 for row in rows)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "--vary: expected at least one FIELD=a,b,c, or --variant, or --tornado"),
        (["--tornado", "--vary", "outage.arrivals_s=1,2"], "--tornado: expected no --vary"),
        (["--variant", "x: core.amf.t3502_s=240", "--vary", "ue.retry_jitter_s=0,1"], "--variant: expected no --vary"),
        (
            ["--tornado", "--set", "outage.repeats=2", "--set", "outage.every_s=200"],
            "--tornado: arrivals within, s: outage.arrivals_s=300: outage: every_s 200: expected more than",
        ),
        (["--variant", "no T3346"], "--variant no T3346: expected [NAME: ]FIELD=value[; FIELD=value…]"),
        (["--variant", "x: ue.retry_jitter_s=0", "--variant", "x: ue.retry_jitter_s=1"], "each name once"),
        (
            ["--variant", "x: strategy.gate.depth_s=1", "--strategies", "self_protection"],
            "gate has no fields",
        ),
        (["--vary", "outage.arrivals_s"], "--vary outage.arrivals_s: expected FIELD=a,b,c with at least two values"),
        (["--vary", "outage.arrivals_s=1"], "at least two values"),
        (["--vary", "outage.arrivals_s=1,1,2"], "expected each value once, and none empty"),
        (["--vary", "outage.arrivals_s=1,,2"], "expected each value once, and none empty"),
        (["--vary", f"outage.arrivals_s={MANY}", "--vary", f"core.bus.hop_s={MANY}"], "at most 10000 combinations"),
        (["--vary", "outage.arrival=1,2"], "outage.arrival=1: outage.arrival: no such field, perhaps arrivals_s"),
        (["--vary", "outage.arrivals_s=1,-2"], "outage.arrivals_s: expected more than 0, found -2"),
        (
            ["--vary", "strategy.gate.depth=1,2", "--strategies", "tiered"],
            "tiered: gate.depth=1: gate.depth: no such",
        ),
        (["--vary", "core.udm.capacity_pairs_per_s=8700,100", "--sample", "100"], "--sample 100: expected at most"),
        (["--vary", "outage.arrivals_s=1,2", "--strategies", "tiered,tiered"], "each once"),
    ],
)
def test_wrong_words_are_one_line_and_exit_2(words, expected, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert main(["sweep", "outage_return", *words]) == 2

    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_commas_inside_brackets_do_not_part_values():
    assert sweep_cells.axis("x={low: 1, high: 2},[3, 4]") == Axis("x", ("{low: 1, high: 2}", "[3, 4]"))


@pytest.mark.parametrize("name", [path.stem for path in sources.available("scenarios")])
def test_every_assumption_can_swing_in_every_scenario(name):
    scenario, _ = sources.scenario(name)
    strategies = [sources.strategy(path.stem)[0] for path in sources.available("strategies")]

    variants = sweep_cells.tornado(scenario, strategies, tornado.swings(scenario))

    played = {(one.values["assumption"], one.strategy.name) for one in variants}
    assert ("rate of the gate, share of capacity", "tiered") in played
    assert ("rate of the gate, share of capacity", "self_protection") not in played
    assert all(one.scenario.expected == {} for one in variants)


def test_docs_and_the_tornado_name_the_same_assumptions_and_fields():
    text = (sources.ROOT / "docs" / "model.md").read_text()
    section = text.partition("## Assumptions by what they move")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    scenario, _ = sources.scenario("outage_return")

    said = [(name, field.strip("`")) for name, field, _ in rows]

    assert sorted(said) == sorted((swing.name, swing.field) for swing in tornado.swings(scenario))


def test_a_swing_changes_the_field_that_it_names_and_no_other():
    scenario, strategy = sources.scenario("outage_return")[0], sources.strategy("tiered")[0]
    for swing in tornado.swings(scenario):
        for _, changes in swing.sides:
            fields = {change.partition("=")[0] for change in changes}
            assert swing.field in fields
            assert fields == {swing.field} or all(field.startswith("population.profiles.") for field in fields)
        assert any(one.number for one in sweep_cells.tornado(scenario, [strategy], [swing])), swing.name


def test_what_only_ims_feels_swings_only_where_there_is_ims():
    without, with_ims = (
        {swing.field for swing in tornado.swings(sources.scenario(name)[0])}
        for name in ("outage_return_5gc", "outage_return")
    )

    assert without < with_ims
    assert with_ims - without == {
        "core.ims.expires_s",
        "core.sbc.share_of_amf",
        "population.p_cscfs_exhausted",
        "population.profiles.ignores_retry_after",
        "population.refused_by_p_cscf",
    }


@pytest.mark.parametrize(("shedding", "said"), [("calibrated", "calibrated (fitted)"), ("plain", "plain")])
def test_the_side_that_the_udm_is_at_is_the_storm_as_it_is_and_played_once(shedding, said, tmp_path):
    scenario, _ = sources.scenario("outage_return", [f"core.udm.shedding={shedding}"])
    strategies = [sources.strategy(name)[0] for name in ("self_protection", "tiered")]
    [swing] = (one for one in tornado.swings(scenario) if one.field == "core.udm.shedding")

    cells = sweep_cells.cells(sweep_cells.tornado(scenario, strategies, [swing]), [1], 100, tmp_path)

    mine = [cell for cell in cells if cell.plan.strategy.name == "self_protection"]
    base, *sides = mine
    assert {side.values["value"] for side in sides} == {"calibrated (fitted)", "plain"}
    assert [side.values["value"] for side in sides if side.plan == base.plan] == [said]
    assert {side.plan.scenario.core.udm.shedding for side in sides} == {"calibrated", "plain"}
    assert len({cell.plan.out for cell in cells}) == 2 * 2


def test_one_refusal_says_the_smallest_limit_of_all_storms_of_a_sweep(tmp_path, capsys):
    """Of the gate at 0.6 (1:160), the gate as it is (1:214) and the bucket 1 s deep (1:107) the last decides."""
    words = ["--strategies", "tiered", "--sample", "200", "--out", str(tmp_path)]
    alone = ["strategy.gate.share_of_capacity=0.6", "shallow: strategy.gate.depth_s=1"]

    assert main(["sweep", "outage_return", *(word for one in alone for word in ("--variant", one)), *words]) == 2

    said = capsys.readouterr().err
    assert "expected at most 107" in said
    assert "the bucket of tiered with variant shallow" in said
    assert main(["sweep", "outage_return", "--tornado", *words]) == 2
    assert "expected at most 107" in capsys.readouterr().err
