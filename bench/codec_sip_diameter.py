"""What the SIP and Diameter codecs cost: CPU time per message, in µs, median of several rounds.

    python bench/codec_sip_diameter.py

SIP: the second REGISTER of an IMS registration (about 1.1 kB), read without and with its headers looked into. With
`sipmessage` installed (the dev extra), the same for it. Diameter: one pair of each interface.
"""

import gc
import importlib.util
import statistics
from collections.abc import Callable
from time import process_time

from protocols.diameter import cx, s6a, sh
from protocols.diameter import decode as diameter_decode
from protocols.diameter import encode as diameter_encode
from protocols.diameter.messages import Content, Message
from protocols.diameter.numbers import DataReference, PdnType, ResultCode, ServerAssignmentType
from protocols.digest import Challenge, aka_nonce, answered, verifies
from protocols.identities import Plmn
from protocols.sip import authentication, fields
from protocols.sip.decode import decode
from protocols.sip.encode import encode
from protocols.sip.messages import Headers, Request
from protocols.sip.server_transactions import ServerTransactions
from protocols.sip.timers import GM
from protocols.sip.transactions import ClientTransaction

ROUNDS = 9
ROUND_S = 0.02
HOME = "ims.mnc001.mcc001.3gppnetwork.org"
USER = f"001010000000001@{HOME}"
RES = bytes.fromhex("a54211d5e3ba50bf")
CHALLENGE = Challenge(HOME, aka_nonce(bytes(range(16)), bytes(range(16))), "AKAv1-MD5", ("auth",))
CREDENTIALS = answered(CHALLENGE, USER, RES, "REGISTER", f"sip:{HOME}", 1, "0a4f113b")

REGISTER = Request(
    "REGISTER",
    f"sip:{HOME}",
    Headers(
        (
            ("Via", "SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK776asdhds;rport"),
            ("Via", "SIP/2.0/UDP [2001:db8::1]:5062;branch=z9hG4bKabc"),
            ("Max-Forwards", "70"),
            ("From", f"<sip:{USER}>;tag=4711"),
            ("To", f"<sip:{USER}>"),
            ("Call-ID", "7f2c1a@10.0.0.1"),
            ("CSeq", "2 REGISTER"),
            (
                "Contact",
                '<sip:001010000000001@10.0.0.1:5060>;+g.3gpp.icsi-ref="urn%3Aurn-7%3A3gpp-service.ims.icsi.mmtel"'
                ';+sip.instance="<urn:gsma:imei:35123456-789012-0>";expires=600000',
            ),
            ("Expires", "600000"),
            ("Supported", "path, gruu, sec-agree"),
            ("Path", f"<sip:term@pcscf.{HOME};lr>"),
            ("P-Access-Network-Info", "3GPP-NR-FDD;utran-cell-id-3gpp=00101000001000000010"),
            ("Authorization", authentication.credentials_text(CREDENTIALS)),
        )
    ),
)


def cost_us(call: Callable[[], object]) -> float:
    """CPU time of one call, in µs."""
    calls = 1
    rounds: list[float] = []
    while len(rounds) < ROUNDS:
        start = process_time()
        for _ in range(calls):
            call()
        spent = process_time() - start
        if spent < ROUND_S:
            calls *= 2
        else:
            rounds.append(spent / calls * 1e6)
    return statistics.median(rounds)


def look_into(message) -> None:
    """What an S-CSCF wants of a REGISTER."""
    fields.top_via(message)
    fields.cseq(message)
    fields.address(message, "From")
    fields.address(message, "To")
    fields.addresses(message, "Contact")
    fields.addresses(message, "Path")
    authentication.credentials(message)


def transact() -> None:
    """Client and server of one request over UDP."""
    client = ClientTransaction(REGISTER, reliable=False, timers=GM, now=0.0)
    client.transport_failed(now=1.0)
    server = ServerTransactions(reliable=False, timers=GM)
    server.receive(REGISTER, now=0.0)
    server.receive(REGISTER, now=2.0)


def sip() -> None:
    octets = encode(REGISTER)
    message = decode(octets)
    print(f"SIP REGISTER of {len(octets)} octets")
    print(f"  {'read':44}{cost_us(lambda: decode(octets)):8.1f}")
    print(f"  {'write':44}{cost_us(lambda: encode(REGISTER)):8.1f}")
    print(f"  {'look into Via, CSeq, addresses, credentials':44}{cost_us(lambda: look_into(message)):8.1f}")
    print(f"  {'answer a challenge, verify the answer':44}{cost_us(authenticate):8.1f}")
    print(f"  {'client and server transaction, one repeat':44}{cost_us(transact):8.1f}")
    if importlib.util.find_spec("sipmessage"):
        import sipmessage

        print(f"  {'read by sipmessage':44}{cost_us(lambda: sipmessage.Message.parse(octets)):8.1f}")


def authenticate() -> None:
    said = answered(CHALLENGE, USER, RES, "REGISTER", f"sip:{HOME}", 1, "0a4f113b")
    assert verifies(said, RES, "REGISTER")


def diameter() -> None:
    qos = s6a.SubscribedQos(9, s6a.RetentionPriority(8))
    apns = tuple(s6a.ApnConfiguration(i, PdnType.IPV4, name, qos) for i, name in enumerate(("internet", "ims")))
    vector = cx.SipAuthDataItem(cx.DIGEST_AKAV1_MD5, bytes(32), bytes(8), bytes(16), bytes(16), 1)
    public = f"sip:{USER}"
    contents: dict[str, Content] = {
        "UAR": cx.UserAuthorizationRequest(USER, public, HOME.encode()),
        "UAA": cx.UserAuthorizationAnswer(ResultCode.SUCCESS, f"sip:scscf.{HOME}"),
        "MAR": cx.MultimediaAuthRequest(USER, public, f"sip:scscf.{HOME}"),
        "MAA": cx.MultimediaAuthAnswer(ResultCode.SUCCESS, USER, public, (vector,), 1),
        "SAR": cx.ServerAssignmentRequest(f"sip:scscf.{HOME}", ServerAssignmentType.REGISTRATION, USER, (public,)),
        "SAA": cx.ServerAssignmentAnswer(ResultCode.SUCCESS, USER, bytes(1500)),
        "UDR": sh.UserDataRequest(sh.UserIdentity(public), (DataReference.REPOSITORY_DATA,), (b"MMTEL",)),
        "UDA": sh.UserDataAnswer(ResultCode.SUCCESS, bytes(800)),
        "AIR": s6a.AuthenticationInformationRequest("001010000000001", Plmn("001", "01")),
        "ULA, two APNs": s6a.UpdateLocationAnswer(
            ResultCode.SUCCESS, 1, s6a.SubscriptionData(apns=s6a.ApnProfile(1, apns))
        ),
    }
    print(f"{'Diameter':12}{'octets':>10}{'write':>10}{'read':>10}")
    for name, content in contents.items():
        realm = HOME if name.endswith("R") else None
        message = Message(content, 1, 2, f"node.{HOME}", HOME, f"node.{HOME};1;1", realm, realm)
        octets = diameter_encode.encode(message)
        assert diameter_decode.decode(octets) == message
        written = cost_us(lambda m=message: diameter_encode.encode(m))
        read = cost_us(lambda o=octets: diameter_decode.decode(o))
        print(f"  {name:14}{len(octets):6}{written:10.1f}{read:10.1f}")


if __name__ == "__main__":
    gc.freeze()
    sip()
    diameter()
