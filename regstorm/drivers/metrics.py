"""The metrics endpoint of a generator or a core: http://127.0.0.1:PORT/metrics, for Prometheus."""

from collections.abc import Callable, Iterable
from typing import Any

from gevent.pywsgi import WSGIServer

from regstorm.measures.prometheus import CONTENT_TYPE

LOOPBACK = "127.0.0.1"

StartResponse = Callable[[str, list[tuple[str, str]]], object]


def serve_metrics(port: int, text: Callable[[], str], host: str = LOOPBACK) -> WSGIServer:
    """Serves `text()` until the process ends; port 0 takes a free one. OSError if the port is taken."""

    def answer(request: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if request["PATH_INFO"] != "/metrics":
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"/metrics\n"]
        start_response("200 OK", [("Content-Type", CONTENT_TYPE)])
        return [text().encode()]

    server = WSGIServer((host, port), answer, log=None)
    server.start()
    return server
