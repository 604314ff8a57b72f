"""Benchmarks/compare.py, which Scripts/bench --compare runs: what it reports, and what it refuses to call a measurement."""

import json
import os
import shutil
import subprocess
import unittest

import wakeline
from processes import scratch

COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Benchmarks", "compare.py")


class Comparing(unittest.TestCase):
    def compare(self, *words, path=None):
        self.out = os.path.join(scratch(self), "runs.jsonl")
        return subprocess.run(
            ["/usr/bin/python3", "-B", COMPARE, "--binary", os.path.abspath(wakeline.BINARY), "--out", self.out,
             *map(str, words)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
            env={**os.environ, **({"PATH": path} if path else {})})

    def runs(self):
        with open(self.out, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_a_load_on_each_server_that_is_there(self):
        done = self.compare("idle", "--runs", 2, "--seconds", 1, "--phones", 60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        servers = ["Wakeline", "Kamailio"] if shutil.which("kamailio") else ["Wakeline"]
        self.assertEqual([run["server"] for run in self.runs()], servers * 2)
        self.assertEqual({run["load"]["registered"] for run in self.runs()}, {60})
        self.assertRegex(done.stdout, r"(?m)^\| Wakeline \| 2 \| -?[\d.]+ \[")
        if len(servers) == 2:
            self.assertRegex(done.stdout, r"(?m)^\| Wakeline to Kamailio \| \| -?\d+\.\d\d \|")

    def test_without_kamailio_it_says_how_to_get_it(self):
        done = self.compare("idle", "--runs", 1, "--seconds", 0, "--phones", 5, path="/nowhere")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Kamailio is not installed, so Wakeline is measured alone. To compare: apt-get install kamailio",
                      done.stdout)
        self.assertEqual([run["server"] for run in self.runs()], ["Wakeline"])

    def test_a_run_with_failures_is_no_measurement(self):
        # Far fewer phones than are wanted at once.
        done = self.compare("call-max", "--runs", 1, "--seconds", 1, "--phones", 20, path="/nowhere")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"No measurement, run 1 of Wakeline: call failed \d+ times: no phone was free")
        self.assertRegex(done.stdout, r"(?m)^\| Wakeline \| 0 \| - \|")

    def test_a_load_that_is_not_there(self):
        done = self.compare("nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no load 'nothing'; see Scripts/load/run --list", done.stderr)


if __name__ == "__main__":
    unittest.main()
