"""The books on served UDM pairs: which of them led to full service, and which were wasted.

The rule is that of the reference core's ledger (pair_ledger.py) and, for IMS, of its accounts; here the open accounts
lie with their UE, so that they are settled or written off together. The running procedure's account is the last one
in 5GS; IMS has one of its own beside it.
"""

from collections.abc import Sequence
from typing import Final

from regstorm.records import counters
from regstorm.simulator.pair_sums import PairSums
from regstorm.simulator.population import Ue
from regstorm.simulator.tally import SecondTally

_CLOSED: Final = -1


class Account:
    """What was served for one procedure."""

    __slots__ = ("dnn", "pairs", "ready")

    def __init__(self) -> None:
        self.pairs = 0
        """By interface (pair_sums.py). Below 0: it is settled or written off, and a pair that comes later is wasted."""
        self.dnn: str | None = None
        """It was for the session with that DNN, which is up."""
        self.ready = False
        """It has done its part: settled as soon as the user is in full service in IMS."""


class Ledger:
    """The accounts of every UE since its last full service."""

    __slots__ = ("_by_interface", "_counts", "_lost", "_settled", "_ues", "settled", "sums", "written_off")

    def __init__(self, ues: Sequence[Ue], tally: SecondTally, by_interface: bool) -> None:
        """`by_interface`: waste is counted for each as well, as the reference core does where there is IMS."""
        self._ues = ues
        self._counts = tally.counts
        self._by_interface = by_interface
        self.sums = PairSums()
        self._settled = 0
        self._lost = 0
        """Since the last `hand_on`."""
        self.settled = 0
        self.written_off = 0
        """Until then."""

    @property
    def pending(self) -> int:
        """Pairs of procedures whose end is not known yet."""
        accounts = {one for ue in self._ues for one in ue.accounts}
        for ue in self._ues:
            accounts |= {one for one in (ue.account_in_ims, ue.registered_in_ims) if one is not None}
        return sum(self.sums.total(one.pairs) for one in accounts if one.pairs > 0)

    def enter(self, account: Account | None, pair: int) -> None:
        """The UDM has served one pair for that procedure; None: it is the price of leaving, and not wasted."""
        if account is None:
            self._settled += pair
        elif account.pairs >= 0:
            account.pairs += pair
        else:
            self._lost += pair

    def hand_on(self) -> None:
        """Counts what was lost in the second that ends."""
        self.settled += self.sums.total(self._settled)
        lost = self.sums.parts(self._lost)
        self._settled = self._lost = 0
        if lost:
            self.written_off += (in_all := sum(lost.values()))
            self._counts[counters.UDM_PAIRS_LOST] += in_all
            for interface, pairs in lost.items() if self._by_interface else ():
                self._counts[f"{counters.UDM_PAIRS_LOST}.{interface}"] += pairs

    # --- 5GS ---------------------------------------------------------------------------------------------------------

    def open(self, ue: Ue) -> None:
        """A procedure begins that will ask for pairs."""
        ue.accounts = (*ue.accounts, Account())

    def running(self, ue: Ue) -> Account:
        """The account of the UE's running procedure."""
        return ue.accounts[-1]

    def write_off_running(self, ue: Ue) -> None:
        """The running procedure has come to nothing."""
        if ue.accounts:
            self._write_off(ue.accounts[-1])
            ue.accounts = ue.accounts[:-1]

    def write_off(self, ue: Ue) -> None:
        """The UE begins anew before it had full service."""
        for account in ue.accounts:
            self._write_off(account)
        ue.accounts = ()
        if ue.registered_in_ims is not None and ue.registered_in_ims is not ue.account_in_ims:
            self._write_off(ue.registered_in_ims)

    def session_gone(self, ue: Ue, dnn: str) -> None:
        """If the UE has not had full service with it, its pairs were wasted."""
        for account in ue.accounts:
            if account.dnn == dnn:
                self._write_off(account)
                ue.accounts = tuple(one for one in ue.accounts if one is not account)

    def full_in_5gs(self, ue: Ue, served: bool) -> None:
        """The UE has every session, and with `served` full service: all that was done for it was well spent."""
        if served:
            for account in ue.accounts:
                self._settle(account)
            ue.accounts = ()
        else:
            for account in ue.accounts:
                account.ready = True

    def full_in_ims(self, ue: Ue) -> None:
        """Both application servers hold the user's registration: what was ready for that is settled."""
        for account in ue.accounts:
            if account.ready:
                self._settle(account)
        ue.accounts = tuple(one for one in ue.accounts if not one.ready)
        registered, ue.registered_in_ims = ue.registered_in_ims, None
        if registered is not None and ue.account_in_ims is not registered:
            self._settle(registered)

    # --- IMS ---------------------------------------------------------------------------------------------------------

    def begin_in_ims(self, ue: Ue) -> Account:
        """A registration begins; what had not led to full service before it is written off."""
        if ue.registered_in_ims is not None:
            self._write_off(ue.registered_in_ims)
        account = ue.account_in_ims = ue.registered_in_ims = Account()
        return account

    def refresh_in_ims(self, ue: Ue) -> Account:
        """A user who is registered registers again."""
        account = ue.account_in_ims = Account()
        return account

    def failed_in_ims(self, ue: Ue) -> None:
        """It has come to nothing. Harmless if none runs."""
        if ue.account_in_ims is not None:
            self._write_off(ue.account_in_ims)
            ue.account_in_ims = None

    def succeeded_in_ims(self, ue: Ue, served: bool) -> None:
        """The user is registered: settled at once if it is in full service, else with that."""
        account, ue.account_in_ims = ue.account_in_ims, None
        if account is None:
            return
        if served:
            self._settle(account)
        elif ue.registered_in_ims is not account:
            account.ready = True
            ue.accounts = (account, *ue.accounts)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _settle(self, account: Account) -> None:
        if account.pairs >= 0:
            self._settled += account.pairs
            account.pairs = _CLOSED

    def _write_off(self, account: Account) -> None:
        if account.pairs >= 0:
            self._lost += account.pairs
            account.pairs = _CLOSED
