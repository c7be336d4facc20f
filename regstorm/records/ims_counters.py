"""The names of what the IMS core counts, as records.counters has those of the 5GC.

A file of its own: a storm without IMS has none of these columns.
"""

SBC_REQUESTS = "sbc.requests"
"""New requests from UEs: retransmissions have been absorbed and count for themselves."""
SBC_RETRANSMISSIONS = "sbc.retransmissions"
SBC_REFUSED_FIRST = "sbc.refused_first"
SBC_REFUSED_FOLLOW_UP = "sbc.refused_follow_up"
SBC_ADMITTED_FIRST = "sbc.admitted_first"
SBC_DROPPED = "sbc.dropped_overload"
SBC_RESPONSES = "sbc.responses"  # + .200 .401 .503 …
SBC_RETRY_AFTER_ADDED = "sbc.retry_after_added"
"""500, 503 and 504 from behind the SBC that got their Retry-After from it."""
REGISTERED = "ims.registered"
REREGISTERED = "ims.reregistered"
DEREGISTERED = "ims.deregistered"  # + .user .expired .network
CHALLENGES = "ims.challenges"
RESYNCHRONISATIONS = "ims.resynchronisations"
AUTHENTICATION_FAILED = "ims.authentication_failed"
UNANSWERED_CHALLENGES = "ims.challenges_unanswered"
"""The S-CSCF's timer reg-await-auth expired."""
HSS_FAILURES = "ims.hss_failures"
"""Registrations that ended because the HSS gave no answer."""
THIRD_PARTY = "ims.third_party"  # + .TAS .IP-SM-GW: registrations that an AS holds now
THIRD_PARTY_FAILED = "ims.third_party_failed"  # + .TAS .IP-SM-GW
MESSAGES = "ims.messages"
NODE_DROPPED = "ims.dropped_overload"  # + .I-CSCF .S-CSCF .TAS .IP-SM-GW
FULL_SERVICE = "ims.users_in_full_service"
"""A level: users whose registration both AS hold."""
