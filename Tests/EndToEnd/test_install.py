"""Scripts/install: what it puts where, what it leaves alone, and what it takes away."""

import os
import shutil
import subprocess
import unittest

import wakeline
from processes import scratch
from wakeline import DOMAIN

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Scripts", "install")


class Installation(unittest.TestCase):
    def setUp(self):
        self.root = os.path.join(scratch(self), "root")
        self.configuration = self.path("etc/wakeline/wakeline.yaml")

    def path(self, name):
        return os.path.join(self.root, name)

    def run_script(self, *arguments):
        done = subprocess.run([SCRIPT, "--destdir", self.root, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def install(self, *arguments):
        return self.run_script("--binary", wakeline.BINARY, *arguments)

    def files(self):
        return sorted(os.path.relpath(os.path.join(place, name), self.root)
                      for place, _, names in os.walk(self.root) for name in names)

    def write(self, text):
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def run_installed(self, *arguments):
        return subprocess.run([self.path("usr/local/bin/wakeline"), *arguments], capture_output=True, text=True,
                              timeout=10, check=False)

    def test_all_is_in_place_and_what_is_next_is_told(self):
        told = self.install()
        self.assertEqual(self.files(), [
            "etc/wakeline/wakeline.yaml",
            "usr/local/bin/wakeline",
            "usr/local/lib/systemd/system/wakeline.service",
            "usr/local/share/wakeline/wakeline.yaml",
        ])
        for step in ("domains: [", "account add", "systemctl enable --now wakeline", "wakeline health"):
            self.assertIn(step, told)
        # The configuration asks for the one thing that nobody can know.
        done = self.run_installed("check", "--config", self.configuration)
        self.assertEqual(done.returncode, 78, done.stdout)
        self.assertIn("domains: no domain is given; write domains: [example.com]", done.stderr)
        self.write(self.read(self.configuration).replace("domains: []", f"domains: [{DOMAIN}]"))
        done = self.run_installed("check", "--config", self.configuration)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_changed_configuration_is_never_overwritten(self):
        self.install()
        # One that nobody touched is brought up to date.
        for path in (self.configuration, self.path("usr/local/share/wakeline/wakeline.yaml")):
            with open(path, "w", encoding="utf-8") as file:
                file.write("# older\n")
        self.install()
        self.assertIn("domains: []", self.read(self.configuration))
        self.write("domains: [kept.test]\n")
        self.assertIn("stays as it was", self.install())
        self.assertEqual(self.read(self.configuration), "domains: [kept.test]\n")
        self.assertIn("Your configuration stays", self.run_script("--remove"))
        self.assertEqual(self.files(), ["etc/wakeline/wakeline.yaml"])

    def test_nothing_is_left_after_removal(self):
        for prefix in ("/usr/local", "/opt/wakeline"):
            self.install("--prefix", prefix)
            self.run_script("--remove", "--prefix", prefix)
            self.assertEqual(self.files(), [])

    def test_another_prefix_is_in_the_unit(self):
        self.install("--prefix=/opt/wakeline")
        unit = self.read(self.path("etc/systemd/system/wakeline.service"))
        self.assertIn("\nExecStart=/opt/wakeline/bin/wakeline serve", unit)
        self.assertNotIn("/usr/local", unit)
        self.assertTrue(os.access(self.path("opt/wakeline/bin/wakeline"), os.X_OK))

    def test_systemd_takes_the_unit(self):
        self.install()
        unit = self.read(self.path("usr/local/lib/systemd/system/wakeline.service"))
        for line in ("Type=notify", "Restart=on-failure", "ProtectSystem=strict", "NoNewPrivileges=yes"):
            self.assertIn(f"\n{line}\n", unit)
        if not shutil.which("systemd-analyze"):
            return
        # It looks for the programs on this machine: they are there where the unit was installed to.
        copy = self.path("wakeline.service")
        with open(copy, "w", encoding="utf-8") as file:
            file.write(unit.replace("/usr/local", self.path("usr/local")))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_wrong_options_are_told(self):
        for option in ("--prefx", "--prefix", "--prefix=here"):
            done = subprocess.run([SCRIPT, option], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(option.split("=")[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
