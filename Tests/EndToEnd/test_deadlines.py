"""A connection that does not do its part is closed, alone."""

import socket
import time
import unittest

from processes import ClassCleanups
from sipclient import Client
from wakeline import DOMAIN, Server

CONFIG = """
flow: {first-message: 1s, authentication: 4s, timer: 1s, grace: 1s}
"""


class Deadlines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(ClassCleanups(cls), config=CONFIG)

    def closed_after(self, client, least, most):
        _, taken = client.wait_closed()
        self.assertTrue(least <= taken <= most, f"closed after {taken:.2f} s")

    def test_a_connection_that_says_nothing(self):
        self.closed_after(Client(self, self.server), 0.8, 3.5)

    def test_a_message_that_never_ends(self):
        client = Client(self, self.server)
        client.send(client.build("OPTIONS", f"sip:{DOMAIN}")[:-2])
        self.closed_after(client, 0.8, 3.5)

    def test_a_connection_that_never_proves_who_it_is(self):
        client = Client(self, self.server)
        start = time.monotonic()
        with self.assertRaises((AssertionError, OSError)):
            while time.monotonic() - start < 10:
                self.assertEqual(client.request("OPTIONS", f"sip:{DOMAIN}").status, 200)
                time.sleep(0.1)
        self.assertTrue(3.8 <= time.monotonic() - start <= 8)

    def test_a_phone_that_stops_pinging(self):
        client = Client(self, self.server)
        self.assertEqual(client.register().get("Flow-Timer"), "1")
        start = time.monotonic()
        while time.monotonic() - start < 3:
            client.ping()
            time.sleep(0.3)
        self.closed_after(client, 1.5, 6)
        self.server.program.wait_for_line("registration.change=ended", f"alice@{DOMAIN}")


class Bounds(unittest.TestCase):
    def test_a_phone_that_never_reads_is_closed_alone(self):
        self.server = Server(self, users=("alice", "bob", "carol"), config="flow: {write-mark: 16KB, write-bound: 64KB}\n")
        stuck = Client(self, self.server, "carol", connect=False)
        stuck.socket = socket.socket()
        stuck.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.socket.connect(self.server.address)
        self.assertEqual(stuck.register().status, 200)
        alice = Client(self, self.server)
        bob = Client(self, self.server, "bob")
        self.assertEqual((alice.register().status, bob.register().status), (200, 200))

        def is_closed():
            return self.server.program.find("registration.change=ended", f"carol@{DOMAIN}")

        body = "x" * 60_000
        deadline = time.monotonic() + 30
        sent = 0
        while not is_closed():
            self.assertLess(time.monotonic(), deadline, f"not closed after {sent} messages")
            alice.send(alice.build("MESSAGE", f"sip:carol@{DOMAIN}", body=body))
            alice.ping()
            bob.ping()
            sent += 1
            if sent % 10 == 0:
                # Others call each other all the while.
                call = alice.invite(f"sip:bob@{DOMAIN}")
                bob.respond(bob.expect("INVITE"), 486, "Busy Here", "b")
                call.expect(486, timeout=2)
        call = alice.invite(f"sip:bob@{DOMAIN}")
        bob.respond(bob.expect("INVITE"), 486, "Busy Here", "b")
        call.expect(486)


if __name__ == "__main__":
    unittest.main()
