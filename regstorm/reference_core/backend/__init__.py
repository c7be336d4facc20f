"""The back end on the wire: what the bus says to UDM and HSS as HTTP/2 and Diameter messages, sans-I/O.

The bus stays what it is; a carrier takes the place of UDM or HSS on it and a door stands before the real one, with
the same handlers behind it. Between the two travel octets, over whatever whoever drives it provides (`Dial`).

    ways.py             how octets travel: what a driver hands over and what it gets
    http_messages.py    requests and responses as values, problem details
    nudm_requests.py    Nudm operations as HTTP requests     nudm_calls.py     and back
    nudm_answers.py     their answers, both ways
    nudm_json.py        the JSON of all of them, read field by field
    sbi_connection.py   one HTTP/2 connection: what its two ends share
    sbi_client.py       its consumer's end                             sbi_server.py     its producer's end
    nudm_carrier.py     the bus's way to the UDM                       nudm_door.py      the UDM's front door
    diameter_peer.py    one Diameter connection, either end
    cx_sh.py            Cx and Sh operations as Diameter messages, and back
    hss_carrier.py      the bus's way to the HSS                       hss_door.py       the HSS's front door
    priorities.py       message classes as priorities on the wire

AUSF, PCF, SMF and AMF talk to each other in process all the same.
"""
