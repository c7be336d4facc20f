"""A storm started from Locust's form in headless Chromium, and watched there until its record can be downloaded."""

import os
import shutil
from pathlib import Path

import orjson
import pytest
from chromium import Chromium
from locust_runs import free_port, get, locust_process, small_storm, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed (package chromium)"),
]

BASE_PATH = "/lab"
SPEED = 20
LONG = "outage.begins_s=40 outage.lasts_s=120 outage.arrivals_s=20 outage.calm_after_s=5 online.every_s=60"
"""Long enough at that speed for a page that looks every two seconds to see each state."""
CURVES = "[...document.querySelectorAll('#{chart} .lines path')].map(path => path.getAttribute('d').length)"


def pictures(tmp_path: Path) -> Path:
    """Where screenshots go: KEEP_SCREENSHOTS names a directory for somebody who wants to look at them."""
    where = Path(os.environ.get("KEEP_SCREENSHOTS", tmp_path))
    where.mkdir(parents=True, exist_ok=True)
    return where


def served(url: str) -> bool:
    try:
        return bool(get(url))
    except OSError:
        return False


def test_a_storm_is_started_watched_and_its_record_downloaded(tmp_path):
    port = free_port()
    base = f"http://127.0.0.1:{port}{BASE_PATH}"
    options = ["--web-host", "127.0.0.1", "--web-port", str(port), "--web-base-path", BASE_PATH]
    shots, downloads = pictures(tmp_path), tmp_path / "downloads"
    downloads.mkdir()
    with locust_process(*options, *small_storm(tmp_path, ues="4000", speed="1", changes=LONG)):
        wait_until(lambda: served(f"{base}/"), 60, "Locust's web page")
        with Chromium(tmp_path / "profile") as page:
            start_from_the_form(page, base, shots)
            watch_the_tab(page, shots)
            watch_the_page(page, base, shots)
            download_the_record(page, base, downloads)
            assert page.console_errors == []
            assert [url for url in page.requests if not url.startswith((base, "data:", "blob:"))] == []


def start_from_the_form(page: Chromium, base: str, shots: Path) -> None:
    page.open(f"{base}/")
    page.wait_for("!!document.querySelector('[name=stormSample]')")
    for name, value in (("stormSample", "2000"), ("stormSpeed", str(SPEED)), ("stormStrategy", "tiered")):
        page.fill(f"[name={name}]", value)
    for name in ("stormScenario", "stormTarget"):
        assert page.evaluate(f"!!document.querySelector('[name={name}]')")
    page.screenshot(shots / "form.png")
    page.click("button", "Start")


def watch_the_tab(page: Chromium, shots: Path) -> None:
    """The table is there, says what the form said, and changes."""
    page.click("[role=tab]", "Storm")
    page.wait_for(f"document.body.innerText.includes('outage_return_5gc, tiered, 1:2000, {SPEED} x: running')", 60)
    page.wait_for("document.body.innerText.includes('100 of 100')")
    page.wait_for("/Outage group in service\\s+0 of 100/.test(document.body.innerText)", 60)
    page.wait_for("/Rejects 5GMM #22/.test(document.body.innerText)", 60)
    page.screenshot(shots / "tab.png")


def watch_the_page(page: Chromium, base: str, shots: Path) -> None:
    """The curves are there and grow."""
    page.open(f"{base}/storm")
    page.wait_for("document.querySelectorAll('#rejects .lines path').length > 0", 60)
    before = page.evaluate(CURVES.format(chart="in_service"))
    page.wait_for(f"JSON.stringify({CURVES.format(chart='in_service')}) !== '{orjson.dumps(before).decode()}'")
    assert len(before) == 2
    assert page.evaluate("document.querySelectorAll('#udm .lines path').length") == 3
    page.screenshot(shots / "storm.png")
    page.dark()
    page.screenshot(shots / "storm-dark.png")


def download_the_record(page: Chromium, base: str, downloads: Path) -> None:
    page.wait_for("document.getElementById('headline').textContent.includes(': over')", 120)
    page.download_to(downloads)
    page.click("#files a", "run.json")
    record = wait_until(lambda: list(downloads.glob("run.json")), 20, "the download")[0]
    told = orjson.loads(record.read_bytes())
    assert told["complete"] is True
    assert told["runs"][0]["sample"] == 2000
    assert told["runs"][0]["recovery"]["share_back"] == 1.0
    assert orjson.loads(get(f"{base}/storm/record/run.json")) == told
