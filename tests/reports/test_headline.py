"""The headline says what really differs."""

from synthetic_runs import write_run

from reports import pages
from reports.headline import headline
from reports.key_figures import rows


def headline_of(tmp_path, *runs: dict) -> str:
    for index, run in enumerate(runs):
        write_run(tmp_path / f"{index:02d}", **run)
    return headline(pages.load([tmp_path]))


def test_the_fastest_is_named_first_with_its_distance_from_the_lower_bound(tmp_path):
    assert headline_of(tmp_path, {"strategy": "precise", "t99_s": 900}, {"strategy": "tiered", "t99_s": 600}) == (
        "99 % of the users are back 10.0 min after the outage under tiered (2.0 times the lower bound); "
        "precise needs 15.0 min."
    )


def test_times_within_a_tenth_tie_and_the_rest_is_what_differs(tmp_path):
    said = headline_of(
        tmp_path,
        {"strategy": "precise", "t99_s": 550, "t50_s": 290, "refused_follow_ups": 5000, "wasted_work": 0.11},
        {"strategy": "tiered", "t99_s": 520, "t50_s": 230},
    )

    assert said.startswith("T99 ties (8.7 min under tiered and 9.2 min under precise): what differs is T50 (")
    assert "refused follow-ups per user (tiered 0.0, precise 2.5)" in said
    assert "wasted work (tiered 0 %, precise 11.0 %)" in said


def test_a_tie_in_everything_is_called_one(tmp_path):
    said = headline_of(tmp_path, {"strategy": "precise"}, {"strategy": "tiered"})

    assert said.endswith("nothing else differs either.")


def test_who_does_not_come_back_is_told_with_the_share_reached(tmp_path):
    said = headline_of(
        tmp_path, {"strategy": "self_protection", "t99_s": None, "share_back": 0.31}, {"strategy": "tiered"}
    )

    assert said.endswith("; under self_protection 31.0 % are back after 60.0 min.")


def test_nobody_back_is_a_headline_too(tmp_path):
    said = headline_of(tmp_path, {"strategy": "self_protection", "t99_s": None, "share_back": 0.0})

    assert said == "Fewer than 99 % of the users come back: under self_protection 0 % are back after 60.0 min."


def test_medians_of_the_seeds_decide(tmp_path):
    said = headline_of(
        tmp_path,
        *({"strategy": "tiered", "seed": seed, "t99_s": t99_s} for seed, t99_s in enumerate((500, 600, 3000))),
    )

    assert "10.0 min after the outage" in said


def test_with_a_partial_run_nothing_is_compared(tmp_path):
    said = headline_of(tmp_path, {"strategy": "precise", "complete": False}, {"strategy": "tiered"})

    assert said == "PARTIAL: 1 of 2 runs did not come to their end, so nothing is compared."


def test_a_cell_shows_median_and_range_and_how_many_seeds_got_there(tmp_path):
    for seed, t99_s in enumerate((500, 600, None)):
        write_run(tmp_path / str(seed), seed=seed, t99_s=t99_s)
    table = {row.name: row.cells[0] for row in rows(pages.load([tmp_path]).groups)}

    assert table["T99"] == "10.0 min (2 of 3 seeds: 8.3–10.0 min)"
    assert table["Attempts per success"] == "2.90"
