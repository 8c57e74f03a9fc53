"""A server of the bot routes, and requests whose responses are checked against its document."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from conformance import Schemas
from problem_text import check_problem

BOTS_ARENA = os.environ.get("BOTS_ARENA") or sys.exit("BOTS_ARENA must name the server to test")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        check_problem(self.headers.get("Content-Type"), self.body)

    @property
    def json(self):
        return json.loads(self.body)


class BotsTest(unittest.TestCase):
    """A server with its own data directory.

    ann and ben are players, olga is an organiser, ada an administrator.
    """

    options = ()
    maxDiff = None

    def setUp(self):
        self.data = tempfile.mkdtemp(prefix="skirmish-bots-")
        self.addCleanup(shutil.rmtree, self.data)
        self.server = None
        self.start()

    def start(self):
        self.server = subprocess.Popen(
            [BOTS_ARENA, self.data, *self.options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.stop)
        self.port = int(self.server.stdout.readline())
        self.schemas = Schemas(self.ask("GET", "/api/v1/openapi.json").json)

    def stop(self):
        if self.server:
            self.server.stdin.close()
            self.assertEqual(self.server.wait(60), 0)
            self.server.stdout.close()
            self.server = None

    def ask(self, method, path, body=None, who=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = dict(headers or {})
        if who:
            headers["X-Test-Account"] = who
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def check(self, answer, status, schema=None):
        self.assertEqual(answer.status, status, answer.body)
        if status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
            self.assertGreater(len(answer.json["detail"]), 10)
            schema = "Problem"
        if schema:
            self.schemas.check(schema, answer.json)
        return answer

    def add_bot(self, name="striker", who="ann", game="aliens"):
        return self.check(
            self.ask("POST", "/api/v1/bots", {"game": game, "name": name}, who), 201, "BotDetail"
        ).json

    def upload(self, file_name, content, bot="striker", who="ann"):
        content = content.encode() if isinstance(content, str) else content
        return self.ask(
            "POST",
            f"/api/v1/bots/ann/{bot}/versions?file_name={urllib.parse.quote(file_name)}",
            content,
            who,
        )

    def build(self):
        self.check(self.ask("POST", "/test/build"), 200)

    def version(self, number, who="ann"):
        return self.check(
            self.ask("GET", f"/api/v1/versions/{number}", who=who), 200, "Version"
        ).json

    def left_over(self):
        """Incomplete directories; there must be none between requests."""
        return [
            name for name in os.listdir(os.path.join(self.data, "versions")) if name.startswith(".")
        ]
