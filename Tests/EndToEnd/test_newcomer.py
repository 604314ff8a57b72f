"""What goes wrong on a first day: each is answered with the mend."""

import os
import shutil
import subprocess
import unittest

import wakeline
from processes import scratch
from wakeline import DOMAIN

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Scripts", "run")
NOBODY = 65534


class Toolchain(unittest.TestCase):
    def run_script(self, swift):
        """Runs the script where swift is another program, or none."""
        tools = scratch(self)
        for directory in ("/usr/sbin", "/usr/bin", "/sbin", "/bin"):
            for name in os.listdir(directory):
                link = os.path.join(tools, name)
                if name != "swift" and not os.path.lexists(link):
                    os.symlink(os.path.join(directory, name), link)
        if swift is not None:
            with open(os.path.join(tools, "swift"), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{swift}\n")
            os.chmod(os.path.join(tools, "swift"), 0o755)
        done = subprocess.run([SCRIPT, "--data", os.path.join(tools, "data")], env={**os.environ, "PATH": tools},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("https://www.swift.org/install/linux", done.stderr)
        return done.stderr

    def test_no_swift(self):
        self.assertIn("there is no swift in PATH; install Swift 6", self.run_script(None))

    def test_an_old_swift(self):
        self.assertIn("Swift 5.9.2 is too old; install Swift 6", self.run_script("echo Swift version 5.9.2"))


class Serving(unittest.TestCase):
    def serve(self, *arguments, **options):
        done = subprocess.run([self.binary, "serve", *arguments], capture_output=True, text=True, timeout=10,
                              check=False, **options)
        # One line for one mistake.
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done

    def setUp(self):
        self.binary = wakeline.BINARY
        self.directory = scratch(self)

    def test_a_port_that_only_root_may_have(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
            port = int(file.read()) - 1
        if port < 1:
            # Here everybody may have every port.
            return
        options = {}
        if os.geteuid() == 0:
            # Where the build is may be out of reach for others.
            os.chmod(self.directory, 0o755)
            self.binary = shutil.copy(self.binary, self.directory)
            data = os.path.join(self.directory, "data")
            os.mkdir(data)
            os.chown(data, NOBODY, NOBODY)
            options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        done = self.serve("--domain", DOMAIN, "--listen", f"tcp://127.0.0.1:{port}",
                          "--data", os.path.join(self.directory, "data"), **options)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(f"127.0.0.1:{port}", done.stderr)
        self.assertIn("CAP_NET_BIND_SERVICE, or choose a higher port", done.stderr)

    def test_a_data_directory_of_somebody_else(self):
        if os.geteuid() != 0:
            data, options = "/root/wakeline", {}
        else:
            os.chmod(self.directory, 0o755)
            self.binary = shutil.copy(self.binary, self.directory)
            data, options = os.path.join(self.directory, "data"), {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        done = self.serve("--domain", DOMAIN, "--listen", "tcp://127.0.0.1:0", "--data", data, **options)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(data, done.stderr)
        self.assertIn("ermission denied", done.stderr)

    def test_a_file_that_is_no_yaml(self):
        path = os.path.join(self.directory, "wakeline.yaml")
        for text, line in (("domains: [example.test\nlog: {level: info}\n", 2), ("domains:\n\t- example.test\n", 2)):
            with self.subTest(text):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                done = self.serve("--config", path)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertIn(f"{path}:{line}", done.stderr)

    def test_a_file_that_is_not_there(self):
        path = os.path.join(self.directory, "none.yaml")
        done = self.serve("--config", path)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(f"{path}: can't be read: No such file or directory", done.stderr)

    def test_an_address_without_its_transport(self):
        done = self.serve("--domain", DOMAIN, "--listen", "0.0.0.0:5060")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("write tcp://0.0.0.0:5060", done.stderr)


if __name__ == "__main__":
    unittest.main()
