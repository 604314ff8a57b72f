"""wakeline load, and the named loads of Scripts/load: they measure a server that works, and notice one that does not."""

import glob
import html.parser
import json
import os
import re
import signal
import subprocess
import unittest

import wakeline
from processes import ClassCleanups, Program, scratch
from relay import Relay
from waiting import wait_until
from wakeline import DOMAIN, Server, wakeline as command

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Scripts")
PHONES = 40
# Abuse that is only half a message is closed after the first of these.
CONFIG = "flow: {first-message: 1s}"


class LoadedServer(Server):
    """A server with accounts as `wakeline load` numbers them."""

    def __init__(self, test, phones=PHONES, **options):
        self.phones = phones
        super().__init__(test, users=("alice",), **options)

    def add_accounts(self, users):
        super().add_accounts(users)
        table = os.path.join(self.directory, "accounts.csv")
        written = command("load", "--phones", self.phones, "--write-accounts", table)
        assert written.returncode == 0, written.stderr
        imported = command("account", "import", table, "--data", self.data)
        assert imported.returncode == 0, imported.stderr


def load(server, *options, port=None, timeout=60):
    """Runs a load to its end."""
    return command("load", "--server", f"tcp://127.0.0.1:{port or server.port}", "--phones", PHONES, *options,
                   timeout=timeout)


class Together(unittest.TestCase):
    """Loads that can share a server."""

    @classmethod
    def setUpClass(cls):
        cls.server = LoadedServer(ClassCleanups(cls), config=CONFIG)

    def measured(self, *options, code=0):
        done = load(self.server, "--json", *options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)


class Measuring(Together):
    def test_every_operation_works_and_is_counted(self):
        figures = self.measured(
            "--seconds", 3, "--ping", 20, "--refresh", 10, "--register", 10, "--message", 20, "--call", 10,
            "--reconnect", 10, "--abuse", 10, "--server-pid", self.server.program.pid,
            "--require", "failed=0%", "--require", "registered=100%", "--require", "call.rate>5",
            "--require", "ping.p99<5s")
        self.assertEqual((figures["phones"], figures["registered"]), (PHONES, PHONES))
        operations = figures["operations"]
        self.assertEqual(list(operations), ["set-up", "ping", "refresh", "register", "message", "call", "reconnect",
                                            "abuse"])
        for name, one in operations.items():
            with self.subTest(name):
                self.assertGreaterEqual(one["done"], PHONES if name == "set-up" else 25)
                self.assertEqual((one["failed"], one["begun"], one["failures"]), (0, one["done"], {}))
                if name != "abuse":
                    self.assertTrue(0 < one["p50_us"] <= one["p99_us"] <= one["p999_us"] <= one["max_us"], one)
        self.assertGreater(figures["server_cpu_us"], 0)
        self.assertGreater(figures["server_memory_after"], 1 << 20)
        self.assertAlmostEqual(figures["seconds"], 3, delta=0.5)

    def test_a_window_and_a_ramp(self):
        figures = self.measured("--seconds", 2, "--ping", "x4", "--message", "5..25", "--require", "failed=0%")
        self.assertGreater(figures["operations"]["ping"]["done"], 100)
        self.assertTrue(25 <= figures["operations"]["message"]["done"] <= 31, figures)

    def test_a_warm_up_does_not_count(self):
        figures = self.measured("--seconds", 1, "--warm-up", 1, "--ping", 20, "--abuse", 10, "--require", "failed=0%")
        for name, rate in (("ping", 20), ("abuse", 10)):
            one = figures["operations"][name]
            self.assertEqual(one["begun"], one["done"])
            self.assertTrue(rate - 3 <= one["done"] <= rate + 2, figures)

    def test_a_storm_beside_phones_that_call(self):
        for workers in (1, 2):
            with self.subTest(workers=workers):
                figures = self.measured("--seconds", 3, "--storm", "--steady", 10, "--call", 5, "--workers", workers,
                                        "--require", "failed=0%", "--require", "registered=100%")
                self.assertEqual(figures["operations"]["set-up"]["done"], 10)
                self.assertEqual(figures["operations"]["reconnect"]["done"], PHONES - 10)

    def test_two_processes_add_up(self):
        figures = self.measured("--seconds", 2, "--message", 20, "--workers", 2, "--server-pid",
                                self.server.program.pid, "--require", "failed=0%", "--require", "registered=100%")
        self.assertEqual(figures["operations"]["set-up"]["done"], PHONES)
        self.assertTrue(36 <= figures["operations"]["message"]["done"] <= 40, figures)
        self.assertGreater(figures["server_cpu_us"], 0)

    def test_two_processes_that_are_stopped_tell_what_they_have(self):
        program = Program(self, [wakeline.BINARY, "load", "--server", f"tcp://127.0.0.1:{self.server.port}",
                                 "--phones", PHONES, "--seconds", 60, "--ping", 20, "--workers", 2, "--json"])
        program.wait_for_line("ping ")
        self.assertEqual(program.terminate(), 0, program.text)
        figures = json.loads(program.find('"phones"'))
        self.assertGreater(figures["operations"]["ping"]["done"], 0)

    def test_phones_that_rest_have_their_memory_told(self):
        done = load(self.server, "--seconds", 1, "--server-pid", self.server.program.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"memory of the server: -?\d+ bytes a phone")

    def test_a_level_that_is_missed(self):
        done = load(self.server, "--seconds", 1, "--ping", 5, "--require", "ping.rate>1000", "--require", "failed=0%")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"MISSED: ping\.rate>1000, it was \d a second")
        self.assertIn("reached: failed=0%, it was 0 of", done.stderr)

    def test_the_page(self):
        page = os.path.join(scratch(self), "load.html")
        done = load(self.server, "--seconds", 2, "--ping", 10, "--html", page, "--require", "ping.p99<5s")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        tags = Tags()
        tags.feed(text)
        self.assertEqual(tags.open, [])
        self.assertEqual(tags.count["svg"], 3)
        self.assertIn("ping.p99&lt;5s: reached", text)
        self.assertNotRegex(text, r"https?://")
        unwritable = load(self.server, "--seconds", 0, "--html", "/nowhere/load.html")
        self.assertEqual(unwritable.returncode, 70)
        self.assertIn("can't write /nowhere/load.html: No such file or directory", unwritable.stderr)


class Tags(html.parser.HTMLParser):
    """Which tags are open."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.count = {}

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()


class Broken(Together):
    """A server that answers wrongly: a relay changes what it sends."""

    def noticed(self, change, *options):
        """What a load fails with."""
        relay = Relay(self, self.server, change)
        done = load(self.server, "--json", "--seconds", 2, "--patience", 3, "--require", "failed<1%", *options,
                    port=relay.port)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        figures = json.loads(done.stdout)
        self.assertEqual(figures["operations"]["set-up"]["failed"], 0)
        (failures,) = [one["failures"] for one in figures["operations"].values() if one["failures"]]
        return failures

    def test_a_relay_that_changes_nothing_is_no_fault(self):
        relay = Relay(self, self.server, bytes)
        done = load(self.server, "--seconds", 2, "--call", 5, "--message", 5, "--ping", 5, "--require", "failed=0%",
                    port=relay.port)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_message_with_another_body(self):
        failures = self.noticed(lambda data: data.replace(b"hello from", b"hullo from"), "--message", 5)
        self.assertIn("a message was changed", failures)
        self.assertIn("answered, but not delivered", failures)

    def test_a_message_that_is_refused_though_it_was_delivered(self):
        failures = self.noticed(lambda data: data.replace(b"SIP/2.0 200 ", b"SIP/2.0 503 ") if b" MESSAGE\r\n" in data
                                else data, "--message", 5)
        self.assertEqual(list(failures), ["answered 503"])

    def test_a_call_with_another_session(self):
        failures = self.noticed(lambda data: data.replace(b"telephone-event", b"telegraph-event"), "--call", 5)
        self.assertIn("a phone rang for a call that is not for it", failures)

    def test_an_answer_with_another_session(self):
        failures = self.noticed(lambda data: data.replace(b"telephone-event", b"telegraph-event")
                                if data.startswith(b"SIP/2.0 200 ") else data, "--call", 5)
        self.assertIn("the answer has another body than was sent", failures)

    def test_a_call_that_does_not_ring(self):
        failures = self.noticed(lambda data: data.replace(b"SIP/2.0 180 ", b"SIP/2.0 183 "), "--call", 5)
        self.assertEqual(list(failures), ["the caller never heard it ring"])

    def test_pings_without_an_answer(self):
        failures = self.noticed(lambda data: b"" if data == b"\r\n" else data, "--ping", 5)
        self.assertTrue({"no answer in time", "connection lost"} & set(failures), failures)

    def test_a_wrong_password(self):
        done = load(self.server, "--password", "wrong", "--json", "--seconds", 0)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["operations"]["set-up"]["failures"], {"not registered: 401": PHONES})

    def test_nobody_listens(self):
        done = load(None, "--seconds", 1, port=1)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"set-up failed {PHONES} times", done.stdout)


class Killed(unittest.TestCase):
    def test_a_server_that_dies_in_the_middle(self):
        for workers in (1, 2):
            with self.subTest(workers=workers):
                server = LoadedServer(self)
                program = Program(self, [
                    wakeline.BINARY, "load", "--server", f"tcp://127.0.0.1:{server.port}", "--phones", PHONES,
                    "--seconds", 4, "--patience", 3, "--call", 10, "--ping", 10, "--require", "failed<1%",
                    "--workers", workers])
                program.wait_for_line("ping ")
                server.program.signal(signal.SIGKILL)
                self.assertEqual(program.wait(30), 1, program.text)
                self.assertIn("MISSED: failed<1%", program.text)
                self.assertRegex(program.text, rf"(?m)^0 of {PHONES} phones registered")
                self.assertRegex(program.text, r"(ping|call) failed \d+ times: ")


class Options(unittest.TestCase):
    def test_wrong_ones_are_answered_with_the_mend(self):
        for options, mend in (
            (["--phones", "0"], "--phones 0 is no number from 1 to 10000000"),
            (["--phones", "many"], "--phones many is no number from 1 to 10000000"),
            (["--call", "fast"], "--call fast is no pace; write 500, 100..500 or x32"),
            (["--call", "x0"], "--call x0 is no pace; write 500, 100..500 or x32"),
            (["--call", "1..2..3"], "--call 1..2..3 is no pace; write 500, 100..500 or x32"),
            (["--require", "call.p99"], "compares nothing; write call.p99<50ms, failed<0.1% or registered=100%"),
            (["--require", "fly.p99<1ms"], '"fly" is no operation; choose one of set-up, ping'),
            (["--require", "call.p99<1"], '"1" can\'t be read; write a time: 50ms'),
            (["--server", "udp://127.0.0.1:5060"], "'udp' is not spoken here, tcp is; write tcp://HOST:PORT"),
            (["--local-address", "here"], "--local-address here is no address; write 127.0.0.2"),
            (["--part", "2/2"], "--part 2/2 is no part; write 0/2"),
            (["--pnig", "5"], "unknown option --pnig; did you mean --ping?"),
        ):
            with self.subTest(options):
                done = command("load", *options)
                self.assertEqual(done.returncode, 64, done.stderr)
                self.assertIn(mend, done.stderr)

    def test_accounts_are_written_as_they_are_used(self):
        table = os.path.join(scratch(self), "accounts.csv")
        done = command("load", "--phones", 3, "--first", 7, "--user", "phone-{n}", "--password", "{n}!{n}",
                       "--domain", DOMAIN, "--write-accounts", table)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(table, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), ["address,password"] + [
                f"phone-{n}@{DOMAIN},{n}!{n}" for n in (7, 8, 9)])


class Named(unittest.TestCase):
    """Scripts/load/run."""

    def run_script(self, *words):
        return subprocess.run([os.path.join(SCRIPTS, "load", "run"), "--binary", wakeline.BINARY, *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "TMPDIR": self.directory})

    def setUp(self):
        self.directory = scratch(self)

    def test_the_mixed_load_on_a_server_of_its_own(self):
        done = self.run_script("mixed", "--phones", 60, "--seconds", 2, "--ping", 20, "--message=10", "--call", 5)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("60 of 60 phones registered", done.stdout)
        for operation in ("ping", "refresh", "register", "message", "call", "reconnect", "abuse"):
            self.assertRegex(done.stdout, rf"(?m)^{operation} +[1-9]")
        self.assertRegex(done.stdout, r"us in the server")
        self.assertEqual(os.listdir(self.directory), [])

    def test_on_a_server_that_is_there(self):
        server = LoadedServer(self)
        done = self.run_script("idle", "--server", f"tcp://127.0.0.1:{server.port}", "--phones", PHONES, "--seconds", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{PHONES} of {PHONES} phones registered", done.stdout)

    def test_a_missed_level_is_passed_on(self):
        done = self.run_script("idle", "--phones", 5, "--seconds", 1, "--ping", 5, "--require", "ping.p99<0us")
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_stopped_it_leaves_nothing(self):
        program = Program(self, [os.path.join(SCRIPTS, "load", "run"), "--binary", wakeline.BINARY, "mixed",
                                 "--phones", "20", "--seconds", "60"], environment={"TMPDIR": self.directory})
        program.wait_for_line("ping ")
        self.assertEqual(program.terminate(40), 143, program.text)
        self.assertEqual(os.listdir(self.directory), [])

    def test_every_one_is_listed_and_can_be_read(self):
        listed = self.run_script("--list").stdout
        files = glob.glob(os.path.join(SCRIPTS, "load", "*.load"))
        self.assertGreater(len(files), 9)
        for path in files:
            name = os.path.basename(path).removesuffix(".load")
            with self.subTest(name):
                self.assertRegex(listed, rf"(?m)^{re.escape(name)} +[A-Z0-9].*\.$")
                with open(path, encoding="utf-8") as file:
                    words = [word for line in file if line.startswith("--") for word in line.split()]
                table = os.path.join(self.directory, "accounts.csv")
                done = command("load", *words, "--write-accounts", table)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_one_that_is_not_there(self):
        done = self.run_script("nothing")
        self.assertEqual(done.returncode, 64)
        self.assertIn("there is no load 'nothing'; there are:\n", done.stderr)


class WithSipp(unittest.TestCase):
    """Scripts/load/sipp."""

    def setUp(self):
        self.server = LoadedServer(self, arguments=["--digest", "MD5"])
        self.directory = scratch(self)
        half = PHONES // 2
        self.write("callers.csv", [f"u{n};[authentication username=u{n} password=pw{n}];u{n + half}"
                                   for n in range(half)])
        self.write("callees.csv", [f"u{n};[authentication username=u{n} password=pw{n}]"
                                   for n in range(half, PHONES)])

    def write(self, name, lines):
        with open(os.path.join(self.directory, name), "w", encoding="ascii") as file:
            file.write("\n".join(["SEQUENTIAL", *lines]) + "\n")

    def sipp(self, scenario, users, *options):
        scenarios = os.path.join(SCRIPTS, "load", "sipp")
        return Program(self, ["/usr/bin/sipp", f"127.0.0.1:{self.server.port}", "-i", "127.0.0.1", "-nostdin",
                              "-key", "domain", DOMAIN, "-sf", os.path.join(scenarios, scenario), "-inf", users,
                              "-timeout", "60s", "-timeout_error", *map(str, options)], cwd=self.directory)

    def callees(self, scenario):
        path = os.path.join(SCRIPTS, "load", "sipp", scenario)
        self.sipp("register.xml", "callees.csv", "-t", "t1", "-oocsf", path, "-d", 3600000, "-r", 100, "-m", 20)
        wait_until(lambda: self.server.log.count("registration.change=registered") >= PHONES // 2, "callees to be there")

    def test_registrations(self):
        for transport in ("t1", "tn"):
            with self.subTest(transport):
                program = self.sipp("register.xml", "callees.csv", "-t", transport, "-max_socket", 100, "-d", 1,
                                    "-r", 50, "-m", 20)
                self.assertEqual(program.wait(60), 0, program.text[-3000:])

    def test_calls(self):
        self.callees("answer.xml")
        for transport in ("t1", "tn"):
            with self.subTest(transport):
                program = self.sipp("call.xml", "callers.csv", "-t", transport, "-max_socket", 100, "-r", 40, "-m", 40)
                self.assertEqual(program.wait(60), 0, program.text[-3000:])

    def test_messages(self):
        self.callees("receive.xml")
        program = self.sipp("message.xml", "callers.csv", "-t", "t1", "-r", 40, "-m", 40)
        self.assertEqual(program.wait(60), 0, program.text[-3000:])


if __name__ == "__main__":
    unittest.main()
