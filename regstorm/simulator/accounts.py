"""The books on pairs by UE: which procedures of it are open, so that they are settled or written off together.

The rule is that of the reference core's ledger (pair_ledger.py) and, for IMS, of its accounts. The running procedure's
account is the last one in 5GS; IMS has one of its own beside it.
"""

from typing import Final

from regstorm.records.ports import Tally
from regstorm.reference_core.pair_ledger import NO_PROCEDURE, PairLedger

_IN_THIS_SECOND: Final = 0.0
"""The simulator's tally counts in the second that runs, whatever time it is told."""


class Accounts:
    """Open accounts of every UE since its last full service."""

    __slots__ = ("_in_ims", "_in_ims_since_service", "_open", "ledger")

    def __init__(self, tally: Tally) -> None:
        self.ledger = PairLedger(tally)
        self._open: dict[int, list[int]] = {}
        self._in_ims: dict[int, int] = {}
        """What runs there."""
        self._in_ims_since_service: dict[int, int] = {}

    def open(self, ue: int) -> None:
        """A procedure begins that will ask for pairs."""
        self._open.setdefault(ue, []).append(self.ledger.open())

    def running(self, ue: int) -> int:
        """The account of the UE's running procedure."""
        return self._open[ue][-1]

    def write_off_running(self, ue: int) -> None:
        """The running procedure has come to nothing."""
        accounts = self._open.get(ue)
        if accounts:
            self.ledger.write_off(accounts.pop(), _IN_THIS_SECOND)

    def write_off(self, ue: int) -> None:
        """The UE begins anew before it had full service."""
        for account in self._open.pop(ue, ()):
            self.ledger.write_off(account, _IN_THIS_SECOND)

    def settle(self, ue: int, keep_running: bool = False) -> None:
        """The UE has full service: all that was done for it was well spent, but for what still runs in 5GS."""
        accounts = self._open.pop(ue, [])
        if keep_running and accounts:
            self._open[ue] = [accounts.pop()]
        for account in accounts:
            self.ledger.settle(account)
        registered = self._in_ims_since_service.pop(ue, None)
        if registered is not None and self._in_ims.get(ue) != registered:
            self.ledger.settle(registered)

    # --- IMS ---------------------------------------------------------------------------------------------------------

    def begin_in_ims(self, ue: int) -> int:
        """A registration begins; what had not led to full service before it is written off."""
        earlier = self._in_ims_since_service.get(ue)
        if earlier is not None:
            self.ledger.write_off(earlier, _IN_THIS_SECOND)
        number = self._in_ims[ue] = self._in_ims_since_service[ue] = self.ledger.open()
        return number

    def refresh_in_ims(self, ue: int) -> int:
        """A user who is registered registers again."""
        number = self._in_ims[ue] = self.ledger.open()
        return number

    def running_in_ims(self, ue: int) -> int:
        """The one that the answer to a challenge belongs to."""
        return self._in_ims.get(ue, NO_PROCEDURE)

    def failed_in_ims(self, ue: int) -> None:
        """It has come to nothing. Harmless if none runs."""
        number = self._in_ims.pop(ue, None)
        if number is not None:
            self.ledger.write_off(number, _IN_THIS_SECOND)

    def succeeded_in_ims(self, ue: int, served: bool) -> None:
        """The user is registered: settled at once if it is in full service, else with that."""
        number = self._in_ims.pop(ue, None)
        if number is None:
            return
        if served:
            self.ledger.settle(number)
        elif self._in_ims_since_service.get(ue) != number:
            self._open.setdefault(ue, []).insert(0, number)
