"""Helpers of the HTTP tests: a demo server, requests, and raw sockets for misbehaving clients."""

import http.client
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
import unittest

DEMO_SERVER = os.environ.get("DEMO_SERVER") or sys.exit("DEMO_SERVER is not set")
TIMEOUT = 60  # seconds that a test waits for anything

PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """A demo server with these options. Its log is in a file."""

    def __init__(self, files=None, **options):
        """`files`, if given, is the soft and the hard limit on open files."""
        arguments = []
        for name, value in options.items():
            arguments += [name.replace("_", "-"), str(value)]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [DEMO_SERVER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            preexec_fn=files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files)),
        )
        self.port = int(self.process.stdout.readline() or b"0")

    def stop(self):
        """Stops the server and returns its exit status."""
        self.process.stdin.close()
        try:
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()

    def log(self):
        """The lines of the log, parsed as JSON."""
        self.errors.seek(0)
        return [json.loads(line) for line in self.errors.read().splitlines()]

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def ask(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask(
            "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    def open(self, receive_buffer=None):
        """Returns a connected socket."""
        opened = socket.socket()
        if receive_buffer:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        opened.settimeout(TIMEOUT)
        opened.connect(("127.0.0.1", self.port))
        return opened

    def raw(self, *pieces):
        """Sends these bytes and returns everything until the server closes the connection."""
        with self.open() as opened:
            for piece in pieces:
                opened.sendall(piece)
            return read_all(opened)

    def metric(self, name):
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise AssertionError(f"no metric {name}")


def read_all(opened):
    """Reads until the server closes or resets the connection."""
    received = b""
    while True:
        try:
            piece = opened.recv(65536)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def read_until(opened, mark, received=b""):
    while mark not in received:
        piece = opened.recv(65536)
        if not piece:
            raise AssertionError(f"closed before {mark}: {received[-500:]}")
        received += piece
    return received


def wait_until(condition):
    """Polls until condition() is true, for events in another process that it does not announce."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("timed out")
        selectors.DefaultSelector().select(0.01)


class ServerTest(unittest.TestCase):
    maxDiff = None
    options = {}

    def setUp(self):
        self.server = Server(**self.options)
        self.addCleanup(self.server.errors.close)
        self.addCleanup(self.stop)

    def stop(self):
        if self.server.process.stdin.closed:
            return
        status = self.server.stop()
        self.server.errors.seek(0)
        self.assertEqual(status, 0, self.server.errors.read()[-3000:])

    def assert_problem(self, answer, status, *words):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        members = {"type", "title", "status", "detail", "request"}
        self.assertEqual(set(answer.json) - {"errors"}, members)
        self.assertEqual(answer.json["status"], status)
        self.assertRegex(answer.json["title"], r"^[A-Z][A-Za-z -]*$")
        self.assertRegex(answer.json["detail"], r"^[A-Z].*[.?]$")
        for word in words:
            self.assertIn(word, answer.json["detail"])
        self.assert_protected(answer)

    def assert_protected(self, answer):
        for name, value in PROTECTION.items():
            self.assertEqual(answer.headers.get_all(name), [value])
        self.assertIn("frame-ancestors 'none'", answer.headers["Content-Security-Policy"])
