"""The names of what is counted: columns of timeline.csv, keys of run.json.

A counter that TS 28.552 has is called by its name; sub-counters by cause carry the cause's number, as measurement
families there do (`RM.RegInitFail.22`: that family's name is in common use, TS 28.552 itself was not confirmed).
Levels (gauges) are sampled at the end of every scenario second.
"""

# --- as the UEs see it: attempts and outcomes ----------------------------------------------------------------------
REG_INIT_REQ = "RM.RegInitReq"
REG_INIT_SUCC = "RM.RegInitSucc"
REG_INIT_FAIL = "RM.RegInitFail"  # + .22, .9, .111 … or .T3510 (no answer), .lower_layer, .aborted
REG_PERIOD_REQ = "RM.RegPeriodReq"
REG_PERIOD_SUCC = "RM.RegPeriodSucc"
REG_PERIOD_FAIL = "RM.RegPeriodFail"
REG_MOB_REQ = "RM.RegMobReq"
REG_MOB_SUCC = "RM.RegMobSucc"
REG_MOB_FAIL = "RM.RegMobFail"
REG_EMERG_REQ = "RM.RegEmergReq"
REG_EMERG_SUCC = "RM.RegEmergSucc"
REG_EMERG_FAIL = "RM.RegEmergFail"
SERVICE_REQ = "MM.ServiceReq"
SERVICE_SUCC = "MM.ServiceSucc"
SERVICE_FAIL = "MM.ServiceFail"  # + .22, .9, .10 or .T3517
PDU_REQ = "SM.PduSessionCreationReq"
PDU_SUCC = "SM.PduSessionCreationSucc"
PDU_FAIL = "SM.PduSessionCreationFail"  # + .22 (payload not forwarded), .26 … or .T3580
ONLINE_PROCEDURES = "online.procedures"
"""Attempts that users of the online group began while they were in service."""
ONLINE_FAILED = "online.failed_procedures"
"""Those of them that were refused or unanswered, even if a later attempt succeeded."""
ONLINE_DROPPED = "online.dropped_users"
"""Users of the online group who lost their registration while in service; + the reason (.5GMM_10 …)."""
REJECT = "reject"  # + .5GMM_22 …: every reject that a UE received, by cause
PROTECTED_REJECTS = "rejects.protected"
UNPROTECTED_REJECTS = "rejects.unprotected"

# --- levels, UE side -----------------------------------------------------------------------------------------------
OUTAGE_IN_SERVICE = "ues.outage_group_in_service"
ONLINE_IN_SERVICE = "ues.online_group_in_service"
OUTAGE_BACK = "ues.outage_group_back_once"
"""Outage UEs that have had full service for the first time since the end of the outage; never falls."""
WAITING = "ues.waiting"  # + .T3346, .T3502, .T3511, .T3525, .5GSM_backoff

# --- as the core sees it -------------------------------------------------------------------------------------------
AMF_UPLINK = "amf.uplink_nas"
AMF_DROPPED = "amf.dropped_overload"
REFUSED_FIRST = "amf.refused_first"
REFUSED_FOLLOW_UP = "amf.refused_follow_up"
ADMITTED_FIRST = "amf.admitted_first"
UDM_OFFERED = "udm.offered"  # pairs; + .N13 .N8 .N10 .Cx .Sh
UDM_SERVED = "udm.served"
UDM_DROPPED = "udm.dropped"
UDM_REJECTION_WORK = "udm.rejection_work_milli_pairs"
"""Capacity that rejections took, in thousandths of a pair."""
UDM_PAIRS_LOST = "udm.pairs_without_service"
"""Served pairs of procedures that ended without their UE's full service (wasted work)."""
BUS_TIMEOUTS = "bus.timeouts"
BUS_RETRIES = "bus.retries"
NAS_RETRANSMISSIONS = "amf.nas_retransmissions"  # + .T3550 .T3560 .T3522
SMF_RETRANSMISSIONS = "smf.nas_retransmissions"  # + .T3592
PEER_DOWN = "bus.peer_down"
PEER_UP = "bus.peer_up"
HEARTBEATS_LOST = "bus.heartbeats_lost"  # + .UDM .AUSF …
AMF_BACKEND_FAILURES = "amf.backend_failures"
"""Procedures that ended because a call behind the AMF got no answer."""
AMF_ABANDONED = "amf.abandoned_procedures"
"""Procedures that ended without an outcome: connection lost, superseded, or an NAS timer expired for the fifth time."""
AMF_REJECTS = "amf.rejects"  # + .protected .plain
DECODE_ERRORS = "codec.unreadable"  # + .nas .ngap .sip
PROTOCOL_ERRORS = "protocol.errors"
