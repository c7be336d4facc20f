"""Options of a storm of phones: whom they register at, and how (locustfiles/storm_ims.py)."""

from argparse import Namespace

from locust.argument_parser import LocustArgumentParser

from regstorm.drivers.sip_sockets import TRANSPORTS, UDP
from regstorm.records.files import BadFile
from regstorm.records.scenario import Scenario
from regstorm.records.sip_aim import SipAim, refuse_what_is_not_ours
from regstorm.records.strategy import Strategy
from regstorm.records.target import TargetOutage


def add_sip_options(parser: LocustArgumentParser) -> None:
    """Beside those of every storm."""
    parser.add_argument("--transport", choices=TRANSPORTS, default=UDP, help="What SIP travels in")
    parser.add_argument(
        "--sip-target",
        metavar="HOST:PORT",
        default="",
        help="An SBC or registrar that is not ours; empty is the bundled core's SBC",
    )
    parser.add_argument(
        "--sip-domain", default="", help="Domain of the target's users; empty is ims.mncNNN.mccNNN.3gppnetwork.org"
    )
    parser.add_argument(
        "--sip-password",
        default="",
        env_var="REGSTORM_SIP_PASSWORD",
        is_secret=True,
        help="Password of every user, for plain digest MD5; empty: test keys and AKA",
    )
    parser.add_argument(
        "--sip-register-per-s",
        type=float,
        default=20.0,
        metavar="N",
        help="How fast everybody registers at a target before the outage",
    )
    for name, about in (("begin", "takes the target down"), ("end", "brings it back")):
        parser.add_argument(
            f"--sip-outage-{name}",
            default="",
            metavar="COMMAND",
            include_in_web_ui=False,
            help=f"A command of yours that {about}; without both, phones lose their access and the target nothing",
        )


def read_aim(options: Namespace, scenario: Scenario) -> SipAim | None:
    """Whom the phones register at; None: this storm has no phones. Raises BadFile with one line."""
    if "sip_target" not in options:
        return None
    if options.storm_trace:
        raise BadFile("--storm-trace: expected 0, phones without a 5GC keep no traces")
    if not options.sip_target:
        return SipAim(transport=options.transport, password=scenario.core.ims.digest_password)
    host, _, port = options.sip_target.rpartition(":")
    if not (host and port.isdigit() and 0 < int(port) <= 65535):
        raise BadFile(f"--sip-target {options.sip_target}: expected HOST:PORT")
    if not options.sip_register_per_s > 0:
        raise BadFile(f"--sip-register-per-s {options.sip_register_per_s:g}: expected more than 0")
    aim = SipAim(
        host=host.strip("[]"),
        port=int(port),
        transport=options.transport,
        ours=False,
        domain=options.sip_domain or None,
        password=options.sip_password or None,
        register_per_s=options.sip_register_per_s,
        outage=_outage(options.sip_outage_begin, options.sip_outage_end),
    )
    refuse_what_is_not_ours("--sip-target", aim, options.target_is_mine)
    return aim


def sip_words(options: Namespace) -> list[str]:
    """The options as a command has them; a password is nobody's business."""
    if "sip_target" not in options:
        return []
    words = ["--transport", options.transport]
    for name in ("target", "domain"):
        if value := getattr(options, f"sip_{name}"):
            words += [f"--sip-{name}", value]
    return words


def of_aim(aim: SipAim) -> Strategy:
    """Whatever a target does against overload: the record has a name for it and no more."""
    title = f"{aim.host}:{aim.port}, an SBC that is not ours"
    return Strategy.model_validate({"name": "target", "title": title, "summary": title})


def check_scenario(scenario: Scenario, aim: SipAim | None) -> None:
    """BadFile if the scenario is not for these UEs."""
    if aim is None and scenario.outage.strikes == "sbc":
        raise BadFile("outage.strikes: sbc is for phones without a 5GC: locust -f locustfiles/storm_ims.py")
    if aim is not None and not scenario.population.ims:
        raise BadFile("population.ims: expected true, phones register in IMS and nowhere else")
    if aim is not None and aim.ours and scenario.outage.strikes != "sbc":
        raise BadFile("outage.strikes: expected sbc, there are no gNBs")


def _outage(begin: str, end: str) -> TargetOutage:
    if bool(begin) is not bool(end):
        raise BadFile("--sip-outage-begin, --sip-outage-end: expected both or none")
    return TargetOutage(how="command", begin=begin, end=end) if begin else TargetOutage()
