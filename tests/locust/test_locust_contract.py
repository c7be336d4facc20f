"""What we rely on in Locust and its documentation does not promise: held against the installed version.

Parked users live on how a runner treats `User.start`, `User.stop` and its group; the conductor on the order of
Locust's events and messages, and on a worker's `_send_stats`. A new Locust that fails here needs regstorm.locust to
be looked at before it is used.
"""

import re
import urllib.parse
import urllib.request

import gevent
import orjson
import pytest
from locust.env import Environment
from locust.runners import WorkerRunner
from locust_runs import free_port, get, locust_process, run_locust, two_workers, wait_until

from regstorm.locust import parked
from regstorm.locust.parked import ParkedUe, attach_hub, detach_hub


class Seat(ParkedUe):
    """One class for all."""


class Hub:
    def __init__(self):
        self.admitted, self.released = [], []

    def admit(self, user):
        self.admitted.append(user)

    def release(self, user):
        self.released.append(user)


@pytest.fixture
def runner():
    environment = Environment(user_classes=[Seat])
    runner = environment.create_local_runner()
    runner.hub = Hub()
    attach_hub(environment, runner.hub)
    yield runner
    runner.quit()
    detach_hub(environment)


def spawn(runner, users):
    runner.start(users, spawn_rate=users)
    runner.spawning_greenlet.join()


def test_locally_users_are_spawned_edited_stopped_and_spawned_again(runner):
    spawn(runner, 300)
    assert (runner.user_count, len(runner.hub.admitted)) == (300, 300)

    spawn(runner, 120)
    assert (runner.user_count, len(runner.hub.released)) == (120, 180)

    spawn(runner, 200)
    assert (runner.user_count, len(runner.hub.admitted)) == (200, 380)

    runner.stop()
    assert (runner.user_count, runner.state, len(runner.hub.released)) == (0, "stopped", 380)

    spawn(runner, 50)
    assert (runner.user_count, runner.state) == (50, "running")


def test_a_group_takes_greenlets_that_were_never_started_and_kills_them_without_starting_them(runner, monkeypatch):
    ran = []
    monkeypatch.setattr(parked, "_nothing", ran.append)
    spawn(runner, 20)
    gevent.sleep(0)
    group = runner.user_greenlets

    assert len(group) == 20
    assert {type(greenlet.args[0]) for greenlet in group} == {Seat}
    runner.stop()
    assert len(group) == 0
    gevent.sleep(0)
    assert ran == []


def test_test_start_comes_before_the_first_user_and_test_stopping_before_the_last_one_has_gone(runner):
    seen = []
    events = runner.environment.events
    events.test_start.add_listener(lambda **_: seen.append(("test_start", len(runner.hub.admitted))))
    events.spawning_complete.add_listener(lambda **_: seen.append(("spawning_complete", runner.user_count)))
    events.test_stopping.add_listener(lambda **_: seen.append(("test_stopping", runner.user_count)))
    events.test_stop.add_listener(lambda **_: seen.append(("test_stop", runner.user_count)))

    spawn(runner, 10)
    runner.stop()

    assert seen == [("test_start", 0), ("spawning_complete", 10), ("test_stopping", 10), ("test_stop", 0)]


def test_a_worker_can_send_its_statistics_when_we_want_it_to():
    assert callable(WorkerRunner._send_stats)


LOCUSTFILE = """
from locust import LoadTestShape, events
from locust.runners import MasterRunner, WorkerRunner
from regstorm.locust import parked
from regstorm.locust.parked import ParkedUe, attach_hub

class Seat(ParkedUe):
    pass

{shape}

class Hub:
    admitted = released = 0
    def admit(self, user): self.admitted += 1
    def release(self, user): self.released += 1

hub, told, order = Hub(), {{}}, []

@events.init.add_listener
def _(environment, web_ui=None, **_):
    attach_hub(environment, hub)
    runner = environment.runner
    if isinstance(runner, MasterRunner):
        runner.register_message("last", lambda environment, msg: order.append(environment.stats.total.num_requests))
        if web_ui:
            web_ui.app.add_url_rule("/seats", "seats", lambda: {{"told": told, "order": order}})

@events.test_start.add_listener
def _(environment, **_):
    if isinstance(environment.runner, MasterRunner):
        environment.runner.send_message("before", {{"n": 1}})
    else:
        order.append("test_start")

@events.report_to_master.add_listener
def _(client_id, data, **_):
    data["seats"] = [hub.admitted, hub.released]

@events.worker_report.add_listener
def _(client_id, data, **_):
    told[client_id] = data["seats"]

@events.test_stopping.add_listener
def _(environment, **_):
    runner = environment.runner
    if isinstance(runner, WorkerRunner):
        for _ in range(7):
            environment.events.request.fire(request_type="X", name="x", response_time=1, response_length=0,
                                            exception=None, context={{}})
        runner._send_stats()
        runner.send_message("last", {{}})

@events.quitting.add_listener
def _(environment, **_):
    if isinstance(environment.runner, MasterRunner):
        print("ORDER", order, flush=True)
        environment.process_exit_code = 3
    elif isinstance(environment.runner, WorkerRunner):
        environment.process_exit_code = 0
"""
SHAPE = """
class Shape(LoadTestShape):
    def tick(self):
        return (60, 60) if self.get_run_time() < 3 else None
"""


@pytest.mark.slow
def test_in_two_processes_users_are_spawned_edited_stopped_and_spawned_again(tmp_path):
    (tmp_path / "seats.py").write_text(LOCUSTFILE.format(shape=""))
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    options = [*two_workers(), "--web-host", "127.0.0.1", "--web-port", str(port)]

    def post(path, **fields):
        data = urllib.parse.urlencode(fields).encode()
        with urllib.request.urlopen(urllib.request.Request(base + path, data), timeout=60) as answer:
            return orjson.loads(answer.read())

    def seated(admitted, released):
        def reached():
            told = orjson.loads(get(f"{base}/seats"))["told"].values()
            return [sum(column) for column in zip(*told, strict=True)] == [admitted, released]

        wait_until(reached, 20, f"{admitted} admitted and {released} released")

    def workers():
        try:
            return orjson.loads(get(f"{base}/worker-count"))["worker_count"] == 2
        except OSError:
            return False

    with locust_process(*options, locustfile=tmp_path / "seats.py"):
        wait_until(workers, 40, "two workers")
        post("/swarm", user_count=300, spawn_rate=300)
        seated(300, 0)
        post("/swarm", user_count=120, spawn_rate=300)
        seated(300, 180)
        post("/stop")
        seated(300, 300)
        wait_until(workers, 20, "two workers again")
        post("/swarm", user_count=100, spawn_rate=100)
        seated(400, 300)


@pytest.mark.slow
def test_a_shape_ends_the_run_and_the_last_statistics_reach_the_master_before_a_workers_last_message(tmp_path):
    (tmp_path / "seats.py").write_text(LOCUSTFILE.format(shape=SHAPE))

    ended = run_locust("--headless", "--only-summary", *two_workers(), locustfile=tmp_path / "seats.py")

    order = re.search(r"ORDER (.*)", ended.stdout)
    assert order, ended.stdout
    # what had come when each worker's last message came: its own seven, and perhaps the other's too
    assert order[1] in ("[7, 14]", "[14, 14]")
    assert ended.returncode == 3
