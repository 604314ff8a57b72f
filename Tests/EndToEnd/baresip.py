"""A baresip phone: its configuration, and what it is told and tells over its control connection."""

import glob
import json
import os
import socket
import threading

from processes import Program, scratch
from tone import write_tone
from waiting import wait_until
from wakeline import password_of

CONFIG = """\
poll_method epoll
net_interface 127.0.0.1
sip_listen 127.0.0.1:0
call_local_timeout 60
audio_source aufile,{directory}/tone.wav
audio_player aubridge,{user}
audio_alert aubridge,{user}-alert
audio_level no
rtp_stats no
module_path {modules}
module g711.so
module aufile.so
module aubridge.so
module sndfile.so
module_tmp uuid.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen 127.0.0.1:{port}
snd_path {directory}/recorded
"""


def _modules():
    return (glob.glob("/usr/lib/baresip/modules") or glob.glob("/usr/lib/*/baresip/modules"))[0]


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Baresip:
    """A phone that is registered, with a tone for a voice."""

    def __init__(self, test, server, user, frequency):
        self.user = user
        self.frequency = frequency
        self.directory = scratch(test)
        self.port = _free_port()
        self.events = []
        self.answers = {}
        self.commands = 0
        os.mkdir(os.path.join(self.directory, "recorded"))
        write_tone(os.path.join(self.directory, "tone.wav"), frequency)
        self._write("config", CONFIG.format(directory=self.directory, user=user, port=self.port, modules=_modules()))
        self._write(
            "accounts",
            f"<sip:{user}@{server.domains[0]}>;auth_pass={password_of(user)};regint=600;sipnat=outbound;"
            f'outbound="sip:127.0.0.1:{server.port};transport=tcp"\n',
        )
        self._write("contacts", "")
        self.program = Program(test, ["/usr/bin/baresip", "-f", self.directory, "-v"],
                               environment={"HOME": self.directory})
        self.socket = wait_until(self._connect, "the control connection of baresip")
        test.addCleanup(self.socket.close)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.program.wait_for_line("200 OK", "binding")

    def _write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def _connect(self):
        try:
            return socket.create_connection(("127.0.0.1", self.port), timeout=1)
        except OSError:
            assert self.program.is_running, self.program.text
            return None

    def _read(self):
        """Reads netstrings: LENGTH:JSON,"""
        buffer = b""
        self.socket.settimeout(None)
        while True:
            try:
                data = self.socket.recv(65536)
            except OSError:
                return
            if not data:
                return
            buffer += data
            while b":" in buffer:
                length, _, rest = buffer.partition(b":")
                end = int(length)
                if len(rest) <= end:
                    break
                message = json.loads(rest[:end])
                buffer = rest[end + 1:]
                if message.get("event"):
                    self.events.append(message)
                else:
                    self.answers[message.get("token")] = message

    def command(self, name, parameters=None):
        """Tells it to do something, and waits until it says it did."""
        self.commands += 1
        token = str(self.commands)
        message = {"command": name, "token": token}
        if parameters:
            message["params"] = parameters
        text = json.dumps(message).encode()
        self.socket.sendall(b"%d:%s," % (len(text), text))
        answer = wait_until(lambda: self.answers.get(token), f"an answer to {name}")
        assert answer["ok"], answer
        return answer

    def wait_for(self, kind, since=0, timeout=10.0):
        """Waits for an event, like CALL_RINGING."""
        return wait_until(
            lambda: next((event for event in self.events[since:] if event["type"] == kind), None),
            lambda: f"{kind} at {self.user}: {self.events}\n{self.program.text}",
            timeout,
        )

    def _recordings(self):
        return glob.glob(os.path.join(self.directory, "recorded", "*-dec.wav"))

    def forget_recordings(self):
        for path in self._recordings():
            os.remove(path)

    @property
    def heard(self):
        """The recording of what came from the other side; None before there is one."""
        return next(iter(self._recordings()), None)
