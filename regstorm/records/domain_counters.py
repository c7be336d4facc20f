"""The names of what tells 5GC and IMS apart: the funnel of the way back, waste by interface, requests by node.

Counted where the population has IMS, in a file of its own: a storm without IMS has none of these columns. The funnel
is that of the outage group since the end of the outage: attempted, registered in the 5GC, every session up, registered
in IMS, full service (`ues.outage_group_back_once`).
"""

# --- the funnel: users that reach a stage for the first time; over a run no more than there are users ----------------
ATTEMPTED = "funnel.attempted"
REGISTERED = "funnel.5gc_registered"
SESSIONS_UP = "funnel.sessions_up"
IMS_REGISTERED = "funnel.ims_registered"

# --- … and users that fall back from one, as often as that happens -------------------------------------------------
REGISTRATION_LOST = "funnel.5gc_registration_lost"
SESSIONS_LOST = "funnel.sessions_lost"
IMS_REGISTRATION_LOST = "funnel.ims_registration_lost"
FULL_SERVICE_LOST = "funnel.full_service_lost"

# --- levels: users of the outage group that stand at a stage now -----------------------------------------------------
NOW_REGISTERED = "ues.outage_group_5gc_registered"
NOW_SESSIONS_UP = "ues.outage_group_sessions_up"
NOW_IMS_REGISTERED = "ues.outage_group_ims_registered"

BACK_LATE = "ues.back_after_minute_12"
"""Outage users back for the first time later than 12 min after the end of the outage; + the timer that ended their
last wait (.T3346, .T3502, .T3511, .Retry-After, .RFC_5626 …), .none for those who never waited."""

# --- re-registrations of online users that fall due since the end of the outage --------------------------------------
ONLINE_RENEWALS_DUE = "online.reregistrations_due"
ONLINE_RENEWING_USERS = "online.reregistering_users"
"""Users for whom one falls due, each counted the first time."""
ONLINE_RENEWALS_KEPT = "online.reregistrations_kept"
"""The user is registered again, by a re-REGISTER or by the initial one that followed a failed re-REGISTER."""
ONLINE_RENEWALS_LOST = "online.reregistrations_lost"
"""The registration was lost before that."""

# --- as the core sees it ---------------------------------------------------------------------------------------------
NODE_REQUESTS = "node.requests"
"""+ .AUSF .UDM .HSS .SMF .PCF .I-CSCF .S-CSCF .TAS .IP-SM-GW: requests of other functions that reached the node, and
repetitions. What UEs send is counted at the doors (`amf.uplink_nas`, `sbc.requests`)."""
# Waste by interface has no name of its own: `udm.pairs_without_service` + .N13 .N8 .N10 .Cx .Sh
