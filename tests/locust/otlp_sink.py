"""Somebody who takes OpenTelemetry metrics over HTTP (OTLP 1.x, protobuf) on loopback, and keeps the latest."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Sink:
    """What was told. Sums and histograms are cumulative: the last export has the whole run."""

    def __init__(self):
        self.address = ""
        self.histogram = {}
        """(name, error.type or None) -> (count, sum in seconds) of locust.client.duration."""
        self.most_users = {}
        """User class -> highest locust.users.count."""

    def take(self, request):
        for metric in (one for r in request.resource_metrics for scope in r.scope_metrics for one in scope.metrics):
            if metric.name == "locust.client.duration":
                for point in metric.histogram.data_points:
                    labels = _labels(point)
                    self.histogram[labels["name"], labels.get("error.type")] = (point.count, point.sum)
            elif metric.name == "locust.users.count":
                for point in metric.gauge.data_points:
                    user_class = _labels(point)["user_class"]
                    self.most_users[user_class] = max(self.most_users.get(user_class, 0), point.as_int)


def _labels(point):
    return {attribute.key: attribute.value.string_value for attribute in point.attributes}


@contextmanager
def otlp_sink():
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

    sink = Sink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                import gzip

                body = gzip.decompress(body)
            sink.take(ExportMetricsServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sink.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield sink
    finally:
        server.shutdown()
        server.server_close()
