"""The names of what is counted by node, in a file of its own: with one node of a kind there are none of these columns.

What `udm.offered` has of all is `udm_node.offered.left` of node `left`, and `udm_node.offered.left.Cx` of one interface
there. Where 5GC has processing units of its own, those for EPC and IMS count as `hss_node`. AMFs and SBCs have
`amf_node` and `sbc_node`.
"""

from regstorm.records import counters, ims_counters

UDM, HSS, AMF, SBC, DRA = "udm", "hss", "amf", "sbc", "dra"
"""What stands before `_node` in a name."""

COUNTED = {
    UDM: (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED, counters.UDM_REJECTION_WORK),
    HSS: (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED, counters.UDM_REJECTION_WORK),
    AMF: (
        counters.AMF_UPLINK,
        counters.AMF_DROPPED,
        counters.REFUSED_FIRST,
        counters.REFUSED_FOLLOW_UP,
        counters.ADMITTED_FIRST,
    ),
    SBC: (
        ims_counters.SBC_REQUESTS,
        ims_counters.SBC_DROPPED,
        ims_counters.SBC_REFUSED_FIRST,
        ims_counters.SBC_REFUSED_FOLLOW_UP,
        ims_counters.SBC_ADMITTED_FIRST,
    ),
}
"""What is counted by node as well."""

DRA_REFUSED = "dra.refused"
"""Requests that a DRA gate has answered, with one HSS as well; + .Cx .Sh."""

CAPACITY_OUT = "capacity_out"
"""`udm_node.capacity_out.left`: a level, thousandths of pairs/s (of messages/s at AMF and SBC) by which an incident has
lowered the node's capacity. There from the first incident on, with one node as well."""


def of_node(kind: str, counter: str, node: str) -> str:
    """The name of `counter` (`udm.offered` or `offered`) at that node; sub-counters behind it with a dot."""
    return f"{kind}_node.{counter.rpartition('.')[2]}.{node}"
