"""The server under test, and its command line."""

import os
import re
import subprocess

from processes import Program, scratch

BINARY = os.path.join(os.path.dirname(__file__), "..", "..", ".build", "release", "wakeline")
DOMAIN = "example.test"


def wakeline(*arguments, stdin=None, timeout=30.0):
    """Runs a command to its end."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("WAKELINE_")}
    return subprocess.run(
        [BINARY, *map(str, arguments)],
        input=stdin if stdin is not None else "",
        capture_output=True,
        text=True,
        timeout=timeout,
        env=variables,
        check=False,
    )


class Server:
    """A server with a data directory of its own, on a port of its own.

    users: accounts to make, each with the password `secret-NAME`.
    config: the text of a configuration file.
    arguments: more options of `serve`.
    environment: more variables of its environment.
    """

    def __init__(self, test, users=("alice", "bob"), domains=(DOMAIN,), listen="tcp://127.0.0.1:0", config=None,
                 arguments=(), environment=None):
        self.test = test
        self.environment = environment
        self.directory = scratch(test)
        self.data = os.path.join(self.directory, "data")
        self.domains = domains
        self.listen = listen
        self.config_path = os.path.join(self.directory, "wakeline.yaml")
        self.arguments = list(arguments)
        self.program = None
        self.port = None
        if config is not None:
            self.configure(config)
            self.arguments += ["--config", self.config_path]
        self.add_accounts(users)
        self.start()

    def configure(self, text):
        with open(self.config_path, "w", encoding="utf-8") as file:
            file.write(text)

    def add_accounts(self, users):
        """Makes accounts in the first domain, unless they name one."""
        if not users:
            return
        rows = ["address,password"]
        for user in users:
            address = user if "@" in user else f"{user}@{self.domains[0]}"
            rows.append(f"{address},{password_of(user)}")
        done = wakeline("account", "import", "-", "--data", self.data, stdin="\n".join(rows) + "\n")
        assert done.returncode == 0, done.stderr

    def command(self):
        domains = [option for domain in self.domains for option in ("--domain", domain)]
        return [BINARY, "serve", "--data", self.data, "--listen", self.listen, *domains, *self.arguments]

    def start(self):
        """Starts, or starts again on the same data."""
        self.program = Program(self.test, self.command(), environment=self.environment)
        self.ready = self.program.wait_for_line('msg="ready"')
        self.port = int(re.search(r"listen=tcp://\S*?:(\d+)(?:\s|$)", self.ready).group(1))

    @property
    def address(self):
        return ("::1" if "[" in self.listen else "127.0.0.1", self.port)

    @property
    def log(self):
        return self.program.text

    @property
    def restored(self):
        """How many bindings the server found at its start."""
        return int(re.search(r"bindings=(\d+)", self.ready).group(1))

    def stop(self, timeout=15.0):
        return self.program.terminate(timeout)

    def trace(self, call_id):
        return wakeline("trace", call_id, "--data", self.data)


def password_of(user):
    return f"secret-{user.split('@')[0]}"
