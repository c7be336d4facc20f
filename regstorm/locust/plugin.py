"""The storm as Locust sees it: options, events, messages between master and workers, metrics.

A locustfile calls `install()` once and brings OutageUe, OnlineUe and a shape (storm_shape.py) into its namespace;
locustfiles/storm_5gc.py and storm_full.py are that and nothing more. Everything here waits for Locust's events: nothing
is started at import, because Locust forks its workers after it (--processes).
"""

import logging
import signal
from functools import partial
from typing import Any

import gevent
from locust import events
from locust.env import Environment
from locust.runners import STATE_MISSING, MasterRunner, WorkerRunner
from locust.web import WebUI

from regstorm.drivers.metrics import serve_metrics
from regstorm.drivers.warming import warm_codecs
from regstorm.locust.conductor import Conductor
from regstorm.locust.metrics import of_storm
from regstorm.locust.options import Locustfile, add_options
from regstorm.locust.parked import attach_hub
from regstorm.locust.performer import (
    BROKEN,
    CORE_HOLDS,
    END,
    FINAL,
    GO,
    READY,
    REPORT,
    SEATED,
    SHARE,
    Message,
    Performer,
)
from regstorm.locust.web import show_storm
from regstorm.records.scenario import Network

LOCAL = "local"
"""What Locust's only process is called."""

_CONDUCTORS: dict[int, Conductor] = {}
_PERFORMERS: dict[int, Performer] = {}


def install(locustfile: Locustfile) -> None:
    """Listens to Locust's events. Once, at the top of a locustfile, which says what it plays.

    Message templates are compiled here, before Locust forks its workers: a worker that did it later would keep its
    master waiting for a heartbeat.
    """
    warm_codecs(Network())
    gevent.config.track_greenlet_tree = False  # a greenlet for each UE would keep its spawner alive
    events.init_command_line_parser.add_listener(partial(add_options, locustfile=locustfile))
    events.init.add_listener(_on_init)
    events.test_start.add_listener(_on_test_start)
    events.test_stopping.add_listener(_on_test_stopping)
    events.report_to_master.add_listener(_on_report_to_master)
    events.worker_report.add_listener(_on_worker_report)
    events.quitting.add_listener(_on_quitting)


def conductor_of(environment: Environment) -> Conductor | None:
    """The conductor; None in a worker."""
    return _CONDUCTORS.get(id(environment))


# ---- Locust's events


def _on_init(environment: Environment, web_ui: WebUI | None = None, **_: Any) -> None:
    logging.getLogger("locust.runners").addFilter(_not_about_the_spawn_rate)
    runner = environment.runner
    if isinstance(runner, WorkerRunner):
        _perform(environment, _TellMaster(runner))
        return
    if isinstance(runner, MasterRunner):
        conductor = Conductor(environment, _Workers(runner))
        for kind in (SEATED, READY, BROKEN, FINAL):
            runner.register_message(kind, _heard_by(conductor))
    else:
        crew = _OnlyProcess()
        conductor = Conductor(environment, crew)
        crew.performer = _perform(environment, lambda kind, message: conductor.heard(LOCAL, kind, message))
        gevent.spawn(crew.report_to, conductor)
    _CONDUCTORS[id(environment)] = conductor
    if web_ui is None:
        _end_on_sigterm(environment, conductor)
    else:
        show_storm(web_ui, conductor.live)
    port = environment.parsed_options.storm_metrics_port if environment.parsed_options else 0
    if port:
        serve_metrics(port, partial(of_storm, conductor.live))


def _end_on_sigterm(environment: Environment, conductor: Conductor) -> None:
    """Without a web page Locust hears SIGTERM only when its shape has ended: until then the signal would kill it."""

    def told_to_end() -> None:
        conductor.stop("Locust was told to end")
        if environment.runner is not None:
            environment.runner.quit()

    gevent.signal_handler(signal.SIGTERM, told_to_end)


def _perform(environment: Environment, tell: Any) -> Performer:
    performer = _PERFORMERS[id(environment)] = Performer(environment, tell)
    attach_hub(environment, performer)
    if isinstance(environment.runner, WorkerRunner):
        for kind in (SHARE, CORE_HOLDS, GO, END):
            environment.runner.register_message(kind, _done_by(performer))
    return performer


def _on_test_start(environment: Environment, **_: Any) -> None:
    performer = _PERFORMERS.get(id(environment))
    if performer is not None:
        performer.open_the_doors()


def _on_test_stopping(environment: Environment, **_: Any) -> None:
    """Stopped by hand, by --run-time or by the shape; in a worker the master's storm is over."""
    conductor = conductor_of(environment)
    if conductor is not None:
        conductor.stop("stopped in Locust")
    performer = _PERFORMERS.get(id(environment))
    if performer is not None:
        performer.end()


def _on_quitting(environment: Environment, **_: Any) -> None:
    conductor = conductor_of(environment)
    if conductor is None:
        environment.process_exit_code = 0  # of a worker: the master knows the verdict
        return
    conductor.stop("Locust quits")
    if conductor.exit_code is not None:
        environment.process_exit_code = conductor.exit_code


def _on_report_to_master(client_id: str, data: dict[str, Any], **_: Any) -> None:
    for performer in _PERFORMERS.values():
        data[REPORT] = performer.report()


def _on_worker_report(client_id: str, data: dict[str, Any], **_: Any) -> None:
    report = data.pop(REPORT, None)
    for conductor in _CONDUCTORS.values():
        if report:
            conductor.reported(client_id, report)


# ---- how messages travel


class _OnlyProcess:
    """Conductor and performer in one process."""

    EVERY_S = 0.5

    def __init__(self) -> None:
        self.performer: Performer | None = None

    def send(self, kind: str, message: Message, to: str | None = None) -> None:
        assert self.performer is not None
        self.performer.heard(kind, message)

    def lost(self) -> list[str]:
        return []

    def report_to(self, conductor: Conductor) -> None:
        """What a worker reports to its master, here by a short way."""
        assert self.performer is not None
        while True:
            gevent.sleep(self.EVERY_S)
            report = self.performer.report()
            if report:
                conductor.reported(LOCAL, report)


class _Workers:
    """Performers in Locust's workers."""

    def __init__(self, runner: MasterRunner) -> None:
        self._runner = runner
        self._known: set[str] = set()

    def send(self, kind: str, message: Message, to: str | None = None) -> None:
        self._runner.send_message(kind, dict(message), to)

    def lost(self) -> list[str]:
        clients = self._runner.clients
        here = {client.id for client in clients.all if client.state != STATE_MISSING}
        self._known |= here
        return sorted(self._known - here)


class _TellMaster:
    """A performer's way to the conductor."""

    def __init__(self, runner: WorkerRunner) -> None:
        self._runner = runner

    def __call__(self, kind: str, message: Message) -> None:
        if kind == FINAL:
            self._runner._send_stats()  # first what Locust has counted: the record holds both
        self._runner.send_message(kind, dict(message))


def _heard_by(conductor: Conductor) -> Any:
    def heard(environment: Environment, msg: Any) -> None:
        conductor.heard(msg.node_id, msg.type, msg.data)

    return heard


def _done_by(performer: Performer) -> Any:
    def done(environment: Environment, msg: Any) -> None:
        performer.heard(msg.type, msg.data)

    return done


def _not_about_the_spawn_rate(record: logging.LogRecord) -> bool:
    """All UEs are spawned at once on purpose: Locust's warning about that would only alarm."""
    return "spawn rate is very high" not in str(record.msg)
