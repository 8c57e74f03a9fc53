"""Simulates people who use the arena while it has faults, and records what it confirms to them.

The history is a list of JSON objects, one per line of a file: an `invoke` before each request, and
`ok`, `fail` or `unknown` after it, with the same `id`. `fail` means that the request changed
nothing; `unknown`, that the connection was lost or the server failed.
"""

import hashlib
import http.client
import itertools
import json
import random
import threading
import time

from checker import file_name
from cluster import PORT

CLIENT_SECONDS = 90
BOT = """import sys
for line in sys.stdin:  # %s
    print('{"moves": []}', flush=True)
"""
HOUSE = "house/planetwars-random"


class History:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.lock = threading.Lock()
        self.events = []
        self.ids = itertools.count(1)

    def note(self, event):
        event["at"] = round(time.monotonic(), 3)
        with self.lock:
            self.events.append(event)
            self.file.write(json.dumps(event) + "\n")
            self.file.flush()

    def invoke(self, op, **about):
        number = next(self.ids)
        self.note({"type": "invoke", "id": number, "op": op, **about})
        return number

    def copy(self):
        with self.lock:
            return list(self.events)


class Person:
    """A browser that uses any of the front ends."""

    def __init__(self, load, name):
        self.load, self.name = load, name
        self.headers = {"Content-Type": "application/json"}
        self.bots = []

    def send(self, method, path, body=None, front=None):
        """Returns the status and the JSON of the response, or (0, None) without one."""
        front = front or self.load.random.choice(self.load.cluster.fronts)
        began = time.monotonic()
        connection = http.client.HTTPConnection(front.host.address, PORT, timeout=CLIENT_SECONDS)
        try:
            connection.request(method, path, json.dumps(body) if body else None, self.headers)
            response = connection.getresponse()
            answer = response.read()
            status = response.status
            cookie = response.headers.get("Set-Cookie", "")
            if "session=" in cookie:
                self.headers["Cookie"] = cookie.split(";")[0]
            is_json = "json" in response.headers.get("Content-Type", "")
            return status, json.loads(answer) if is_json else answer
        except (OSError, http.client.HTTPException, ValueError):
            return 0, None
        finally:
            connection.close()
            self.load.note_time(front, time.monotonic() - began, path)

    def ask(self, op, method, path, body, value=lambda answer: answer["id"], front=None, **about):
        """Sends and records a request that changes something; returns value(response), or None."""
        history = self.load.history
        number = history.invoke(op, **about)
        status, answer = self.send(method, path, body, front)
        if 200 <= status < 300:
            found = value(answer)
            self.load.successes += 1
            history.note({"type": "ok", "id": number, "op": op, "value": found, **about})
            return found
        how = "fail" if 400 <= status < 500 else "unknown"
        history.note({"type": how, "id": number, "op": op, "status": status, **about})
        return None

    def ask_twice(self, *arguments, **about):
        """Sends the same request to both front ends at the same time."""
        found = []

        def ask(front):
            found.append(self.ask(*arguments, front=front, **about))

        threads = [
            threading.Thread(target=ask, args=(front,)) for front in self.load.cluster.fronts
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        good = [value for value in found if value is not None]
        return good[0] if good else None


class Load:
    """People who use the arena, in `visitors` threads."""

    def __init__(self, cluster, history, seed, visitors=4):
        self.cluster, self.history = cluster, history
        self.random = random.Random(seed)
        self.over = threading.Event()
        self.names = itertools.count(1)
        self.people = []
        self.finished = []  # matches that someone has seen to be over
        self.matches = []
        self.slowest = {}
        self.successes = 0
        self.threads = [threading.Thread(target=self.run) for _ in range(visitors)]

    def start(self):
        self.admin = Person(self, "admin")
        self.admin.headers = self.cluster.admin()
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def note_time(self, front, seconds, path):
        if seconds > self.slowest.get(front.name, (0, ""))[0]:
            self.slowest[front.name] = (round(seconds, 1), path)

    def run(self):
        steps = {self.register: 2, self.upload: 2, self.play: 8, self.look: 12, self.enter: 2}
        steps[self.organise] = 0.3
        while not self.over.wait(0.2 + self.random.random() * 0.8):
            self.random.choices(list(steps), list(steps.values()))[0]()

    def once_or_twice(self, person):
        return person.ask_twice if self.random.random() < 0.1 else person.ask

    def somebody(self):
        return self.random.choice(self.people) if self.people else None

    def register(self):
        if len(self.people) >= 30:
            return
        person = Person(self, f"person-{next(self.names)}")
        body = {"name": person.name, "password": "correct horse " + person.name}
        token = self.once_or_twice(person)(
            *("account", "POST", "/api/v1/register", body),
            value=lambda answer: answer["csrf_token"],
            name=person.name,
        )
        if token:
            person.headers["X-CSRF-Token"] = token
            status, _ = person.send("GET", "/api/v1/me")
            if status == 200:  # of two requests, the cookie may be that of the failed one
                self.people.append(person)

    def upload(self):
        person = self.somebody()
        if not person:
            return
        if not person.bots:
            name = f"bot-{next(self.names)}"
            body = {"game": "planetwars", "name": name}
            about = {"owner": person.name, "name": name}
            made = self.once_or_twice(person)(
                "bot", "POST", "/api/v1/bots", body, value=lambda _: name, **about
            )
            if not made:
                return
            person.bots.append(name)
        bot = self.random.choice(person.bots)
        source = BOT % f"{person.name} {bot} {next(self.names)}"
        self.once_or_twice(person)(
            *("upload", "POST", f"/api/v1/bots/{person.name}/{bot}/versions"),
            {"file_name": "bot.py", "source": source},
            owner=person.name,
            name=bot,
            source=file_name(source),
        )

    def play(self):
        person = self.somebody()
        if not person or self.waiting() > 20:
            return
        bots = [f"{other.name}/{bot}" for other in self.people for bot in other.bots]
        seats = [self.random.choice(bots) if bots else HOUSE, HOUSE]
        body = {"game": "planetwars", "seats": [{"bot": bot} for bot in seats]}
        made = self.once_or_twice(person)("match", "POST", "/api/v1/matches", body)
        if made:
            self.matches.append(made)

    def waiting(self):
        return len(self.matches) - len(self.finished)

    def look(self):
        """Records the result of a match: once someone has seen it, it must never change."""
        unfinished = sorted(set(self.matches) - set(self.finished))
        again = self.random.random() < 0.2 or not unfinished
        choice = self.finished if again else unfinished
        if not choice:
            return
        match = self.random.choice(choice)
        status, answer = Person(self, "a guest").send("GET", f"/api/v1/matches/{match}")
        if status == 404:
            self.history.note({"type": "seen", "op": "look", "match": match, "result": "missing"})
        if status != 200 or answer["state"] in ("waiting", "playing"):
            return
        verdict = answer["state"] + json.dumps(answer.get("verdict"), sort_keys=True)
        result = hashlib.sha256(verdict.encode()).hexdigest()
        self.history.note({"type": "seen", "op": "look", "match": match, "result": result})
        if not again and match not in self.finished:
            self.finished.append(match)

    def enter(self):
        """Records whether a session works, as it must on every front end."""
        person = self.somebody()
        if person:
            status, _ = person.send("GET", "/api/v1/me")
            if status in (200, 401):
                about = {"name": person.name, "status": status}
                self.history.note({"type": "seen", "op": "session", **about})

    def organise(self):
        """Starts a tournament of two bots. Only the checker waits for its end."""
        name = f"cup-{next(self.names)}"
        bots = [(other.name, bot) for other in self.people for bot in other.bots]
        if len(bots) < 2:
            return
        body = {"name": name, "game": "planetwars", "format": "round-robin", "games": 2}
        made = self.admin.ask("tournament", "POST", "/api/v1/tournaments", body, name=name)
        if not made:
            return
        path = f"/api/v1/tournaments/{made}"
        for owner, bot in self.random.sample(bots, 2):
            entrant = {"owner": owner, "bot": bot}
            self.admin.send("POST", path + "/entrants", entrant)
        self.admin.ask("start", "POST", path + "/start", None, lambda _: made, tournament=made)
