"""GPRS timer 2 and GPRS timer 3 (TS 24.008 10.5.7.4 and 10.5.7.4a; used by TS 24.501 9.11.2.4 and 9.11.2.5).

A coded timer is one octet, unit in bits 8–6 and value in bits 5–1. Zero and deactivated are values of their own:
"neither zero nor deactivated" is what most rules of TS 24.501 ask, and `CodedTimer.runs` answers it.
"""
