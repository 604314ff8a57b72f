"""The headless phone, wakeline phone: what it tells, what it does, and how it exits."""

import re
import signal
import socket
import unittest

from baresip import Baresip
from phone import Phone, registered
from processes import ClassCleanups
from wakeline import DOMAIN, Server, wakeline

BOTH_WAYS = "hears 660 Hz: sound goes both ways"


class Together(unittest.TestCase):
    """Tests that can share a server."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(ClassCleanups(cls), users=("alice", "bob", "carol"))

    def call(self, *options, caller="alice", callee="bob"):
        return Phone(self, self.server, caller, "--call", callee, *options)


class Registering(Together):
    def test_it_stays_registered_until_it_is_told_to_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                since = len(self.server.program.lines)
                phone = registered(self, self.server, "alice")
                told = phone.lines[0]
                self.assertRegex(told, rf"^registered at 127\.0\.0\.1:{self.server.port} for \d+ s "
                                       r"\(ping every \d+-\d+ s\)$")
                phone.signal(number)
                self.assertEqual(phone.wait(), 0, phone.text)
                self.assertEqual(phone.lines[1:], [f"unregistered at 127.0.0.1:{self.server.port}"])
                self.server.program.wait_for_line("registration.change=unregistered", f"alice@{DOMAIN}", since=since)

    def test_two_servers_are_two_connections_of_one_device(self):
        place = f"tcp://127.0.0.1:{self.server.port}"
        bob = Phone(self, self.server, "bob", "--json", "--auto-answer", "--once", servers=[place, place])
        bob.wait_for_line('"reg_id":1')
        bob.wait_for_line('"reg_id":2')
        # One device rings once.
        alice = self.call("--duration", "0.5")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertEqual(bob.wait(), 0, bob.text)
        self.assertEqual(len(bob.of_type("incoming")), 1)
        self.assertEqual(sorted(event["reg_id"] for event in bob.of_type("unregistered")), [1, 2])

    def test_the_device_is_the_same_at_every_start(self):
        instances = set()
        for _ in range(2):
            since = len(self.server.program.lines)
            phone = registered(self, self.server, "carol")
            self.assertEqual(phone.terminate(), 0)
            line = self.server.program.wait_for_line("registration.change=registered", f"carol@{DOMAIN}", since=since)
            instances.add(re.search(r"sip\.instance=(urn:uuid:[0-9a-f-]{36})", line).group(1))
        self.assertEqual(len(instances), 1)


class Calling(Together):
    def test_both_hear_each_other(self):
        bob = registered(self, self.server, "bob", "--auto-answer", "--once")
        alice = self.call("--duration", "1")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertEqual(bob.wait(), 0, bob.text)
        patterns = (
            "registered at ", rf"calling sip:bob@{DOMAIN}$", r"ringing \(", r"answered \(", BOTH_WAYS,
            r"call ended: hung up after 1\.\d s; sent \d+ packets, received \d+, lost \d+, jitter \d+\.\d ms$",
            "unregistered at ",
        )
        self.assertEqual(len(alice.lines), len(patterns), alice.text)
        for line, pattern in zip(alice.lines, patterns):
            self.assertRegex(line, pattern)
        self.assertIn(f"call from sip:alice@{DOMAIN}", bob.lines)
        self.assertIn("hears 440 Hz", bob.lines)
        self.assertIsNotNone(bob.find("call ended: alice hung up after 1."))

    def test_every_line_is_an_object_that_says_when(self):
        bob = registered(self, self.server, "bob", "--auto-answer", "--count", "2", "--json", "--duration", "1")
        alice = self.call("--json", "--count", "2", "--display-name", 'Alice "A"', "--duration", "20")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertEqual(bob.wait(), 0, bob.text)
        self.assertEqual(
            [event["type"] for event in alice.events],
            ["registered"] + ["calling", "ringing", "answered", "heard", "ended"] * 2 + ["unregistered"],
        )
        for event in alice.events + bob.events:
            self.assertRegex(event["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual([event["name"] for event in bob.of_type("incoming")], ['Alice "A"'] * 2)
        self.assertEqual([event["call"] for event in alice.of_type("ended")], [1, 2])
        for ended in alice.of_type("ended"):
            self.assertTrue(ended["good"], ended)
            self.assertEqual((ended["end"], ended["heard"], ended["incoming"]), ("remote", 660, False))
            self.assertGreater(ended["received"], 20)
        # The journal knows the call by the same name.
        self.assertIn("200", self.server.trace(alice.of_type("ended")[0]["call_id"]).stdout)

    def test_a_side_that_is_silent_is_told(self):
        bob = registered(self, self.server, "bob", "--auto-answer", "--once", "--no-audio")
        alice = self.call("--duration", "0.5")
        self.assertEqual(alice.wait(), 1, alice.text)
        self.assertRegex(alice.lines[-2], r"^call ended: hung up .* received 0, .*; heard no tone$")
        self.assertEqual(bob.wait(), 0, bob.text)

    def test_a_call_is_refused(self):
        for status, reason in ((486, "486 Busy Here"), (603, "603 Decline"), (488, "488 Not Acceptable Here")):
            with self.subTest(status):
                bob = registered(self, self.server, "bob", "--reject", status, "--once")
                alice = self.call()
                self.assertEqual(alice.wait(), 1, alice.text)
                self.assertEqual(alice.lines[-2], f"call failed: {reason}")
                self.assertEqual(bob.wait(), 0, bob.text)

    def test_a_phone_in_a_call_is_busy(self):
        bob = registered(self, self.server, "bob", "--auto-answer")
        carol = self.call("--no-audio", "--duration", "60", caller="carol")
        carol.wait_for_line("answered")
        alice = self.call()
        self.assertEqual(alice.wait(), 1, alice.text)
        self.assertEqual(alice.lines[-2], "call failed: 486 Busy Here")
        # The end of the phone is the end of its calls.
        self.assertEqual(bob.terminate(), 0)
        carol.wait_for_line("call ended: bob hung up after")

    def test_a_caller_gives_up_while_it_rings(self):
        bob = registered(self, self.server, "bob", "--auto-answer", "--ring", "60", "--once")
        alice = self.call()
        alice.wait_for_line("ringing")
        alice.signal(signal.SIGINT)
        self.assertEqual(alice.wait(), 1, alice.text)
        self.assertEqual(alice.lines[-2], "call ended: given up before it was answered")
        self.assertEqual(bob.wait(), 1, bob.text)
        self.assertIn("call ended: alice gave up before it was answered", bob.lines)

    def test_it_rings_as_long_as_it_is_told(self):
        bob = registered(self, self.server, "bob", "--auto-answer", "--ring", "0.5", "--once", "--no-audio", "--json")
        alice = self.call("--no-audio", "--duration", "0")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertEqual(bob.wait(), 0, bob.text)
        self.assertGreaterEqual(bob.of_type("answered")[0]["after"], 0.5)

    def test_somebody_who_is_not_there(self):
        for callee, reason in (("nobody", "404 Not Found"), ("carol", "480 Temporarily Unavailable")):
            with self.subTest(callee):
                alice = self.call(callee=callee)
                self.assertEqual(alice.wait(), 1, alice.text)
                self.assertEqual(alice.lines[-2], f"call failed: {reason}")


class Messages(Together):
    def test_a_message_arrives_as_it_was_written(self):
        bob = registered(self, self.server, "bob", "--json")
        text = 'Grüße,\n"Bob" \x1b[31m\\'
        alice = Phone(self, self.server, "alice", "--message", text, "--to", f"sip:bob@{DOMAIN}")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertIn(f"the message to sip:bob@{DOMAIN} was accepted: 200 OK", alice.lines)
        bob.wait_for_line('"type":"message"')
        self.assertEqual(bob.of_type("message")[0]["text"], text)
        self.assertEqual(bob.of_type("message")[0]["from"], f"sip:alice@{DOMAIN}")

    def test_what_others_send_does_nothing_to_a_terminal(self):
        bob = registered(self, self.server, "bob")
        alice = Phone(self, self.server, "alice", "--message", "\x1b[31mred\nnext", "--to", "bob")
        self.assertEqual(alice.wait(), 0, alice.text)
        bob.wait_for_line(f"message from sip:alice@{DOMAIN}: \ufffd[31mred\ufffdnext")

    def test_a_message_and_a_question_that_fail(self):
        for options, word in ((("--message", "hello", "--to", "nobody"), "message"), (("--options", "nobody"), "OPTIONS")):
            with self.subTest(word):
                alice = Phone(self, self.server, "alice", *options)
                self.assertEqual(alice.wait(), 1, alice.text)
                self.assertIn(word, alice.lines[1])
                self.assertIn("404 Not Found", alice.lines[1])


class Refused(Together):
    def test_a_wrong_password(self):
        phone = Phone(self, self.server, "alice", password="wrong")
        self.assertEqual(phone.wait(), 1)
        self.assertEqual(len(phone.lines), 1, phone.text)
        self.assertIn(f"could not register: wrong password for alice@{DOMAIN}", phone.lines[0])
        self.assertIn(f"wakeline account add alice@{DOMAIN} --replace", phone.lines[0])

    def test_a_server_that_is_not_there(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            place = f"127.0.0.1:{taken.getsockname()[1]}"
            phone = Phone(self, self.server, "alice", servers=[f"tcp://{place}"])
            self.assertEqual(phone.wait(), 75)
        self.assertEqual(phone.lines, [f"could not register: nobody serves at {place}; start a server there, "
                                       "or give another --server"])

    def test_one_of_two_servers_is_enough(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            phone = Phone(self, self.server, "alice", "--options", f"alice@{DOMAIN}", servers=[
                f"tcp://127.0.0.1:{taken.getsockname()[1]}", f"tcp://127.0.0.1:{self.server.port}"])
            self.assertEqual(phone.wait(), 0, phone.text)

    def test_command_lines_that_say_too_little_or_too_much(self):
        server = ["--server", f"tcp://127.0.0.1:{self.server.port}"]
        secret = ["--password", "x"]
        for arguments, code, words in (
            ([f"alice@{DOMAIN}", *server], 64, "give --password, --password-file or WAKELINE_PASSWORD"),
            ([f"alice@{DOMAIN}", *secret], 75, f"{DOMAIN} can't be resolved"),
            (["alice", *secret, *server], 64, "'alice' is no address; write user@domain"),
            ([f"alice@{DOMAIN}", *secret, "--server", "127.0.0.1"], 64, "write tcp://127.0.0.1"),
            ([f"alice@{DOMAIN}", *secret, "--server", "tls://127.0.0.1"], 64, "'tls' is not spoken here"),
            ([f"alice@{DOMAIN}", *secret, *server, "--call", "sip:bob@"], 64, "--call sip:bob@ is no URI"),
            ([f"alice@{DOMAIN}", *secret, *server, "--message", "x"], 64, f"add --to sip:bob@{DOMAIN}"),
            ([f"alice@{DOMAIN}", *secret, *server, "--reject", "200"], 64, "no number from 400 to 699"),
            ([f"alice@{DOMAIN}", *secret, *server, "--duration", "nan"], 64, "--duration nan is no time"),
            ([f"alice@{DOMAIN}", *secret, *server, "--auto-answer", "--reject", "486"], 64, "give one"),
            ([f"alice@{DOMAIN}", *secret, *server, "--ring", "5"], 64, "add --auto-answer or --reject STATUS"),
            ([f"alice@{DOMAIN}", *secret, *server, "--push", "apns:x"], 64, "apns:TEAM.TOPIC:TOKEN"),
            ([f"alice@{DOMAIN}", *secret, *server, "--instance", 'x">'], 64, "urn:uuid:"),
        ):
            with self.subTest(arguments):
                done = wakeline("phone", *arguments, timeout=20)
                self.assertEqual(done.returncode, code, done)
                self.assertIn(words, done.stderr)

    def test_what_is_shown_holds_no_secrets(self):
        phone = registered(self, self.server, "alice", "--verbose", "--options", f"alice@{DOMAIN}",
                           "--push", "apns:TEAM.app:0a1b2c:3d4e5f")
        self.assertEqual(phone.wait(), 0, phone.text)
        self.assertGreaterEqual(phone.text.count("Authorization: (left out)"), 2)
        self.assertIn("pn-prid=(left out)", phone.text)
        for secret in ("response=", "nonce=", "0a1b2c", "3d4e5f", "secret-alice"):
            self.assertNotIn(secret, phone.text)


class Others(Together):
    def test_a_softphone_is_called(self):
        bob = Baresip(self, self.server, "bob", 660)
        alice = self.call("--duration", "2")
        bob.wait_for("CALL_INCOMING")
        bob.command("accept")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertIn("hears 660 Hz: sound goes both ways", alice.lines)

    def test_a_softphone_calls_holds_and_takes_back(self):
        bob = registered(self, self.server, "bob", "--auto-answer", "--once")
        alice = Baresip(self, self.server, "alice", 440)
        alice.command("dial", f"sip:bob@{DOMAIN}")
        bob.wait_for_line("hears 440 Hz")
        alice.command("hold")
        bob.wait_for_line("the other side holds the call")
        alice.command("resume")
        bob.wait_for_line("the other side took the call back")
        alice.command("hangup")
        self.assertEqual(bob.wait(), 0, bob.text)


class Restart(unittest.TestCase):
    def test_a_phone_finds_back_to_a_server_that_was_killed(self):
        server = Server(self)
        # The next start is to listen where this one did.
        server.listen = f"tcp://127.0.0.1:{server.port}"
        bob = registered(self, server, "bob", "--auto-answer", "--once", "--retry-base", "0.2")
        server.program.kill()
        bob.wait_for_line("lost the connection")
        since = len(bob.lines)
        server.start()
        bob.wait_for_line("registered at", since=since)
        alice = Phone(self, server, "alice", "--call", "bob", "--duration", "1")
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertEqual(bob.wait(), 0, bob.text)


if __name__ == "__main__":
    unittest.main()
