"""The IMS core: SBC (P-CSCF), I-CSCF, S-CSCF, telephony AS, IP-SM-GW and HSS (TS 23.228, TS 24.229).

    ims_core.py        puts the parts together; the way in and out for datagrams of UEs
    sbc.py             the SBC's entry: what is absorbed, counted, refused, let in
    p_cscf.py          what the SBC adds to and takes off a message that passes it
    classification.py  which message class a SIP request belongs to
    known_users.py     what the SBC knows of users: bindings, challenges that wait for an answer
    towards_ues.py     requests of the network to UEs
    icscf.py           scscf.py  proofs.py  registrations.py  third_party.py     the CSCFs
    application_server.py  telephony_as.py  ip_sm_gw.py               the application servers
    hss.py             user_profile.py                                Cx and Sh; the profile with its filter criteria
    names.py  hops.py  reading.py  node.py  accounts.py               what they share

SIP passes between these functions as values, with the header fields that a proxy puts on and takes off; the Gm side is
octets. There is no IPsec on Gm: the P-CSCF keeps IP associations instead, as TS 24.229 5.2.2.3 has it for digest
without TLS, and says so to the S-CSCF by the same parameter values. A production SBC will want IPsec (TS 33.203).
"""
