"""Who asks too much gets less, and nobody else notices."""

import unittest

from processes import ClassCleanups
from sipclient import Client, Closed
from waiting import wait_until
from wakeline import DOMAIN, Server

CONFIG = """
abuse: {connections: 6, flow-requests: 5, account-failures: 2, longest-delay: 2s}
"""


class Abuse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(ClassCleanups(cls), users=("alice", "bob", "carol"), config=CONFIG)

    def test_a_source_has_so_many_connections(self):
        phone = Client(self, self.server)
        self.assertEqual(phone.register().status, 200)
        clients = [Client(self, self.server) for _ in range(12)]
        open_ones = []
        for client in clients:
            try:
                client.ping()
                open_ones.append(client)
            except (Closed, OSError):
                pass
        self.assertLessEqual(1, len(open_ones))
        self.assertLessEqual(len(open_ones), 5)
        self.server.program.wait_for_line("a source has too many connections")
        phone.ping()
        # There is room again once they are gone.
        for client in clients:
            client.close()

        def is_open():
            client = Client(self, self.server)
            try:
                return client.ping()
            except (Closed, OSError):
                client.close()
                return False

        wait_until(is_open, "room for a connection")

    def test_a_flood_is_answered_503_and_then_closed(self):
        client = Client(self, self.server)
        request = client.build("OPTIONS", f"sip:{DOMAIN}")
        client.send(b"".join(client.build("OPTIONS", f"sip:{DOMAIN}") for _ in range(60)))
        answers = [client.receive() for _ in range(60)]
        self.assertEqual([answer.status for answer in answers[:50]], [200] * 50)
        self.assertEqual((answers[-1].status, answers[-1].get("Retry-After")), (503, "5"))
        with self.assertRaises((Closed, OSError)):
            while True:
                client.send(request * 20)
                client.receive()

    def test_guessing_takes_ever_longer_and_hurts_no_phone(self):
        phone = Client(self, self.server, "carol")
        self.assertEqual(phone.register().status, 200)
        # From elsewhere: all of 127.0.0.0/8 is this machine.
        attacker = Client(self, self.server, "carol", password="guess", connect=False)
        attacker.connect(source="127.0.0.9")
        self.assertEqual([attacker.register().status for _ in range(3)], [401] * 3)
        refused = attacker.register()
        self.assertEqual(refused.status, 503)
        self.assertEqual(refused.get("Retry-After"), "1")
        self.assertEqual(phone.register().status, 200)
        again = Client(self, self.server, "carol")
        self.assertEqual(again.register().status, 200)
        wait_until(lambda: attacker.register().status == 401, "the end of the wait", interval=0.2)


if __name__ == "__main__":
    unittest.main()
