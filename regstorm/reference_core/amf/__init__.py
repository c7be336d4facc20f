"""The AMF: N2 and N1 towards gNBs and UEs, service operations towards the functions behind it (TS 23.501 6.2.1).

ue_context.py           what the AMF keeps of a UE, a connection and an association: plain data
environment.py          what every part of the AMF is handed
n2.py                   connections: numbers, sending, releasing
uplink.py               an uplink NAS message: octets, protection, whose it is
classification.py       which message class it belongs to
entry.py                own capacity, the front door, and what a refused UE is told
task.py                 runs a procedure: calls, answers, NAS timers
common_procedures.py    identification, authentication, security mode
registration.py  registration_update.py  service_request.py  session.py  deregistration.py
ngap_handling.py        NG Setup, reset, context release, error indication
amf.py                  the way in
"""
