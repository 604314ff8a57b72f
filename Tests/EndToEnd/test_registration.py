"""Who may register, how long it lasts, and what is offered to whom."""

import unittest

from processes import ClassCleanups
from sipclient import Client
from wakeline import DOMAIN, Server, wakeline
from waiting import wait_until


class Registration(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(
            ClassCleanups(cls),
            users=("alice", "bob", "alice@second.test"),
            domains=(DOMAIN, "second.test"),
            config='digest: {user-agents: {"Old 1.": [MD5]}}\n',
        )

    def challenge(self, **parts):
        client = Client(self, self.server, **parts)
        client.send(client.build("REGISTER", f"sip:{client.domain}", to=f"<{client.aor}>",
                                 extra=[f"Contact: <{client.contact}>"]))
        return client.receive()

    def test_a_domain_that_is_not_served_is_told_to_both_sides(self):
        since = len(self.server.program.lines)
        for _ in range(3):
            answer = self.challenge(domain="exmaple.test")
            self.assertEqual((answer.status, answer.reason), (403, "Domain Not Served Here"))
        line = self.server.program.wait_for_line("level=warning", "sip.domain=exmaple.test", since=since)
        for part in (f'served="{DOMAIN} second.test"', "mend=", "flow.remote=127.0.0.1:"):
            self.assertIn(part, line)
        # Not for each attempt.
        self.assertEqual(len([line for line in self.server.program.lines if "exmaple.test" in line]), 1)

    def test_sha_256_is_offered_before_md5(self):
        answer = self.challenge()
        self.assertEqual(answer.status, 401)
        offers = answer.all("WWW-Authenticate")
        self.assertEqual(len(offers), 2)
        self.assertIn("algorithm=SHA-256", offers[0])
        self.assertIn("algorithm=MD5", offers[1])

    def test_a_user_agent_by_name_is_offered_less(self):
        offers = self.challenge(user_agent="Old 1.5").all("WWW-Authenticate")
        self.assertEqual(len(offers), 1)
        self.assertIn("algorithm=MD5", offers[0])

    def test_either_algorithm_will_do(self):
        for algorithm in ("SHA-256", "MD5"):
            with self.subTest(algorithm):
                client = Client(self, self.server, prefers=(algorithm,))
                self.assertEqual(client.register().status, 200)
                self.assertEqual(client.algorithm_used, algorithm)

    def test_an_answer_says_all_a_client_has_to_know(self):
        client = Client(self, self.server)
        answer = client.register(expires=600)
        self.assertEqual(answer.get("Require"), "outbound")
        self.assertEqual(answer.get("Flow-Timer"), "270")
        self.assertIn("pub-gruu=", answer.get("Contact"))
        granted = int(answer.get("Contact").split("expires=")[1].split(";")[0])
        self.assertTrue(540 <= granted <= 600, granted)

    def test_a_wrong_password_is_asked_for_again(self):
        client = Client(self, self.server, password="wrong")
        self.assertEqual(client.register().status, 401)
        # The connection is not held against the user.
        client.password = "secret-alice"
        self.assertEqual(client.register().status, 200)

    def test_who_does_not_exist_looks_like_a_wrong_password(self):
        client = Client(self, self.server, "nobody")
        answer = client.register()
        self.assertEqual(answer.status, 401)
        self.assertNotIn("stale=true", answer.get("WWW-Authenticate").lower())

    def test_nobody_registers_for_another(self):
        client = Client(self, self.server)
        answer = client.request("REGISTER", f"sip:{DOMAIN}", to=f"<sip:bob@{DOMAIN}>",
                                extra=[f"Contact: <{client.contact}>"])
        self.assertEqual(answer.status, 403)

    def test_domains_are_apart(self):
        first = Client(self, self.server)
        second = Client(self, self.server, domain="second.test")
        self.assertEqual(first.register().status, 200)
        answer = second.register()
        self.assertEqual(answer.status, 200)
        self.assertEqual(len(answer.all("Contact")), 1)
        # The same name in another domain is somebody else, with nothing to ring.
        caller = Client(self, self.server, "bob")
        self.assertEqual(caller.register().status, 200)
        second.close()
        wait_until(lambda: self.server.program.find("registration.change=ended", "second.test"), "the end of the flow")
        caller.invite("sip:alice@second.test").expect(480)
        call = caller.invite(f"sip:alice@{DOMAIN}")
        first.respond(first.expect("INVITE"), 486, "Busy Here", "a")
        call.expect(486)

    def test_another_domain_is_not_served(self):
        client = Client(self, self.server, domain="elsewhere.test")
        self.assertEqual(client.register().status, 403)

    def test_too_short_a_time_is_refused_with_the_least_one(self):
        client = Client(self, self.server)
        answer = client.register(expires=5)
        self.assertEqual((answer.status, answer.get("Min-Expires")), (423, "60"))

    def test_zero_ends_a_registration(self):
        client = Client(self, self.server, "bob")
        self.assertEqual(client.register().status, 200)
        self.assertEqual(client.register(expires=0).all("Contact"), [])

    def test_options_are_answered_without_a_password(self):
        answer = Client(self, self.server).request("OPTIONS", f"sip:{DOMAIN}")
        self.assertEqual(answer.status, 200)
        self.assertIn("outbound", answer.get("Supported"))


class Accounts(unittest.TestCase):
    def test_accounts_change_while_the_server_runs(self):
        server = Server(self)
        carol = Client(self, server, "carol")
        self.assertEqual(carol.register().status, 401)
        done = wakeline("account", "add", f"carol@{DOMAIN}", "--password", "-", "--data", server.data,
                        stdin="secret-carol\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until(lambda: carol.register().status == 200, "the new account", timeout=3, interval=0.1)
        done = wakeline("account", "remove", f"carol@{DOMAIN}", "--data", server.data)
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until(lambda: carol.register().status == 401, "the account to be gone", timeout=3, interval=0.1)

    def test_a_new_password_replaces_the_old_one_while_the_server_runs(self):
        server = Server(self)
        client = Client(self, server)
        self.assertEqual(client.register().status, 200)
        done = wakeline("account", "add", f"alice@{DOMAIN}", "--password", "other", "--replace", "--data", server.data)
        self.assertEqual(done.returncode, 0, done.stderr)
        wait_until(lambda: client.register().status == 401, "the old password to be wrong", timeout=3, interval=0.1)
        client.password = "other"
        self.assertEqual(client.register().status, 200)

    def test_an_account_may_have_algorithms_of_its_own(self):
        server = Server(self)
        done = wakeline("account", "add", f"old@{DOMAIN}", "--password", "secret-old", "--digest", "MD5",
                        "--data", server.data)
        self.assertEqual(done.returncode, 0, done.stderr)
        client = Client(self, server, "old", prefers=("MD5",))
        wait_until(lambda: client.register().status == 200, "the new account", timeout=3, interval=0.1)

        def offers():
            client.send(client.build("REGISTER", f"sip:{DOMAIN}", to=f"<{client.aor}>"))
            return client.receive().all("WWW-Authenticate")

        wait_until(lambda: len(offers()) == 1, "an offer of one algorithm", timeout=3, interval=0.1)
        self.assertIn("MD5", offers()[0])

    def test_a_list_of_accounts_is_imported_whole_or_not_at_all(self):
        server = Server(self)
        done = wakeline("account", "import", "-", "--data", server.data,
                        stdin=f"address,password\ndora@{DOMAIN},a\nalice@{DOMAIN},b\n")
        self.assertEqual(done.returncode, 64)
        self.assertIn("-:3:", done.stderr)
        listed = wakeline("account", "list", "--data", server.data).stdout
        self.assertNotIn("dora", listed)


if __name__ == "__main__":
    unittest.main()
