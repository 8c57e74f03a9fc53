"""No request waits for a match, a build or a password hash.

Each test calls every route while one of these runs, and requires that it still runs when all routes
have responded.
"""

import http.client
import io
import json
import os
import select
import unittest
import zipfile

from accounts_server import Person
from matches_server import Arena

LOGINS = 60  # about as many as the arena queues

IDLER = "import sys\nfor line in sys.stdin:\n    print('[]', flush=True)\n"
# Both poll for a file and end when it exists.
GATED_BOT = "import os, time\nwhile not os.path.exists(%r):\n    time.sleep(0.05)\n"
GATED_BUILD = "touch %s.begun; until [ -e %s ]; do sleep 0.05; done"


class Waiting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arena = Arena("--jobs", "1", "--ladder", "off")
        cls.addClassCleanup(cls.arena.close)
        cls.arena.seed("account", "ada", "2", "skt_ada")
        cls.arena.start()
        cls.ada = Person(cls.arena)
        cls.ada.token = "skt_ada"
        cls.bots = 0
        seats = [{"bot": "house/aliens-medium"}, {"language": "python", "source": IDLER}]
        cls.match = cls.ask("POST", "/api/v1/matches", {"game": "aliens", "seats": seats}, 201)[
            "id"
        ]
        cls.arena.wait_over(cls.match)
        cls.tournament = cls.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": "Cup", "game": "aliens", "format": "knockout", "seed": 1},
            201,
        )["id"]
        path = "/api/v1/tournaments/%d" % cls.tournament
        for bot in ("aliens-medium", "aliens-random"):
            cls.ask("POST", path + "/entrants", {"owner": "house", "bot": bot}, 201)
        cls.ask("POST", path + "/start")
        cls.arena.wait(lambda: cls.ask("GET", path)["state"] == "over")
        cls.version = cls.upload(cls.make_bot(), "/bin/true")
        cls.wait_built(cls.version)
        cls.document = cls.ask("GET", "/api/v1/openapi.json")

    # ---- requests ----

    @classmethod
    def ask(cls, method, path, body=None, status=200, headers=None):
        cls.ada.move()
        answer = cls.ada.ask(method, path, body, headers)
        assert answer.status == status, (method, path, answer.status, answer.body)
        return answer.json

    @classmethod
    def make_bot(cls):
        cls.bots += 1
        cls.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "bot-%d" % cls.bots}, 201)
        return "bot-%d" % cls.bots

    @classmethod
    def upload(cls, bot, build):
        """Uploads an archive with this build command; returns the id of the version."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("bot.py", IDLER)
            archive.writestr("bot.json", json.dumps({"build": build, "run": "exec python3 bot.py"}))
        return cls.ask(
            "POST",
            "/api/v1/bots/ada/%s/versions?file_name=bot.zip" % bot,
            out.getvalue(),
            201,
            {"Content-Type": "application/octet-stream"},
        )["id"]

    @classmethod
    def build_of(cls, version):
        return cls.ask("GET", "/api/v1/versions/%d" % version)["build"]

    @classmethod
    def wait_built(cls, version):
        cls.arena.wait(lambda: cls.build_of(version) != "waiting")
        assert cls.build_of(version) == "good", cls.ada.ask(
            "GET", "/api/v1/versions/%d/log" % version
        ).body

    def begin_stream(self, path):
        """Reads only the head, since a stream has no end. One that has ended may be gone."""
        connection = http.client.HTTPConnection("127.0.0.1", self.arena.port, timeout=60)
        try:
            connection.request("GET", path)
            self.assertIn(connection.getresponse().status, (200, 204, 404), path)
        finally:
            connection.close()

    def ask_everything(self):
        """Calls every GET route of the document, and a few routes that change something."""
        values = {
            "person": "ada",
            "owner": "ada",
            "bot": "bot-1",
            "opponent_owner": "house",
            "opponent": "aliens-random",
            "version": self.version,
            "match": self.match,
            "seat": 1,
            "game": "aliens",
            "tournament": self.tournament,
        }
        requests = 0
        for pattern, operations in self.document["paths"].items():
            if "get" not in operations or pattern.startswith(
                "/api/v1/join/"
            ):  # these routes wait for a bot
                continue
            path = pattern.format(**values)
            if "text/event-stream" in operations["get"]["responses"]["200"]["content"]:
                self.begin_stream(path)
            else:
                self.ask("GET", path)
            requests += 1
        self.assertGreater(requests, 30)
        self.ask("GET", "/healthz")
        self.ask("GET", "/metrics")
        self.upload(self.make_bot(), "/bin/true")
        self.ask(
            "POST",
            "/api/v1/tournaments",
            {"name": "Next cup", "game": "aliens", "format": "swiss", "seed": 1},
            201,
        )

    # ---- the tests ----

    def gate(self, name):
        """Returns a path that does not exist. A cleanup creates it when the test ends."""
        path = os.path.join(self.arena.directory, name)
        self.addCleanup(self.open_gate, path)
        return path

    def open_gate(self, path):
        with open(path, "w"):
            pass

    def test_responses_do_not_wait_for_a_match(self):
        gate = self.gate("match")
        game = {
            "game": "planetwars",
            "seats": [
                {"language": "python", "source": GATED_BOT % gate},
                {"bot": "house/planetwars-medium"},
            ],
        }
        match = self.ask("POST", "/api/v1/matches", game, 201)["id"]
        before = self.arena.wait(
            lambda: (found := self.ask("GET", "/api/v1/matches/%d" % match))["state"] == "playing"
            and found
        )
        self.ask_everything()
        another = self.ask("POST", "/api/v1/matches", game, 201)
        after = self.ask("GET", "/api/v1/matches/%d" % match)
        self.assertEqual((after["state"], after["started"]), ("playing", before["started"]))
        self.assertEqual(another["state"], "waiting")
        self.open_gate(gate)
        for number in (match, another["id"]):
            self.assertEqual(self.arena.wait_over(number)["state"], "over")

    def test_responses_do_not_wait_for_a_build(self):
        gate = self.gate("build")
        version = self.upload(self.make_bot(), GATED_BUILD % (gate, gate))
        self.arena.wait(lambda: os.path.exists(gate + ".begun"))
        self.ask_everything()
        self.assertEqual(self.build_of(version), "waiting")
        self.open_gate(gate)
        self.wait_built(version)

    def test_responses_do_not_wait_for_a_password_hash(self):
        waiting = []
        for number in range(LOGINS):
            connection = http.client.HTTPConnection(
                "127.0.0.1",
                self.arena.port,
                timeout=60,
                source_address=("127.9.0.%d" % (number + 1), 0),
            )
            self.addCleanup(connection.close)
            connection.request(
                "POST",
                "/api/v1/login",
                json.dumps({"name": "nobody-%d" % number, "password": "x" * 20}),
                {"Content-Type": "application/json"},
            )
            waiting.append(connection)
        self.ask_everything()
        answered, _, _ = select.select([connection.sock for connection in waiting], [], [], 0)
        print(len(answered), "of", LOGINS, "hashes were done")
        self.assertLess(len(answered), LOGINS, "all hashes were done before the last answer came")
        for connection in waiting:
            self.assertEqual(connection.getresponse().status, 401)


if __name__ == "__main__":
    unittest.main()
