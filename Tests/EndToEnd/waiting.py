"""Waiting for things to come true, with a deadline."""

import time


def wait_until(condition, what, timeout=10.0, interval=0.02):
    """Waits until a condition gives something true, and returns that; fails when it takes too long.

    what: says what was waited for; a text, or a function that gives one.
    """
    deadline = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout:g} s: {what() if callable(what) else what}")
        time.sleep(interval)
