"""Calls between two softphones, with real voice."""

import unittest

from baresip import Baresip
from processes import ClassCleanups
from tone import RATE, read_samples, share_of
from waiting import wait_until
from wakeline import DOMAIN, Server


class Softphones(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(ClassCleanups(cls))
        cls.alice = Baresip(ClassCleanups(cls), cls.server, "alice", 440)
        cls.bob = Baresip(ClassCleanups(cls), cls.server, "bob", 1000)

    def setUp(self):
        self.since = {phone: len(phone.events) for phone in (self.alice, self.bob)}
        for phone in self.since:
            phone.forget_recordings()

    def wait_for(self, phone, kind):
        return phone.wait_for(kind, since=self.since[phone])

    def ring(self, target=f"sip:bob@{DOMAIN}"):
        self.alice.command("dial", target)
        self.wait_for(self.bob, "CALL_INCOMING")
        self.wait_for(self.alice, "CALL_RINGING")

    def establish(self, target=f"sip:bob@{DOMAIN}"):
        self.ring(target)
        self.bob.command("accept")
        for phone in (self.alice, self.bob):
            self.wait_for(phone, "CALL_ESTABLISHED")

    def assert_hears(self, listener, speaker):
        """Waits until a second of what was recorded is nothing but the other's tone."""
        def shares():
            path = listener.heard
            samples = read_samples(path)[-RATE:] if path else []
            if len(samples) < RATE:
                return (0.0, 0.0)
            return (share_of(speaker.frequency, samples), share_of(listener.frequency, samples))

        wait_until(lambda: shares()[0] > 0.9, lambda: f"{listener.user} to hear {speaker.user}: {shares()}", 15, 0.2)
        self.assertLess(shares()[1], 0.01)

    def assert_over(self):
        for phone in (self.alice, self.bob):
            self.wait_for(phone, "CALL_CLOSED")

    def test_both_hear_each_other_until_the_callee_hangs_up(self):
        self.establish()
        self.assert_hears(self.alice, self.bob)
        self.assert_hears(self.bob, self.alice)
        self.bob.command("hangup")
        self.assert_over()

    def test_both_hear_each_other_until_the_caller_hangs_up(self):
        self.establish(f"sip:bob@{DOMAIN};transport=tcp")
        self.assert_hears(self.alice, self.bob)
        self.assert_hears(self.bob, self.alice)
        self.alice.command("hangup")
        self.assert_over()

    def test_a_call_is_rejected(self):
        self.ring()
        self.bob.command("hangup")
        self.assertIn("486", self.wait_for(self.alice, "CALL_CLOSED")["param"])
        self.wait_for(self.bob, "CALL_CLOSED")

    def test_a_call_is_cancelled_while_it_rings(self):
        self.ring()
        self.alice.command("hangup")
        self.assert_over()
        # It is over at the server too.
        self.server.program.wait_for_line('msg="call"', "call.status=487")

    def test_nobody_there(self):
        self.alice.command("dial", f"sip:nobody@{DOMAIN}")
        self.assertIn("404", self.wait_for(self.alice, "CALL_CLOSED")["param"])


class Leaving(unittest.TestCase):
    def test_a_phone_that_stops_is_not_there_any_more(self):
        server = Server(self)
        alice = Baresip(self, server, "alice", 440)
        bob = Baresip(self, server, "bob", 1000)
        bob.program.terminate()
        wait_until(
            lambda: server.program.find("registration.change=unregistered", f"bob@{DOMAIN}")
            or server.program.find("registration.change=ended", f"bob@{DOMAIN}"),
            lambda: f"the end of bob's registration:\n{server.log}",
        )
        alice.command("dial", f"sip:bob@{DOMAIN}")
        self.assertIn("480", alice.wait_for("CALL_CLOSED")["param"])

    def test_a_phone_that_crashes_is_not_there_any_more(self):
        server = Server(self)
        alice = Baresip(self, server, "alice", 440)
        bob = Baresip(self, server, "bob", 1000)
        bob.program.kill()
        server.program.wait_for_line("registration.change=ended", f"bob@{DOMAIN}")
        alice.command("dial", f"sip:bob@{DOMAIN}")
        self.assertIn("480", alice.wait_for("CALL_CLOSED")["param"])


if __name__ == "__main__":
    unittest.main()
