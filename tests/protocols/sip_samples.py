"""SIP messages of an IMS registration, and random ones that any parser should read alike."""

from random import Random

from protocols.digest import Challenge, aka_nonce, answered
from protocols.sip.authentication import challenge_text, credentials_text
from protocols.sip.encode import REASONS
from protocols.sip.fields import Address, CSeq, RetryAfter, SecurityMechanism, Via
from protocols.sip.grammar import Parameters
from protocols.sip.messages import Headers, Request, Response

HOME = "ims.mnc001.mcc001.3gppnetwork.org"
PRIVATE = f"001010000000001@{HOME}"
RAND = bytes.fromhex("23553cbe9637a89d218ae64dae47bf35")
AUTN = bytes.fromhex("55f328b43577b9b94a9ffac354dfafb3")
RES = bytes.fromhex("a54211d5e3ba50bf")
CHALLENGE = Challenge(HOME, aka_nonce(RAND, AUTN), "AKAv1-MD5", ("auth",))

REGISTER = Request(
    "REGISTER",
    f"sip:{HOME}",
    Headers(
        (
            ("Via", "SIP/2.0/TCP 10.0.0.1:5060;branch=z9hG4bK776asdhds;rport"),
            ("Via", "SIP/2.0/TCP [2001:db8::1]:5062;branch=z9hG4bKabc"),
            ("Max-Forwards", "70"),
            ("From", f"<sip:{PRIVATE}>;tag=4711"),
            ("To", f"<sip:{PRIVATE}>"),
            ("Call-ID", "7f2c1a@10.0.0.1"),
            ("CSeq", "2 REGISTER"),
            (
                "Contact",
                "<sip:001010000000001@10.0.0.1:5060>"
                ';+g.3gpp.icsi-ref="urn%3Aurn-7%3A3gpp-service.ims.icsi.mmtel"'
                ';+sip.instance="<urn:gsma:imei:35123456-789012-0>";expires=600000',
            ),
            ("Expires", "600000"),
            ("Supported", "path, gruu, sec-agree"),
            ("Path", f"<sip:term@pcscf.{HOME};lr>"),
            ("P-Access-Network-Info", "3GPP-NR-FDD;utran-cell-id-3gpp=00101000001000000010"),
            ("Security-Client", "ipsec-3gpp;alg=hmac-sha-1-96;spi-c=1;spi-s=2;port-c=5062;port-s=5064"),
            (
                "Authorization",
                credentials_text(answered(CHALLENGE, PRIVATE, RES, "REGISTER", f"sip:{HOME}", 1, "0a4f113b")),
            ),
        )
    ),
)
"""The second REGISTER of an IMS registration, about 1.1 kB."""


def response(request, status, *fields):
    copied = tuple(field for field in request.headers if field[0] in ("Via", "From", "Call-ID", "CSeq"))
    to = request.headers.first("To") + ";tag=s1"
    return Response(status, REASONS[status], Headers((*copied, ("To", to), *fields)))


MESSAGES = {
    "REGISTER": REGISTER,
    "401": response(REGISTER, 401, ("WWW-Authenticate", challenge_text(CHALLENGE))),
    "200": response(
        REGISTER,
        200,
        ("Contact", REGISTER.headers.first("Contact")),
        ("Service-Route", f"<sip:orig@scscf.{HOME};lr>"),
        ("P-Associated-URI", f"<sip:{PRIVATE}>, <tel:+1555000001>"),
    ),
    "503": response(REGISTER, 503, ("Retry-After", "120 (overload);duration=600")),
    "423": response(REGISTER, 423, ("Min-Expires", "3600")),
    "MESSAGE": REGISTER._replace(
        method="MESSAGE",
        uri="sip:+1555000002@home.example;user=phone",
        headers=REGISTER.headers.replaced("CSeq", "17 MESSAGE")
        .without("Authorization")
        .without("Contact")
        .after((("Content-Type", "text/plain"),)),
        body="zurück im Netz".encode(),
    ),
}


def token(rng: Random) -> str:
    return "".join(rng.choice("abcXYZ019-.!%*_+`'~") for _ in range(rng.randint(1, 12)))


def word(rng: Random) -> str:
    return "".join(rng.choice("abcdefghijklmnop0123456789") for _ in range(rng.randint(1, 10)))


def quoted_text(rng: Random) -> str:
    return "".join(rng.choice("ab ,;<>()=\\\"'") for _ in range(rng.randint(0, 12)))


def random_parameters(rng: Random) -> Parameters:
    names = ("x" + word(rng) for _ in range(rng.randint(0, 3)))
    return Parameters(
        (name, rng.choice((None, *[word(rng)] * 4, '"' + word(rng) + ',;"'))) for name in dict.fromkeys(names)
    )


def random_address(rng: Random) -> Address:
    uri = rng.choice((f"sip:{word(rng)}@{word(rng)}.org", f"sip:{word(rng)}.org:5070;lr", "tel:+1555000001"))
    return Address(uri, random_parameters(rng), rng.choice((None, "Bob " + word(rng))))


def random_via(rng: Random) -> Via:
    host = rng.choice((word(rng) + ".org", "192.0.2.7", "[2001:db8::7]"))
    branch = ("branch", "z9hG4bK" + word(rng))
    transport = rng.choice(("UDP", "TCP"))
    return Via(transport, host, rng.choice((None, 5060, 6000)), Parameters((branch, *random_parameters(rng))))


def random_headers(rng: Random, method: str) -> Headers:
    fields = [("Via", random_via(rng).text()) for _ in range(rng.randint(1, 3))]
    fields += [(name, random_address(rng).text()) for name in ("From", "To")]
    fields += [("Call-ID", word(rng)), ("CSeq", CSeq(rng.randrange(2**31), method).text())]
    optional = [
        ("Contact", ", ".join(random_address(rng).text() for _ in range(rng.randint(1, 3)))),
        ("Path", random_address(rng).text()),
        ("Expires", str(rng.randrange(10**6))),
        ("Retry-After", RetryAfter(rng.randrange(1000), rng.choice((None, 5)), rng.choice((None, "busy"))).text()),
        ("Security-Client", SecurityMechanism("ipsec-3gpp", random_parameters(rng)).text()),
        ("X-" + word(rng).capitalize(), token(rng)),
        ("Authorization", credentials_text(answered(CHALLENGE, PRIVATE, RES, method, "sip:x", 1, word(rng)))),
        ("WWW-Authenticate", challenge_text(CHALLENGE)),
    ]
    return Headers(fields + rng.sample(optional, rng.randint(0, len(optional))))


def random_message(rng: Random) -> Request | Response:
    method = rng.choice(("REGISTER", "MESSAGE", "OPTIONS", "SUBSCRIBE"))
    body = rng.choice((b"", rng.randbytes(rng.randint(1, 60))))
    if rng.random() < 0.5:
        return Request(method, f"sip:{word(rng)}.org", random_headers(rng, method), body)
    status = rng.choice(list(REASONS))
    return Response(status, REASONS[status], random_headers(rng, method), body)
