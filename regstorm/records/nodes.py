"""Nodes: the AMFs, SBCs and UDM/HSS that a core is made of, and what happens to them while a storm runs.

Data only. Which node serves which user is decided by regstorm.overload.node_shares.
"""

from functools import cache
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_SHARES_MAY_MISS_BY = 1e-6

NODE_NAME = r"^[a-z][a-z0-9-]*$"
NodeName = Annotated[str, Field(pattern=NODE_NAME)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Node(_Record):
    """One of several network functions of a kind. What is not said here is as the scenario has it for the kind."""

    name: NodeName
    share: float = Field(gt=0, le=1)
    """Of the users; the shares of a kind add up to 1."""
    capacity_share: float | None = Field(default=None, gt=0, le=1)
    """Of the scenario's capacity of its kind; `share` where nothing is said. They add up to 1 as well."""
    rejection_cost: float | None = Field(default=None, ge=0, le=1)
    """Work of a rejection as a share of the work of serving; that of the scenario where nothing is said."""

    @property
    def part_of_capacity(self) -> float:
        """The share of its kind's capacity that it has."""
        return self.share if self.capacity_share is None else self.capacity_share


class Incident(_Record):
    """Something that happens to the core at a time: nodes lose or regain capacity, or another strategy is in force."""

    at_s: float = Field(ge=0)
    """Scenario seconds from the beginning of the run."""
    nodes: tuple[NodeName, ...] = ()
    capacity: float | None = Field(default=None, ge=0)
    """Factor on what `nodes` can do by the scenario. 0: they are lost, with what they were working on; 1: all of it."""
    strategy: str | None = Field(default=None, min_length=1)
    """Name or path of the strategy that is in force from then on, at every front door."""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.capacity is None) == (self.strategy is None):
            raise ValueError("expected either capacity or strategy")
        if (self.capacity is None) == bool(self.nodes):
            raise ValueError("expected nodes with capacity, and none with strategy")
        return self


def _whole(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    for what, shares in (
        ("shares", [node.share for node in nodes]),
        ("capacity shares", [node.part_of_capacity for node in nodes]),
    ):
        if nodes and abs(sum(shares) - 1) > _SHARES_MAY_MISS_BY:
            raise ValueError(f"the {what} must add up to 1, not {sum(shares):g}")
    return nodes


Nodes = Annotated[tuple[Node, ...], AfterValidator(_whole)]
"""The nodes of one kind; none: there is one, and the scenario need not name it."""


def or_the_one(nodes: tuple[Node, ...], name: str) -> tuple[Node, ...]:
    """`nodes`, or the one node of a kind of which the scenario names none."""
    return nodes or _the_one(name)


@cache
def _the_one(name: str) -> tuple[Node, ...]:
    """Made once: it is asked for each user."""
    return (Node(name=name, share=1),)
