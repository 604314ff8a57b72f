"""The headless phone: `wakeline phone` under test, and as the other side of other tests."""

import json

import wakeline
from processes import Program
from wakeline import DOMAIN, password_of


class Phone(Program):
    """A phone at a server, with its options; its lines are what it tells."""

    def __init__(self, test, server, user, *options, password=None, servers=None):
        places = servers or [f"tcp://127.0.0.1:{server.port}"]
        super().__init__(
            test,
            [wakeline.BINARY, "phone", f"{user}@{DOMAIN}",
             *(option for place in places for option in ("--server", place)), *options],
            environment={"WAKELINE_PASSWORD": password or password_of(user)},
        )

    @property
    def events(self):
        """What it told with --json."""
        return [json.loads(line) for line in list(self.lines)]

    def of_type(self, kind):
        return [event for event in self.events if event["type"] == kind]


def registered(test, server, user, *options, **more):
    """A phone that is registered."""
    phone = Phone(test, server, user, *options, **more)
    phone.wait_for_line("registered")
    return phone
