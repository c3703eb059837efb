#!/usr/bin/env python3
"""Friends over HTTP. It recognises a write that comes a second time, and counts what arrives. Needs nothing but Python.

    server.py [PORT]

    GET    /friends?user=42            the list
    POST   /friends?user=42            {"name": "Ada"}: adds a friend; the server gives the id
    PATCH  /friends/2?user=42          {"name": "Ada"}: changes one
    DELETE /friends/2?user=42          removes one
    GET    /counts                     how many writes have arrived, and how many different ids they had
    POST   /lose                       the next write is made, and its answer lost

The id of a write is its Idempotency-Key. A repeated one gets the first answer, and changes nothing.
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

NAMES = ["Ada Lovelace", "Grace Hopper", "Barbara Liskov"]


class Friends:
    """The lists of all users, and the answers to the writes that had an id. One write at a time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lists = {}
        self.answers = {}  # Idempotency-Key -> what was asked, and the answer
        self.last_id = len(NAMES)
        self.requests = 0
        self.loses_next = False

    def list(self, user):
        with self.lock:
            return list(self._list(user).values())

    def counts(self):
        with self.lock:
            return {"requests": self.requests, "ids": len(self.answers)}

    def lose_next(self):
        with self.lock:
            self.loses_next = True

    def write(self, key, asked, change):
        """What `change` answers, once for each key; and whether the answer is to be lost."""
        with self.lock:
            self.requests += 1
            is_lost, self.loses_next = self.loses_next, False
            if key in self.answers:
                first, answer = self.answers[key]
                if first != asked:
                    answer = 422, {"error": "the id is that of another request"}, {}
                return answer, is_lost
            answer = change()
            if key:
                self.answers[key] = asked, answer
            return answer, is_lost

    def add(self, user, item):
        self.last_id += 1
        friend = {"id": self.last_id, **item}
        self._list(user)[self.last_id] = friend
        return 201, {"friend": dict(friend)}, {"Location": f"/friends/{self.last_id}"}

    def change(self, user, id, item):
        friend = self._list(user).get(id)
        if friend is None:
            return 404, {"error": "no such friend"}, {}
        friend.update(item)
        return 200, {"friend": dict(friend)}, {}

    def remove(self, user, id):
        if self._list(user).pop(id, None) is None:
            return 404, {"error": "no such friend"}, {}
        return 204, None, {}

    def _list(self, user):
        beginning = {id: {"id": id, "name": name} for id, name in enumerate(NAMES, 1)}
        return self.lists.setdefault(user, beginning)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    friends = Friends()

    def do_GET(self):
        parts, user = self._target()
        if parts == ["friends"]:
            self._answer(200, self.friends.list(user))
        elif parts == ["counts"]:
            self._answer(200, self.friends.counts())
        else:
            self._answer(404, {"error": "not found"})

    def do_POST(self):
        parts, user = self._target()
        body = self._body()
        if parts == ["lose"]:
            self.friends.lose_next()
            return self._answer(200, {})
        item = self._item(body)
        if parts != ["friends"] or item is None:
            return self._answer(400, {"error": 'expected /friends and {"name": TEXT}'})
        self._write(body, lambda: self.friends.add(user, item))

    def do_PATCH(self):
        (id, user), body = self._friend(), self._body()
        item = self._item(body)
        if id is None or item is None:
            return self._answer(400, {"error": 'expected /friends/NUMBER and {"name": TEXT}'})
        self._write(body, lambda: self.friends.change(user, id, item))

    def do_DELETE(self):
        (id, user), body = self._friend(), self._body()
        if id is None:
            return self._answer(400, {"error": "expected /friends/NUMBER"})
        self._write(body, lambda: self.friends.remove(user, id))

    def _write(self, body, change):
        key = self.headers.get("Idempotency-Key")
        (status, value, fields), is_lost = self.friends.write(key, (self.command, self.path, body), change)
        if is_lost:
            self.close_connection = True
            return
        self._answer(status, value, fields)

    def _target(self):
        url = urlsplit(self.path)
        return [part for part in url.path.split("/") if part], parse_qs(url.query).get("user", [""])[0]

    def _friend(self):
        parts, user = self._target()
        is_friend = len(parts) == 2 and parts[0] == "friends" and parts[1].isascii() and parts[1].isdigit()
        return (int(parts[1]) if is_friend else None), user

    def _body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _item(self, body):
        """The name in a body; None if it has none."""
        try:
            return {"name": str(json.loads(body)["name"])}
        except (ValueError, KeyError, TypeError):
            return None

    def _answer(self, status, value, fields={}):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in fields.items():
            self.send_header(name, text)
        if value is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

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
