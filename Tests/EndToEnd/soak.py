"""A mixed load for a long time: memory stays flat, nothing is answered wrongly, and nothing is left at the end.

    python3 Tests/EndToEnd/soak.py [--binary PATH] [--minutes N]
"""

import argparse
import contextlib
import os
import random
import re
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import wakeline  # noqa: E402  (the path has to be set first)
from sipclient import Client  # noqa: E402
from waiting import wait_until  # noqa: E402
from wakeline import DOMAIN, Server  # noqa: E402

PHONES = 400
WORKERS = 6
# Memory may grow by this from the first sample after the warm-up to the last. What fills slowly is bounded: the page cache
# of the open log, 2 MB, and the table of which connection took the place of which, 65,536 entries, 2.5 MB; the first is
# full after some 16,000 registrations, within the warm-up of a long run. A leak of 64 bytes a message is 1 MB a minute at
# the rates reached here.
TOLERANCE_KB = 4096
# Tables that must be empty once all phones are gone.
TABLES = ("flows.open", "flows.known", "bindings", "transactions.server", "transactions.client", "waiting")


class Cleanups(contextlib.ExitStack):
    """Stands for a test."""

    def addCleanup(self, function, *arguments):
        self.callback(function, *arguments)


class Worker(threading.Thread):
    """Some of the phones, doing one thing after another at random."""

    def __init__(self, server, number, users, stop):
        super().__init__(daemon=True)
        self.server = server
        self.users = users
        self.stop = stop
        self.random = random.Random(number)
        self.done = {}
        self.faults = []
        self.phones = {}

    def run(self):
        actions = [self.register] * 3 + [self.call] * 3 + [self.ping] * 6 + [self.reconnect] * 2 + [
            self.crash, self.garbage, self.wrong_password, self.message, self.cancel]
        while not self.stop.is_set():
            action = self.random.choice(actions)
            try:
                action()
                self.done[action.__name__] = self.done.get(action.__name__, 0) + 1
            except (AssertionError, OSError) as error:
                self.faults.append(f"{action.__name__}: {error!r}"[:300])
                for phone in self.phones.values():
                    phone.close()
                self.phones.clear()
        for phone in self.phones.values():
            phone.close()

    def expect(self, value, wanted):
        if value != wanted:
            raise AssertionError(f"{value} instead of {wanted}")

    def phone(self, user=None):
        """A registered phone."""
        user = user or self.random.choice(self.users)
        if user not in self.phones:
            self.phones[user] = self.client(user)
            self.expect(self.phones[user].register().status, 200)
        return self.phones[user]

    def client(self, user, password=None):
        # What is closed by hand needs no clean-up, which would be a list that grows here.
        return Client(Forgetful(), self.server, user, password=password, instance=f"urn:uuid:{user}")

    def pair(self):
        one, other = self.random.sample(self.users, 2)
        return self.phone(one), self.phone(other)

    def register(self):
        self.expect(self.phone().register().status, 200)

    def ping(self):
        self.phone().ping()

    def call(self):
        caller, callee = self.pair()
        call = caller.invite(f"sip:{callee.user}@{DOMAIN}")
        invite = callee.expect("INVITE")
        callee.respond(invite, 180, "Ringing", "t")
        call.expect(180)
        callee.respond(invite, 200, "OK", "t")
        call.expect(200)
        callee.expect("ACK")
        caller.send(call.in_dialog("BYE"))
        callee.respond(callee.expect("BYE"), 200, "OK")
        self.expect(caller.final(call.call_id, "BYE").status, 200)

    def cancel(self):
        caller, callee = self.pair()
        call = caller.invite(f"sip:{callee.user}@{DOMAIN}")
        invite = callee.expect("INVITE")
        callee.respond(invite, 180, "Ringing", "t")
        call.expect(180)
        call.cancel()
        callee.respond(callee.expect("CANCEL"), 200, "OK")
        callee.respond(invite, 487, "Request Terminated", "t")
        callee.expect("ACK")
        call.expect(487)

    def message(self):
        caller, callee = self.pair()
        call_id = f"m{self.random.getrandbits(60):x}"
        caller.send(caller.build("MESSAGE", f"sip:{callee.user}@{DOMAIN}", call_id=call_id, body="hello"))
        callee.respond(callee.expect("MESSAGE"), 200, "OK", "t")
        self.expect(caller.final(call_id, "MESSAGE").status, 200)

    def reconnect(self):
        phone = self.phone()
        old, phone.socket = phone.socket, None
        phone.connect()
        self.expect(phone.register().status, 200)
        old.close()

    def crash(self):
        phone = self.phone()
        del self.phones[phone.user]
        phone.close()

    def garbage(self):
        client = self.client(self.random.choice(self.users))
        client.send(self.random.choice([b"GET / HTTP/1.1\r\n\r\n", os.urandom(500), b"INVITE x SIP/2.0\r\n\r\n",
                                        client.build("OPTIONS", f"sip:{DOMAIN}", length=False)]))
        client.close()

    def wrong_password(self):
        # Accounts of their own, so that no phone has to wait for them.
        client = self.client("guessed", password="no")
        answer = client.register()
        if answer.status not in (401, 503):
            raise AssertionError(f"a wrong password got {answer.status}")
        client.close()


class Forgetful:
    """Takes clean-ups, and forgets them."""

    def addCleanup(self, *_):
        pass


def memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1))


def counts(server):
    """What the server says it keeps."""
    since = len(server.program.lines)
    server.program.signal(signal.SIGUSR1)
    line = server.program.wait_for_line('msg="counts"', since=since)
    return {key: int(value) for key, value in re.findall(r"([a-z.-]+)=(\d+)(?:\s|$)", line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary")
    parser.add_argument("--minutes", type=int, default=30)
    options = parser.parse_args()
    if options.binary:
        wakeline.BINARY = os.path.abspath(options.binary)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Cleanups() as cleanups:
        sys.exit(soak(cleanups, options.minutes * 60))


def soak(cleanups, seconds):
    users = [f"user{number}" for number in range(PHONES)]
    server = Server(cleanups, users=[*users, "guessed"], config="log: {level: notice}\n")
    stop = threading.Event()
    workers = [Worker(server, number, users[number::WORKERS], stop) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    # The first five minutes fill caches and grow tables to their size; in a short run, the first third does.
    warm_up = min(300, seconds / 3)
    start = time.monotonic()
    samples = []
    while (elapsed := time.monotonic() - start) < seconds:
        time.sleep(min(30, seconds - elapsed, max(1, seconds / 10)))
        kept = counts(server)
        samples.append((time.monotonic() - start, memory(server.program.pid)))
        done = sum(sum(worker.done.values()) for worker in workers)
        print(f"{samples[-1][0]:6.0f} s  {samples[-1][1]:7d} KB  {done:8d} actions  flows {kept['flows.open']}  "
              f"bindings {kept['bindings']}  messages {kept['messages.in']}  timers {kept['timers']}", flush=True)
        # What was read is not needed again.
        del server.program.lines[:-50]
    stop.set()
    for worker in workers:
        worker.join(30)

    faults = [fault for worker in workers for fault in worker.faults]
    late = [kilobytes for moment, kilobytes in samples if moment >= warm_up]
    growth = late[-1] - late[0]
    totals = {}
    for worker in workers:
        for action, number in worker.done.items():
            totals[action] = totals.get(action, 0) + number
    print("done:", ", ".join(f"{action} {number}" for action, number in sorted(totals.items())))
    print(f"memory after the warm-up: {late[0]} KB to {late[-1]} KB, most {max(late)} KB")
    if growth > TOLERANCE_KB:
        faults.append(f"memory grew by {growth} KB after the warm-up")

    def is_empty():
        kept = counts(server)
        return all(kept[table] == 0 for table in TABLES)

    try:
        # Longer than any transaction: 64 T1, and what comes after it.
        wait_until(is_empty, lambda: f"empty tables: {counts(server)}", timeout=90, interval=1)
    except AssertionError as error:
        faults.append(str(error))
    if server.stop() != 0:
        faults.append("the server did not end well")
    for fault in faults[:20]:
        print(f"FAILED {fault}")
    print("soak:", "failed" if faults else "passed", f"after {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    main()
