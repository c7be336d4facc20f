"""The names of what the user plane counts, in a file of its own: a storm without IMS has none of these columns."""

UPLINK = "upf.uplink_packets"
DOWNLINK = "upf.downlink_packets"
DROPPED = "upf.dropped"
"""Packets that went no further; + .unknown_tunnel (uplink), .wrong_source (uplink, not from the session's address),
.no_session (downlink, no UE has this address), .idle (downlink, the UE has no resources: it would have to be paged)."""
UNREADABLE = "upf.unreadable"
"""What came on N3 and is no GTP-U message, or on N6 and is no datagram."""
