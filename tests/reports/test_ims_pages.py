"""What a page says besides of a storm with IMS."""

import json

import pytest
from synthetic_runs import with_ims, write_run
from test_pages import Page

from regstorm.records.run_record import RunEntry
from reports import pages
from reports.headline import headline
from reports.key_figures import rows

THIN = "\u202f"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    root = tmp_path_factory.mktemp("ims")
    write_run(root / "1", "precise", t99_s=900, ims=with_ims(sbc_refused=40, late=200))
    write_run(root / "2", "tiered", t99_s=500, ims=with_ims(sbc_refused=7000, wasted=5000, late=0))
    return pages.load([root])


@pytest.fixture(scope="module")
def page(comparison):
    return Page(pages.render(comparison, "compare.html.j2"))


def cells(comparison):
    return {row.name: row.cells for row in rows(comparison.groups)}


def test_the_second_sentence_names_the_sbc_that_is_too_narrow(comparison):
    assert headline(comparison).split(". ", 1)[1] == (
        "The SBC is the door that is too narrow: under tiered it refused each user that the AMF had let through 3.50 "
        "times on average (the AMF 1.89), and 0 % of the pairs were wasted."
    )


@pytest.mark.parametrize(("refused", "named"), [(0, False), (999, False), (1000, True), (9000, True)])
def test_an_sbc_is_too_narrow_when_it_refuses_half_a_register_for_each_user(tmp_path, refused, named):
    write_run(tmp_path, ims=with_ims(sbc_refused=refused))
    assert ("SBC" in headline(pages.load([tmp_path]))) is named


def test_a_partial_run_names_no_door(tmp_path):
    write_run(tmp_path, complete=False, ims=with_ims(sbc_refused=9000))
    assert "SBC" not in headline(pages.load([tmp_path]))


def test_late_returns_are_split_by_the_timer_that_ended_the_last_wait(comparison):
    shown = cells(comparison)
    assert shown["Back after minute 12"] == ("10.0 %", "0 %")
    assert shown["… by timer"] == ("T3502 190, Retry-After 10", "nobody")


def test_reregistrations_of_online_users_are_told_with_what_was_lost(comparison):
    shown = cells(comparison)
    assert shown["Re-registrations due"] == ("110", "110")
    assert shown["… share of the online users"] == ("11.0 %", "11.0 %")
    assert shown["… lost"] == ("0", "0")


def test_the_page_says_where_users_are_lost_and_what_each_domain_wasted(page):
    assert page.headings[1:10] == [
        "Verdicts",
        "Users in service",
        "Where users are on their way back",
        "Wasted work by interface",
        "Requests by node",
        "UDM load",
        "Users waiting on a timer",
        "Rejects by cause",
        "Where users are lost",
    ]
    assert page.headings[10] == "By domain"
    stages = page.text["sheet-stages"]
    assert "IMS registered" in stages
    assert f"1{THIN}970" in stages, "counts of the sample, as in the table of key figures"
    assert "IMS: first messages refused at the SBC" in page.text["sheet-domains"]
    assert f"7{THIN}000" in page.text["sheet-domains"]


@pytest.mark.parametrize("key", ["funnel", "interfaces", "nodes"])
def test_every_figure_of_the_domains_is_a_table_too(page, key):
    assert page.text[f"table-{key}"].strip()
    assert json.loads(page.text[f"data-{key}"])["data"]


@pytest.mark.parametrize("wasted", [None, 0])
def test_where_nobody_says_where_waste_was_the_served_pairs_are_drawn(tmp_path, wasted):
    write_run(tmp_path, ims=with_ims(wasted=wasted))

    page = Page(pages.render(pages.load([tmp_path]), "report.html.j2"))

    assert "Work by interface" in page.headings
    assert json.loads(page.text["data-interfaces"])["data"][0]["text"] == [f"500{THIN}000"] * 5
    assert ("wasted" in page.text["table-interfaces"]) is (wasted == 0)
    assert ("5GC: pairs wasted" in page.text["sheet-domains"]) is (wasted == 0)


def test_who_does_not_say_where_waste_was_is_named_where_others_do(tmp_path):
    write_run(tmp_path / "1", "precise", ims=with_ims(wasted=None))
    write_run(tmp_path / "2", "tiered", ims=with_ims(wasted=7))

    assert "Of precise nobody knows where the waste was." in pages.render(pages.load([tmp_path]), "compare.html.j2")


def test_an_engine_that_tells_nothing_of_the_domains_leaves_their_figures_out(tmp_path):
    silent = {**with_ims(), "funnel": None, "interfaces": None, "nodes": None, "back_after_minute_12": None}
    silent["reregistrations"] = None
    write_run(tmp_path, ims=silent)
    comparison = pages.load([tmp_path])
    page = Page(pages.render(comparison, "report.html.j2"))
    assert "By domain" in page.headings
    assert not {"Where users are lost", "Wasted work by interface", "Requests by node"} & set(page.headings)
    assert "Back after minute 12" not in cells(comparison)


def test_calibrated_and_plain_stand_side_by_side_with_ims_as_without(tmp_path):
    write_run(tmp_path / "1", "self_protection", t99_s=None, share_back=0.3, ims=with_ims())
    write_run(tmp_path / "2", "self_protection", t99_s=2640, label="plain UDM", ims=with_ims())
    page = Page(pages.render(pages.load([tmp_path]), "report.html.j2"))
    said = page.text["plain-beside"]
    assert "self_protection with the UDM setting plain: 100 % back, T99 44.0 min, with calibrated 30.0 % back" in said


def test_the_synthetic_record_says_what_a_real_one_says_of_ims():
    of_incidents = {"lower_bound_nominal_s"}
    assert set(with_ims()) == RunEntry.__optional_keys__ - of_incidents
