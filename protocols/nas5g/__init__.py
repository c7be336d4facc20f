"""NAS-5GS: the messages as values, and their octets both ways (TS 24.501, TS 24.007 for the formats).

Release: pycrate 0.8.1 defines the 5GMM and 5GSM messages of Release 17. Its files say Release 16 (TS 24.501
16.5.1), but its tables carry the IEs that Release 17 added (disaster roaming, NSAG, PEIPS), so 17 it is. A UE or an
AMF of another release is understood all the same: unknown IEs are skipped by the rule of TS 24.007 11.2.4.

    messages.py   what a UE or an AMF means to say
    tables.py     which IEs each message has, read from pycrate and corrected
    declared.py   each message built by pycrate: the reference that the rest is held against
    writers.py    straight-line encoders generated from the tables     encode.py   messages to octets
    walkers.py    straight-line walkers generated from the tables      decode.py   octets to messages, by way of
                                                                       fivegmm.py and fivegsm.py
    elements.py   the IEs that have an inside: mobile identity, S-NSSAI, DNN
    warm.py       builds all of it at start-up and checks it once against pycrate
"""

import logging

# pycrate warns at import that it finds no ciphers (ours are in protocols.nas_security) and, whenever it decodes in
# a test, about every IE that it cannot look into
logging.getLogger("pycrate_mobile").setLevel(logging.ERROR)
