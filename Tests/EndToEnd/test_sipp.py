"""Many calls, and calls to several devices, by a traffic generator; and a ping by sipsak."""

import unittest

from baresip import Baresip
from processes import ClassCleanups, Program
from sipp import Callee, Sipp
from waiting import wait_until
from wakeline import Server


class Traffic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # sipp looks at the first challenge only, and knows MD5.
        cls.server = Server(ClassCleanups(cls), arguments=["--digest", "MD5"])

    def call(self, *options, calls=1):
        caller = Sipp(self, self.server, "alice", "call.xml", *options, calls=calls, keys={"callee": "bob"})
        code = caller.program.wait(timeout=120)
        self.assertEqual(code, 0, f"{caller.errors}\n{caller.program.text[-3000:]}")
        self.assertEqual((caller.count("Successful call"), caller.count("Failed call")), (calls, 0))
        return caller

    def test_hundreds_of_calls_at_a_rate_and_none_fails(self):
        callee = Callee(self, self.server, "bob", "answer.xml")
        self.call("-r", 100, "-l", 200, calls=500)
        wait_until(lambda: callee.messages.count("BYE sip:") >= 500, "all calls to have ended at the callee")
        self.assertTrue(callee.program.is_running)

    def test_the_device_that_did_not_answer_is_told_who_did(self):
        desk = Callee(self, self.server, "bob", "answer.xml")
        mobile = Callee(self, self.server, "bob", "ring.xml")
        self.call("-r", 10, calls=20)
        wait_until(lambda: mobile.messages.count('Reason: SIP;cause=200;text="Call completed elsewhere"') >= 20,
                   lambda: mobile.messages[-3000:])
        self.assertEqual(mobile.messages.count("CANCEL sip:"), 20)
        self.assertNotIn("CANCEL sip:", desk.messages)

    def test_a_softphone_is_called(self):
        bob = Baresip(self, self.server, "bob", 440)
        caller = Sipp(self, self.server, "alice", "call.xml", keys={"callee": "bob"})
        bob.wait_for("CALL_INCOMING")
        bob.command("accept")
        self.assertEqual(caller.program.wait(30), 0, caller.errors)
        bob.wait_for("CALL_CLOSED")


class Options(unittest.TestCase):
    def test_sipsak_gets_an_answer(self):
        server = Server(self)
        probe = Program(self, ["/usr/bin/sipsak", "-vv", "-E", "tcp", "-s", f"sip:127.0.0.1:{server.port}"])
        self.assertEqual(probe.wait(), 0, probe.text)
        self.assertIn("200 OK", probe.text)


if __name__ == "__main__":
    unittest.main()
