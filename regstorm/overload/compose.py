"""Composes a strategy's parts from its record: the front door, and the servers behind it."""

from random import Random
from typing import Any

from regstorm.overload.backlog import Backlog
from regstorm.overload.backlog_window import BacklogWindow
from regstorm.overload.front_door import FrontDoor, gated_classes
from regstorm.overload.guided_door import GuidedDoor
from regstorm.overload.live_credit import LiveCredit
from regstorm.overload.protected_server import ProtectedServer
from regstorm.overload.restriction import Restriction
from regstorm.overload.retry_guidance import RetryGuidance
from regstorm.overload.tiers import TierTable
from regstorm.overload.token_bucket import TokenBucket
from regstorm.records.core_settings import Shedding
from regstorm.records.operations import PAIRS_PER_REGISTRATION
from regstorm.records.strategy import Gate, Strategy

AUTHENTICATION_PAIRS = PAIRS_PER_REGISTRATION["N13"]
"""What a user costs that is authenticated and then told to wait."""


def front_door(
    strategy: Strategy,
    udm_capacity_pairs_per_s: float,
    pairs_per_ue: float,
    messages_per_ue: float,
    rng: Random,
    width: float = 1.0,
    depth: float = 1.0,
    node: str = "",
) -> FrontDoor:
    """The door of an AMF or SBC whose UEs cost the back end `pairs_per_ue` and send `messages_per_ue` to register.

    A gate with a planned rate takes that instead of what the back end can finish. `width` and `depth` are factors on
    the gate's rate and on its depth: those of a second door behind the first, or of one door of several. `node` is
    the door's name, for which the gate may have a rate of its own.
    """
    tiers = tier_table(strategy)
    guidance = RetryGuidance(strategy.guidance.t3346, rng)
    restriction = Restriction(strategy.restriction, rng) if strategy.restriction else None
    gate = strategy.gate
    if gate is None:
        return FrontDoor(None, frozenset(), tiers, guidance, strategy.guidance.follow_up, restriction)
    if node in gate.nodes:
        ues_per_s = gate.nodes[node]
    elif gate.ues_per_s is None:
        ues_per_s = gate.share_of_capacity * (width * udm_capacity_pairs_per_s / pairs_per_ue)
    else:
        ues_per_s = width * gate.ues_per_s
    bucket = _bucket(gate, ues_per_s, messages_per_ue, depth)
    gated = gated_classes(gate, tiers)
    if strategy.credit is None or strategy.backlog is None:
        return FrontDoor(bucket, gated, tiers, guidance, strategy.guidance.follow_up, restriction)
    return GuidedDoor(
        bucket,
        gated,
        tiers,
        guidance,
        strategy.guidance.follow_up,
        credit=LiveCredit(strategy.credit, ues_per_s),
        window=BacklogWindow(strategy.backlog, rng),
        backlog=Backlog(strategy.backlog.overdue_s),
        reserve=strategy.credit.reserve,
        probation_costs=AUTHENTICATION_PAIRS / pairs_per_ue if strategy.credit.pre_authenticates else None,
    )


def server(shedding: Shedding, capacity: float, strategy: Strategy, rng: Random) -> ProtectedServer[Any]:
    """A server behind the door, ordered by the strategy's tiers if those order the queues as well."""
    if strategy.load_limit is not None:
        shedding = shedding.model_copy(update={"load_limit": strategy.load_limit})
    return ProtectedServer(capacity, shedding, rng, ordered_tiers=ordered_tiers(strategy))


def ordered_tiers(strategy: Strategy) -> int:
    """How many tiers the servers behind the door tell apart; 1: they are not ordered."""
    ordered = strategy.tiers is not None and strategy.tiers.orders_queues
    return len(tier_table(strategy)) if ordered else 1


def tier_table(strategy: Strategy) -> TierTable:
    """The tiers of `strategy`; one for all where it has none."""
    return TierTable(strategy.tiers.order if strategy.tiers else None)


def _bucket(gate: Gate, ues_per_s: float, messages_per_ue: float, depth: float) -> TokenBucket:
    """Tokens are messages: as many per UE as the gate counts."""
    counted_per_ue = messages_per_ue if gate.counts == "every_uplink_message" else 1.0
    rate = ues_per_s * counted_per_ue
    return TokenBucket.for_ues(rate, depth * gate.depth_s, counted_per_ue, depth * gate.least_depth_ues)
