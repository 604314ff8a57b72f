"""Starting, stopping, crashing, and changing the configuration of a server that runs."""

import os
import signal
import threading
import unittest

from processes import scratch
from sipclient import Client
from wakeline import DOMAIN, Server, wakeline


class Crashes(unittest.TestCase):
    def crash(self, server):
        server.program.kill()

    def test_a_phone_that_can_be_woken_is_remembered(self):
        server = Server(self)
        alice, bob = Client(self, server), Client(self, server, "bob")
        self.assertEqual(alice.register(wakeable=True).status, 200)
        self.assertEqual(bob.register().status, 200)
        self.crash(server)
        server.start()
        # The other one's binding was its connection.
        self.assertEqual(server.restored, 1)

    def test_one_that_was_removed_does_not_come_back(self):
        server = Server(self)
        alice, bob = Client(self, server), Client(self, server, "bob")
        for phone in (alice, bob):
            self.assertEqual(phone.register(wakeable=True).status, 200)
        self.assertEqual(bob.register(expires=0, wakeable=True).status, 200)
        self.crash(server)
        server.start()
        self.assertEqual(server.restored, 1)

    def test_all_that_was_acknowledged_is_there_whenever_it_crashes(self):
        users = [f"user{number}" for number in range(400)]
        server = Server(self, users=users)
        expected = 0
        for round in range(3):
            group = users[round * 130:(round + 1) * 130]
            acknowledged = []
            enough = threading.Event()

            def register(part):
                try:
                    for user in part:
                        phone = Client(self, server, user)
                        if phone.register(wakeable=True).status == 200:
                            acknowledged.append(user)
                        if len(acknowledged) > 60:
                            enough.set()
                except (AssertionError, OSError):
                    pass

            threads = [threading.Thread(target=register, args=(group[start::8],)) for start in range(8)]
            for thread in threads:
                thread.start()
            self.assertTrue(enough.wait(30))
            # In the middle of it.
            self.crash(server)
            for thread in threads:
                thread.join()
            expected += len(acknowledged)
            server.start()
            # One whose answer was lost on the way may be there too.
            self.assertGreaterEqual(server.restored, expected)
            self.assertLessEqual(server.restored, expected + 8 * (round + 1))

    def test_a_nonce_is_good_over_a_restart(self):
        server = Server(self)
        client = Client(self, server)
        self.assertEqual(client.register().status, 200)
        self.assertEqual(server.stop(), 0)
        server.start()
        client.connect()
        answer = client.request("REGISTER", f"sip:{DOMAIN}", to=f"<{client.aor}>",
                                extra=[f"Contact: <{client.contact}>", client.authorization("REGISTER", f"sip:{DOMAIN}")])
        self.assertEqual(answer.status, 200)
        self.assertEqual(client.sequence, 3)


class Stopping(unittest.TestCase):
    def test_it_tells_its_counts_when_asked(self):
        server = Server(self)
        client = Client(self, server)
        self.assertEqual(client.register().status, 200)
        server.program.signal(signal.SIGUSR1)
        line = server.program.wait_for_line('msg="counts"')
        for part in ("level=notice", "flows.open=1", "flows.known=1", "bindings=1", "waiting=0"):
            self.assertIn(part, line)
        client.ping()

    def test_an_idle_server_stops_at_once(self):
        server = Server(self)
        client = Client(self, server)
        self.assertEqual(client.register().status, 200)
        self.assertEqual(server.stop(timeout=3), 0)
        client.wait_closed()

    def test_ctrl_c_is_as_good(self):
        server = Server(self)
        server.program.signal(signal.SIGINT)
        self.assertEqual(server.program.wait(3), 0)

    def test_a_ringing_call_can_still_be_answered_and_no_new_one_begins(self):
        server = Server(self, users=("alice", "bob", "carol"))
        phones = [Client(self, server, user) for user in ("alice", "bob", "carol")]
        for phone in phones:
            self.assertEqual(phone.register().status, 200)
        alice, bob, carol = phones
        call = alice.invite(f"sip:bob@{DOMAIN}")
        invite = bob.expect("INVITE")
        bob.respond(invite, 180, "Ringing", "b")
        call.expect(180)
        server.program.signal(signal.SIGTERM)
        server.program.wait_for_line('msg="stopping"')
        with self.assertRaises(ConnectionRefusedError):
            Client(self, server)
        carol.invite(f"sip:bob@{DOMAIN}").expect(503)
        bob.respond(invite, 200, "OK", "b")
        call.expect(200)
        bob.expect("ACK")
        self.assertEqual(server.program.wait(5), 0)

    def test_what_happened_in_its_last_moments_is_in_the_journal(self):
        server = Server(self)
        alice, bob = Client(self, server), Client(self, server, "bob")
        for phone in (alice, bob):
            self.assertEqual(phone.register().status, 200)
        call = alice.invite(f"sip:bob@{DOMAIN}")
        invite = bob.expect("INVITE")
        server.program.signal(signal.SIGTERM)
        server.program.wait_for_line('msg="stopping"')
        bob.respond(invite, 486, "Busy Here", "b")
        call.expect(486)
        self.assertEqual(server.program.wait(5), 0)
        self.assertRegex(server.trace(call.call_id).stdout, "step=verdict status=486")

    def test_a_call_that_rings_on_is_not_waited_for_for_ever(self):
        server = Server(self, config="shutdown: {drain: 1s}\n")
        alice, bob = Client(self, server), Client(self, server, "bob")
        for phone in (alice, bob):
            self.assertEqual(phone.register().status, 200)
        alice.invite(f"sip:bob@{DOMAIN}")
        bob.expect("INVITE")
        self.assertEqual(server.stop(timeout=6), 0)

    def test_a_second_signal_does_not_wait(self):
        server = Server(self)
        alice, bob = Client(self, server), Client(self, server, "bob")
        for phone in (alice, bob):
            self.assertEqual(phone.register().status, 200)
        alice.invite(f"sip:bob@{DOMAIN}")
        bob.expect("INVITE")
        server.program.signal(signal.SIGTERM)
        server.program.wait_for_line('msg="stopping"')
        server.program.signal(signal.SIGTERM)
        self.assertEqual(server.program.wait(5), 0)


class Rereading(unittest.TestCase):
    def reread(self, server, text, word):
        since = len(server.program.lines)
        server.configure(text)
        server.program.signal(signal.SIGHUP)
        return server.program.wait_for_line(word, since=since)

    def offers(self, client):
        client.send(client.build("REGISTER", f"sip:{DOMAIN}", to=f"<{client.aor}>"))
        return client.receive().all("WWW-Authenticate")

    def test_what_can_change_changes_and_connections_stay(self):
        server = Server(self, config="log: {level: info}\n")
        client = Client(self, server)
        self.assertEqual(len(self.offers(client)), 2)
        self.reread(server, "log: {level: debug}\ndigest: {algorithms: MD5}\n", 'msg="configuration reread"')
        self.assertEqual(len(self.offers(client)), 1)
        self.assertEqual(client.register().status, 200)
        # A refresh is told at debug.
        self.assertEqual(client.register().status, 200)
        server.program.wait_for_line("level=debug")

    def test_a_key_that_needs_a_restart_is_named(self):
        server = Server(self, config="journal: {size: 1MB}\n")
        self.reread(server, "journal: {size: 2MB}\n", "key=journal.size")

    def test_a_bad_file_changes_nothing(self):
        server = Server(self, config="digest: {algorithms: [SHA-256, MD5]}\n")
        client = Client(self, server)
        self.reread(server, "digest: {algorithms: MD5}\nlog: {level: loud}\n", "the old one stays in force")
        self.assertIsNotNone(server.program.find("wakeline.yaml:2", "log.level"))
        self.assertEqual(len(self.offers(client)), 2)
        self.assertEqual(client.register().status, 200)


class Refusals(unittest.TestCase):
    def serve(self, *arguments):
        return wakeline("serve", "--domain", DOMAIN, *arguments, timeout=10)

    def test_a_second_server_on_the_same_data(self):
        server = Server(self)
        done = self.serve("--listen", "tcp://127.0.0.1:0", "--data", server.data)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn(server.data, done.stderr)

    def test_a_second_server_on_the_same_port(self):
        server = Server(self)
        done = self.serve("--listen", f"tcp://127.0.0.1:{server.port}", "--data", server.data + "2")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn(str(server.port), done.stderr)

    def test_an_address_of_another_machine(self):
        server = Server(self)
        done = self.serve("--listen", "tcp://192.0.2.1:5060", "--data", server.data + "2")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("192.0.2.1", done.stderr)

    def test_no_domain(self):
        server = Server(self)
        done = wakeline("serve", "--data", server.data + "2", timeout=10)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("domain", done.stderr)

    def test_a_data_directory_that_can_not_be(self):
        done = self.serve("--listen", "tcp://127.0.0.1:0", "--data", "/proc/nothing")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("/proc/nothing", done.stderr)

    def test_a_command_line_that_is_wrong(self):
        for arguments in (["serve", "--port", "5060"], ["account", "add", "alice"], ["nonsense"]):
            with self.subTest(arguments):
                done = wakeline(*arguments)
                self.assertEqual(done.returncode, 64, done.stderr)
                self.assertTrue(done.stderr)


class Checking(unittest.TestCase):
    def check(self, text):
        path = os.path.join(scratch(self), "wakeline.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return wakeline("check", "--config", path), path

    def test_a_good_file_is_shown_as_it_is_effective(self):
        done, path = self.check("domains: [example.test]\nflow: {timer: 2m}\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("timer: 2m", done.stdout)
        # What it shows is a file with the same meaning.
        with open(path, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        self.assertEqual(wakeline("check", "--config", path).stdout, done.stdout)

    def test_all_faults_of_a_bad_file_are_named_at_once(self):
        done, path = self.check("domains: [example.test]\nflwo: {timer: 2m}\nlog: {level: loud}\n")
        self.assertEqual(done.returncode, 78)
        self.assertIn(f"{path}:2", done.stderr)
        self.assertIn("flow", done.stderr)
        self.assertIn(f"{path}:3", done.stderr)


if __name__ == "__main__":
    unittest.main()
