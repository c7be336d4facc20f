"""The storm's options in Locust: on its command line, in its start form, and read into a plan.

No argument groups: Locust's web form knows only what is added to the parser itself. Options are read when a storm
starts, not before: the form changes them, and a worker has them from the master.
"""

import shlex
from argparse import Namespace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from locust.argument_parser import LocustArgumentParser

from regstorm.drivers.sctp import SctpUnavailable, require_sctp
from regstorm.drivers.target_population import SPEED
from regstorm.drivers.transports import TRANSPORT_NAMES
from regstorm.locust.sip_options import add_sip_options, check_scenario, of_aim, read_aim, sip_words
from regstorm.records import sources
from regstorm.records.files import BadFile
from regstorm.records.scenario import Scenario
from regstorm.records.sip_aim import SipAim
from regstorm.records.storm_plan import StormPlan
from regstorm.records.strategy import Strategy
from regstorm.records.target import Target, read_target

DEFAULT_SCENARIO, DEFAULT_STRATEGY = "outage_return", "tiered"
DEFAULT_SAMPLE, DEFAULT_SPEED = 100, 10.0
DEFAULT_TRANSPORT = "tcp"
LOOPBACK = "127.0.0.1"


class StormOptions(NamedTuple):
    """What somebody wants to run."""

    plan: StormPlan
    core_host: str
    """Where the bundled core listens: workers on other machines have to reach it."""
    target: Target | None = None
    """A core that is not ours; None: the bundled one."""
    aim: SipAim | None = None
    """UEs are phones that register there, without a 5GC."""

    @property
    def core_is_ours(self) -> bool:
        """The bundled core takes part."""
        return self.target is None and (self.aim is None or self.aim.ours)


class Locustfile(NamedTuple):
    """What a locustfile plays."""

    name: str = "storm_5gc.py"
    changes: tuple[str, ...] = ()
    """Fields of the scenario that it changes before --storm-set does."""
    scenario: str = DEFAULT_SCENARIO
    phones: bool = False
    """UEs are phones that register in IMS and nowhere else."""


def add_options(parser: LocustArgumentParser, locustfile: Locustfile) -> None:
    """The storm's options (Locust's `init_command_line_parser` event)."""
    parser.set_defaults(storm_locustfile=locustfile.name, storm_changes=shlex.join(locustfile.changes))
    parser.add_argument(
        "--storm-scenario",
        choices=_names(sources.SCENARIOS),
        default=locustfile.scenario,
        help="What happens: a file in scenarios/",
    )
    parser.add_argument(
        "--storm-strategy",
        choices=_names(sources.STRATEGIES),
        default=DEFAULT_STRATEGY,
        help="Overload control of the bundled core: a file in strategies/",
    )
    parser.add_argument(
        "--storm-sample",
        type=int,
        metavar="K",
        default=DEFAULT_SAMPLE,
        help="Takes 1/K of the population against 1/K of every capacity",
    )
    parser.add_argument(
        "--storm-speed",
        type=float,
        metavar="X",
        default=DEFAULT_SPEED,
        help="Scenario seconds per wall second; 1 for a target that is not ours",
    )
    parser.add_argument("--storm-seed", type=int, metavar="N", default=1, help="Everything random is drawn from it")
    parser.add_argument(
        "--storm-target",
        metavar="FILE",
        default="",
        help="A core that is not ours: a file as docs/targets.md says; empty is the bundled core",
        include_in_web_ui=not locustfile.phones,
    )
    if locustfile.phones:
        add_sip_options(parser)
    for name, about in (
        ("--storm-set", "Changes fields of the scenario: core.udm.shedding=plain, several separated by spaces"),
        ("--storm-out", "Run directory: new or empty. Default: a new one in runs/"),
        ("--storm-core-host", "Address at which the bundled core listens; other than loopback only for other workers"),
    ):
        default = LOOPBACK if name == "--storm-core-host" else ""
        parser.add_argument(name, default=default, help=about, include_in_web_ui=False)
    parser.add_argument(
        "--storm-trace",
        type=int,
        metavar="N",
        default=0,
        help="UEs whose call flows are recorded, for regstorm trace",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--storm-transport",
        choices=TRANSPORT_NAMES,
        default=DEFAULT_TRANSPORT,
        help="Between gNBs and the bundled core: tcp, with a private framing, or sctp, the kernel's",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--storm-metrics-port",
        type=int,
        metavar="PORT",
        default=0,
        help="Serves Prometheus metrics on loopback at this port; 0 serves none",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--target-is-mine",
        action="store_true",
        help="I may load the target: needed where it is not on loopback",
        include_in_web_ui=False,
    )


def read_options(options: Namespace) -> StormOptions:
    """What the options say. Raises BadFile with one line."""
    if options.storm_sample < 1:
        raise BadFile(f"--storm-sample {options.storm_sample}: expected 1 or more")
    if not 0 < options.storm_speed <= 1000:
        raise BadFile(f"--storm-speed {options.storm_speed:g}: expected more than 0, at most 1000")
    scenario, scenario_path = sources.scenario(
        options.storm_scenario, [*shlex.split(options.storm_changes), *shlex.split(options.storm_set)]
    )
    strategy, strategy_path = sources.strategy(options.storm_strategy, scenario)
    if options.storm_transport == "sctp":
        try:
            require_sctp()
        except SctpUnavailable as error:
            raise BadFile(f"--storm-transport sctp: {error}") from None
    target, speed = None, options.storm_speed
    if options.storm_target:
        population = scenario.sampled(options.storm_sample).population
        ues = population.outage_ues + population.online_ues
        target = read_target(Path(options.storm_target), ues, options.target_is_mine)
        scenario, strategy, strategy_path = _against(target, scenario), _of_target(target), Path(options.storm_target)
        speed = SPEED
    aim = read_aim(options, scenario)
    check_scenario(scenario, aim)
    if aim is not None and not aim.ours:
        scenario, strategy, speed = scenario.model_copy(update={"expected": {}}), of_aim(aim), SPEED
    sources.require_expected(scenario, scenario_path, [strategy])
    plan = StormPlan(
        scenario=scenario,
        strategy=strategy.sampled(options.storm_sample),
        seed=options.storm_seed,
        sample=options.storm_sample,
        out=_directory(options.storm_out, f"{scenario.name}-{strategy.name}"),
        scenario_path=str(scenario_path),
        strategy_path=str(strategy_path),
        command=_command(options),
        clock="paced",
        speed=speed,
        transport=options.storm_transport,
        trace=options.storm_trace,
        later=sources.later(scenario, options.storm_sample),
    )
    return StormOptions(plan, options.storm_core_host, target, aim)


def _against(target: Target, scenario: Scenario) -> Scenario:
    """The scenario in the target's network; what is expected of our own strategies is not expected there."""
    if scenario.population.ims:
        raise BadFile("population.ims: expected false, gNBs have no user plane towards a core that is not ours")
    return scenario.model_copy(update={"network": target.network, "expected": {}})


def _of_target(target: Target) -> Strategy:
    """Whatever the target does against overload: the record has a name for it and no more."""
    title = f"{target.name}, a core that is not ours"
    return Strategy.model_validate({"name": target.name, "title": title, "summary": title})


def _names(kind: str) -> list[str]:
    return [path.stem for path in sources.available(kind)]


def _directory(out: str, name: str) -> Path:
    """The run directory: the one that was asked for (numbered from the second storm on), or one with date and time."""
    wanted = Path(out) if out else Path("runs") / f"locust-{name}-{datetime.now():%Y%m%d-%H%M%S}"
    where, number = wanted, 1
    while where.exists() and any(where.iterdir()):
        number += 1
        where = wanted.with_name(f"{wanted.name}-{number}")
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"--storm-out {where}: cannot be made: {error.strerror}") from None
    return where


def _command(options: Namespace) -> str:
    words = ["locust", "-f", f"locustfiles/{options.storm_locustfile}", "--headless"]
    for name in ("scenario", "strategy", "sample", "speed", "seed", "target", "set"):
        value = getattr(options, f"storm_{name}")
        if value != "":
            words += [f"--storm-{name}", f"{value:g}" if isinstance(value, float) else str(value)]
    if options.storm_transport != DEFAULT_TRANSPORT:
        words += ["--storm-transport", options.storm_transport]
    return shlex.join(words + sip_words(options))
