"""Calls between clients that look at every message."""

import unittest

from processes import ClassCleanups
from sipclient import Client, OFFER
from wakeline import DOMAIN, Server
from waiting import wait_until


class Calls(unittest.TestCase):
    listen = "tcp://127.0.0.1:0"

    @classmethod
    def setUpClass(cls):
        cls.server = Server(ClassCleanups(cls), users=("alice", "bob", "carol"), listen=cls.listen)

    def phone(self, user, **parts):
        client = Client(self, self.server, user, **parts)
        self.assertEqual(client.register().status, 200)
        return client

    def test_a_call_from_invite_to_bye(self):
        for target in (f"sip:bob@{DOMAIN}", f"sip:bob@{DOMAIN};transport=tcp", f"sip:bob@{DOMAIN.upper()}:5060"):
            with self.subTest(target):
                alice, bob = self.phone("alice"), self.phone("bob")
                call = alice.invite(target)
                invite = bob.expect("INVITE")
                self.assertEqual(invite.uri, bob.contact)
                self.assertEqual(invite.body.decode(), OFFER)
                bob.respond(invite, 180, "Ringing", "b1")
                call.expect(180)
                bob.respond(invite, 200, "OK", "b1", ["Content-Type: application/sdp"], OFFER)
                self.assertEqual(call.expect(200).body.decode(), OFFER)
                ack = bob.expect("ACK")
                self.assertEqual(ack.get("Call-ID"), call.call_id)
                call.sequence += 1
                alice.send(call.in_dialog("BYE", cseq=call.sequence))
                bob.respond(bob.expect("BYE"), 200, "OK")
                self.assertEqual(alice.expect(200).method, "BYE")

    def test_the_callee_hangs_up(self):
        alice, bob = self.phone("alice"), self.phone("bob")
        call = alice.invite(f"sip:bob@{DOMAIN}")
        invite = bob.expect("INVITE")
        bob.respond(invite, 200, "OK", "b2")
        call.expect(200)
        bob.expect("ACK")
        routes = [f"Route: {value}" for value in invite.all("Record-Route")]
        bob.send(bob.build("BYE", invite.contact_uri, to=invite.get("From"), call_id=call.call_id, from_tag="b2",
                           extra=routes))
        alice.respond(alice.expect("BYE"), 200, "OK")
        self.assertEqual(bob.expect(200).method, "BYE")

    def test_a_caller_that_is_not_registered_proves_itself(self):
        bob = self.phone("bob")
        alice = Client(self, self.server)
        call = alice.invite(f"sip:bob@{DOMAIN}")
        self.assertEqual(call.sequence, 2)
        invite = bob.expect("INVITE")
        self.assertEqual(invite.get("Proxy-Authorization"), None)
        bob.respond(invite, 486, "Busy Here", "b3")
        call.expect(486)

    def test_a_caller_can_not_say_it_is_another(self):
        self.phone("bob")
        for sender in (f"sip:carol@{DOMAIN}", "sip:president@elsewhere.test"):
            alice = self.phone("alice")
            alice.send(alice.build("INVITE", f"sip:bob@{DOMAIN}", sender=sender))
            self.assertEqual(alice.receive().status, 403)

    def test_busy(self):
        alice, bob = self.phone("alice"), self.phone("bob")
        call = alice.invite(f"sip:bob@{DOMAIN}")
        bob.respond(bob.expect("INVITE"), 486, "Busy Here", "b4")
        call.expect(486)
        # The proxy acknowledges on its own.
        bob.expect("ACK")

    def test_a_ringing_call_is_cancelled(self):
        alice, bob = self.phone("alice"), self.phone("bob")
        call = alice.invite(f"sip:bob@{DOMAIN}")
        invite = bob.expect("INVITE")
        bob.respond(invite, 180, "Ringing", "b5")
        call.expect(180)
        call.cancel()
        self.assertEqual(alice.expect(lambda m: m.method == "CANCEL").status, 200)
        cancel = bob.expect("CANCEL")
        self.assertEqual(cancel.all("Via")[0], invite.all("Via")[0])
        bob.respond(cancel, 200, "OK")
        bob.respond(invite, 487, "Request Terminated", "b5")
        call.expect(487)

    def test_all_devices_ring_and_the_others_are_told_it_was_answered(self):
        alice, desk, mobile = self.phone("alice"), self.phone("bob"), self.phone("bob")
        call = alice.invite(f"sip:bob@{DOMAIN}")
        rings = {}
        for name, device in (("desk", desk), ("mobile", mobile)):
            rings[name] = device.expect("INVITE")
            device.respond(rings[name], 180, "Ringing", name)
        desk.respond(rings["desk"], 200, "OK", "desk")
        call.expect(200)
        desk.expect("ACK")
        cancel = mobile.expect("CANCEL")
        self.assertEqual(cancel.get("Reason"), 'SIP;cause=200;text="Call completed elsewhere"')
        mobile.respond(cancel, 200, "OK")
        mobile.respond(rings["mobile"], 487, "Request Terminated", "mobile")
        mobile.expect("ACK")

    def test_a_device_on_a_new_connection_is_the_same_device(self):
        alice, bob = self.phone("alice"), self.phone("bob")
        again = self.phone("bob", instance=bob.instance)
        bob.wait_closed()
        call = alice.invite(f"sip:bob@{DOMAIN}")
        again.respond(again.expect("INVITE"), 486, "Busy Here", "b6")
        call.expect(486)

    def test_who_is_called_may_not_exist_or_not_be_there(self):
        alice = self.phone("alice")
        alice.invite(f"sip:nobody@{DOMAIN}").expect(404)
        carol = self.phone("carol")
        carol.close()
        wait_until(lambda: self.server.program.find("registration.change=ended", f"carol@{DOMAIN}"), "carol to be gone")
        alice.invite(f"sip:carol@{DOMAIN}").expect(480)

    def test_the_journal_tells_what_happened(self):
        alice, bob = self.phone("alice"), self.phone("bob")
        call = alice.invite(f"sip:bob@{DOMAIN}")
        invite = bob.expect("INVITE")
        bob.respond(invite, 180, "Ringing", "b7")
        call.expect(180)
        bob.respond(invite, 200, "OK", "b7")
        call.expect(200)
        call.sequence += 1
        alice.send(call.in_dialog("BYE", cseq=call.sequence))
        bob.respond(bob.expect("BYE"), 200, "OK")
        alice.expect(200)
        traced = wait_until(
            lambda: (found := self.server.trace(call.call_id)).returncode == 0 and "BYE" in found.stdout and found,
            "the whole call in the journal",
        )
        text = traced.stdout
        self.assertTrue(text.startswith(call.call_id))
        places = [text.find(part) for part in ("=received", "=forwarded", "status=180", "status=200", "=verdict", "=in-dialog")]
        self.assertNotIn(-1, places, text)
        self.assertEqual(places, sorted(places), text)
        self.assertIn("answered", text)
        unknown = self.server.trace("never-heard-of")
        self.assertEqual((unknown.returncode, unknown.stdout), (64, ""))
        self.assertIn("never-heard-of", unknown.stderr)

    def test_a_message_reaches_its_addressee(self):
        alice, bob = self.phone("alice"), self.phone("bob")
        alice.send(alice.build("MESSAGE", f"sip:bob@{DOMAIN}", extra=["Content-Type: text/plain"], body="hello"))
        message = bob.expect("MESSAGE")
        self.assertEqual(message.body, b"hello")
        bob.respond(message, 200, "OK", "b8")
        self.assertEqual(alice.expect(200).method, "MESSAGE")


class CallsOverIPv6(Calls):
    listen = "tcp://[::1]:0"


if __name__ == "__main__":
    unittest.main()
