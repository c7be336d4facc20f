"""The three domains that share UDM/HSS, with the letters that the plan's formulas use for them.

After section 3 of the paper: EPC, 5GC and IMS each have a front door (MME, AMF, SBC), a procedure by which a user
comes on line, and reference points on which that procedure reaches UDM/HSS.
"""

from typing import NamedTuple

from regstorm.records.topology import INTERFACES_OF, Interface, Procedure


class Domain(NamedTuple):
    """EPC, 5GC or IMS."""

    name: str
    front_door: str
    """Which kind of node admits its users."""
    procedure: Procedure
    group: str
    """Its reference points as one word: apportioning gives all of them one share."""
    x: str
    """That share in formulas: X1, X2, X3 of the paper."""
    pairs: str
    """Pairs per procedure in formulas."""
    rate: str
    """UEs per second that come on line, in formulas."""
    per_user: str
    """Procedures of this domain per returning user, in formulas."""

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Its reference points to UDM/HSS."""
        return INTERFACES_OF[self.procedure]


EPC = Domain("EPC", "MME", "4g_attach", "S6a", "X1", "a4", "E", "m4")
IMS = Domain("IMS", "SBC", "ims_registration", "Cx/Sh", "X2", "aI", "I", "vI")
FIVE_GC = Domain("5GC", "AMF", "5g_registration", "N8/N10/N13", "X3", "a5", "G", "m5")
DOMAINS = (EPC, IMS, FIVE_GC)
