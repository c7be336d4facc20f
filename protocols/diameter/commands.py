"""How a command is laid out: its result if it is an answer, its fields, and what every command of 3GPP carries.

Cx, Sh and S6a keep no sessions, so that each of their messages has the same Vendor-Specific-Application-Id and
Auth-Session-State (TS 29.229 5, TS 29.329 5, TS 29.272 7.1.2); these are written, and passed over when read.
"""

from typing import Any, Final, NamedTuple

from protocols.diameter import avps as a
from protocols.diameter.layouts import Field, Found, Layout, Malformed, Result, maybe, one
from protocols.diameter.numbers import Application, Command, ResultCode, Vendor

NO_STATE_MAINTAINED: Final = 1
"""Auth-Session-State (RFC 6733 8.11)."""


class VendorApplication(NamedTuple):
    """Vendor-Specific-Application-Id (RFC 6733 6.11)."""

    vendor: int
    auth_application: int | None = None
    acct_application: int | None = None


VENDOR_SPECIFIC_APPLICATION_ID: Final = a.grouped(
    "Vendor-Specific-Application-Id",
    260,
    Layout(VendorApplication, (one(a.VENDOR_ID), maybe(a.AUTH_APPLICATION_ID), maybe(a.ACCT_APPLICATION_ID))),
    Vendor.IETF,
)


class CommandLayout:
    """One command of one application, request or answer: its numbers, and its AVPs behind the envelope."""

    __slots__ = ("_fixed", "_layout", "_make", "application", "command", "is_request", "make")

    def __init__(
        self, command: Command, make: type[Any], application: Application, is_request: bool, layout: Layout
    ) -> None:
        self.command = int(command)
        self.application = int(application)
        self.is_request = is_request
        self.make = make
        self._layout = layout
        self._fixed = b""
        if application is not Application.BASE:
            ours = VendorApplication(Vendor.TGPP, application)
            self._fixed = VENDOR_SPECIFIC_APPLICATION_ID.octets(ours) + a.AUTH_SESSION_STATE.octets(NO_STATE_MAINTAINED)

    def write(self, content: tuple[Any, ...]) -> bytes:
        """The AVPs of a command's value."""
        if self.is_request:
            return self._fixed + self._layout.write(content)
        return self._fixed + result_octets(content[0]) + self._layout.write(content[1:])

    def read(self, found: Found) -> Any:
        """The command's value; what it takes is taken out of `found`."""
        if self._fixed:
            found.pop(VENDOR_SPECIFIC_APPLICATION_ID.key, None)
            found.pop(a.AUTH_SESSION_STATE.key, None)
        if self.is_request:
            return self._layout.read(found)
        return self.make(read_result(found), *self._layout.parts(found))


def request(command: Command, make: type[Any], *fields: Field, of: Application = Application.BASE) -> CommandLayout:
    """The layout of a request."""
    return CommandLayout(command, make, of, True, Layout(make, fields))


def answer(command: Command, make: type[Any], *fields: Field, of: Application = Application.BASE) -> CommandLayout:
    """The layout of an answer; the result is the first field of its value and is not among `fields`."""
    return CommandLayout(command, make, of, False, Layout(make, fields))


def result_octets(result: Result) -> bytes:
    """Result-Code or Experimental-Result."""
    return (a.RESULT_CODE if isinstance(result, ResultCode) else a.EXPERIMENTAL_RESULT).octets(result)


def read_result(found: Found) -> Result:
    """Takes the result out of `found`: an answer has one of the two AVPs (RFC 6733 7.1, 7.6)."""
    for kind in (a.RESULT_CODE, a.EXPERIMENTAL_RESULT):
        several = found.pop(kind.key, None)
        if several is not None:
            result: Result = kind.read(several[0][1])
            return result
    raise Malformed(ResultCode.MISSING_AVP, "an answer without a result")
