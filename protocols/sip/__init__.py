"""SIP: requests and responses as values, their octets both ways, and non-INVITE transactions (RFC 3261).

Headers are kept as text and looked into when somebody asks (fields.py, authentication.py): a proxy passes most of
them on unread. Nothing here opens a socket or reads a clock.

    names.py           header names: compact forms and spelling
    messages.py        Request, Response, Unreadable and their Headers
    decode.py          octets to messages           encode.py    messages to octets, and the answer to a request
    framing.py         messages in a TCP stream (a datagram is one message: decode)
    grammar.py         lists, parameters, quoted strings, comments
    fields.py          Via, addresses, CSeq, Retry-After … as values
    authentication.py  digest challenges and credentials in their header fields
    timers.py          T1, T2, T4 of the Gm interface and of RFC 3261
    transactions.py    client and server machines       server_transactions.py    which of them a request belongs to

What it does not do: INVITE transactions, dialogs, DNS, IPsec (TS 33.203). IMS without IPsec is for the bundled core
and for peers that are configured so; a production P-CSCF will want a security association.
"""
