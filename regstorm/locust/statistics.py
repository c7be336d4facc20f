"""Attempts in Locust's statistics: one request event for each procedure attempt, under its procedure's name.

Response times are scenario milliseconds, from an attempt's first NAS octet to its end. A failure is a prebuilt
exception for each cause: one class per family of causes (Locust's OpenTelemetry export keeps only the class), and
equal text, so that the failures table groups.
"""

from locust.env import Environment

from regstorm.records.procedures import REQUEST_TYPES


class AttemptFailed(Exception):
    """An attempt that did not succeed. Shown as its text alone."""

    def __repr__(self) -> str:
        return str(self)


class Congestion(AttemptFailed):
    """5GMM #22, 5GSM #26 and #22: the network is congested and says so."""


class NetworkRejected(AttemptFailed):
    """Any other cause."""


class NoAnswer(AttemptFailed):
    """A NAS timer of the UE ran out."""


class LowerLayerFailure(AttemptFailed):
    """The association, the radio connection or the UE itself went away."""


class AttemptStatistics:
    """Fires Locust's request event for attempts that have ended."""

    def __init__(self, environment: Environment) -> None:
        self._fire = environment.events.request.fire
        self._failures: dict[str, AttemptFailed] = {}

    def attempt_ended(self, ue: int, procedure: str, started: float, now: float, failure: str | None) -> None:
        """Times in scenario seconds; `failure` None is success."""
        self._fire(
            request_type=request_type(procedure),
            name=procedure,
            response_time=(now - started) * 1e3,
            response_length=0,
            exception=None if failure is None else self._exception(failure),
            context={"ue": ue},
        )

    def _exception(self, failure: str) -> AttemptFailed:
        exception = self._failures.get(failure)
        if exception is None:
            exception = self._failures[failure] = _family(failure)(failure)
        return exception


def request_type(procedure: str) -> str:
    """Locust's column "Type" for a procedure: the protocol that carries it."""
    if procedure.startswith("PDU session"):
        return "5GSM"
    return REQUEST_TYPES.get(procedure, "5GMM")


def _family(failure: str) -> type[AttemptFailed]:
    if failure in ("5GMM #22", "5GSM #26", "5GSM #22"):
        return Congestion
    if failure in ("SIP 500", "SIP 503", "SIP 504"):
        return Congestion
    if failure.startswith(("5GMM #", "5GSM #", "SIP ")):
        return NetworkRejected
    if failure.endswith("expired"):
        return NoAnswer
    return LowerLayerFailure


def totals(environment: Environment) -> dict[str, dict[str, int]]:
    """What Locust has counted: attempts and failures by name."""
    return {
        name: {"attempts": entry.num_requests, "failures": entry.num_failures}
        for (name, _), entry in sorted(environment.stats.entries.items())
    }


def failures(environment: Environment) -> dict[str, dict[str, int]]:
    """What Locust has counted: failures by name and cause."""
    counted: dict[str, dict[str, int]] = {}
    for error in sorted(environment.stats.errors.values(), key=lambda error: (error.name, str(error.error))):
        by_cause = counted.setdefault(error.name, {})
        cause = str(error.error)
        by_cause[cause] = by_cause.get(cause, 0) + error.occurrences
    return counted
