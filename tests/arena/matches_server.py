"""An arena for a test: seeded, started on a free port, stopped, and checked for leftovers."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from problem_text import check_problem

SKIRMISH = os.environ["SKIRMISH"]
SEED = os.environ["SEED"]
JSON = {"Content-Type": "application/json"}


class Arena:
    def __init__(self, *options):
        self.directory = tempfile.mkdtemp(prefix="skirmish-arena-")
        self.data = os.path.join(self.directory, "data")
        self.options = options
        self.process = None
        self.port = None

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def seed(self, *words):
        subprocess.run([SEED, self.data, *words], check=True)

    def launch(self):
        """Starts the server without waiting until it is ready."""
        self.log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            [
                SKIRMISH,
                "serve",
                "--port",
                "0",
                "--data",
                self.data,
                "--sandbox",
                "none",
                *self.options,
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def start(self):
        self.launch()
        for line in self.process.stdout:
            found = re.search(r"http://[^:]+:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                return self
        raise RuntimeError("the arena did not start: " + open(self.log.name).read()[-2000:])

    def runners(self):
        """The processes of the runners, by id."""
        found = subprocess.run(
            ["ps", "--ppid", str(self.process.pid), "-o", "pid=,args="],
            capture_output=True,
            text=True,
        ).stdout
        return [int(line.split()[0]) for line in found.splitlines() if " runner " in line]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
        self.process = None

    def stop(self):
        """Stops the server; returns its exit status and the runners that it left running."""
        runners = self.runners()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(120)
        self.process.stdout.close()
        self.log.close()
        self.process = None
        return status, [pid for pid in runners if os.path.exists("/proc/%d" % pid)]

    def close(self):
        if self.process:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    # ---- requests ----

    def ask(self, method, path, body=None, token=None, headers=None):
        """Status, headers and body, which is parsed if it is JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            send = dict(headers or {})
            if token:
                send["Authorization"] = "Bearer " + token
            if body is not None and not isinstance(body, (bytes, str)):
                body = json.dumps(body)
                send.update(JSON)
            connection.request(method, path, body, send)
            answer = connection.getresponse()
            content = answer.read()
            check_problem(answer.headers.get("Content-Type"), content)
            if "json" in answer.headers.get("Content-Type", "") and content:
                content = json.loads(content)
            return answer.status, answer.headers, content
        finally:
            connection.close()

    def get(self, path, **more):
        """The body; waits when a rate limit is reached."""
        while True:
            status, headers, body = self.ask("GET", path, **more)
            if status != 429:
                return body
            time.sleep(int(headers["Retry-After"]))

    def wait(self, what, seconds=120):
        """Waits until what() is true; returns its value."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = what()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError("the condition was not met within %d seconds" % seconds)

    def wait_ladder(self, game, bots=2):
        """Waits until this many bots can play the game."""
        return self.wait(lambda: len(self.get("/api/v1/ladders/" + game)["items"]) >= bots)

    def wait_over(self, match, seconds=120):
        def over():
            found = self.get("/api/v1/matches/%d" % match)
            return found if found["state"] not in ("waiting", "playing") else None

        return self.wait(over, seconds)

    def watch(self, path, until="end", headers=None, seconds=120, began=None):
        """Reads a stream up to an event of that name; returns a list of (id, event, data).

        `until` can also be a function of an event's name and data. Calls `began` when the arena has
        accepted the request.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            assert answer.headers["Content-Type"] == "text/event-stream"
            if began:
                began()
            events, current = [], {}
            for raw in answer:
                line = raw.decode().rstrip("\n")
                if line:
                    field, _, value = line.partition(": ")
                    current[field] = value
                elif "event" in current:
                    events.append(
                        (int(current["id"]), current["event"], json.loads(current["data"]))
                    )
                    ends = until(*events[-1][1:]) if callable(until) else events[-1][1] == until
                    if ends:
                        return events
                    current = {}
                else:
                    current = {}
            return events
        finally:
            connection.close()

    def raw_socket(self, path, receive_buffer):
        """A viewer that does not read."""
        viewer = socket.socket()
        viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        viewer.connect(("127.0.0.1", self.port))
        viewer.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path).encode())
        return viewer
