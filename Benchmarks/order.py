#!/usr/bin/env python3
"""Writes the order in which the linker lays out the functions that messages run through: each behind the one that calls it.

Phones send messages one at a time to a processor that slept: what they run through is in no near cache then, and costs less
where it lies together. Runs a server under callgrind with a mixed load of its own; needs valgrind.
"""

import argparse
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

LOAD = "--phones 60 --call 8 --message 8 --ping 8 --register 4 --refresh 4 --reconnect 2 --seconds 20".split()
# Functions that fewer calls were made to are not of every message.
LEAST_CALLS = 20
HEADER = """\
# Functions that messages run through, each behind its caller: the linker lays them out in this order, and passes over
# names that are gone. Written by Scripts/bench --order.
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, server):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"order: the server ended with {server.returncode} under valgrind")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("order: the server does not listen after a minute")


def record(binary, directory):
    """Runs the load against a server under callgrind, and gives the path of what was recorded."""
    stripped = directory / "wakeline"
    shutil.copy(binary, stripped)
    # Valgrind does not read all debugging information of Swift.
    subprocess.run(["strip", "--strip-debug", stripped], check=True)
    accounts, data, out = directory / "accounts.csv", directory / "data", directory / "callgrind.out"
    subprocess.run([binary, "load", "--phones", "60", "--write-accounts", accounts], check=True, stdout=subprocess.DEVNULL)
    data.mkdir(mode=0o700)
    subprocess.run([binary, "account", "import", accounts, "--data", data], check=True, stdout=subprocess.DEVNULL)
    port = free_port()
    url = f"tcp://127.0.0.1:{port}"
    server = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-instr=yes", "--demangle=no"]
        + [f"--callgrind-out-file={out}", stripped, "serve", "--listen", url, "--domain", "example.test"]
        + ["--data", data, "--trust", "127.0.0.0/8"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port, server)
        subprocess.run(["callgrind_control", "--instr=on", str(server.pid)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([binary, "load", "--server", url, *LOAD], check=True, stdout=subprocess.DEVNULL)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)
    return out


def calls(path):
    """For each function, those that it calls, in order of the places where it does."""
    names, places = {}, {}
    caller = callee = None
    count = address = 0
    is_call = False

    def named(text):
        number, _, name = text[1:].partition(")")
        if name:
            names[number] = plain(name.strip())
        return names[number]

    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "fn":
                caller = named(value)
            elif key == "cfn":
                callee = named(value)
            elif key == "calls":
                count, is_call = int(value.split()[0]), True
            elif line[0] in "0123456789+-*":
                place = line.split()[0]
                if place[0] in "+-":
                    address += int(place, 0)
                elif place != "*":
                    address = int(place, 0)
                if is_call and count >= LEAST_CALLS:
                    sites = places.setdefault(caller, {})
                    sites[callee] = min(address, sites.get(callee, address))
                is_call = False
    if not places:
        sys.exit("order: nothing was recorded")
    return {caller: sorted(sites, key=sites.get) for caller, sites in places.items()}


def plain(name):
    """A function's name without the depth that callgrind gives to one that comes back to itself."""
    return re.sub(r"'\d+$", "", name)


def ordered(calls, first):
    """All functions, each behind the one that calls it first."""
    order, seen = [], set()
    for root in [first, *calls]:
        waiting = [root]
        while waiting:
            function = waiting.pop()
            if function in seen:
                continue
            seen.add(function)
            order.append(function)
            waiting.extend(reversed(calls.get(function, [])))
    return order


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--binary", type=pathlib.Path, required=True)
    options.add_argument("--out", type=pathlib.Path, required=True)
    options = options.parse_args()
    for tool in ["valgrind", "nm"]:
        if shutil.which(tool) is None:
            sys.exit(f"order: {tool} is not installed; run: apt-get install valgrind binutils")
    symbols = subprocess.run(["nm", options.binary], check=True, capture_output=True, text=True).stdout
    own = {line.split()[2] for line in symbols.splitlines() if len(line.split()) == 3 and line.split()[1] in "tTwW"}
    loops = [name for name in own if name.startswith("$s7Reactor9EventLoopC3run")]
    if not loops:
        sys.exit("order: the binary has no event loop by name; was it stripped?")
    with tempfile.TemporaryDirectory() as directory:
        found = calls(record(options.binary.resolve(), pathlib.Path(directory)))
    order = [name for name in ordered(found, loops[0]) if name in own]
    options.out.write_text(HEADER + "".join(f"{name}\n" for name in order))
    print(f"{len(order)} functions in {options.out}")


main()
