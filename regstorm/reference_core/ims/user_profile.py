"""The user profile of Cx, and Sh-Data: XML that the HSS writes and S-CSCF and AS read (TS 29.228 E, TS 29.328 D).

Only what a registration needs of them: the public identity, and for each application server its URI, its filter
criteria by method and its default handling. Every subscriber has the same criteria, so they are read once.
"""

from functools import lru_cache
from typing import Final, Literal, NamedTuple
from xml.etree import ElementTree

DefaultHandling = Literal["continued", "terminated"]

_HANDLINGS: Final[tuple[DefaultHandling, ...]] = ("continued", "terminated")
"""By their number: SESSION_CONTINUED 0, SESSION_TERMINATED 1 (TS 29.228 table B.2.2)."""

_BEGIN, _END = b"<InitialFilterCriteria>", b"</InitialFilterCriteria>"


class FilterCriteria(NamedTuple):
    """One initial filter criterion: which requests an application server gets, and what happens if it fails."""

    priority: int
    methods: tuple[str, ...]
    server: str
    handling: DefaultHandling


def write_profile(private: str, public: str, criteria: tuple[FilterCriteria, ...]) -> bytes:
    """The user profile that a SAA carries."""
    return (
        f"<IMSSubscription><PrivateID>{private}</PrivateID><ServiceProfile><PublicIdentity>"
        f"<Identity>{public}</Identity></PublicIdentity>{_criteria_text(criteria)}</ServiceProfile></IMSSubscription>"
    ).encode()


def read_criteria(profile: bytes) -> tuple[FilterCriteria, ...]:
    """The filter criteria in a user profile, by priority; none if there are none to be read."""
    begin, end = profile.find(_BEGIN), profile.rfind(_END)
    return () if begin < 0 or end < begin else _read(profile[begin : end + len(_END)])


@lru_cache(maxsize=16)
def _criteria_text(criteria: tuple[FilterCriteria, ...]) -> str:
    return "".join(
        f"<InitialFilterCriteria><Priority>{one.priority}</Priority><TriggerPoint>"
        f"<ConditionTypeCNF>0</ConditionTypeCNF>{''.join(map(_trigger, one.methods))}</TriggerPoint>"
        f"<ApplicationServer><ServerName>{one.server}</ServerName>"
        f"<DefaultHandling>{_HANDLINGS.index(one.handling)}</DefaultHandling></ApplicationServer>"
        "</InitialFilterCriteria>"
        for one in criteria
    )


def _trigger(method: str) -> str:
    return f"<SPT><ConditionNegated>0</ConditionNegated><Group>0</Group><Method>{method}</Method></SPT>"


@lru_cache(maxsize=16)
def _read(criteria: bytes) -> tuple[FilterCriteria, ...]:
    try:
        root = ElementTree.fromstring(b"<all>" + criteria + b"</all>")
    except ElementTree.ParseError:
        return ()
    found = []
    for one in root.iter("InitialFilterCriteria"):
        server = one.findtext("ApplicationServer/ServerName", "")
        handling = one.findtext("ApplicationServer/DefaultHandling", "0")
        methods = tuple(method.text or "" for method in one.iter("Method"))
        priority = one.findtext("Priority", "0")
        number = int(priority) if priority.isdecimal() else 0
        found.append(FilterCriteria(number, methods, server, _HANDLINGS[handling == "1"]))
    return tuple(sorted(found))


@lru_cache(maxsize=64)
def sh_data(*elements: str) -> bytes:
    """Sh-Data with empty elements: what an AS reads of a subscriber who has nothing out of the ordinary."""
    return ("<Sh-Data>" + "".join(f"<{one}/>" for one in elements) + "</Sh-Data>").encode()
