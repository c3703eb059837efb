#!/usr/bin/env python3
"""Six APIs of a home screen in one: people, friends, weather, news, posts, and at the port after that ads, which answer 503. It counts what
it is asked.

    server.py [PORT]

GET /counts shows how many requests each API had, and begins at 0 again.
"""

import collections
import http.server
import json
import sys
import threading
import urllib.parse

PEOPLE = {str(id): {"id": id, "name": name} for id, name in enumerate(
    ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth", "Katherine Johnson", "Tony Hoare",
     "Frances Allen", "Leslie Lamport", "Margaret Hamilton"], start=1)}
POSTS = [{"id": number, "author_id": number % 10 + 1, "text": f"Post {number}"} for number in range(1, 51)]
counts = collections.Counter()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = {name: values[0] for name, values in urllib.parse.parse_qs(url.query).items()}
        if url.path == "/counts":
            asked = dict(sorted(counts.items()))
            counts.clear()
            return self.answer(200, asked)
        name = url.path.split("/")[1]
        counts[name] += 1
        if url.path == "/users":
            # In another order than asked: answers are matched by their ids.
            found = [PEOPLE[id] for id in reversed(query.get("ids", "").split(",")) if id in PEOPLE]
            return self.answer(200, {"data": found})
        if name == "users":
            person = PEOPLE.get(url.path.removeprefix("/users/"))
            return self.answer(200, person) if person else self.answer(404, {"error": "no such person"})
        if name == "friends":
            return self.answer(200, {"ids": [2, 3, 4, 5]})
        if name == "weather":
            return self.answer(200, {"celsius": 21.50})
        if name == "news":
            return self.answer(200, {"items": [{"title": "One value from many"}]})
        if name == "posts":
            return self.answer(200, POSTS)
        return self.answer(503 if name == "ads" else 404, {"error": "out of order"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8788
    ads = http.server.ThreadingHTTPServer(("127.0.0.1", port + 1 if port else 0), Handler)
    threading.Thread(target=ads.serve_forever, daemon=True).start()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print("ads at %s:%d" % ads.server_address, flush=True)
    print("listening on %s:%d" % server.server_address, flush=True)
    server.serve_forever()
