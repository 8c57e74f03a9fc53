"""The whole arena from an empty directory, over real HTTP with curl and with the client commands.

alice uses only curl: she registers, uploads bots in four languages, plays, follows a match live,
reads its replay, climbs the ladder, and joins with a bot on her machine. bob does the same from the
command line. olga, an organiser, runs a knockout. Every response is checked against the arena's
OpenAPI document, and nothing may be left at the end.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

import conformance
import join_server
from problem_text import check_problem

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from house import GAMES

SKIRMISH = join_server.SKIRMISH
BOTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bots")
WAIT = 60
PASSWORD = "correct horse battery"

# Exits after its third turn, so it loses every match.
QUITTER = """import sys
for turn, line in enumerate(sys.stdin):
    if turn == 3:
        sys.exit("I have seen enough")
    print("[]", flush=True)
"""

# Goes to the nearest energy; prints its name to standard error.
GATHERER = """import json, sys
for line in sys.stdin:
    view = json.loads(line)
    me, state = view["player"], view["state"]
    rows, cols, grid = state["rows"], state["cols"], state["grid"]
    def steps(a, b):
        return abs(a // cols - b // cols) + abs(a % cols - b % cols)
    energy = [square for square, what in enumerate(grid) if what == "*"]
    taken = {square for square, what in enumerate(grid) if what == me}
    moves = []
    for unit in sorted(taken):
        near = [unit - cols, unit + cols]
        near += [unit - 1] * (unit % cols > 0) + [unit + 1] * (unit % cols < cols - 1)
        near = [to for to in near if 0 <= to < rows * cols]
        free = [to for to in near if to not in taken and grid[to] != "*"]
        if free and energy:
            to = min(free, key=lambda square: min(steps(square, one) for one in energy))
            taken = (taken - {unit}) | {to}
            moves.append({"from": unit, "to": to})
    print("SECRET of OWNER, turn", state["turnsElapsed"], file=sys.stderr, flush=True)
    print(json.dumps(moves), flush=True)
"""

# Thinks for a while, so that its matches can be watched.
SLOW = """import sys, time
for line in sys.stdin:
    time.sleep(0.02)
    print("SECRET of a visitor", file=sys.stderr, flush=True)
    print("[]", flush=True)
"""

# Every unit takes a step that stays on the board.
WALKER = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char line[1 << 16];
    unsigned chance = 3;
    while (fgets(line, sizeof line, stdin)) {
        char me = strstr(line, "\"player\":\"")[10];
        int cols = atoi(strstr(line, "\"cols\":") + 7);
        const char *grid = strstr(line, "\"grid\":\"") + 8;
        const char *comma = "";
        putchar('[');
        for (int i = 0; grid[i] != '"'; i++) {
            chance = chance * 1103515245u + 12345u;
            if (grid[i] == me) {
                int step = chance >> 16 & 1 ? 1 : -1;
                int to = i % cols + step < 0 || i % cols + step == cols ? i - step : i + step;
                printf("%s{\"from\":%d,\"to\":%d}", comma, i, to);
                comma = ",";
            }
        }
        puts("]");
        fflush(stdout);
    }
    return 0;
}
"""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.type = headers.get("content-type", "")
        self.json = json.loads(body) if "json" in self.type else None


class Visitor:
    """A visitor with a directory, a cookie jar and curl."""

    document = None  # the OpenAPI document, once loaded

    def __init__(self, url, directory, name=None):
        self.url, self.directory, self.name = url, directory, name
        self.csrf_token = self.token = None
        os.makedirs(directory)
        self.environment = {"PATH": os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8"}

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def curl(self, *arguments, method="GET"):
        words = [
            "curl",
            "-q",
            "-sS",
            "--max-time",
            str(WAIT),
            "--request",
            method,
            "--cookie",
            "jar",
            "--cookie-jar",
            "jar",
        ]
        words += ["--header", f"X-CSRF-Token: {self.csrf_token}"] if self.csrf_token else []
        words += ["--header", f"Authorization: Bearer {self.token}"] if self.token else []
        return [*words, *arguments]

    def ask(self, method, path, body=None, file=None, status=200):
        words = self.curl(
            "--dump-header",
            "headers",
            "--output",
            "body",
            "--compressed",
            self.url + path,
            method=method,
        )
        if body is not None:
            words += ["--header", "Content-Type: application/json", "--data-binary", "@-"]
        if file is not None:
            words += [
                "--header",
                "Content-Type: application/octet-stream",
                "--data-binary",
                "@" + file,
            ]
        if os.path.exists(self.path("body")):
            os.unlink(self.path("body"))
        subprocess.run(
            words,
            cwd=self.directory,
            env=self.environment,
            input=json.dumps(body).encode(),
            timeout=WAIT,
            check=True,
        )
        answer = self.read_answer()
        check_problem(answer.type, answer.body)
        assert (
            answer.status == status
        ), f"{method} {path}: {answer.status}, not {status}: {answer.body[:2000]}"
        if self.document and path.startswith("/api/"):
            parts = urllib.parse.urlsplit(path)
            operation = self.document.find(method, parts.path)
            if status < 400:
                self.document.check_request(operation, urllib.parse.parse_qsl(parts.query), body)
            self.document.check_answer(
                operation, answer.status, answer.type, answer.json, answer.headers.get("etag")
            )
        return answer

    def read_answer(self):
        with open(self.path("headers"), encoding="latin-1") as file:
            last = [block for block in file.read().replace("\r", "").split("\n\n") if block][
                -1
            ].split("\n")
        headers = {
            line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in last[1:]
        }
        body = b""
        if os.path.exists(self.path("body")):
            with open(self.path("body"), "rb") as file:
                body = file.read()
        return Answer(int(last[0].split()[1]), headers, body)

    def get(self, path):
        return self.ask("GET", path).json

    def wait(self, path, ready):
        """Repeats the request until ready(response) is true; returns the response."""
        until = time.monotonic() + WAIT
        while True:
            found = self.get(path)
            if ready(found):
                return found
            assert time.monotonic() < until, f"{path} stays {found}"
            time.sleep(0.2)  # between polls

    def wait_over(self, match):
        return self.wait(
            f"/api/v1/matches/{match}", lambda found: found["state"] not in ("waiting", "playing")
        )

    def watch(self, path):
        """Yields the events of a stream: id, name, data. Checks its head against the document."""
        words = self.curl("--no-buffer", "--include", self.url + path)
        with subprocess.Popen(
            words, cwd=self.directory, env=self.environment, stdout=subprocess.PIPE
        ) as process:
            try:
                lines = (line.decode().rstrip("\r\n") for line in process.stdout)
                status = int(next(lines).split()[1])
                headers = dict(
                    line.lower().split(": ", 1) for line in iter(lambda: next(lines), "")
                )
                operation = self.document.find("GET", path.partition("?")[0])
                self.document.check_answer(operation, status, headers["content-type"], None)
                event = {}
                for line in lines:
                    if line:
                        event[line.partition(": ")[0]] = line.partition(": ")[2]
                    elif "event" in event:
                        self.document.check_event(
                            operation, event["event"], json.loads(event["data"])
                        )
                        yield int(event["id"]), event["event"], json.loads(event["data"])
                        event = {}
            finally:
                process.kill()

    def skirmish(self, *arguments, text="", status=0):
        """Runs a client command in this visitor's directory."""
        done = subprocess.run(
            [SKIRMISH, *arguments], cwd=self.directory, env=self.environment, input=text,
            capture_output=True, text=True, timeout=WAIT, check=False,
        )  # fmt: skip
        assert (
            done.returncode == status
        ), f"{arguments}: {done.returncode}, {done.stdout}{done.stderr}"
        return done.stdout

    # ---- steps that several visitors take ----

    def register(self):
        made = self.ask(
            "POST", "/api/v1/register", {"name": self.name, "password": PASSWORD}, status=201
        )
        assert made.headers["location"] == f"/api/v1/people/{self.name}"
        self.csrf_token = made.json["csrf_token"]

    def log_in(self, password):
        self.csrf_token = self.ask(
            "POST", "/api/v1/login", {"name": self.name, "password": password}
        ).json["csrf_token"]

    def upload(self, bot, file, text):
        """Uploads a version, waits until it is built, and activates it."""
        self.write(file, text)
        at = f"/api/v1/bots/{self.name}/{bot}/versions?file_name={file}"
        version = self.ask("POST", at, file=file, status=201).json["id"]
        built = self.wait(f"/api/v1/versions/{version}", lambda found: found["build"] != "waiting")
        log = self.ask("GET", f"/api/v1/versions/{version}/log").body.decode()
        assert built["build"] == "good", log
        assert self.ask("GET", f"/api/v1/versions/{version}/source").body.decode() == text
        assert self.ask("POST", f"/api/v1/versions/{version}/activate").json["active"]
        return version

    def play(self, *seats, **more):
        made = self.ask(
            "POST", "/api/v1/matches", {"game": "aliens", "seats": list(seats), **more}, status=201
        )
        assert made.headers["location"] == f"/api/v1/matches/{made.json['id']}"
        return made.json

    def replay(self, match):
        """Downloads and verifies a replay; returns its turns."""
        with open(self.path(f"{match}.skr"), "wb") as file:
            file.write(self.ask("GET", f"/api/v1/matches/{match}/replay").body)
        self.skirmish("replay", "verify", f"{match}.skr")
        return [
            json.loads(line)
            for line in self.skirmish("replay", "export", f"{match}.skr").splitlines()
        ]


def without_errors(turn):
    return {
        **turn,
        "players": [
            {name: value for name, value in player.items() if name != "stderr"}
            for player in turn["players"]
        ],
    }


class VisitorTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-visitor-")
        self.addCleanup(shutil.rmtree, self.directory)
        os.chmod(self.directory, 0o755)
        self.strict = (
            subprocess.run([SKIRMISH, "doctor"], stdout=subprocess.DEVNULL, check=False).returncode
            == 0
        )
        self.data = os.path.join(self.directory, "data")
        self.server = join_server.Server(
            self.data,
            *("--jobs", "2", "--sandbox", "strict" if self.strict else "best-effort"),
            *("--ladder", "off"),  # until a step needs it: house bots would play all the time
        )
        self.addCleanup(self.kill)
        self.alice, self.bob, self.olga, self.admin, self.stranger = (
            Visitor(self.server.url, os.path.join(self.directory, name), name)
            for name in ("alice", "bob", "olga", "admin", "stranger")
        )
        self.seen = set()  # every process of the arena that existed after a step

    def kill(self):
        """Kills the arena if the test failed before it stopped it."""
        if self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()

    def test_visitors_can_use_everything_that_the_arena_offers(self):
        steps = (
            self.look_around, self.register, self.upload_in_four_languages, self.play,
            self.follow_a_match_and_read_its_replay, self.keep_standard_error_private,
            self.do_the_same_from_the_command_line, self.join_with_curl, self.run_a_knockout,
            self.climb_the_ladder, self.read_the_audit_log, self.use_what_is_left, self.log_out,
            self.stop,
        )  # fmt: skip
        for step in steps:
            began = time.monotonic()
            step()
            self.seen |= (
                join_server.descendants(self.server.process.pid) if step != self.stop else set()
            )
            print(f"{step.__name__}: {time.monotonic() - began:.1f} s", file=sys.stderr)

    def look_around(self):
        Visitor.document = conformance.Document(self.stranger.get("/api/v1/openapi.json"))
        self.assertEqual(self.stranger.get("/api/v1/arena")["registration"], "open")
        games = {game["name"]: game for game in self.stranger.get("/api/v1/games")["items"]}
        self.assertEqual(list(games), GAMES)
        self.assertTrue(all(game["title"] and game["summary"] for game in games.values()))
        here = {
            one["name"]
            for one in self.stranger.get("/api/v1/languages")["items"]
            if one["available"]
        }
        self.assertLessEqual({"python", "javascript", "c", "ruby"}, here)
        self.assertEqual(self.stranger.ask("GET", "/healthz").status, 200)
        for game in games:  # the first matches end within seconds
            self.stranger.wait(
                f"/api/v1/bots?owner=house&game={game}", lambda found: len(found["items"]) >= 2
            )
        self.assertIn("ladder", self.stranger.get("/api/v1/queue"))

    def register(self):
        self.alice.ask("GET", "/api/v1/me", status=401)
        self.alice.register()
        self.alice.ask(
            "POST", "/api/v1/register", {"name": "Alice", "password": PASSWORD}, status=409
        )
        with open(self.alice.path("jar"), encoding="utf-8") as file:
            self.assertIn("#HttpOnly_", file.read())
        self.assertEqual(self.alice.get("/api/v1/me")["role"], "player")
        token, self.alice.csrf_token = self.alice.csrf_token, None
        self.alice.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "forged"}, status=403)
        self.alice.csrf_token = token
        self.assertEqual(self.stranger.get("/api/v1/people/alice")["name"], "alice")

    def upload_in_four_languages(self):
        files = {"climber": ("climber.py", QUITTER), "ceewalker": ("walker.c", WALKER)}
        for name, file in {
            "nodewalker": "aliens_walker.js",
            "rubywalker": "aliens_walker.rb",
        }.items():
            with open(os.path.join(BOTS, file), encoding="utf-8") as source:
                files[name] = (file, source.read())
        for bot, (file, text) in files.items():
            made = self.alice.ask(
                "POST", "/api/v1/bots", {"game": "aliens", "name": bot}, status=201
            )
            self.assertEqual(made.headers["location"], f"/api/v1/bots/alice/{bot}")
            version = self.alice.upload(bot, file, text)
            self.stranger.ask("GET", f"/api/v1/versions/{version}/source", status=404)
            self.assertEqual(
                self.stranger.get(f"/api/v1/bots/alice/{bot}")["version"]["id"], version
            )
        check = f"/api/v1/versions/{version}/check"
        done = self.alice.wait(check, lambda found: found["state"] in ("done", "failed"))
        self.assertEqual((done["state"], done["failure"]), ("done", None))
        self.stranger.ask("GET", check, status=404)
        self.fail_to_build()
        self.first_climber = self.alice.get("/api/v1/bots/alice/climber")["version"]["id"]
        found = {bot["name"] for bot in self.alice.get("/api/v1/bots?mine=true")["items"]}
        self.assertEqual(found, set(files))
        self.assertEqual(
            {
                bot["name"]
                for bot in self.stranger.get("/api/v1/bots?game=aliens&search=WALK")["items"]
            },
            {bot for bot in files if "walk" in bot},
        )
        self.assertEqual(
            [one["name"] for one in self.stranger.get("/api/v1/people?search=lic")["items"]],
            ["alice"],
        )

    def fail_to_build(self):
        """Build errors are reported with line numbers and without paths of the arena."""
        self.alice.write(
            "broken.c",
            "int main(void) {\n"
            + "".join(f"    forgotten_{i} = {i};\n" for i in range(2, 42))
            + "}\n",
        )
        version = self.alice.ask(
            "POST",
            "/api/v1/bots/alice/ceewalker/versions?file_name=broken.c",
            file="broken.c",
            status=201,
        ).json["id"]
        self.alice.wait(f"/api/v1/versions/{version}", lambda found: found["build"] == "failed")
        said = self.alice.get(f"/api/v1/versions/{version}/diagnostics")
        self.assertEqual(
            [(one["file"], one["line"], one["column"]) for one in said["diagnostics"]],
            [("broken.c", i, 5) for i in range(2, 42)],
        )
        self.assertIn("forgotten_41", said["diagnostics"][-1]["message"])
        self.assertEqual(
            said["log"], self.alice.ask("GET", f"/api/v1/versions/{version}/log").body.decode()
        )
        self.assertTrue(said["log"].endswith("The build exited with status 1.\n"), said["log"])
        self.assertNotIn(self.directory, said["log"])
        self.stranger.ask("GET", f"/api/v1/versions/{version}/diagnostics", status=404)

    def play(self):
        for bot in ("ceewalker", "nodewalker", "rubywalker"):
            match = self.alice.play(
                {"bot": f"alice/{bot}"}, {"bot": "house/aliens-random"}, map="duel"
            )["id"]
            found = self.alice.wait_over(match)
            self.assertEqual(
                (found["state"], found["kind"], found["map"]), ("over", "play_now", "duel")
            )
            self.assertEqual(
                [player["status"] for player in found["verdict"]["players"]], ["ok", "ok"], found
            )
            self.assertEqual(
                [player["name"] for player in found["players"]], [bot, "aliens-random"]
            )
            self.assertGreater(found["turns"], 3)
        sleeper = "import time\ntime.sleep(600)\n"
        match = self.alice.play({"language": "python", "source": sleeper}, {"bot": "alice/climber"})
        found = self.alice.ask("POST", f"/api/v1/matches/{match['id']}/call-off").json
        self.assertEqual((match["cancellable"], found["state"]), (True, "called_off"))
        match = self.alice.play({"bot": "alice/climber"}, {"bot": "alice/ceewalker"})["id"]
        found = self.alice.wait_over(match)
        self.assertEqual([player["rank"] for player in found["players"]], [2, 1])
        self.assertIn("exit", found["players"][0]["failure"])
        self.assertTrue(found["reason"])
        said = self.alice.ask("GET", f"/api/v1/matches/{match}/players/0/stderr").body
        self.assertIn(b"I have seen enough", said)
        self.assertEqual(
            self.alice.get(f"/api/v1/matches/{match}/players/0/diagnostics")["stderr"].encode(),
            said,
        )

    def follow_a_match_and_read_its_replay(self):
        made = self.stranger.play(
            {"language": "python", "source": SLOW}, {"bot": "alice/nodewalker"}, seed=7
        )
        match, state = made["id"], None
        events = []
        for event in self.stranger.watch(f"/api/v1/matches/{match}/live"):
            events.append(event)
            if event[1] == "turn" and not state:
                state = self.alice.get(f"/api/v1/matches/{match}")["state"]
                self.seen |= join_server.descendants(self.server.process.pid)
                groups = join_server.groups(pid for pid, _ in self.seen)
                self.assertTrue(groups or not self.strict, "it is played without control groups")
            if event[1] == "end":
                break
        self.assertEqual(state, "playing", "its first turn came when it was over")
        over = self.stranger.wait_over(match)
        self.assertEqual((events[0][1], events[-1][1:]), ("start", ("end", over["verdict"])))
        self.assertEqual([number for number, _, _ in events], list(range(1, len(events) + 1)))
        self.assertFalse("SECRET" in json.dumps(events), "standard error is streamed")
        # A long match yields its runner to others and is restarted.
        starts = [i for i, (_, name, _) in enumerate(events) if name == "start"]
        turns = [data for _, name, data in events[starts[-1] :] if name == "turn"]
        self.assertEqual(len(turns), over["turns"])
        replayed = self.stranger.replay(match)
        for turn, again in zip(turns, replayed, strict=True):
            self.assertEqual(without_errors(turn), without_errors(again))
        self.assertFalse(
            "SECRET" in json.dumps(replayed), "a stranger reads standard error in the replay"
        )
        errors = f"/api/v1/matches/{match}/players/0/stderr"
        self.assertIn(
            b"SECRET of a visitor", self.stranger.ask("GET", f"{errors}?key={made['key']}").body
        )
        self.alice.ask("GET", errors, status=404)

    def keep_standard_error_private(self):
        self.bob.skirmish(
            "login", self.server.url, "--register", "--name", "bob", text=PASSWORD + "\n"
        )
        self.bob.write("digger/main.py", GATHERER.replace("OWNER", "bob"))
        version = json.loads(
            self.bob.skirmish("submit", "digger", "--game", "aliens", "--activate", "--json")
        )
        Visitor.document.schemas.check("Version", version)
        self.assertEqual((version["build"], version["language"]), ("good", "python"))
        self.upload_gatherer("gatherer")
        match = self.alice.play({"bot": "alice/gatherer"}, {"bot": "bob/digger"}, map="duel")["id"]
        self.alice.wait_over(match)
        with open(self.bob.path(".config/skirmish/arena.json"), encoding="utf-8") as file:
            self.bob.token = json.load(file)["token"]
        errors = f"/api/v1/matches/{match}/players/%d/stderr"
        for visitor, own in ((self.alice, 0), (self.bob, 1), (self.stranger, None)):
            for seat, owner in enumerate(("alice", "bob")):
                answer = visitor.ask("GET", errors % seat, status=200 if seat == own else 404)
                self.assertEqual(f"SECRET of {owner}" in answer.body.decode(), seat == own)
            replay = json.dumps(visitor.replay(match))
            self.assertEqual(
                ["SECRET of alice" in replay, "SECRET of bob" in replay], [own == 0, own == 1]
            )

    def upload_gatherer(self, bot):
        self.alice.ask("POST", "/api/v1/bots", {"game": "aliens", "name": bot}, status=201)
        return self.alice.upload(bot, "main.py", GATHERER.replace("OWNER", "alice"))

    def do_the_same_from_the_command_line(self):
        check, bob = Visitor.document.schemas.check, self.bob
        bots = json.loads(bob.skirmish("bots", "--json"))
        check("Bots", bots)
        self.assertEqual([bot["name"] for bot in bots["items"]], ["digger"])
        self.assertIn("alice/ceewalker", bob.skirmish("bots", "--all", "--game", "aliens"))
        match = json.loads(
            bob.skirmish(
                "challenge", "alice/rubywalker", "--bot", "digger", "--map", "duel", "--json"
            )
        )
        check("Match", match)
        self.assertEqual(
            (match["state"], [player["failure"] for player in match["players"]]),
            ("over", [None, None]),
        )
        self.assertIn("SECRET of bob, turn 0", bob.skirmish("logs", str(match["id"])))
        matches = json.loads(bob.skirmish("matches", "--bot", "digger", "--json"))
        check("Matches", matches)
        self.assertIn(match["id"], [row["id"] for row in matches["items"]])
        turns = bob.replay(match["id"])
        self.assertEqual(len(turns), match["turns"])
        bob.write("local.py", GATHERER.replace("OWNER", "nobody else"))
        against = (
            "--game",
            "aliens",
            "--against",
            "alice/gatherer",
            "--label",
            "homemade",
            "--map",
            "duel",
            "--json",
        )
        joined = json.loads(
            bob.skirmish("join", self.server.url, *against, "--", "/usr/bin/python3 local.py")
        )
        check("Match", joined)
        self.assertEqual(
            sorted(player["name"] for player in joined["players"]),
            ["gatherer", "homemade (bob, remote)"],
        )
        self.assertEqual(
            (joined["state"], [player["failure"] for player in joined["players"]]),
            ("over", [None, None]),
        )

    def join_with_curl(self):
        """alice creates an API token for a program, and plays in a seat with curl.

        She plays in person, because one call of curl per answer may take longer than a bot's turn.
        """
        alice = self.alice
        made = alice.ask("POST", "/api/v1/tokens", {"name": "laptop", "days": 1}, status=201).json
        self.assertEqual(
            [token["name"] for token in alice.get("/api/v1/tokens")["items"]], ["laptop"]
        )
        player = Visitor(self.server.url, os.path.join(self.directory, "laptop"))
        player.token = made["token"]
        match_request = {
            "game": "aliens",
            "opponents": ["house/aliens-random"],
            "map": "duel",
            "person": True,
            "turn_time": 600000,
        }
        joined = player.ask("POST", "/api/v1/join", match_request, status=201).json
        self.assertEqual(sum(one["joined"] for one in joined["players"]), 1)
        sent = received = b""
        for _, name, data in player.watch(f"/api/v1/join/{joined['seat']}/events"):
            if name == "view":
                received += base64.b64decode(data["bytes"])
                while received.count(b"\n") > sent.count(b"\n"):
                    player.write("answer", "[]\n")
                    at = f"/api/v1/join/{joined['seat']}/answers?run={data['run']}&at={len(sent)}"
                    player.ask("POST", at, file="answer", status=204)
                    sent += b"[]\n"
            if name == "end":
                break
        found = player.wait_over(joined["match"])
        own = [one for one in found["players"] if one["name"] == "alice (in person)"][0]
        self.assertEqual(
            (data, found["state"], own["failure"]),
            ({"match": joined["match"], "state": "over"}, "over", None),
        )
        self.assertEqual(received.count(b"\n"), found["turns"])
        self.assertEqual(len(player.replay(joined["match"])), found["turns"])
        alice.ask("DELETE", f"/api/v1/tokens/{made['id']}", status=204)
        player.ask("GET", "/api/v1/me", status=401)

    def run_a_knockout(self):
        self.olga.register()
        plan = {
            "name": "Evening cup",
            "game": "aliens",
            "format": "knockout",
            "games": 2,
            "maps": ["duel"],
            "seed": 4,
        }
        self.olga.ask("POST", "/api/v1/tournaments", plan, status=403)
        self.admin.log_in(self.server.password)
        changed = self.admin.ask("PATCH", "/api/v1/admin/accounts/olga", {"role": "organiser"}).json
        self.assertEqual(changed["role"], "organiser")
        made = self.olga.ask("POST", "/api/v1/tournaments", plan, status=201)
        cup = made.headers["location"]
        bots = {
            "ceewalker": self.alice,
            "nodewalker": self.alice,
            "gatherer": self.alice,
            "climber": self.alice,
            "digger": self.bob,
        }
        for bot, visitor in bots.items():
            visitor.ask("POST", cup + "/entrants", {"owner": visitor.name, "bot": bot}, status=201)
        self.stranger.ask(
            "POST", cup + "/entrants", {"owner": "alice", "bot": "rubywalker"}, status=401
        )
        self.olga.ask("PUT", cup + "/seeding", {"bots": ["bob/digger", "alice/climber"]})
        self.assertEqual(self.olga.ask("POST", cup + "/start").json["state"], "running")
        over = self.stranger.wait(cup, lambda found: found["state"] != "running")
        self.assertEqual((over["state"], over["entrants"], over["organiser"]), ("over", 5, "olga"))
        self.check_bracket(self.stranger.get(cup + "/standings"), bots)
        rows = self.stranger.get(over["links"]["matches"] + "&limit=200")["items"]
        self.assertEqual({row["state"] for row in rows}, {"over"})
        self.assertEqual({row["kind"] for row in rows}, {"tournament"})
        self.assertIn("digger", self.stranger.ask("GET", cup + "/standings.csv").body.decode())
        self.assertIn("Evening cup", self.stranger.ask("GET", cup + "/report.html").body.decode())
        self.assertEqual(len(self.stranger.get(cup + "/entrants")["items"]), 5)

    def check_bracket(self, standings, bots):
        """Five bots in a bracket of eight: three byes, four matches, one bot never eliminated."""
        self.assertTrue(standings["finished"])
        names = {row["bot"]: row["name"].rpartition("/")[2] for row in standings["bots"]}
        self.assertEqual(set(names.values()), set(bots))
        games = standings["bracket"]
        self.assertEqual((len(games), sum(game["bye"] for game in games)), (7, 3))
        lost = []
        for game in games:
            bots_of_game = [place["bot"] for place in game["places"] if place["bot"] is not None]
            self.assertIn(game["winner"], bots_of_game)
            lost += [bot for bot in bots_of_game if bot != game["winner"]]
        last = max(games, key=lambda game: game["round"])
        self.assertEqual(sorted(lost + [last["winner"]]), sorted(names))
        self.assertEqual(
            [row["bot"] for row in standings["bots"] if row["place"] == 1], [last["winner"]]
        )
        self.assertNotEqual(names[last["winner"]], "climber", "it leaves every match")

    def ladder_row(self, bot, ready):
        """Waits until ready(row) is true for one of alice's bots; returns the row."""

        def row(found):
            return next(
                (row for row in found["items"] if (row["owner"], row["bot"]) == ("alice", bot)),
                None,
            )

        return row(
            self.stranger.wait(
                "/api/v1/ladders/aliens", lambda found: row(found) and ready(row(found))
            )
        )

    def climb_the_ladder(self):
        self.admin.ask("PATCH", "/api/v1/admin/settings", {"ladder": True})
        low = self.ladder_row("climber", lambda row: row["matches"] >= 2)
        self.assertEqual((low["version"], low["lost"]), (self.first_climber, low["matches"]))
        second = self.alice.upload("climber", "better.py", GATHERER.replace("OWNER", "alice"))
        high = self.ladder_row(
            "climber", lambda row: row["version"] == second and row["matches"] >= 2
        )
        self.assertGreater(high["rating"], low["rating"])
        for bot in ("ceewalker", "nodewalker", "rubywalker", "gatherer"):
            row = self.ladder_row(bot, lambda row: row["matches"] > 0)
            self.assertEqual(row["won"] + row["drawn"] + row["lost"], row["matches"])
        history = self.stranger.get("/api/v1/ladders/aliens/bots/alice/climber")["items"]
        self.assertEqual({point["version"] for point in history}, {self.first_climber, second})
        name, event = next(self.stranger.watch("/api/v1/ladders/aliens/live"))[1:]
        self.assertEqual((name, event["game"]), ("ratings", "aliens"))
        Visitor.document.schemas.check("Ladder", {"items": event["items"], "next": None})
        played = self.stranger.get("/api/v1/matches?game=aliens&kind=ladder&limit=1")["items"][0]
        self.stranger.replay(self.stranger.wait_over(played["id"])["id"])

    def read_the_audit_log(self):
        self.alice.ask("GET", "/api/v1/admin/audit", status=403)
        entries = self.admin.get("/api/v1/admin/audit?limit=200")["items"]
        done = {(deed["person"], deed["action"]) for deed in entries}
        for person, actions in {
            "alice": (
                "account.register",
                "bot.add",
                "version.add",
                "version.activate",
                "token.make",
                "token.revoke",
                "tournament.enter",
            ),
            "bob": (
                "account.register",
                "bot.add",
                "version.add",
                "version.activate",
                "token.make",
                "tournament.enter",
            ),
            "olga": ("account.register", "tournament.create", "tournament.start"),
            "admin": ("account.role",),
        }.items():
            for action in actions:
                self.assertIn((person, action), done)
        text = json.dumps(entries)
        for secret in (PASSWORD, self.server.password, self.bob.token):
            self.assertNotIn(secret, text)

    def use_what_is_left(self):
        """Calls the operations of the document that have not been checked yet."""
        alice, olga, admin = self.alice, self.olga, self.admin
        found = alice.get("/api/v1/bots/alice/climber/versions")["items"]
        self.assertEqual([(one["number"], one["active"]) for one in found], [(2, True), (1, False)])
        self.assertTrue(
            alice.ask("PATCH", "/api/v1/bots/alice/climber", {"published": True}).json["published"]
        )
        self.assertIn(
            b"SECRET", self.stranger.ask("GET", f"/api/v1/versions/{found[0]['id']}/source").body
        )
        used = alice.get("/api/v1/me/disk")["used"]
        alice.ask("DELETE", f"/api/v1/versions/{found[1]['id']}", status=204)
        self.assertLess(alice.get("/api/v1/me/disk")["used"], used)
        name, size = next(self.stranger.watch("/api/v1/queue/live"))[1:]
        self.assertEqual(name, "size")
        Visitor.document.schemas.check("Queue", size)
        name, news = next(self.stranger.watch("/api/v1/activity/live"))[1:]
        Visitor.document.schemas.check("Activity" + name.capitalize(), news)
        rival = self.stranger.get("/api/v1/bots/alice/climber/opponents")["items"][0]
        rivalry = f"/api/v1/bots/alice/climber/opponents/{rival['owner']}/{rival['name']}"
        self.assertGreaterEqual(self.stranger.get(rivalry)["matches"], rival["matches"])
        self.stranger.get("/api/v1/people/alice/achievements")
        number = self.stranger.get("/api/v1/matches?state=over&limit=1")["items"][0]["id"]
        analysis = f"/api/v1/matches/{number}/analysis"
        self.assertIsNone(self.stranger.get(analysis)["state"])
        self.assertIn(admin.ask("POST", analysis, status=202).json["state"], ("waiting", "running"))
        picture = self.stranger.ask("GET", f"/api/v1/matches/{number}/picture")
        self.assertTrue(picture.body.startswith(b"\x89PNG"))
        match_request = {"game": "aliens", "opponents": ["bob/digger"]}
        seat = alice.ask("POST", "/api/v1/join", match_request, status=201).json
        alice.ask("DELETE", f"/api/v1/join/{seat['seat']}", status=204)
        self.assertIn(alice.wait_over(seat["match"])["state"], ("over", "called_off"))
        self.manage_another_cup()
        self.manage_accounts()
        new = PASSWORD + " staple"
        olga.ask(
            "PUT", "/api/v1/me/password", {"password": PASSWORD, "new_password": new}, status=204
        )
        olga.log_in(new)
        phone = Visitor(self.server.url, os.path.join(self.directory, "phone"), "olga")
        phone.log_in(new)
        other = [one["id"] for one in olga.get("/api/v1/sessions")["items"] if not one["current"]]
        self.assertEqual(len(other), 1, "the new password ended the others")
        olga.ask("DELETE", f"/api/v1/sessions/{other[0]}", status=204)
        phone.ask("GET", "/api/v1/me", status=401)
        olga.ask("DELETE", "/api/v1/sessions", status=204)
        olga.ask("GET", "/api/v1/me", status=401)
        admin.ask("DELETE", "/api/v1/admin/accounts/olga", status=204)
        self.stranger.ask("GET", "/api/v1/people/olga", status=404)

    def manage_another_cup(self):
        alice, olga = self.alice, self.olga
        plan = {"name": "Morning cup", "game": "aliens", "format": "round-robin"}
        cup = olga.ask("POST", "/api/v1/tournaments", plan, status=201).headers["location"]
        self.assertEqual(olga.ask("PUT", cup, {**plan, "games": 500}).json["games"], 500)
        self.assertIsNone(olga.ask("PUT", cup + "/starts", {"starts": None}).json["starts"])
        alice.ask("POST", cup + "/entrants", {"owner": "alice", "bot": "gatherer"}, status=201)
        alice.ask("DELETE", cup + "/entrants/alice/gatherer", status=204)
        for bot in ("gatherer", "climber"):
            alice.ask("POST", cup + "/entrants", {"owner": "alice", "bot": bot}, status=201)
        olga.ask("POST", cup + "/start")
        self.assertIn(next(self.stranger.watch(cup + "/live"))[1], ("match", "standings"))
        olga.ask("POST", cup + "/call-off")
        names = {
            row["name"]: row["state"] for row in self.stranger.get("/api/v1/tournaments")["items"]
        }
        self.assertEqual(names, {"Evening cup": "over", "Morning cup": "called-off"})

    def manage_accounts(self):
        admin = self.admin
        admin.ask("PATCH", "/api/v1/admin/settings", {"registration": "invitation"})
        self.assertEqual(admin.get("/api/v1/admin/settings")["registration"], "invitation")
        carol = Visitor(self.server.url, os.path.join(self.directory, "carol"), "carol")
        carol.ask("POST", "/api/v1/register", {"name": "carol", "password": PASSWORD}, status=403)
        (worker,) = admin.get("/api/v1/admin/workers")["items"]
        worker = admin.ask(
            "PATCH", f"/api/v1/admin/workers/{worker['name']}", {"wanted": "play"}
        ).json
        self.assertEqual(worker["state"], "running")
        made = admin.ask(
            "POST", "/api/v1/admin/invitations", {"note": "for carol", "uses": 2}, status=201
        ).json
        account = {"name": "carol", "password": PASSWORD, "invitation": made["code"]}
        carol.ask("POST", "/api/v1/register", account, status=201)
        self.assertEqual(
            [one["left"] for one in admin.get("/api/v1/admin/invitations")["items"]], [1]
        )
        admin.ask("DELETE", f"/api/v1/admin/invitations/{made['id']}", status=204)
        names = {one["name"] for one in admin.get("/api/v1/admin/accounts")["items"]}
        self.assertLessEqual({"admin", "alice", "bob", "carol", "olga"}, names)
        self.assertEqual(admin.get("/api/v1/admin/accounts/carol")["state"], "active")
        given = admin.ask("POST", "/api/v1/admin/accounts/carol/password").json["password"]
        carol.ask("GET", "/api/v1/me", status=401)
        carol.log_in(given)
        change = {"password": given, "new_password": PASSWORD}
        carol.ask("PUT", "/api/v1/me/password", change, status=204)
        carol.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "short"}, status=201)
        version = carol.upload("short", "short.py", "input()\nprint('[]')\n")
        unpacked = os.path.join(self.data, "versions", str(version))
        self.assertTrue(os.path.exists(unpacked))
        carol.ask("DELETE", "/api/v1/me", {"password": PASSWORD}, status=204)
        self.assertFalse(os.path.exists(unpacked))
        carol.ask("GET", "/api/v1/me", status=401)

    def log_out(self):
        self.alice.ask("POST", "/api/v1/logout", status=204)
        self.alice.ask("GET", "/api/v1/me", status=401)
        self.alice.log_in(PASSWORD)
        self.alice.ask("DELETE", "/api/v1/bots/alice/rubywalker", status=204)
        self.stranger.ask("GET", "/api/v1/bots/alice/rubywalker", status=404)
        self.bob.skirmish("logout")
        self.bob.ask("GET", "/api/v1/me", status=401)
        self.assertEqual(Visitor.document.unchecked(), [])
        self.assertLessEqual(
            {"start", "turn", "end", "size", "ratings", "view"}, Visitor.document.seen
        )
        self.assertIn("skirmish_", self.stranger.ask("GET", "/metrics").body.decode())

    def stop(self):
        self.seen |= join_server.descendants(self.server.process.pid)
        self.assertGreaterEqual(len(self.seen), 2, "there are two runners at least")
        self.assertEqual(self.server.stop(), (0, []))
        self.assertEqual(self.seen & set(join_server.processes()), set(), "they are still there")
        self.assertEqual(join_server.groups(pid for pid, _ in self.seen), [])
        self.assertEqual(os.listdir(os.path.join(self.data, "run")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
