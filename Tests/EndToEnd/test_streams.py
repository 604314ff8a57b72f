"""What comes down a connection, whole, in pieces, or broken."""

import unittest

from processes import ClassCleanups
from sipclient import Client, token
from wakeline import Server


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(ClassCleanups(cls), config="limits: {header-section: 8KB, start-line: 1KB, body: 8KB}\n")

    def client(self, user="alice"):
        return Client(self, self.server, user)

    def options(self, client, **parts):
        return client.build("OPTIONS", f"sip:{client.domain}", **parts)

    def test_a_ping_is_answered_by_one_line_end(self):
        client = self.client()
        self.assertEqual(client.register().status, 200)
        for count in range(1, 4):
            self.assertEqual(client.ping(), count)
        client.send(b"\r\n\r\n" * 5 + self.options(client))
        self.assertEqual(client.receive().status, 200)
        self.assertEqual(client.pongs, 8)

    def test_a_message_may_come_byte_by_byte(self):
        client = self.client()
        for byte in self.options(client, body="hello"):
            client.send(bytes([byte]))
        self.assertEqual(client.receive().status, 200)

    def test_many_messages_may_come_at_once(self):
        client = self.client()
        ids = [token() for _ in range(50)]
        client.send(b"".join(self.options(client, call_id=call_id) for call_id in ids))
        self.assertEqual([client.receive().get("Call-ID") for _ in ids], ids)

    def test_a_message_without_length_is_answered_400_and_ends_the_connection(self):
        client = self.client()
        client.send(self.options(client, length=False))
        (answer,), _ = client.wait_closed()
        self.assertEqual(answer.start, "SIP/2.0 400 Missing Content-Length")

    def test_a_length_that_is_no_number_is_answered_400_and_ends_the_connection(self):
        client = self.client()
        client.send(self.options(client, length=False, extra=["Content-Length: many"]))
        (answer,), _ = client.wait_closed()
        self.assertEqual(answer.start, "SIP/2.0 400 Malformed Content-Length")

    def test_too_long_a_body_is_answered_413_and_ends_the_connection(self):
        client = self.client()
        client.send(self.options(client, body="x" * 10_000))
        (answer,), _ = client.wait_closed()
        self.assertEqual(answer.status, 413)

    def test_too_long_a_header_section_ends_the_connection(self):
        client = self.client()
        client.send(self.options(client, extra=[f"Subject: {'x' * 9_000}"]))
        answers, _ = client.wait_closed()
        self.assertEqual([answer.status for answer in answers], [513])

    def test_a_fault_is_named_in_the_reason_phrase_and_the_connection_lives(self):
        client = self.client()
        good = self.options(client)
        for broken, reason in [
            (good.replace(b"CSeq: 1 OPTIONS", b"CSeq: x OPTIONS"), "400 Malformed CSeq"),
            (good.replace(b"CSeq: 1 OPTIONS", b"CSeq: 1 MESSAGE"), "400 CSeq Method Does Not Match"),
            (good.replace(b"SIP/2.0\r\nVia", b"SIP/7.0\r\nVia", 1), "505 Version Not Supported"),
            (good.replace(b"Max-Forwards: 70", b"Max-Forwards: 300"), "400 Malformed Max-Forwards"),
            (good.replace(b"To: <", b"To: <<"), "400 Malformed To"),
            (good.replace(b"Call-ID", b"Call-ID: a\r\nCall-ID"), "400 Duplicate Call-ID"),
        ]:
            with self.subTest(reason):
                self.assertNotEqual(broken, good)
                client.send(broken)
                self.assertEqual(client.receive().start, f"SIP/2.0 {reason}")
        client.send(self.options(client))
        self.assertEqual(client.receive().status, 200)

    def test_what_is_not_sip_ends_the_connection_without_a_word(self):
        for garbage in [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"\0" * 100, b"\rx",
                        b"hello there\r\n"]:
            with self.subTest(garbage):
                client = self.client()
                client.send(garbage)
                answers, taken = client.wait_closed()
                self.assertEqual(answers, [])
                self.assertLess(taken, 5)

    def test_others_never_notice(self):
        client = self.client("bob")
        self.assertEqual(client.register().status, 200)
        for _ in range(20):
            noise = self.client()
            noise.send(b"\xff" * 3000)
            noise.wait_closed()
        client.ping()


if __name__ == "__main__":
    unittest.main()
