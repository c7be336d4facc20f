"""UEs that speak SIP to the reference core as they are told: octets in, octets out, no timers and no rules.

The digest is computed with what a USIM has; nothing of the core's code is used for it.
"""

from core_rig import PLMN, SEED, Rig

from protocols.aka import MacFailure, SynchFailure, UsimSqn
from protocols.credentials import credentials
from protocols.digest import answered, rand_and_autn, synchronisation_failed, unchallenged
from protocols.ims_aka import ImsAnswer, answer_ims_challenge
from protocols.ims_identities import home_domain, private_identity, public_identity
from protocols.milenage import Milenage
from protocols.sip.authentication import challenges, credentials_text
from protocols.sip.decode import decode
from protocols.sip.encode import answer, encode
from protocols.sip.messages import Headers, Request, Response
from regstorm.records import operations as ops
from regstorm.reference_core.bus import Call

PCSCF = ("10.2.0.1", 5060)
DOMAIN = home_domain(PLMN)
REGISTRAR = f"sip:{DOMAIN}"


class ImsRig(Rig):
    """A core with IMS, and the datagrams that it sends by the address they are for."""

    def __init__(self, **settings):
        super().__init__(with_ims=True, **settings)
        self.ims = self.core.ims
        self.mail = {}
        self.ims.send = lambda datagram, source, destination: self.mail.setdefault(destination, []).append(
            (datagram, source)
        )

    def pairs(self):
        return {name: self.tally[f"udm.served.{name}"] for name in ("N13", "N8", "N10", "Cx", "Sh")}

    def ims_pairs(self):
        return self.tally["udm.served.Cx"], self.tally["udm.served.Sh"]

    def deliver(self, ue, answered):
        """Another network has a MESSAGE for that user; `answered(response, now)` hears of it."""
        headers = Headers(
            (
                ("Via", "SIP/2.0/TCP other.example;branch=z9hG4bKother1"),
                ("Max-Forwards", "70"),
                ("From", "<sip:somebody@other.example>;tag=o"),
                ("To", f"<{ue.public}>"),
                ("Call-ID", "from another network"),
                ("CSeq", "1 MESSAGE"),
            )
        )
        request = Request("MESSAGE", ue.public, headers, b"hello")
        self.core.bus.call(Call(ops.SIP_MESSAGE_ICSCF, ue.supi, request), answered, self.agenda.now)


class SipUe:
    """One USIM with one address. `send` hands a request over, `hear` gives what has come."""

    def __init__(self, rig, index=0, address=None):
        self.rig = rig
        self.index = index
        self.card = credentials(SEED, index, PLMN)
        self.supi = self.card.supi
        self.private = private_identity(self.supi, PLMN)
        self.public = public_identity(self.supi, PLMN)
        self.here = (address or f"10.128.0.{index + 1}", 5060)
        self.sqn = UsimSqn(self.card.sqn)
        self.number = 0
        self.call_id = f"call-{index}"
        self.service_route = ()
        self.credentials = None

    # --- requests ------------------------------------------------------------------------------------------------

    def register(self, expires=600_000, authorization=None, contact="", **more):
        given = authorization or unchallenged(self.private, DOMAIN, REGISTRAR)
        return self.request(
            "REGISTER",
            REGISTRAR,
            to=self.public,
            fields=(
                ("Contact", f"<sip:{self.here[0]}:{self.here[1]}{contact}>;expires={expires}"),
                ("Authorization", credentials_text(given)),
                ("Supported", "path"),
            ),
            **more,
        )

    def request(self, method, uri, to, fields=(), branch=None, body=b""):
        self.number += 1
        branch = branch or f"z9hG4bKue{self.card.supi}{self.number}"
        headers = Headers(
            (
                ("Via", f"SIP/2.0/UDP {self.here[0]}:{self.here[1]};branch={branch};rport"),
                ("Max-Forwards", "70"),
                ("From", f"<{self.public}>;tag=ue"),
                ("To", f"<{to}>"),
                ("Call-ID", self.call_id),
                ("CSeq", f"{self.number} {method}"),
                *fields,
            )
        )
        return Request(method, uri, headers, body)

    def message(self, body=b"sms", **more):
        routes = tuple(("Route", one) for one in (f"<sip:{PCSCF[0]}:{PCSCF[1]};lr>", *self.service_route))
        fields = (*routes, ("Content-Type", "application/vnd.3gpp.sms"))
        return self.request("MESSAGE", f"sip:ipsmgw.{DOMAIN}", f"sip:ipsmgw.{DOMAIN}", fields, body=body, **more)

    def deregister(self):
        return self.register(expires=0, authorization=self.credentials)

    # --- exchange ------------------------------------------------------------------------------------------------

    def send(self, message, to=PCSCF):
        self.rig.ims.receive(encode(message), self.here, to, self.rig.agenda.now)

    def hear(self):
        """Everything that has come for this address, read."""
        return [decode(datagram) for datagram, _ in self.rig.mail.pop(self.here, [])]

    def ask(self, request, seconds=1.0):
        """The final response, or None."""
        self.send(request)
        self.rig.run(seconds)
        finals = [one for one in self.hear() if isinstance(one, Response) and one.status >= 200]
        assert len(finals) <= 1, finals
        return finals[0] if finals else None

    def answer_to(self, response):
        """The credentials that answer a 401; AUTS if the USIM finds the challenge old."""
        (challenge,) = challenges(response)
        rand, autn = rand_and_autn(challenge.nonce)
        said = answer_ims_challenge(Milenage(self.card.k, self.card.opc), self.sqn, rand, autn)
        assert not isinstance(said, MacFailure)
        if isinstance(said, SynchFailure):
            return synchronisation_failed(challenge, self.private, REGISTRAR, said.auts)
        assert isinstance(said, ImsAnswer)
        self.sqn = said.sqn
        self.challenge, self.res = challenge, said.res
        return answered(challenge, self.private, said.res, "REGISTER", REGISTRAR, 1, "c")

    def reach_service(self, **how):
        """Registers with a challenge; the last response."""
        response = self.ask(self.register(**how))
        while response is not None and response.status == 401:
            self.credentials = self.answer_to(response)
            response = self.ask(self.register(authorization=self.credentials, **how))
        if response is not None:
            self.service_route = tuple(response.headers.listed("Service-Route"))
        return response

    def say(self, request, status=200):
        """Answers a request of the network."""
        self.send(answer(request, status, "ue"))
