"""Runs the end-to-end tests: a line a test, and the counts at the end.

    python3 Tests/EndToEnd/run.py [--binary PATH] [--counts FILE] [NAME ...]

A NAME is a module, a class or a test as unittest names them: test_calls, test_calls.Calls.test_busy.
"""

import argparse
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import wakeline  # noqa: E402  (the path has to be set first)


class LineResult(unittest.TestResult):
    """Prints a line a test as soon as it is known."""

    def __init__(self):
        super().__init__()
        self.passed = 0
        self.failed = 0

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.fault = None

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.fault = (self.failures or self.errors)[-1][1]
            print(self._exc_info_to_string(error, subtest), flush=True)

    def addError(self, test, error):
        super().addError(test, error)
        self._fail(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._fail(test, error)

    def _fail(self, test, error):
        text = self._exc_info_to_string(error, test)
        print(text, flush=True)
        if isinstance(test, unittest.TestCase):
            self.fault = text
        else:
            # A class or a module that could not be set up.
            self.failed += 1
            print(f"FAILED {test}", flush=True)

    def addSkip(self, test, reason):
        # Nothing may be left out in silence.
        super().addSkip(test, reason)
        self.fault = f"skipped: {reason}"

    def stopTest(self, test):
        taken = time.monotonic() - self.began
        if self.fault is None:
            self.passed += 1
        else:
            self.failed += 1
        word = "ok    " if self.fault is None else "FAILED"
        print(f"{word} {taken:6.2f} s  {test.id()}", flush=True)
        super().stopTest(test)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the server; .build/release/wakeline unless given")
    parser.add_argument("--counts", help="a file for the number of tests that passed, and that failed")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.binary:
        wakeline.BINARY = os.path.abspath(options.binary)
    if not os.access(wakeline.BINARY, os.X_OK):
        sys.exit(f"there is no server at {wakeline.BINARY}; build it with: swift build -c release")
    # As Ctrl-C does it: unittest takes any other exception for a failed test, and goes on.
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    loader = unittest.TestLoader()
    here = os.path.dirname(os.path.abspath(__file__))
    suite = loader.loadTestsFromNames(options.names) if options.names else loader.discover(here)
    result = LineResult()
    try:
        suite.run(result)
    except KeyboardInterrupt:
        # What was started ends with this process.
        sys.exit("interrupted")
    print(f"end to end: {result.passed} passed, {result.failed} failed", flush=True)
    if options.counts:
        with open(options.counts, "w", encoding="ascii") as file:
            file.write(f"{result.passed} {result.failed}\n")
    sys.exit(0 if result.failed == 0 and result.passed > 0 else 1)


if __name__ == "__main__":
    main()
