"""An arena for test_tournaments.py: started on a free port, stopped with SIGTERM."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from problem_text import check_problem

WAIT = 120


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        check_problem(headers.get("Content-Type"), body)

    @property
    def json(self):
        return json.loads(self.body)


class Arena:
    def __init__(self, seed):
        self.directory = tempfile.mkdtemp(prefix="skirmish-tournaments-")
        self.data = os.path.join(self.directory, "data")
        subprocess.run([seed, self.data], check=True, timeout=WAIT)
        self.process = None
        self.address = 1
        self.start()

    def move(self):
        """Sends further requests from another address: rate limits are per address."""
        self.address += 1

    def start(self):
        self.log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            [
                os.environ["SKIRMISH"],
                "serve",
                "--port",
                "0",
                "--data",
                self.data,
                "--sandbox",
                "none",
                "--ladder",
                "off",
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        for line in self.process.stdout:
            found = re.search(r"http://[^:]+:(\d+)", line)
            if found:
                self.port = int(found[1])
                return
        raise RuntimeError("the arena did not start: " + open(self.log.name).read())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(WAIT)
        self.process.stdout.close()
        self.log.close()
        return self.process.returncode

    def close(self):
        status = self.stop()
        shutil.rmtree(self.directory)
        return status

    def connect(self):
        source = (f"127.0.0.{self.address}", 0)
        return http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=WAIT, source_address=source
        )

    def ask(self, *request, **more):
        """Like ask_once, but waits when the account reaches a rate limit."""
        while True:
            answer = self.ask_once(*request, **more)
            if answer.status != 429:
                return answer
            time.sleep(int(answer.headers["Retry-After"]))

    def ask_once(self, method, path, body=None, who=None, headers=()):
        """Sends a request. `who` is a name in tournaments_seed.c, or None for a visitor."""
        connection = self.connect()
        sent = dict(headers)
        if who:
            sent["Authorization"] = f"Bearer skt_{who}{0:032d}"
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()
