"""What a service manager and an operator's probe see of a server."""

import json
import os
import signal
import socket
import threading
import time
import unittest

from processes import scratch
from sipclient import Client
from wakeline import DOMAIN, Server, wakeline


class Manager:
    """The socket of a service manager, and what was told to it."""

    def __init__(self, test, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name)
        self.socket.settimeout(10)
        test.addCleanup(self.socket.close)

    def expect(self, *wanted):
        """Waits for these states, in order; watchdog messages may be between them."""
        for state in wanted:
            while True:
                told = self.socket.recv(4096).decode().split("\n")
                if state in told:
                    break
                assert told == ["WATCHDOG=1"], told
        return told


class Notification(unittest.TestCase):
    def test_start_life_reload_and_stop_are_told(self):
        path = os.path.join(scratch(self), "notify")
        manager = Manager(self, path)
        server = Server(self, environment={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"},
                        config="log: {level: info}\n")
        manager.expect("READY=1")
        began = time.monotonic()
        manager.expect("WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1")
        self.assertGreater(time.monotonic() - began, 0.4)
        self.assertLess(time.monotonic() - began, 1.2)
        before = time.monotonic_ns() // 1000
        server.program.signal(signal.SIGHUP)
        told = manager.expect("RELOADING=1")
        stamps = [int(line.split("=")[1]) for line in told if line.startswith("MONOTONIC_USEC=")]
        self.assertTrue(before <= stamps[0] <= time.monotonic_ns() // 1000, told)
        manager.expect("READY=1", "WATCHDOG=1")
        server.program.signal(signal.SIGTERM)
        manager.expect("STOPPING=1")
        self.assertEqual(server.program.wait(5), 0)

    def test_an_abstract_socket_will_do_and_the_watchdog_of_another_process_is_not_fed(self):
        name = f"wakeline-test-{os.getpid()}-{time.monotonic_ns()}"
        manager = Manager(self, "\0" + name)
        server = Server(self, environment={"NOTIFY_SOCKET": "@" + name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"})
        manager.expect("READY=1")
        client = Client(self, server)
        self.assertEqual(client.register().status, 200)
        server.program.signal(signal.SIGTERM)
        self.assertEqual(manager.socket.recv(4096), b"STOPPING=1")
        self.assertEqual(server.program.wait(5), 0)

    def test_a_manager_that_does_not_read_holds_nothing_up(self):
        path = os.path.join(scratch(self), "notify")
        Manager(self, path)
        server = Server(self, environment={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000"})
        # More than the queue of a datagram socket takes.
        time.sleep(0.5)
        self.assertEqual(Client(self, server).register().status, 200)


class Health(unittest.TestCase):
    def listen(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        return listener, f"tcp://127.0.0.1:{listener.getsockname()[1]}"

    def health(self, *arguments):
        began = time.monotonic()
        done = wakeline("health", *arguments)
        self.taken = time.monotonic() - began
        return done

    def test_a_server_that_serves_is_healthy(self):
        server = Server(self)
        done = self.health("--listen", f"tcp://127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"healthy: tcp://127.0.0.1:{server.port} answers\n")
        # By the options it is served with, and by an address that stands for all.
        for place in (f"tcp://*:{server.port}", f"tcp://0.0.0.0:{server.port}"):
            done = self.health("--listen", place, "--domain", DOMAIN, "--data", server.data)
            self.assertEqual(done.returncode, 0, done.stderr)
        server.stop()
        done = self.health("--listen", f"tcp://127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("is the server running", done.stderr)

    def test_a_server_that_hangs_is_not(self):
        server = Server(self)
        server.program.signal(signal.SIGSTOP)
        done = self.health("--listen", f"tcp://127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("does not answer", done.stderr)
        self.assertTrue(1.9 <= self.taken < 4, self.taken)
        server.program.signal(signal.SIGCONT)
        self.assertEqual(self.health("--listen", f"tcp://127.0.0.1:{server.port}").returncode, 0)

    def test_all_places_of_a_file_must_answer(self):
        server = Server(self)
        _, silent = self.listen()
        served = f"tcp://127.0.0.1:{server.port}"
        for places, code in ([served], 0), ([served, silent], 1):
            # A list in JSON is one in YAML too.
            server.configure(f"listen: {json.dumps(places)}\n")
            done = self.health("--config", server.config_path)
            self.assertEqual(done.returncode, code, done.stderr)

    def test_another_program_is_no_server(self):
        listener, place = self.listen()

        def answer():
            peer, _ = listener.accept()
            with peer:
                peer.recv(100)
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        done = self.health("--listen", place)
        thread.join()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("another program", done.stderr)

    def test_a_port_that_is_not_known_is_told(self):
        done = self.health("--listen", "tcp://127.0.0.1:0")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("give --listen", done.stderr)


if __name__ == "__main__":
    unittest.main()
