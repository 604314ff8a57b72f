"""sipp as caller and as callee, with the scenarios beside this file."""

import os
import re
import uuid

from processes import Program, scratch
from wakeline import password_of

SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Scenarios")


class Sipp:
    """A sipp on one TCP connection to the server."""

    def __init__(self, test, server, user, scenario, *options, calls=1, keys=None):
        self.directory = scratch(test)
        self.messages_path = os.path.join(self.directory, "messages")
        self.errors_path = os.path.join(self.directory, "errors")
        values = {"domain": server.domains[0], **(keys or {})}
        self.program = Program(
            test,
            ["/usr/bin/sipp", f"127.0.0.1:{server.port}", "-t", "t1", "-i", "127.0.0.1",
             "-sf", os.path.join(SCENARIOS, scenario), "-s", user, "-au", user, "-ap", password_of(user),
             "-m", calls, "-nostdin", "-timeout", "120s", "-timeout_error", "-recv_timeout", "20000",
             "-trace_msg", "-message_file", self.messages_path,
             "-trace_err", "-error_file", self.errors_path,
             *(part for key, value in values.items() for part in ("-key", key, value)),
             *options],
            cwd=self.directory,
        )

    @property
    def messages(self):
        """All that it sent and received."""
        return _read(self.messages_path)

    @property
    def errors(self):
        return _read(self.errors_path)

    def count(self, name):
        """The last value of a counter on its screen, like "Successful call"."""
        found = re.findall(rf"{name}\s*\|[^|]*\|\s*(\d+)", self.program.text)
        return int(found[-1]) if found else None


class Callee(Sipp):
    """A registered phone that treats each call by a scenario."""

    def __init__(self, test, server, user, scenario):
        self.instance = f"urn:uuid:{uuid.uuid4()}"
        super().__init__(test, server, user, "register.xml", "-oocsf", os.path.join(SCENARIOS, scenario),
                         keys={"instance": self.instance})
        server.program.wait_for_line("registration.change=registered", self.instance)


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""
