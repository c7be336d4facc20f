"""Pages: everything said in words and tables, nothing asked of a network, nothing half-written."""

import errno
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from synthetic_runs import write_run

from regstorm.records import files, sources
from reports import pages
from reports.key_figures import FIGURES, Figure


class Page(HTMLParser):
    """Text by element id and tag, and every address that a browser would follow by itself."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.headings: list[str] = []
        self.text: dict[str, str] = {}
        self.scripts = 0
        self._open: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]
        self.scripts += tag == "script" and found.get("type") is None
        if tag not in ("meta", "link", "br", "img"):
            self._open.append((tag, found.get("id")))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self._open and self._open[-1][0] in ("h1", "h2"):
            self.headings.append(data.strip())
        for key in (key for _, key in self._open if key):
            self.text[key] = self.text.get(key, "") + data


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Three strategies, two seeds each, and what the plain UDM gives."""
    root = tmp_path_factory.mktemp("comparison")
    for seed in (1, 2):
        write_run(root / f"1-{seed}", "self_protection", seed, t99_s=None, share_back=0.3)
        write_run(root / f"2-{seed}", "precise", seed, t99_s=540 + seed, refused_follow_ups=4800)
        write_run(root / f"3-{seed}", "tiered", seed, t99_s=510 + seed)
    write_run(root / "4", "self_protection", 1, t99_s=None, share_back=0.55, label="plain UDM")
    return root


@pytest.fixture(scope="module")
def html(directory, tmp_path_factory) -> str:
    return pages.write_page(pages.load([directory]), tmp_path_factory.mktemp("page") / "compare.html").read_text()


def test_the_page_opens_with_the_headline_and_the_table_and_shows_every_figure_as_a_table(html):
    page = Page(html)

    assert page.headings[0].startswith("T99 ties (8.5 min under tiered")
    assert page.headings[1:] == [
        "Verdicts",
        "Users in service",
        "UDM load",
        "Users waiting on a timer",
        "Rejects by cause",
        "The strategies",
        "What the result rests on",
        "How it was run",
    ]
    for figure in FIGURES:
        if isinstance(figure, Figure) and not figure.where_known:
            assert figure.name in page.text["key-figures"]
    assert "SBC" not in html.split("</main>")[0]
    for key in ("in-service", "udm-load", "waiting", "rejects"):
        assert page.text[f"table-{key}"].strip()
        assert json.loads(page.text[f"data-{key}"])["data"]
    assert "377\u202f800" in page.text["table-rejects"], "3 778 rejects at 1:100 are 377 800 at full size"


def test_the_page_asks_no_network_for_anything(html):
    page = Page(html)

    assert page.addresses == ["data:,", "#rests-on"]
    assert page.scripts == 2, "plotly's own script once, and a few lines that draw"
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    assert "url(" not in style
    assert "@import" not in style
    assert "showSendToCloud: false" in html


def test_the_calibrated_udm_is_called_so_wherever_it_is_used_with_what_plain_gives(html):
    page = Page(html)

    assert "calibrated: fitted to bring the first outcome of the paper about" in page.text["assumptions"]
    assert "self_protection with the UDM setting plain: 55.0 % back" in page.text["plain-beside"]
    assert "with calibrated 30.0 % back" in page.text["plain-beside"]
    assert "calibrated" in html.split("Verdicts")[0], "said beside the table as well"


def test_a_plain_udm_is_never_called_calibrated(tmp_path):
    write_run(tmp_path, udm="plain")

    html = pages.write_page(pages.load([tmp_path]), tmp_path / "report.html").read_text()

    assert "alibrated" not in html.split("<script>")[0]
    assert "assumed; no value was fitted" in Page(html).text["assumptions"]


def test_curves_differ_by_dash_as_well_as_by_colour_and_carry_the_lower_bound_and_the_capacity(html):
    page = Page(html)
    lines = [trace for trace in json.loads(page.text["data-in-service"])["data"] if trace.get("mode") == "lines"]
    dashes = {trace["name"]: trace["line"]["dash"] for trace in lines}
    load = json.loads(page.text["data-udm-load"])

    assert len(set(dashes.values())) == len(dashes) == 4
    assert "lower bound" in dashes
    capacity = next(trace for trace in load["data"] if trace.get("name") == "capacity")
    assert capacity["y"] == [8700, 8700]
    assert load["layout"]["yaxis2"]["range"][1] == pytest.approx(load["layout"]["yaxis"]["range"][1] / 13)


def test_several_seeds_are_a_median_and_a_band(html):
    traces = json.loads(Page(html).text["data-in-service"])["data"]

    assert sum(trace.get("fill") == "toself" for trace in traces) >= 3
    assert "Lines are medians of 2 seeds, bands their range." in html


def test_the_page_says_how_to_run_it_again(html):
    page = Page(html)

    assert page.text["command"] == "regstorm compare scenarios/outage_return.yaml --sample 100 --seed 1"
    assert "What tiered does." in html


def test_a_partial_run_is_marked_and_gets_no_verdict(tmp_path):
    write_run(tmp_path / "a", "tiered", complete=False)
    html = pages.write_page(pages.load([tmp_path]), tmp_path / "report.html").read_text()
    page = Page(html)

    assert page.headings[0].startswith("PARTIAL")
    assert "PARTIAL, no verdict" in page.text["verdicts"]
    assert "passed" not in page.text["verdicts"]
    assert "<title>PARTIAL" in html


@pytest.mark.parametrize(("ues", "sample", "warned"), [(499, 400, True), (500, 400, False), (77, 1, False)])
def test_a_sample_of_a_few_users_is_flagged(tmp_path, ues, sample, warned):
    where = write_run(tmp_path)
    record = json.loads((where / "run.json").read_text())
    record["runs"][0] |= {"ues": ues, "sample": sample}
    (where / "run.json").write_text(json.dumps(record))

    assert any("outage users were played" in line for line in pages.load([tmp_path]).warnings) is warned


@pytest.mark.parametrize(("sample", "warned"), [(214, False), (215, True)])
def test_a_sample_that_raises_a_bucket_is_flagged(tmp_path, sample, warned):
    where = write_run(tmp_path, "tiered")
    record = json.loads((where / "run.json").read_text())
    scenario, strategy = sources.scenario("outage_return")[0], sources.strategy("tiered")[0]
    record["runs"][0]["sample"] = sample
    record["runs"][0]["settings"] |= {
        "scenario": scenario.model_dump(mode="json", by_alias=True),
        "strategy": strategy.sampled(sample).model_dump(mode="json", by_alias=True),
    }
    (where / "run.json").write_text(json.dumps(record))

    assert any("raised to its least depth" in line for line in pages.load([tmp_path]).warnings) is warned


def test_runs_that_cannot_be_compared_are_flagged(tmp_path):
    write_run(tmp_path / "a", "tiered")
    other = write_run(tmp_path / "b", "precise", seed=2)
    record = json.loads((other / "run.json").read_text())
    record["runs"][0] |= {"ues": 77, "lateness_p99_s": 0.61}
    record["runs"][0]["udm"]["capacity_pairs_per_s"] = 100
    (other / "run.json").write_text(json.dumps(record))

    warnings = " ".join(pages.load([tmp_path]).warnings)

    assert "differ in the outage population (2000, 77)" in warnings
    assert "differ in the UDM capacity (87.0, 100.0)" in warnings
    assert "different seeds" in warnings
    assert "the generator was late (p99 0.61 s)" in warnings


def test_a_run_that_failed_before_its_first_second_still_gets_a_page(tmp_path):
    (tmp_path / "run.json").write_text('{"schema": 1, "scenario": "x", "complete": false, "why": "no memory"}')

    html = pages.write_page(pages.load([tmp_path]), tmp_path / "report.html").read_text()

    assert "no memory" in html
    assert "plotly" not in html.lower().split("<body>")[1]


def test_what_a_record_says_cannot_become_markup(tmp_path):
    write_run(tmp_path, strategy="</script><script>alert(1)</script>")

    html = pages.write_page(pages.load([tmp_path]), tmp_path / "report.html").read_text()

    assert "<script>alert(1)" not in html


def test_a_full_disk_leaves_the_old_page_and_no_half_one(directory, tmp_path, monkeypatch):
    page = tmp_path / "compare.html"
    page.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        pages.write_page(pages.load([directory]), page)

    assert page.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["compare.html"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs the package chromium")
@pytest.mark.parametrize("scheme", ["0", "1"], ids=["dark", "light"])
def test_a_browser_draws_every_figure_without_a_word_on_its_console(scheme, html, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(html)
    browser = subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom"),
            *(f"--blink-settings=preferredColorScheme={scheme}", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )

    drawn = browser.stdout
    assert drawn.count('data-title="Autoscale"') == 4, browser.stderr[-2000:]
    assert "CONSOLE" not in browser.stderr
    assert 'data-title="Share chart' not in drawn
