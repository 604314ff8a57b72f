"""A disk that is full, read-only, damaged or locked, too few descriptors, and a process that is killed again and again."""

import os
import resource
import shutil
import sqlite3
import subprocess
import threading
import unittest

from sipclient import Client, Closed
from waiting import wait_until
from wakeline import DOMAIN, Server, wakeline


class SmallDisk:
    """A file system of its own, of so many kilobytes, that can be filled and made read-only."""

    def __init__(self, test, directory, kilobytes=4096):
        self.path = directory
        os.makedirs(directory, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "wakeline-test", directory], check=True)
        test.addCleanup(subprocess.run, ["umount", "--lazy", directory], check=False)
        self.ballast = os.path.join(directory, "ballast")

    def fill(self):
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                pass

    def free(self):
        os.unlink(self.ballast)


class ServerOnSmallDisk(Server):
    def start(self):
        if not os.path.ismount(self.data):
            content = self.data + ".before"
            os.rename(self.data, content)
            self.disk = SmallDisk(self.test, self.data)
            shutil.copytree(content, self.data, dirs_exist_ok=True)
            os.chmod(self.data, 0o700)
        super().start()


def can_mount():
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False,
                                                capture_output=True).returncode == 0


class Disk(unittest.TestCase):
    def refused(self, phone):
        answer = phone.register(wakeable=True)
        self.assertEqual(answer.status, 503, answer)
        self.assertEqual(answer.get("Retry-After"), "10")

    def test_a_full_disk_refuses_registrations_until_there_is_room(self):
        if not can_mount():
            print("without the right to mount, the store's own tests of a full disk have to do", flush=True)
            return
        server = ServerOnSmallDisk(self, users=[f"user{number}" for number in range(60)])
        before = Client(self, server, "user0")
        self.assertEqual(before.register(wakeable=True).status, 200)
        server.disk.fill()
        refused = []
        for number in range(1, 60):
            phone = Client(self, server, f"user{number}")
            answer = phone.register(wakeable=True)
            if answer.status == 503:
                refused.append(phone)
                self.assertEqual(answer.get("Retry-After"), "10")
                break
            self.assertEqual(answer.status, 200)
        acknowledged = number
        self.assertTrue(refused, "the disk never was full")
        line = server.program.wait_for_line("level=error", "can't make bindings durable")
        self.assertIn("make room on the device", line)
        # Everything else goes on.
        before.ping()
        self.assertEqual(before.request("OPTIONS", f"sip:{DOMAIN}").status, 200)
        server.disk.free()
        wait_until(lambda: refused[0].register(wakeable=True).status == 200, "a registration", 20, 0.3)
        server.program.wait_for_line("bindings are durable again")
        server.program.kill()
        server.start()
        self.assertEqual(server.restored, acknowledged + 1)

    def test_a_read_only_disk_is_named_with_the_mend(self):
        if not can_mount():
            print("without the right to mount, a read-only disk can't be tried", flush=True)
            return
        server = ServerOnSmallDisk(self)
        alice, bob = Client(self, server), Client(self, server, "bob")
        self.assertEqual(alice.register(wakeable=True).status, 200)
        server.stop()
        subprocess.run(["mount", "-o", "remount,ro", server.data], check=True)
        done = subprocess.run(server.command(), capture_output=True, text=True, timeout=15, check=False)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("mount it writable", done.stderr)
        subprocess.run(["mount", "-o", "remount,rw", server.data], check=True)
        server.start()
        bob.connect()
        self.assertEqual(bob.register(wakeable=True).status, 200)

    def test_a_damaged_file_is_named_with_the_mend(self):
        server = Server(self)
        server.stop()
        for name in ("accounts.db", "bindings.snapshot.db"):
            path = os.path.join(server.data, name)
            with self.subTest(name):
                whole = open(path, "rb").read() if os.path.exists(path) else None
                with open(path, "wb") as file:
                    file.write(b"this is no database " * 500)
                done = subprocess.run(server.command(), capture_output=True, text=True, timeout=15, check=False)
                self.assertEqual(done.returncode, 70, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertIn("restore the file from a backup", done.stderr)
                os.unlink(path) if whole is None else open(path, "wb").write(whole)
        server.start()
        self.assertEqual(Client(self, server).register().status, 200)

    def test_accounts_that_are_locked_cost_a_503_and_no_more(self):
        server = Server(self)
        lock = sqlite3.connect(os.path.join(server.data, "accounts.db"), isolation_level=None)
        self.addCleanup(lock.close)
        lock.execute("BEGIN EXCLUSIVE")
        # Readers do not wait for a writer here; the answer is right or 503, and comes.
        answer = Client(self, server).register()
        self.assertIn(answer.status, (200, 503), answer)
        done = wakeline("account", "add", "eve@example.test", "--password", "x", "--data", server.data)
        self.assertEqual(done.returncode, 75, done.stderr)
        lock.execute("ROLLBACK")
        self.assertEqual(Client(self, server, "bob").register().status, 200)


class Kills(unittest.TestCase):
    def test_nothing_that_was_acknowledged_is_missing_after_twenty_kills(self):
        users = [f"user{number}" for number in range(20 * 40)]
        server = Server(self, users=users)
        acknowledged = set()
        for round in range(20):
            group = users[round * 40:(round + 1) * 40]
            enough = threading.Event()
            fresh = []

            def register(part):
                try:
                    for user in part:
                        phone = Client(self, server, user)
                        if phone.register(wakeable=True).status == 200:
                            fresh.append(user)
                        if len(fresh) > 4 + round:
                            enough.set()
                except (AssertionError, OSError):
                    pass

            threads = [threading.Thread(target=register, args=(group[start::4],)) for start in range(4)]
            for thread in threads:
                thread.start()
            self.assertTrue(enough.wait(20))
            server.program.kill()
            for thread in threads:
                thread.join()
            acknowledged.update(fresh)
            server.start()
            # One whose answer was lost on its way may be there too.
            self.assertGreaterEqual(server.restored, len(acknowledged))
            self.assertLessEqual(server.restored, len(acknowledged) + 4 * (round + 1))
        # Each by its name, a sample of them: a REGISTER without Contact asks what there is.
        for user in sorted(acknowledged)[::10]:
            phone = Client(self, server, user)
            answer = phone.request("REGISTER", f"sip:{DOMAIN}", to=f"<{phone.aor}>")
            self.assertEqual(answer.status, 200)
            self.assertIn("pn-prid", answer.get("Contact") or "", user)
            phone.close()


class Descriptors(unittest.TestCase):
    def test_accepting_goes_on_by_itself_when_there_are_descriptors_again(self):
        server = Server(self)
        phone = Client(self, server)
        self.assertEqual(phone.register().status, 200)
        in_use = len(os.listdir(f"/proc/{server.program.pid}/fd"))
        resource.prlimit(server.program.pid, resource.RLIMIT_NOFILE, (in_use + 8, in_use + 8))
        crowd = [Client(self, server) for _ in range(30)]
        server.program.wait_for_line("no descriptor for a new connection")
        # Who is there notices nothing.
        phone.ping()
        self.assertEqual(phone.register().status, 200)
        for client in crowd:
            client.close()

        def is_served():
            client = Client(self, server, "bob")
            try:
                return client.register(timeout=2).status == 200
            except (Closed, AssertionError, OSError):
                client.close()
                return False

        wait_until(is_served, "a connection that is served", 20, 0.3)
        server.program.wait_for_line("accepting goes on")
        phone.ping()


if __name__ == "__main__":
    unittest.main()
