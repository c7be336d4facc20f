"""Apportioning model: how the capacity of a UDM/HSS is shared between EPC, IMS and 5GC (paper, 3.2).

A(N) is the capacity of UDM/HSS N in pairs per second; X1, X2 and X3 are the shares of S6a, Cx/Sh and N8/N10/N13.
Where all units share machines, X1 + X2 + X3 = 1. Where 5GC has machines of its own, X1 + X2 = 1 on those of EPC and
IMS, and 5GC has all of its own (X3 = 1).

The shares are those in which users of the mix need pairs, so that no domain waits for another: who comes on line in
EPC or 5GC goes on to IMS as the penetrations say. That is why IMS registrations of 5GC users are in X2, and bind the
machines of EPC and IMS, even where 5GC has machines of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.domains import DOMAINS, Domain
from regstorm.planning.situation import Mix, Situation
from regstorm.planning.working import Working, working


@dataclass(frozen=True, slots=True)
class Apportioning:
    """Shares of the machines, by domain."""

    shares: Mapping[Domain, float]
    """X1, X2, X3. 0: nobody who returns needs that domain."""
    demand: Mapping[Domain, float]
    """Pairs per returning user."""
    workings: tuple[Working, ...]


def apportion(situation: Situation, amplification: Amplification) -> Apportioning:
    """X1, X2 and X3 for the users who return."""
    demand = {one: situation.mix.per_user[one] * amplification.per_procedure(one) for one in DOMAINS}
    shares, workings = {}, [_demand(one, situation.mix, amplification, demand[one]) for one in DOMAINS]
    for together in dict.fromkeys(unit.domains for unit in situation.units):
        whole = sum(demand[one] for one in together)
        for one in together:
            shares[one] = demand[one] / whole if whole else 0.0
            if whole:
                workings.append(_share(one, together, demand, shares[one]))
    return Apportioning({one: shares[one] for one in DOMAINS}, demand, tuple(workings))


def letter(domain: Domain) -> str:
    """Pairs of a domain per returning user, in formulas."""
    return f"d{domain.pairs[1:]}"


def _demand(domain: Domain, mix: Mix, amplification: Amplification, result: float) -> Working:
    values = {domain.per_user: mix.per_user[domain], domain.pairs: amplification.per_procedure(domain)}
    name = f"{domain.group} pairs per returning user ({letter(domain)})"
    return working(name, f"{domain.per_user} · {domain.pairs}", values, result, "pairs")


def _share(domain: Domain, together: tuple[Domain, ...], demand: Mapping[Domain, float], result: float) -> Working:
    formula = f"{letter(domain)} ÷ ({' + '.join(letter(one) for one in together)})"
    values = {letter(one): demand[one] for one in together}
    return working(f"{domain.x}, share of {domain.group}", formula, values, result, "")
