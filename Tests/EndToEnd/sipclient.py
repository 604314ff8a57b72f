"""A SIP client over one stream socket, made for tests that care about every byte."""

import hashlib
import random
import re
import socket
import time
import uuid

from wakeline import password_of

_HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}
_PARAMETER = re.compile(r'(\w+)=(?:"([^"]*)"|([^,\s]*))')


class Closed(AssertionError):
    """The server closed the connection."""


class Message:
    """A SIP message: start line, header fields in order, body."""

    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        self.raw = raw
        self.start, *lines = head.decode("utf-8").split("\r\n")
        self.fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]

    def get(self, name):
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    @property
    def is_response(self):
        return self.start.startswith("SIP/2.0 ")

    @property
    def status(self):
        return int(self.start.split()[1]) if self.is_response else None

    @property
    def reason(self):
        return self.start.split(" ", 2)[2]

    @property
    def method(self):
        return self.get("CSeq").split()[1] if self.is_response else self.start.split()[0]

    @property
    def uri(self):
        return None if self.is_response else self.start.split()[1]

    @property
    def contact_uri(self):
        return re.search(r"<([^>]*)>", self.get("Contact")).group(1)

    @property
    def to_tag(self):
        found = re.search(r";tag=([^;>\s]+)", self.get("To"))
        return found and found.group(1)

    def __repr__(self):
        return self.raw.decode("utf-8", "replace")


def token():
    return f"{random.getrandbits(64):016x}"


class Client:
    """A user agent on one connection.

    prefers: the digest algorithms it can do, best first.
    """

    def __init__(self, test, server, user="alice", domain=None, password=None, prefers=("SHA-256", "MD5"),
                 user_agent="probe", instance=None, connect=True):
        self.server = server
        self.user = user
        self.domain = domain or server.domains[0]
        self.password = password if password is not None else password_of(user)
        self.prefers = prefers
        self.user_agent = user_agent
        self.instance = instance or f"urn:uuid:{uuid.uuid4()}"
        self.socket = None
        self.buffer = b""
        self.inbox = []
        self.pongs = 0
        self.sequence = 0
        self.challenge = None
        self.algorithm_used = None
        self.nonce_count = 0
        test.addCleanup(self.close)
        if connect:
            self.connect()

    # The connection

    def connect(self, source=None):
        self.close()
        self.buffer = b""
        self.inbox = []
        self.socket = socket.create_connection(self.server.address, timeout=10,
                                               source_address=source and (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def send(self, data):
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    @property
    def sent_by(self):
        host, port = self.socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def aor(self):
        return f"sip:{self.user}@{self.domain}"

    @property
    def contact(self):
        return f"sip:{self.user}@{self.sent_by};transport=tcp"

    def receive(self, timeout=10.0):
        """The next message; pongs are counted on the way."""
        if self.inbox:
            return self.inbox.pop(0)
        return self._read(time.monotonic() + timeout)

    def _read(self, deadline):
        found = []
        while not self._cut(found):
            self._fill(deadline)
        return found[0]

    def _cut(self, messages):
        """Moves one whole message out of what was read, and counts the pongs before it; false when there is none."""
        while self.buffer.startswith(b"\r\n"):
            self.buffer = self.buffer[2:]
            self.pongs += 1
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        total = end + 4 + int(Message(self.buffer[: end + 4]).get("Content-Length") or 0)
        if len(self.buffer) < total:
            return False
        messages.append(Message(self.buffer[:total]))
        self.buffer = self.buffer[total:]
        return True

    def _fill(self, deadline):
        self.socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            raise AssertionError(f"{self.user} got nothing more; unread: {self.inbox}") from None
        except ConnectionError as error:
            raise Closed(f"{self.user}: {error}") from None
        if not data:
            raise Closed(f"the connection of {self.user} was closed; unread: {self.inbox}")
        self.buffer += data

    def expect(self, wanted, timeout=10.0):
        """The next message with this method, this status, or that fulfils this; others stay in the inbox."""
        def matches(message):
            if callable(wanted):
                return wanted(message)
            if isinstance(wanted, int):
                return message.status == wanted
            return not message.is_response and message.method == wanted

        for index, message in enumerate(self.inbox):
            if matches(message):
                return self.inbox.pop(index)
        deadline = time.monotonic() + timeout
        while True:
            message = self._read(deadline)
            if matches(message):
                return message
            self.inbox.append(message)

    def wait_closed(self, timeout=10.0):
        """Waits until the server closes the connection; returns what it sent before, and how long it took."""
        start = time.monotonic()
        messages = list(self.inbox)
        while True:
            try:
                messages.append(self._read(start + timeout))
            except Closed:
                return messages, time.monotonic() - start

    def ping(self, timeout=5.0):
        """A keep-alive, and its pong; returns how many pongs there have been."""
        wanted = self.pongs + 1
        self.send(b"\r\n\r\n")
        deadline = time.monotonic() + timeout
        while True:
            while self._cut(self.inbox):
                pass
            if self.pongs >= wanted:
                return self.pongs
            self._fill(deadline)

    # Messages

    def via(self):
        return f"SIP/2.0/TCP {self.sent_by};branch=z9hG4bK{token()};rport"

    def build(self, method, uri, to=None, call_id=None, from_tag=None, cseq=None, via=None, extra=(), body=b"",
              length=True, sender=None):
        """The bytes of a request."""
        body = body.encode() if isinstance(body, str) else body
        if cseq is None:
            self.sequence += 1
            cseq = self.sequence
        lines = [
            f"{method} {uri} SIP/2.0",
            f"Via: {via or self.via()}",
            "Max-Forwards: 70",
            f"From: <{sender or self.aor}>;tag={from_tag or token()}",
            f"To: {to or f'<{uri}>'}",
            f"Call-ID: {call_id or token()}",
            f"CSeq: {cseq} {method}",
            f"User-Agent: {self.user_agent}",
            *extra,
        ]
        if length:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def authorization(self, method, uri, challenge=None):
        """The header field that answers a challenge; the one at hand where there is none."""
        if challenge is not None:
            name = "WWW-Authenticate" if challenge.status == 401 else "Proxy-Authenticate"
            offers = [{key: quoted or plain for key, quoted, plain in _PARAMETER.findall(value)}
                      for value in challenge.all(name)]
            chosen = next((offer for algorithm in self.prefers for offer in offers
                           if offer.get("algorithm", "MD5") == algorithm), None)
            if chosen is None:
                raise AssertionError(f"nothing to choose from in {challenge!r}")
            self.challenge = (challenge.status, chosen)
            self.nonce_count = 0
        status, offer = self.challenge
        algorithm = offer.get("algorithm", "MD5")
        self.algorithm_used = algorithm
        self.nonce_count += 1

        def digest(text):
            return _HASHES[algorithm](text.encode()).hexdigest()

        count, cnonce = f"{self.nonce_count:08x}", token()
        secret = digest(f"{self.user}:{offer['realm']}:{self.password}")
        response = digest(f"{secret}:{offer['nonce']}:{count}:{cnonce}:auth:{digest(f'{method}:{uri}')}")
        name = "Authorization" if status == 401 else "Proxy-Authorization"
        return (f'{name}: Digest username="{self.user}", realm="{offer["realm"]}", nonce="{offer["nonce"]}", '
                f'uri="{uri}", response="{response}", algorithm={algorithm}, cnonce="{cnonce}", qop=auth, nc={count}')

    def request(self, method, uri, extra=(), timeout=10.0, **parts):
        """Sends a request, answers a challenge, and returns the final response."""
        call_id = parts.pop("call_id", None) or token()
        from_tag = parts.pop("from_tag", None) or token()
        self.send(self.build(method, uri, call_id=call_id, from_tag=from_tag, extra=extra, **parts))
        answer = self.final(call_id, method, timeout)
        if answer.status in (401, 407):
            credentials = self.authorization(method, uri, answer)
            parts.pop("via", None)
            self.send(self.build(method, uri, call_id=call_id, from_tag=from_tag, extra=(*extra, credentials), **parts))
            answer = self.final(call_id, method, timeout)
        return answer

    def final(self, call_id, method, timeout=10.0):
        return self.expect(
            lambda m: m.is_response and m.status >= 200 and m.get("Call-ID") == call_id and m.method == method, timeout
        )

    # Registration

    def register(self, expires=600, wakeable=False, outbound=True, timeout=10.0):
        """Registers this connection, and returns the final response."""
        contact = f"Contact: <{self.contact}{self.push if wakeable else ''}>"
        extra = [f"Expires: {expires}"]
        if outbound:
            contact += f';reg-id=1;+sip.instance="<{self.instance}>"'
            extra.append("Supported: path, outbound, gruu")
        return self.request("REGISTER", f"sip:{self.domain}", to=f"<{self.aor}>", extra=[contact, *extra],
                            timeout=timeout)

    @property
    def push(self):
        return f";pn-provider=apns;pn-param=TEAM.example.voip;pn-prid={self.user}00"

    # Calls

    def invite(self, uri, extra=(), body=None):
        """Sends an INVITE, answers a challenge, and returns the call: ringing or on its way there."""
        call = Call(self, uri)
        call.start(extra, OFFER if body is None else body)
        return call

    def respond(self, request, status, reason, to_tag=None, extra=(), body=b""):
        """Answers a request."""
        body = body.encode() if isinstance(body, str) else body
        to = request.get("To")
        if to_tag and "tag=" not in to:
            to += f";tag={to_tag}"
        lines = [f"SIP/2.0 {status} {reason}"]
        lines += [f"Via: {value}" for value in request.all("Via")]
        lines += [f"Record-Route: {value}" for value in request.all("Record-Route")]
        lines += [f"From: {request.get('From')}", f"To: {to}", f"Call-ID: {request.get('Call-ID')}",
                  f"CSeq: {request.get('CSeq')}", f"Contact: <{self.contact}>", *extra,
                  f"Content-Length: {len(body)}"]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


OFFER = ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
         "m=audio 40000 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n")


class Call:
    """The caller's side of a call."""

    def __init__(self, client, uri):
        self.client = client
        self.uri = uri
        self.call_id = token()
        self.from_tag = token()
        self.sequence = 0
        self.via = None
        self.answer = None

    def start(self, extra, body):
        extra = [f"Contact: <{self.client.contact}>", "Content-Type: application/sdp", *extra]
        self._invite(extra, body)
        first = self.client.expect(self._concerns)
        if first.status in (401, 407):
            self._acknowledge_failure(first)
            credentials = self.client.authorization("INVITE", self.uri, first)
            self._invite([*extra, credentials], body)
        else:
            self.client.inbox.insert(0, first)

    def _invite(self, extra, body):
        self.sequence += 1
        self.via = self.client.via()
        self.client.send(self.client.build("INVITE", self.uri, call_id=self.call_id, from_tag=self.from_tag,
                                           cseq=self.sequence, via=self.via, extra=extra, body=body))

    def _concerns(self, message):
        return (message.is_response and message.method == "INVITE" and message.get("Call-ID") == self.call_id
                and message.get("CSeq").split()[0] == str(self.sequence))

    def expect(self, status, timeout=10.0):
        """Waits for a response; a final one is acknowledged."""
        message = self.client.expect(lambda m: self._concerns(m) and (m.status == status or m.status >= 200), timeout)
        if message.status >= 300:
            self._acknowledge_failure(message)
        elif message.status >= 200:
            self.answer = message
            self.acknowledge()
        if message.status != status:
            raise AssertionError(f"wanted {status}, got {message!r}")
        return message

    def _acknowledge_failure(self, response):
        self.client.send(self.client.build("ACK", self.uri, to=response.get("To"), call_id=self.call_id,
                                           from_tag=self.from_tag, cseq=self.sequence, via=self.via))

    def in_dialog(self, method, cseq=None, extra=()):
        """The bytes of a request within the dialog."""
        routes = [f"Route: {value}" for value in reversed(self.answer.all("Record-Route"))]
        return self.client.build(method, self.answer.contact_uri, to=self.answer.get("To"), call_id=self.call_id,
                                 from_tag=self.from_tag, cseq=cseq, extra=[*routes, *extra])

    def acknowledge(self):
        self.client.send(self.in_dialog("ACK", cseq=self.sequence))

    def cancel(self):
        self.client.send(self.client.build("CANCEL", self.uri, call_id=self.call_id, from_tag=self.from_tag,
                                           cseq=self.sequence, via=self.via))

    def hang_up(self, timeout=10.0):
        self.sequence += 1
        self.client.send(self.in_dialog("BYE", cseq=self.sequence))
        return self.client.final(self.call_id, "BYE", timeout)
