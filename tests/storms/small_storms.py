"""Storms small enough for a test: a scenario made here, run on the wire in lockstep, looked at from inside."""

from pathlib import Path

from regstorm.drivers.wire_storm import WireStorm
from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.records.strategy import Strategy

ROOT = Path(__file__).parents[2]


def strategy(name):
    return read(ROOT / "strategies" / f"{name}.yaml", Strategy)


def shipped(name):
    return read(ROOT / "scenarios" / f"{name}.yaml", Scenario)


def scenario(ues=50, online=0, pairs_per_s=10_000.0, arrivals_s=20.0, outage=None, network=None, amf=None, udm=None):
    """Calm unless told otherwise: capacity for everybody at once."""
    return Scenario.model_validate(
        {
            "name": "small",
            "title": "A storm for a test",
            "network": network or {},
            "population": {"outage_ues": ues, "online_ues": online},
            "outage": {
                "begins_s": 5,
                "lasts_s": 5,
                "arrivals_s": arrivals_s,
                "recovery_within_s": 600,
                "calm_after_s": 5,
                **(outage or {}),
            },
            "core": {"udm": {"capacity_pairs_per_s": pairs_per_s, **(udm or {})}, "amf": amf or {}},
        }
    )


def plan(one, under="self_protection", seed=1, sample=1, out=Path(), pcap=None):
    return StormPlan(one, strategy(under), seed, sample, out, pcap)


def storm_of(one_plan, prepare=lambda storm: None):
    """Runs it to its end; `prepare` may touch the machines after everybody has a seat."""
    storm = WireStorm(one_plan)
    population = storm.scenario.population
    for _ in range(population.outage_ues):
        storm.seats.take_outage()
    for _ in range(population.online_ues):
        storm.seats.take_online()
    prepare(storm)
    try:
        storm.run(lambda progress: None, StopFlag())
    finally:
        storm.close()
    return storm
