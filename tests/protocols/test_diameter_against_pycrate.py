"""Diameter against an independent reader: pycrate finds the same AVPs in the same octets, and writes them alike."""

import logging

import pytest
from diameter_samples import MESSAGES, name_of
from pycrate_diameter import Diameter3GPP as tables

from protocols.diameter import avps as a
from protocols.diameter import cx, s6a, sh
from protocols.diameter.decode import decode
from protocols.diameter.encode import encode

logging.getLogger("pycrate_diameter").setLevel(logging.ERROR)


def parsed(octets):
    message = tables.Diameter3GPP()
    message.from_bytes(octets)
    return message


def flat(avps):
    """(code, vendor, M bit, data) of every AVP, groups opened, in order."""
    for avp in avps:
        header, data = avp[0], avp[1]
        vendor = header["VendorID"].get_val() if header["V"].get_val() else 0
        head = (header["Code"].get_val(), vendor, header["M"].get_val())
        if isinstance(data, tables.Grouped):
            yield (*head, None)
            yield from flat(data)
        else:
            yield (*head, data.to_bytes())


@pytest.mark.parametrize("message", MESSAGES, ids=name_of)
def test_pycrate_writes_the_same_octets_that_it_read(message):
    octets = encode(message)
    theirs = parsed(octets)
    assert theirs.to_bytes() == octets
    header = theirs["DiameterHdr"]
    assert header["HHID"].get_val() == message.hop_by_hop
    assert header["EEID"].get_val() == message.end_to_end
    assert decode(theirs.to_bytes()) == message


@pytest.mark.parametrize("message", MESSAGES, ids=name_of)
def test_every_avp_that_pycrate_finds_is_one_of_our_table_with_its_m_bit(message):
    found = list(flat(parsed(encode(message))["AVPs"]))
    assert found
    for code, vendor, mandatory, _ in found:
        kind = a.KNOWN[vendor << 32 | code]
        assert mandatory == kind.mandatory, kind.name


def codes(content):
    (message,) = [message for message in MESSAGES if message.content == content]
    return [(code, vendor) for code, vendor, _, _ in flat(parsed(encode(message))["AVPs"])]


def content_of(kind):
    return next(message.content for message in MESSAGES if isinstance(message.content, kind))


def test_the_items_of_an_authentication_have_the_codes_of_3gpp():
    """TS 29.229 6.3: 607, 612, 608, not those of RFC 4740 (382, 377 …)."""
    request = codes(content_of(cx.MultimediaAuthRequest))
    assert {(607, 10415), (612, 10415), (608, 10415)} <= set(request)
    answer = codes(content_of(cx.MultimediaAuthAnswer))
    assert [code for code, _ in answer if code in (608, 609, 610, 625, 626)] == [608, 609, 610, 625, 626] * 2


def test_user_data_is_702_on_sh_and_606_on_cx():
    assert (702, 10415) in codes(content_of(sh.ProfileUpdateRequest))
    assert (702, 10415) in codes(content_of(sh.UserDataAnswer))
    assert (606, 10415) in codes(content_of(cx.ServerAssignmentAnswer))
    assert (606, 10415) not in codes(content_of(sh.ProfileUpdateRequest))


def test_a_vector_of_s6a_stands_in_its_groups():
    found = [code for code, _ in codes(content_of(s6a.AuthenticationInformationAnswer))]
    assert found[found.index(1413) :] == [1413, 1414, 1447, 1448, 1449, 1450, 1419]


def test_the_names_and_groups_of_our_avps_are_those_of_pycrate():
    unlike = {}
    for kind in a.KNOWN.values():
        if kind.vendor:
            name, form = tables.TGPPAVPInfos_dict[kind.code]
            assert (form is tables.Grouped) == kind.is_group, kind.name
        else:
            name = tables.AVPCodes_dict[kind.code]
        if name != kind.name:
            unlike[kind.name] = name
    assert unlike == {
        "Firmware-Revision": "Firmware-Version",  # ours is the name in RFC 6733 5.3.4
        "User-Data (Cx)": "User-Data",
        "User-Data (Sh)": "User-Data",
    }
