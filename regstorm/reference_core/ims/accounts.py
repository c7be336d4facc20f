"""Whose books the pairs of an IMS registration stand in (pair_ledger.py).

One procedure for each initial registration, from its first REGISTER to full service; one for each re-registration.
A user who registers anew before full service has wasted what was asked for since the last.
"""

from regstorm.reference_core.pair_ledger import NO_PROCEDURE, PairLedger


class Accounts:
    """The open procedures of users, by SUPI."""

    def __init__(self, ledger: PairLedger) -> None:
        self._ledger = ledger
        self._running: dict[str, int] = {}
        self._since_service: dict[str, int] = {}

    def begin(self, supi: str, now: float) -> int:
        """A registration begins; what had not led to full service before it is written off."""
        earlier = self._since_service.pop(supi, None)
        if earlier is not None:
            self._ledger.write_off(earlier, now)
        number = self._running[supi] = self._since_service[supi] = self._ledger.open()
        return number

    def begin_refresh(self, supi: str) -> int:
        """A user who is registered registers again."""
        number = self._running[supi] = self._ledger.open()
        return number

    def running(self, supi: str) -> int:
        """The one that a challenge answer belongs to."""
        return self._running.get(supi, NO_PROCEDURE)

    def failed(self, supi: str, now: float) -> None:
        """It has come to nothing. Harmless if none runs."""
        number = self._running.pop(supi, None)
        if number is not None:
            self._ledger.write_off(number, now)

    def succeeded(self, supi: str) -> None:
        """The user is registered; full service settles it."""
        number = self._running.pop(supi, None)
        if number is not None:
            self._ledger.ready(supi, number)

    def in_full_service(self, supi: str) -> None:
        """Both application servers hold the registration."""
        self._since_service.pop(supi, None)
        self._ledger.in_full_service(supi)
