"""What a newcomer types first: Scripts/run, and the first call as the README has it."""

import os
import re
import shlex
import signal
import socket
import unittest

from processes import Program, scratch
from sipclient import Client
from wakeline import DOMAIN

CLONE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPT = os.path.join(CLONE, "Scripts", "run")


def readme_commands():
    """What the README tells to type for a first call, in its order."""
    with open(os.path.join(CLONE, "README.md"), encoding="utf-8") as file:
        section = file.read().split("## A first call", 1)[1].split("\n## ", 1)[0]
    return [block.strip() for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL)]


class _Demo:
    """What a client has to know of the server that the script started."""

    domains = (DOMAIN,)

    def __init__(self, port):
        self.address = ("127.0.0.1", port)


class Demo(unittest.TestCase):
    def run_script(self, *arguments):
        script = Program(self, [SCRIPT, "--data", os.path.join(self.directory, "data"), *arguments])
        # An orderly end, so that it ends its server.
        self.addCleanup(lambda: script.is_running and script.terminate())
        return script

    def setUp(self):
        self.directory = scratch(self)

    def test_a_server_with_two_accounts_and_what_to_type_next(self):
        for again in (False, True):
            script = self.run_script("--listen", "tcp://127.0.0.1:0")
            ready = script.wait_for_line('msg="ready"', timeout=600)
            port = int(re.search(r"listen=tcp://127\.0\.0\.1:(\d+)", ready).group(1))
            script.wait_for_line("outbound proxy", f"sip:127.0.0.1:{port};transport=tcp")
            script.wait_for_line("Ctrl-C stops the server")
            for user, password in (("alice", "wonderland"), ("bob", "builder")):
                self.assertIsNotNone(script.find("password", password))
                client = Client(self, _Demo(port), user, password=password)
                self.assertEqual(client.register().status, 200)
                self.assertEqual(script.find(f"{user}@{DOMAIN} is there already") is not None, again)
            self.make_first_call(script, port)
            script.signal(signal.SIGINT)
            self.assertEqual(script.wait(), 0, script.text)

    def make_first_call(self, script, port):
        commands = [shlex.split(command.replace(":5060", f":{port}")) for command in readme_commands()]
        self.assertEqual([command[1:3] for command in commands],
                         [["phone", f"bob@{DOMAIN}"], ["phone", f"alice@{DOMAIN}"]])
        for command in commands:
            # The script tells the same, with the whole path of the program.
            self.assertIsNotNone(script.find(" ".join(command[1:])), script.text)
        bob = Program(self, commands[0], cwd=CLONE)
        bob.wait_for_line("registered at")
        alice = Program(self, commands[1], cwd=CLONE)
        self.assertEqual(alice.wait(), 0, alice.text)
        self.assertIsNotNone(alice.find("hears 660 Hz: sound goes both ways"), alice.text)
        self.assertIsNotNone(bob.find("hears 440 Hz"), bob.text)
        self.assertEqual(bob.terminate(), 0, bob.text)

    def test_a_taken_port_is_told_with_the_mend(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            script = self.run_script("--listen", f"tcp://127.0.0.1:{port}")
            self.assertEqual(script.wait(timeout=600), 75, script.text)
            self.assertIn(f"127.0.0.1:{port}", script.lines[-1])

    def test_a_wrong_option_is_told(self):
        script = self.run_script("--prot", "1")
        self.assertEqual(script.wait(timeout=600), 64, script.text)
        self.assertIn("--prot", script.text)


if __name__ == "__main__":
    unittest.main()
