"""The names of what UEs tell about their IMS side, in a file of its own: a storm without IMS has none of these columns.

Where TS 32.409 has a counter for the CSCF's side of the same, ours has its name (initial and re-registration,
de-registration by the user); failures by what the UE was told: `.503`, `.Timer_F`, `.aborted` …
"""

INIT_REG_ATT = "UR.AttInitReg"
INIT_REG_SUCC = "UR.SuccInitReg"
INIT_REG_FAIL = "UR.FailInitReg"
RE_REG_ATT = "UR.AttReReg"
RE_REG_SUCC = "UR.SuccReReg"
RE_REG_FAIL = "UR.FailReReg"
DE_REG_ATT = "UR.AttDeRegUe"
DE_REG_SUCC = "UR.SuccDeRegUe"
DE_REG_FAIL = "UR.FailDeRegUe"
MESSAGE_ATT = "ims.ue_messages"
MESSAGE_SUCC = "ims.ue_messages_sent"
MESSAGE_FAIL = "ims.ue_messages_failed"
SESSION_RELEASE_ATT = "SM.PduSessionReleaseReq"
SESSION_RELEASE_SUCC = "SM.PduSessionReleaseSucc"
SESSION_RELEASE_FAIL = "SM.PduSessionReleaseFail"
REJECT = "ims.reject"
"""Final responses that refused a UE; + .503 …"""
LOST = "ims.registration_lost"
"""UEs that lost their IMS registration while the 5GC one stood; + the reason."""
