#!/usr/bin/env python3
"""Friends over HTTP, and a WebSocket that reports changes. Needs nothing but Python.

    GET    /friends?user=42            the list
    PUT    /friends/7?user=42          {"name": "Ada"}: adds or changes a friend
    DELETE /friends/7?user=42          removes one
    GET    /events                     the WebSocket; {"join":"friends:42"} asks for the changes of a user
    POST   /down, POST /up             drops every WebSocket and takes no new ones; takes them again
"""
import base64
import hashlib
import json
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

NAMES = ["Ada Lovelace", "Barbara Liskov", "Edsger Dijkstra", "Grace Hopper", "Tony Hoare"]
CONTINUATION, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10
LONGEST_MESSAGE = 64 * 1024


class Friends:
    """The lists of all users, and who is told of their changes. One lock keeps both in one order."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lists = {}
        self.members = {}  # connection -> users
        self.is_down = False
        self.version = len(NAMES)

    def list(self, user):
        with self.lock:
            return sorted(self._list(user).values(), key=lambda friend: friend["name"])

    def _list(self, user):
        beginning = {id: {"id": id, "name": name, "version": id} for id, name in enumerate(NAMES, 1)}
        return self.lists.setdefault(user, beginning)

    def put(self, user, id, name):
        with self.lock:
            self.version += 1
            friend = {"id": id, "name": name, "version": self.version}
            kind = "updated" if id in self._list(user) else "added"
            self._list(user)[id] = friend
            self._tell(user, {"type": kind, "user": user, "friend": friend})

    def remove(self, user, id):
        with self.lock:
            if self._list(user).pop(id, None) is None:
                return
            self.version += 1
            self._tell(user, {"type": "removed", "user": user, "friend": {"id": id, "version": self.version}})

    def _tell(self, user, message):
        for connection, users in self.members.items():
            if user in users:
                connection.send(TEXT, json.dumps(message).encode())

    def connect(self, connection):
        with self.lock:
            if not self.is_down:
                self.members[connection] = set()
            return not self.is_down

    def join(self, connection, user):
        with self.lock:
            if connection in self.members:
                self.members[connection].add(user)
                connection.send(TEXT, json.dumps({"type": "joined", "user": user}).encode())

    def leave(self, connection):
        with self.lock:
            self.members.pop(connection, None)

    def set_down(self, is_down):
        with self.lock:
            self.is_down = is_down
            dropped = list(self.members) if is_down else []
        for connection in dropped:
            connection.drop()


class Connection:
    """One WebSocket (RFC 6455), as far as the example needs it."""

    def __init__(self, handler):
        self.handler = handler

    def send(self, kind, payload):
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 127, size)
        try:
            self.handler.wfile.write(head + payload)
        except OSError:
            pass  # It has gone; the thread that reads finds out.

    def drop(self):
        try:
            self.handler.connection.shutdown(2)
        except OSError:
            pass

    def messages(self):
        """The text messages, until the other side closes."""
        message = b""
        while True:
            first, second = self._read(2)
            kind, size = first & 0x0F, second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._read(8))
            if not second & 0x80 or size + len(message) > LONGEST_MESSAGE:
                return self.send(CLOSE, struct.pack("!H", 1002 if not second & 0x80 else 1009))
            mask = self._read(4)
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self._read(size)))
            if kind == PING:
                self.send(PONG, payload)
            elif kind == CLOSE:
                return self.send(CLOSE, payload[:2])
            elif kind in (TEXT, CONTINUATION):
                message += payload
                if first & 0x80:
                    yield message
                    message = b""

    def _read(self, count):
        data = self.handler.rfile.read(count)
        if len(data) < count:
            raise EOFError
        return data


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    friends = Friends()

    def do_GET(self):
        parts = self._parts()
        if parts == ["friends"]:
            self._answer(200, self.friends.list(self._user()))
        elif parts == ["events"]:
            self._serve_events()
        else:
            self._answer(404, {"error": "not found"})

    def do_PUT(self):
        parts = self._parts()
        try:
            name = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))["name"]
            self.friends.put(self._user(), int(parts[1]), str(name))
            self._answer(200, {})
        except (ValueError, KeyError, TypeError, IndexError):
            self._answer(400, {"error": "expected /friends/NUMBER and {\"name\": TEXT}"})

    def do_DELETE(self):
        try:
            self.friends.remove(self._user(), int(self._parts()[1]))
            self._answer(200, {})
        except (ValueError, IndexError):
            self._answer(400, {"error": "expected /friends/NUMBER"})

    def do_POST(self):
        parts = self._parts()
        if parts not in (["down"], ["up"]):
            return self._answer(404, {"error": "not found"})
        self.friends.set_down(parts == ["down"])
        self._answer(200, {})

    def _parts(self):
        return [part for part in urlsplit(self.path).path.split("/") if part]

    def _user(self):
        return parse_qs(urlsplit(self.path).query).get("user", [""])[0]

    def _answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _serve_events(self):
        key = self.headers.get("Sec-WebSocket-Key")
        if self.headers.get("Upgrade", "").lower() != "websocket" or not key:
            return self._answer(426, {"error": "a WebSocket is expected here"})
        connection = Connection(self)
        if not self.friends.connect(connection):
            return self._answer(503, {"error": "down"})
        self.close_connection = True
        accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(accept).decode())
        self.end_headers()
        try:
            for message in connection.messages():
                topic = str(json.loads(message).get("join", ""))
                if topic.startswith("friends:"):
                    self.friends.join(connection, topic[len("friends:"):])
        except (EOFError, OSError, ValueError, AttributeError):
            pass
        finally:
            self.friends.leave(connection)

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8787), Handler)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
