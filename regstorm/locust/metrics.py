"""The metrics endpoint of a storm in Locust: http://127.0.0.1:PORT/metrics, for Prometheus."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from gevent.pywsgi import WSGIServer

from regstorm.locust.live import LiveStorm
from regstorm.measures import prometheus

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"

StartResponse = Callable[[str, list[tuple[str, str]]], object]


def serve_metrics(port: int, live: LiveStorm, host: str = LOOPBACK) -> WSGIServer:
    """Serves until the process ends; port 0 takes a free one."""

    def answer(request: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if request["PATH_INFO"] != "/metrics":
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"/metrics\n"]
        start_response("200 OK", [("Content-Type", prometheus.CONTENT_TYPE)])
        return [of_storm(live).encode()]

    server = WSGIServer((host, port), answer, log=None)
    server.start()
    log.info("metrics at http://%s:%d/metrics", host, server.server_port)
    return server


def of_storm(live: LiveStorm) -> str:
    """All counters of the storm that goes on or was the last."""
    if live.timeline is None or live.scenario is None:
        return ""
    return prometheus.of_timeline(live.timeline, {"scenario": live.scenario.name, "strategy": live.strategy})
