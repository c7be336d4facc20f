"""Whom a storm is about: users at full size, how many of them were played, and what a command changed in the scenario.

A scenario's title is prose and may name numbers of the file (`200 000 users return`). So where `--set` changed fields,
the title does not stand alone: what was changed stands behind it.
"""

import shlex
from collections.abc import Iterator

from reports import wording
from reports.run_directory import Run


def users(run: Run) -> str:
    """`200 000 in the outage group, 100 000 in service; played: 2 000 and 1 000 (sample 1:100)`. Empty: not known."""
    if not run.outage_ues:
        return ""
    whole = f"{wording.count(run.all_outage_ues)} in the outage group, {wording.count(run.all_online_ues)} in service"
    if run.sample == 1:
        return f"{whole}; played: all of them"
    played = f"{wording.count(run.outage_ues)} and {wording.count(run.online_ues)}"
    return f"{whole}; played: {played} (sample 1:{run.sample})"


def title(run: Run) -> str:
    """The scenario's title, with what a command changed in it."""
    said = str(run.scenario.get("title") or run.header.get("scenario") or "a storm")
    changed = changes(run)
    return f"{said} – changed: {', '.join(changed)}" if changed else said


def changes(run: Run) -> list[str]:
    """`population.outage_ues = 10 000 000`: every field that the run's command set, the last word on each."""
    found = dict(_settings(str(run.entry.get("command") or "")))
    return [f"{field} = {value}" for field, value in found.items()]


def _settings(command: str) -> Iterator[tuple[str, str]]:
    try:
        words = shlex.split(command)
    except ValueError:  # a command of somebody else's, with a lone quote
        return
    for index, word in enumerate(words):
        if word == "--set" and index + 1 < len(words):
            change = words[index + 1]
        elif word.startswith("--set="):
            change = word.removeprefix("--set=")
        else:
            continue
        field, _, value = change.partition("=")
        yield field.strip(), _readable(value.strip())


def _readable(value: str) -> str:
    return wording.count(int(value)) if value.isdecimal() and len(value) > 4 else value
