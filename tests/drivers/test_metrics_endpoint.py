"""The endpoint that Prometheus asks: on loopback, at /metrics and nowhere else."""

import gevent.socket
import pytest

from regstorm.drivers.metrics import serve_metrics


def asked(port: int, path: str) -> str:
    with gevent.socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        answer = b""
        while octets := client.recv(65536):
            answer += octets
    return answer.decode()


@pytest.fixture
def endpoint():
    server = serve_metrics(0, lambda: "regstorm_reject_total 7\n")
    yield server
    server.stop()


def test_it_says_what_there_is_in_prometheus_text_format(endpoint):
    answer = asked(endpoint.server_port, "/metrics")

    assert answer.startswith("HTTP/1.1 200 OK") or answer.startswith("HTTP/1.0 200 OK")
    assert "text/plain; version=0.0.4" in answer
    assert answer.endswith("regstorm_reject_total 7\n")


def test_it_listens_on_loopback_and_has_no_other_page(endpoint):
    assert endpoint.address[0] == "127.0.0.1"
    assert " 404 " in asked(endpoint.server_port, "/").splitlines()[0]
