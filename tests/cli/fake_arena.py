"""A small arena for the tests of the client commands: the routes that they use, with responses that
a test can set, and a list of the requests.

It knows one account, "alice" with the password "open sesame". Requests and responses have the form
of the API. It plays no matches.
"""

import http.server
import json
import threading
import time
import urllib.parse

CSRF_TOKEN = "csrf-token-of-the-session"
TOKEN = "token-of-alice"


def match(number=7, state="over", **members):
    """A match in the form of the API."""
    return {
        "id": number,
        "kind": "play_now",
        "state": state,
        "open": False,
        "game": "aliens",
        "map": "small",
        "seed": 1,
        "tournament": None,
        "created": "2026-01-01T00:00:00.000Z",
        "started": None,
        "ended": None,
        "turns": 42,
        "reason": "elimination",
        "replay": True,
        "ahead": None,
        "verdict": None,
        "players": [
            {
                "version": 11,
                "name": "mine",
                "owner": "alice",
                "rank": 2,
                "score": 3,
                "status": "eliminated",
                "failure": None,
            },
            {
                "version": 1,
                "name": "hunter",
                "owner": "house",
                "rank": 1,
                "score": 9,
                "status": "survived",
                "failure": None,
            },
        ],
        **members,
    }


class FakeArena:
    """Runs from start() to stop(). `calls` has (method, path and query, headers, body) of each
    request."""

    def __init__(self):
        self.calls = []
        self.sessions = set()
        self.bots = {}
        self.versions = {}
        self.builds = ["waiting", "good"]  # the states of a build, one per request
        self.log = b"built in a second\n"
        self.matches = {7: [match()]}  # by number: its states, one per request
        self.live = []  # the events of a match as (event, data); see stream()
        self.stderr = {0: b"one\ntwo\n"}  # by seat, from 0
        self.seats = {}
        self.redirect = None
        self.stopping = False
        self.circle = None  # the cursor of every page of a list, if set
        self.broken = None  # the response to every request, if set
        self.refusal = None  # the detail of the problem that every request gets, if set
        self.escapes = True  # whether JSON escapes all characters beyond ASCII
        self.hold = None  # an event for which large requests wait before they are read, if set
        self.challenge = None  # the states of a requested match, if set
        arena = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                arena.handle(self)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self.stopping = True
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def paths(self, method=None):
        return [call[1] for call in self.calls if method in (None, call[0])]

    # ---- answering ----

    def handle(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        if self.hold and length > 1 << 20:
            self.hold.wait()
        body = request.rfile.read(length)
        self.calls.append((request.command, request.path, request.headers, body))
        parts = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        if self.redirect:
            return self.answer(request, 302, b"", "text/plain", Location=self.redirect)
        if self.broken is not None:
            return self.answer(request, 200, self.broken, "text/html")
        if self.refusal is not None:
            return self.problem(request, 422, self.refusal)
        steps = parts.path.split("/")[3:]
        try:
            name = f"{request.command.lower()}_{steps[0]}"
            return getattr(self, name)(request, steps[1:], query, body)
        except (AttributeError, KeyError, IndexError):
            return self.problem(request, 404, "unknown path")

    def answer(self, request, status, body, kind="application/json", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body, ensure_ascii=self.escapes).encode()
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    def page(self, request, items, query):
        at, limit = int(query.get("cursor", "0.0").split(".")[0]), int(query["limit"])
        assert 1 <= limit <= 200
        after = at + limit if at + limit < len(items) else None
        self.answer(
            request,
            200,
            {
                "items": items[at : at + limit],
                "next": self.circle or (after and f"{after}.{after}"),
            },
        )

    def problem(self, request, status, detail):
        self.answer(
            request,
            status,
            {"type": "about:blank", "title": "No", "status": status, "detail": detail},
            "application/problem+json",
        )

    def admitted(self, request):
        """Whether the request has a token, or a session and CSRF token; if not, sends a problem."""
        if request.headers.get("Authorization") == f"Bearer {TOKEN}":
            return True
        cookie = request.headers.get("Cookie", "")
        if cookie == "session=1" and request.headers.get("X-CSRF-Token") == CSRF_TOKEN:
            return True
        self.problem(request, 401, "log in first")
        return False

    # ---- accounts ----

    def me(self, csrf_token=None):
        return {
            "id": 1,
            "name": "alice",
            "role": "player",
            "created": "2026-01-01T00:00:00.000Z",
            "csrf_token": csrf_token,
            "expires": None,
        }

    def post_register(self, request, _steps, _query, body):
        if json.loads(body).get("invitation") != "welcome":
            return self.problem(request, 403, "an invitation code is required")
        return self.answer(
            request, 201, self.me(CSRF_TOKEN), Set_Cookie="session=1; HttpOnly; Path=/"
        )

    def post_login(self, request, _steps, _query, body):
        if request.headers.get("Cookie"):
            return self.problem(request, 403, "a session must come with its CSRF token")
        if json.loads(body) != {"name": "alice", "password": "open sesame"}:
            return self.problem(request, 401, "name or password is wrong")
        return self.answer(
            request, 200, self.me(CSRF_TOKEN), Set_Cookie="session=1; HttpOnly; Path=/"
        )

    def post_logout(self, request, *_):
        return self.admitted(request) and self.answer(request, 204, b"")

    def get_me(self, request, *_):
        return self.admitted(request) and self.answer(request, 200, self.me())

    def post_tokens(self, request, _steps, _query, body):
        if self.admitted(request):
            self.token_request = json.loads(body)
            made = {
                "id": 3,
                "name": self.token_request["name"],
                "scopes": self.token_request.get("scopes", ["read", "play", "upload"]),
                "created": "2026-01-01T00:00:00.000Z",
                "expires": "2026-04-01T00:00:00.000Z",
                "used": None,
            }
            self.answer(request, 201, {**made, "token": TOKEN})

    def delete_tokens(self, request, *_):
        return self.admitted(request) and self.answer(request, 204, b"")

    # ---- bots ----

    def get_bots(self, request, steps, query, _body):
        if steps:
            return self.answer(request, 200, self.bots[tuple(steps)])
        items = [
            bot
            for bot in self.bots.values()
            if query.get("owner", bot["owner"]) == bot["owner"]
            and query.get("search", "") in bot["name"]
        ]
        return self.page(request, items, query)

    def add_bot(self, owner, name, game, active=None):
        self.bots[owner, name] = {
            "id": len(self.bots) + 1,
            "owner": owner,
            "name": name,
            "game": game,
            "published": False,
            "created": "2026-01-01T00:00:00.000Z",
            "active_version": active,
            "active_number": active and active % 10,
        }
        return self.bots[owner, name]

    def post_bots(self, request, steps, query, body):
        if not self.admitted(request):
            return None
        if not steps:
            wish = json.loads(body)
            return self.answer(request, 201, self.add_bot("alice", wish["name"], wish["game"]))
        bot = self.bots[steps[0], steps[1]]
        number = len(self.versions) + 11
        self.versions[number] = {
            "id": number,
            "bot": bot["id"],
            "owner": steps[0],
            "name": steps[1],
            "number": len(self.versions) + 1,
            "language": "python",
            "file_name": query["file_name"],
            "size": len(body),
            "build": "waiting",
            "active": False,
            "created": "2026-01-01T00:00:00.000Z",
            "built": None,
        }
        return self.answer(request, 201, self.versions[number])

    def get_versions(self, request, steps, _query, _body):
        version = self.versions[int(steps[0])]
        if steps[1:] == ["log"]:
            return self.answer(request, 200, self.log, "text/plain; charset=utf-8")
        version["build"] = self.builds.pop(0) if len(self.builds) > 1 else self.builds[0]
        return self.answer(request, 200, version)

    def post_versions(self, request, steps, _query, _body):
        version = self.versions[int(steps[0])]
        version["active"] = steps[1] == "activate"
        return self.admitted(request) and self.answer(request, 200, version)

    # ---- matches ----

    def get_matches(self, request, steps, query, _body):
        if not steps:
            return self.page(request, [states[0] for states in self.matches.values()], query)
        states = self.matches[int(steps[0])]
        if steps[1:] == ["live"]:
            return self.stream(request, self.live)
        if steps[1:2] == ["players"]:
            if int(steps[2]) in self.stderr:
                return self.answer(
                    request, 200, self.stderr[int(steps[2])], "text/plain; charset=utf-8"
                )
            return self.problem(request, 404, "the standard error of this seat is not public")
        return self.answer(request, 200, states.pop(0) if len(states) > 1 else states[0])

    def post_matches(self, request, _steps, _query, body):
        if self.admitted(request):
            wish = json.loads(body)
            if wish["game"] != "aliens" or any(
                seat["bot"] == "house/nobody" for seat in wish["seats"]
            ):
                return self.problem(request, 422, 'unknown bot "house/nobody"')
            self.matches[8] = self.challenge or [
                match(8, "waiting"),
                match(8, "playing"),
                match(8),
            ]
            return self.answer(request, 201, match(8, "waiting"), Location="/api/v1/matches/8")
        return None

    def stream(self, request, events):
        """Sends server-sent events until one called "end" or "gap".

        None in the list closes the connection at that point, once. At a function, the stream waits
        until it returns true. Events may be added to the list later.
        """
        last = int(request.headers.get("Last-Event-ID") or 0)
        if (
            last
            and events
            and last >= len([event for event in events if isinstance(event, tuple)])
            and events[-1]
            and events[-1][0] == "end"
        ):
            return self.answer(request, 204, b"")
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True
        at = 0
        number = 0
        while not self.stopping:
            if at == len(events):
                time.sleep(0.005)
                continue
            event = events[at]
            if event is None:
                events.remove(None)
                break
            if callable(event):
                if event():
                    at += 1
                else:
                    time.sleep(0.005)
                continue
            at += 1
            number += 1
            if number > last:
                request.wfile.write(
                    f"id: {number}\nevent: {event[0]}\ndata: {json.dumps(event[1])}\n\n".encode()
                )
            if event[0] in ("end", "gap"):
                break
        return None

    # ---- joining: the seat "secret" ----

    def post_join(self, request, steps, query, body):
        if not self.admitted(request):
            return None
        if not steps:
            return self.answer(
                request,
                201,
                {"seat": "secret", "match": 7, "game": json.loads(body)["game"], "players": []},
            )
        run = self.seats.setdefault(int(query.get("run", 0)), bytearray())
        if int(query.get("at", 0)) <= len(run):
            run[int(query.get("at", 0)) :] = body
        return self.answer(request, 204, b"")

    def get_join(self, request, steps, _query, _body):
        return self.admitted(request) and self.stream(request, self.live)

    def delete_join(self, request, *_):
        return self.answer(request, 204, b"")
