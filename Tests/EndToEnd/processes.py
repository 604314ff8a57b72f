"""Starting programs so that none of them is ever left behind."""

import ctypes
import os
import signal
import subprocess
import tempfile
import threading

from waiting import wait_until

_libc = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _before_start():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # A shell ignores Ctrl-C for what it runs in the background, and all below inherits that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def scratch(test):
    """A directory that is gone after the test."""
    directory = tempfile.TemporaryDirectory(prefix="e2e-", ignore_cleanup_errors=True)
    test.addCleanup(directory.cleanup)
    return directory.name


class ClassCleanups:
    """Stands for a test where something lives as long as a class of tests."""

    def __init__(self, cls):
        self.addCleanup = cls.addClassCleanup


class Program:
    """A running program: its output by lines, and its end."""

    def __init__(self, test, arguments, cwd=None, environment=None):
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("WAKELINE_", "NOTIFY_"))}
        variables.update(environment or {})
        self.arguments = [str(argument) for argument in arguments]
        self.lines = []
        # The parent's death ends it: programs are started from the main thread, which lives as long as the process.
        self.process = subprocess.Popen(
            self.arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=variables,
            preexec_fn=_before_start,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        test.addCleanup(self.kill)

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.decode("utf-8", "replace").rstrip("\r\n"))

    @property
    def pid(self):
        return self.process.pid

    @property
    def text(self):
        return "\n".join(list(self.lines))

    @property
    def is_running(self):
        return self.process.poll() is None

    def find(self, *parts, since=0):
        """The first line, from an index on, that holds all parts; None when there is none yet."""
        for line in list(self.lines)[since:]:
            if all(part in line for part in parts):
                return line
        return None

    def wait_for_line(self, *parts, since=0, timeout=10.0):
        """Waits for a line that holds all parts."""
        def look():
            line = self.find(*parts, since=since)
            if line is None and not self.is_running:
                self._reader.join(2)
                line = self.find(*parts, since=since)
                if line is None:
                    raise AssertionError(f"{self.arguments} ended without the line {parts}:\n{self.text}")
            return line

        return wait_until(look, lambda: f"a line with {parts} in:\n{self.text}", timeout)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout=15.0):
        """Waits for the end; returns the exit code."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.arguments} did not end in {timeout:g} s:\n{self.text}") from None
        self._reader.join(5)
        return code

    def terminate(self, timeout=15.0):
        """Asks it to end, and waits; returns the exit code."""
        if self.is_running:
            self.signal(signal.SIGTERM)
        return self.wait(timeout)

    def kill(self):
        """Ends it at once."""
        if self.is_running:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)
        self.process.stdout.close()
