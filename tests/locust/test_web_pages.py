"""What the storm adds to Locust's web UI: a tab, a page with its own script, downloads; behind base path and login."""

import re

import pytest
from locust.argument_parser import get_parser
from locust.env import Environment
from locust.web import WebUI

from regstorm.locust.live import LiveStorm, Phase
from regstorm.locust.parked import OutageUe
from regstorm.locust.web import show_storm
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts
from regstorm.records import counters, sources


@pytest.fixture(autouse=True)
def no_arguments(monkeypatch):
    """Locust's start form reads the command line."""
    monkeypatch.setattr("sys.argv", ["locust"])


def a_storm(tmp_path) -> LiveStorm:
    scenario = sources.scenario("outage_return")[0].sampled(10_000)
    timeline, log = Timeline(180), ServiceLog(scenario.population.outage_ues, scenario.population.online_ues, 180)
    counts = UeCounts(timeline, log)
    counts.service_changed(0, True, 200.0)
    counts.rejected(1, "5GMM #22", True, 201.0)
    counts.waiting("T3346", +1, 201.0)
    timeline.count(counters.UDM_OFFERED, 202.0, 13)
    timeline.close(203)
    (tmp_path / "run.json").write_text('{"schema": 1}')
    return LiveStorm(
        1, Phase.RUNNING, strategy="tiered", scenario=scenario, out=tmp_path, timeline=timeline, log=log, sample=10_000
    )


def web_ui(live: LiveStorm, base: str = "", login: bool = False) -> WebUI:
    environment = Environment(user_classes=[OutageUe])
    environment.create_local_runner()
    environment.parsed_options = get_parser().parse_args(["--web-base-path", base])
    ui = WebUI(environment, "127.0.0.1", 0, web_base_path=base, web_login=login, delayed_start=True)
    assert ui.app is not None
    ui.app.secret_key = "test"
    if login:
        ui.login_manager.user_loader(lambda _: None)
    show_storm(ui, live)
    return ui


@pytest.mark.parametrize("base", ["", "/lab"])
def test_the_table_rides_on_locusts_own_statistics_wherever_they_are_served(tmp_path, base):
    with web_ui(a_storm(tmp_path), base).app.test_client() as client:
        told = client.get(f"{base}/stats/requests").json
        rows = {row["figure"]: (row["now"], row["total"]) for row in told["extended_stats"][0]["data"]}

    assert "tiered" in rows["Storm"][0]
    assert rows["Outage group in service"] == ("1 of 20", "1 back")
    assert rows["Rejects 5GMM #22"][1] == "1"
    assert rows["Waiting on T3346"][0] == "1"


@pytest.mark.parametrize("base", ["", "/lab"])
def test_the_page_asks_only_this_server_and_below_the_base_path(tmp_path, base):
    with web_ui(a_storm(tmp_path), base).app.test_client() as client:
        page = client.get(f"{base}/storm").text
        script = client.get(f"{base}/storm/plotly.js")

    assert not re.findall(r"https?://", page)
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["data:,", f"{base}/", f"{base}/storm/plotly.js"]
    assert script.status_code == 200
    assert b"Plotly" in script.data[:100_000] or b"plotly" in script.data[:2000]


def test_curves_are_told_from_the_second_that_the_page_asks_for(tmp_path):
    with web_ui(a_storm(tmp_path)).app.test_client() as client:
        whole = client.get("/storm/data.json").json
        rest = client.get("/storm/data.json?since=202").json

    assert whole["seconds"] == 203
    assert whole["in_service"]["outage group"][199:] == [0, 1, 1, 1]
    assert whole["rejects"] == {"5GMM #22": [*[0] * 201, 1, 0]}
    assert rest["udm"]["offered"] == [13]
    assert rest["waiting"] == {"T3346": [1]}


def test_the_record_can_be_downloaded_and_nothing_else_of_the_machine(tmp_path):
    (tmp_path / "secret").write_text("no")
    with web_ui(a_storm(tmp_path)).app.test_client() as client:
        assert client.get("/storm/record/run.json").json == {"schema": 1}
        assert client.get("/storm/record/timeline.csv").status_code == 404
        assert client.get("/storm/record/secret").status_code == 404
        assert client.get("/storm/record/..%2Fsecret").status_code == 404


@pytest.mark.parametrize("path", ["/storm", "/storm/data.json", "/storm/plotly.js", "/storm/record/run.json"])
def test_with_login_every_page_asks_for_it(tmp_path, path):
    with web_ui(a_storm(tmp_path), login=True).app.test_client() as client:
        answer = client.get(path)

    assert answer.status_code == 302
    assert "/login" in answer.headers["Location"]


def test_before_the_first_storm_there_is_a_page_and_no_curve():
    with web_ui(LiveStorm()).app.test_client() as client:
        assert client.get("/storm").status_code == 200
        assert "seconds" not in client.get("/storm/data.json").json
        assert client.get("/storm/record/run.json").status_code == 404
