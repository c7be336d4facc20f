"""Chance: a random generator of its own for each part of a storm, so that one part's draws do not shift another's."""

from random import Random


def stream_of_chance(seed: int, name: str) -> Random:
    """The draws of the part called `name`; the same in whichever process that part lives."""
    return Random(f"{seed} {name}")
