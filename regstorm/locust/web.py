"""The storm in Locust's web UI: a Storm tab with a live table, a /storm page with live curves, the run record.

Uses what the stock UI offers (extended tabs and tables) and pages of Locust's own Flask application: no JavaScript is
built. Everything stands behind --web-login and below --web-base-path, as Locust's own pages do. The charts are drawn
by the script that the plotly package carries, served from this process: nothing is fetched from the network.
"""

from functools import lru_cache
from pathlib import Path

import orjson
from flask import Blueprint, Response, make_response, render_template, request, send_file
from locust.web import WebUI
from plotly.offline import get_plotlyjs

from regstorm.locust.live import RECORD_FILES, LiveStorm

TAB = "storm"
_TABLE = {
    "key": TAB,
    "structure": [
        {"key": "figure", "title": "Storm"},
        {"key": "now", "title": "Now"},
        {"key": "total", "title": "Whole run"},
    ],
}
_A_DAY_S = 86_400
_STATS = "/stats/requests"


def show_storm(web_ui: WebUI, live: LiveStorm) -> None:
    """Adds tab, page and downloads; before the server starts (in Locust's `init` event)."""
    base = (web_ui.environment.parsed_options.web_base_path or "").rstrip("/")
    _add_tab(web_ui, base)
    _add_rows(web_ui, live, base)
    assert web_ui.app is not None
    web_ui.app.register_blueprint(_pages(web_ui, live, base))


def _add_tab(web_ui: WebUI, base: str) -> None:
    links = [{"href": f"{base}/storm", "title": "Storm: live curves"}]
    links += [{"href": f"{base}/storm/record/{name}", "title": f"Storm: {name}"} for name in RECORD_FILES[:3]]
    web_ui.template_args.update(
        extended_tabs=[{"title": "Storm", "key": TAB}], extended_tables=[_TABLE], extended_csv_files=links
    )


def _add_rows(web_ui: WebUI, live: LiveStorm, base: str) -> None:
    """The UI's own poll of the statistics carries the rows of the tab."""
    assert web_ui.app is not None

    @web_ui.app.after_request
    def with_rows(response: Response) -> Response:
        if request.path == f"{base}{_STATS}" and response.status_code == 200 and response.is_json:
            rows = [{"figure": name, "now": now, "total": total} for name, now, total in live.figures()]
            told = orjson.loads(response.get_data())
            told["extended_stats"] = [{"key": TAB, "data": rows}]
            response.set_data(orjson.dumps(told))
        return response


def _pages(web_ui: WebUI, live: LiveStorm, base: str) -> Blueprint:
    pages = Blueprint("storm", __name__, url_prefix=base, template_folder=str(Path(__file__).parent / "templates"))
    guarded = web_ui.auth_required_if_enabled

    @pages.get("/storm")
    @guarded
    def page() -> str:
        return render_template("storm.html", base=base)

    @pages.get("/storm/data.json")
    @guarded
    def data() -> Response:
        first = request.args.get("since", 0, type=int)
        return _no_store(Response(orjson.dumps(live.curves(max(0, first))), mimetype="application/json"))

    @pages.get("/storm/plotly.js")
    @guarded
    def script() -> Response:
        response = Response(_plotly(), mimetype="text/javascript")
        response.cache_control.max_age = _A_DAY_S
        return response

    @pages.get("/storm/record/<name>")
    @guarded
    def record(name: str) -> Response:
        if live.out is None or name not in live.files:
            return make_response(f"There is no {name} yet: a storm leaves it when it ends.", 404)
        return _no_store(send_file(live.out.absolute() / name, as_attachment=name != "report.html"))

    return pages


@lru_cache(maxsize=1)
def _plotly() -> bytes:
    return str(get_plotlyjs()).encode()


def _no_store(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
