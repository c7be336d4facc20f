"""regstorm core: the bundled core alone, for whoever has a generator."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from protocols.identities import Plmn
from protocols.ims_identities import home_domain
from regstorm.cli import options, sources
from regstorm.drivers.association import Address
from regstorm.drivers.control import SetUp
from regstorm.records.files import BadFile
from regstorm.records.operations import Nf
from regstorm.records.run_record import Backend

if TYPE_CHECKING:
    from regstorm.drivers.core_process import CoreProcess

_ANYWHERE = "127.0.0.1:0"
_PROTOCOL_OF = {Nf.UDM: "HTTP/2 with prior knowledge", Nf.HSS: "Diameter over TCP"}
N2_PORT, CONTROL_PORT = 38412, 38413  # NGAP's own (TS 38.412 clause 7), and the one beside it


def core(
    strategy: Annotated[str, typer.Option(help="A name in strategies/ or a file.")] = "tiered",
    scenario: Annotated[str, typer.Option(help="A name in scenarios/ or a file: network, capacities, subscribers.")] = (
        "outage_return"
    ),
    sample: options.Sample = options.DEFAULT_SAMPLE,
    seed: options.Seed = 1,
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where gNBs connect.")] = f"127.0.0.1:{N2_PORT}",
    control: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where a generator commands it; port 0: any.")
    ] = f"127.0.0.1:{CONTROL_PORT}",
    speed: Annotated[float, typer.Option(metavar="X", help="Scenario seconds per wall second.")] = 1.0,
    transport: Annotated[str, typer.Option(help="tcp (the generator's private framing) or sctp (the kernel's).")] = (
        "tcp"
    ),
    metrics_port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="Prometheus metrics on loopback; 0: none.")
    ] = 0,
    sip_listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where the SBC is reached outside of PDU sessions, UDP and TCP.")
    ] = "",
    backend: options.Backend = "in_process",
    nudm_listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="With --backend wire: the UDM's door, HTTP/2 with prior knowledge.")
    ] = "",
    diameter_listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="With --backend wire: the HSS's door, Diameter over TCP.")
    ] = "",
    changes: options.Set = None,
) -> None:
    """Runs the bundled core until Ctrl-C, for Locust or any gNB; its subscribers are deregistered at first.

    A generator that connects to the control socket sets it up anew for its own storm.

    Example: regstorm core --strategy precise --sample 100 --listen 127.0.0.1:38412

    Example: regstorm core --backend wire --nudm-listen 127.0.0.1:7777 --diameter-listen 127.0.0.1:3868
    """
    # Here, not above: gevent changes signal handling, and the other commands have no use for it.
    from regstorm.drivers.core_process import AddressTaken, CoreOptions, serve
    from regstorm.drivers.sctp import SctpUnavailable
    from regstorm.drivers.transports import TRANSPORT_NAMES, transport_named

    story, _ = sources.scenario(scenario, changes or [])
    chosen, _ = sources.strategy(strategy, story)
    options.pacing("paced", speed, 1.0)
    if transport not in TRANSPORT_NAMES:
        raise BadFile(f"--transport {transport}: expected {' or '.join(TRANSPORT_NAMES)}")
    if sip_listen and not story.population.ims:
        raise BadFile(f"--sip-listen: {story.name} has no IMS (--set population.ims=true)")
    doors_at = _doors(options.backend(backend, ("wire",)), nudm_listen, diameter_listen, story.population.ims)
    domain = home_domain(Plmn(story.network.mcc, story.network.mnc))
    console = Console(stderr=True)

    def say(text: str) -> None:
        console.print(f"core: {text}", markup=False, highlight=False, soft_wrap=True)

    def ready(process: "CoreProcess") -> None:
        host, port = process.n2_address
        control_host, control_port = process.control_address
        say(f"{story.name} 1:{sample} under {chosen.name}; gNBs at {host}:{port} ({transport})")
        if process.sip_address is not None:
            say("SIP at {}:{} (udp and tcp), domain {}".format(*process.sip_address, domain))
        for nf, (door_host, door_port) in (process.door_addresses or {}).items():
            say(f"{nf} at {door_host}:{door_port} ({_PROTOCOL_OF[nf]})")
        say(f"control at {control_host}:{control_port}; Ctrl-C ends it")

    scenario_of_sample, strategy_of_sample = story.sampled(sample), chosen.sampled(sample)
    first = SetUp(scenario=scenario_of_sample, strategy=strategy_of_sample, seed=seed, outage_ues=0, online_ues=0)
    try:
        core_options = CoreOptions(
            listen_at=_address("--listen", listen),
            control_at=_address("--control", control),
            transport=transport_named(transport),
            first=first,
            speed=speed,
            metrics_port=metrics_port,
            sip_at=_address("--sip-listen", sip_listen) if sip_listen else None,
            doors_at=doors_at,
        )
        raise typer.Exit(serve(core_options, say, ready))
    except (AddressTaken, SctpUnavailable) as error:
        raise BadFile(str(error)) from None


def _doors(backend: Backend, nudm: str, diameter: str, ims: bool) -> dict[Nf, Address] | None:
    """Where the doors of UDM and HSS are to be; None: on no socket."""
    if backend == "in_process":
        for option, given in (("--nudm-listen", nudm), ("--diameter-listen", diameter)):
            if given:
                raise BadFile(f"{option}: expected --backend wire with it")
        return None
    if diameter and not ims:
        raise BadFile("--diameter-listen: this scenario has no IMS, so nobody asks an HSS (--set population.ims=true)")
    doors = {Nf.UDM: _address("--nudm-listen", nudm or _ANYWHERE)}
    return doors | {Nf.HSS: _address("--diameter-listen", diameter or _ANYWHERE)} if ims else doors


def _address(option: str, text: str) -> Address:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 <= int(port) <= 65535:
        raise BadFile(f"{option} {text}: expected HOST:PORT")
    return host.strip("[]"), int(port)
