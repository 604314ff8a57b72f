"""Compares Wakeline with Kamailio under loads of Scripts/load, taken in turn (A B A B) in one run.

    Scripts/bench --compare [SCENARIO ...] [--runs N] [--seconds S] [--out FILE]

Each run has a server started anew and an own `wakeline load`, which checks every answer. A run with a failure is no
measurement: it is told, left out of the medians, and ends the comparison with 1.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOADS = os.path.join(HERE, "..", "Scripts", "load")
DOMAIN = "example.test"
# What a comparison is of unless it is said.
SCENARIOS = ["call-500", "message-1000", "ping-1500", "register", "idle"]


def main():
    arguments = parse_arguments()
    # So that servers are stopped, whatever ends this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    names = arguments.scenarios or SCENARIOS
    for name in names:
        if not os.path.isfile(load_file(name)):
            sys.exit(f"there is no load '{name}'; see Scripts/load/run --list")
    with tempfile.TemporaryDirectory(prefix="wakeline-compare-") as scratch:
        servers = [Wakeline(arguments.binary, scratch)]
        if shutil.which("kamailio"):
            servers.append(Kamailio(scratch))
        else:
            print("Kamailio is not installed, so Wakeline is measured alone. To compare: apt-get install kamailio\n")
        print(conditions(servers), flush=True)
        runs = [run for name in names for run in compare(name, servers, arguments)]
    report(runs)
    print(f"\nLoad average at the end: {os.getloadavg()[0]:.1f}")
    sys.exit(1 if any(run["complaints"] for run in runs) else 0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     prog="Scripts/bench --compare")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO",
                        help=f"names of Scripts/load/run --list; {' '.join(SCENARIOS)}")
    parser.add_argument("--runs", type=int, default=3, help="of each load on each server; 3")
    parser.add_argument("--seconds", type=float, help="how long each is measured; as the load says")
    parser.add_argument("--phones", type=int, help="how many there are; as the load says")
    parser.add_argument("--out", help="append each run to this file, a line of JSON each")
    parser.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def load_file(name):
    return os.path.join(LOADS, f"{name}.load")


def load_options(name, arguments):
    """The options of a load: those of its file but for what was asked for."""
    # Spread as finely as it goes: times are to be those of a server whose messages come one by one.
    options = [["--grid", "1"]]
    with open(load_file(name), encoding="utf-8") as file:
        for line in file:
            words = line.split(maxsplit=1)
            # What is required is looked at here.
            if words and words[0].startswith("--") and words[0] not in ("--require", "--grid"):
                options.append([word.strip() for word in words])
    for option, value in (("--seconds", arguments.seconds), ("--phones", arguments.phones)):
        if value is not None:
            options = [words for words in options if words[0] != option] + [[option, f"{value:g}"]]
    return {words[0]: words[1:] for words in options}


class Server:
    """A server that is started for each run on a port of its own."""

    name = ""

    def __init__(self, scratch):
        self.directory = os.path.join(scratch, self.name)
        os.makedirs(self.directory)
        self.process = None
        self.port = None

    def prepare(self, phones):
        """Makes ready for so many phones; returns the command, without a port."""
        raise NotImplementedError

    def start(self, phones):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = self.prepare(phones)
        with open(os.path.join(self.directory, "log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(log.name, encoding="utf-8", errors="replace") as text:
                    sys.exit(f"{self.name} does not start:\n{text.read()[-3000:]}")
            time.sleep(0.05)
        # What a start leaves to do is done.
        time.sleep(1)

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class Wakeline(Server):
    """As shipped, but for what the comparison needs: MD5 alone, and no limits for the address all phones come from."""

    name = "Wakeline"

    def __init__(self, binary, scratch):
        super().__init__(scratch)
        self.binary = binary
        self.accounts = {}

    def prepare(self, phones):
        data = os.path.join(self.directory, "data")
        shutil.rmtree(data, ignore_errors=True)
        # Accounts are made once; what phones leave behind is not kept.
        if phones not in self.accounts:
            template = os.path.join(self.directory, f"accounts-{phones}")
            table = f"{template}.csv"
            self.run("load", "--phones", phones, "--write-accounts", table)
            self.run("account", "import", table, "--data", template)
            self.accounts[phones] = template
        shutil.copytree(self.accounts[phones], data)
        return [self.binary, "serve", "--listen", f"tcp://127.0.0.1:{self.port}", "--domain", DOMAIN, "--data", data,
                "--digest", "MD5", "--trust", "127.0.0.0/8"]

    def run(self, *words):
        subprocess.run([self.binary, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def version(self):
        return "as built here"


class Kamailio(Server):
    """With bindings in memory only, and the allocator that halves its cost of a call."""

    name = "Kamailio"

    def prepare(self, phones):
        return ["kamailio", "-DD", "-E", "-f", os.path.join(HERE, "kamailio", "kamailio.cfg"), "-Y", self.directory,
                "-P", os.path.join(self.directory, "pid"), "-m", "2048", "-M", "16", "-x", "tlsf", "-X", "tlsf",
                "-A", f"LISTEN=127.0.0.1:{self.port}", "-A", f'DOMAIN="{DOMAIN}"', "-A", f"ACCOUNTS={phones}"]

    def version(self):
        done = subprocess.run(["kamailio", "-v"], capture_output=True, text=True, check=False)
        return done.stdout.split("\n")[0].removeprefix("version: kamailio ").strip()


def conditions(servers):
    names = ", ".join(f"{server.name} ({server.version()})" for server in servers)
    return f"{names}; {os.cpu_count()} processors; load average at the start {os.getloadavg()[0]:.1f}"


def compare(name, servers, arguments):
    runs = []
    for number in range(arguments.runs):
        for server in servers:
            run = measure(name, server, number, arguments)
            runs.append(run)
            if arguments.out:
                with open(arguments.out, "a", encoding="utf-8") as file:
                    file.write(json.dumps(run) + "\n")
            told = "; ".join(run["complaints"]) or ", ".join(
                f"{title} {text(run[key])}" for key, title in FIGURES if run.get(key) is not None)
            print(f"{name} {number + 1}/{arguments.runs} {server.name}: {told}", file=sys.stderr, flush=True)
    return runs


def measure(name, server, number, arguments):
    options = load_options(name, arguments)
    phones = int(options.get("--phones", ["100"])[0])
    server.start(phones)
    try:
        words = [word for option, value in options.items() for word in (option, *value)]
        done = subprocess.run(
            [arguments.binary, "load", *words, "--server", f"tcp://127.0.0.1:{server.port}", "--domain", DOMAIN,
             "--server-pid", str(server.process.pid), "--json"],
            capture_output=True, text=True, check=False, timeout=600)
    finally:
        server.stop()
    run = {"scenario": name, "server": server.name, "run": number, "at": time.strftime("%Y-%m-%dT%H:%M:%S"),
           "load_average": os.getloadavg()[0], "complaints": [], "load": None}
    try:
        load = json.loads(done.stdout)
    except ValueError:
        run["complaints"].append(f"the load ended with {done.returncode}: {done.stderr[-300:]}")
        return run
    run["load"] = load
    if load["registered"] < phones:
        run["complaints"].append(f"{load['registered']} of {phones} registered")
    for operation, figures in load["operations"].items():
        for why, count in figures["failures"].items():
            run["complaints"].append(f"{operation} failed {count} times: {why}")
    run.update(figures_of(load, is_storm="--storm" in options))
    return run


# The key in a run, and the title of its column.
FIGURES = [
    ("cpu_us", "CPU us"),
    ("p50_us", "p50 us"),
    ("p99_us", "p99 us"),
    ("rate", "a second"),
    ("all_in_ms", "all in after ms"),
    ("bytes", "bytes a phone"),
]


def figures_of(load, is_storm):
    """What is compared: of an operation the server's CPU time and the times it took, of a rest the memory."""
    operations = {name: figures for name, figures in load["operations"].items() if name != "set-up"}
    done = sum(figures["done"] for figures in operations.values())
    if not done:
        grown = load["server_memory_after"] - load["server_memory_before"]
        return {"bytes": grown / load["registered"]} if load["registered"] else {}
    found = {"cpu_us": load["server_cpu_us"] / done}
    timed = operations
    if is_storm and "reconnect" in operations:
        found["all_in_ms"] = operations["reconnect"]["max_us"] / 1000
        timed = {name: figures for name, figures in operations.items() if name != "reconnect"}
    if len(timed) == 1:
        (figures,) = timed.values()
        found.update(p50_us=figures["p50_us"], p99_us=figures["p99_us"], rate=figures["done"] / load["seconds"])
    return found


def report(runs):
    """A table for people: medians, least and most, and the first server's part of the second's."""
    for name in dict.fromkeys(run["scenario"] for run in runs):
        rows = [run for run in runs if run["scenario"] == name]
        shown = [(key, title) for key, title in FIGURES if any(key in run for run in rows)]
        print(f"\n### {name}\n\n| server | runs | " + " | ".join(title for _, title in shown) + " |")
        print("|---" * (len(shown) + 2) + "|")
        medians = []
        for server in dict.fromkeys(run["server"] for run in rows):
            mine = [run for run in rows if run["server"] == server]
            sound = [run for run in mine if not run["complaints"]]
            cells, median = [], {}
            for key, _ in shown:
                values = sorted(run[key] for run in sound if key in run)
                if not values:
                    cells.append("-")
                    continue
                median[key] = statistics.median(values)
                cells.append(f"{text(median[key])} [{text(values[0])}..{text(values[-1])}]")
            medians.append((server, median))
            print(f"| {server} | {len(sound)} | " + " | ".join(cells) + " |")
            for run in mine:
                if run["complaints"]:
                    print(f"\nNo measurement, run {run['run'] + 1} of {server}: {'; '.join(run['complaints'])}\n")
        if len(medians) == 2:
            (one, ours), (other, theirs) = medians
            cells = [f"{ours[key] / theirs[key]:.2f}" if key in ours and theirs.get(key) else "-" for key, _ in shown]
            print(f"| {one} to {other} | | " + " | ".join(cells) + " |")


def text(value):
    return f"{value:.1f}" if abs(value) < 20 else f"{value:.0f}"


if __name__ == "__main__":
    main()
