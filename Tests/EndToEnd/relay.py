"""A relay between phones and a server that changes what goes through it, as a broken server would."""

import socket
import threading


class Relay:
    """Passes connections on to a server, each byte as it came from a phone, and what comes from the server changed.

    change: what to make of bytes from the server, which come a write at a time over the loopback.
    """

    def __init__(self, test, server, change):
        self.target = server.address
        self.change = change
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.close)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.target)
            except OSError:
                return
            self.sockets += [near, far]
            threading.Thread(target=self._pass, args=(near, far, bytes), daemon=True).start()
            threading.Thread(target=self._pass, args=(far, near, self.change), daemon=True).start()

    def _pass(self, source, sink, change):
        try:
            while data := source.recv(65536):
                sink.sendall(change(data))
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def close(self):
        # A thread that waits in accept is woken by a shutdown, not by a close.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for end in self.sockets:
            end.close()
