"""An arena, its clients, and checks of responses against the OpenAPI document.

Shared by the tests of accounts, options and pages.
"""

import ctypes
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from conformance import Schemas
from problem_text import check_problem

SKIRMISH = os.environ.get("SKIRMISH") or sys.exit("SKIRMISH must name the program to test")
START_SECONDS = 60


ADMIN_PASSWORD = "chosen by the first administrator"


def change_initial_password(url, path):
    """Logs in as the administrator with the password in the file, and changes it as required."""
    with open(path) as file:
        first = file.read().strip()

    def ask(method, path, body, **headers):
        request = urllib.request.Request(
            url + path,
            json.dumps(body).encode() if body else None,
            {"Content-Type": "application/json", **headers},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.headers.get("Set-Cookie"), response.read()

    cookie, me = ask("POST", "/api/v1/login", {"name": "admin", "password": first})
    headers = {"Cookie": cookie.split(";")[0], "X-CSRF-Token": json.loads(me)["csrf_token"]}
    body = {"password": first, "new_password": ADMIN_PASSWORD}
    ask("PUT", "/api/v1/me/password", body, **headers)
    ask("POST", "/api/v1/logout", None, **headers)
    return ADMIN_PASSWORD


class Server:
    """`skirmish serve` on a free port. `output` has the lines printed before it was ready.

    `password` is the administrator's, after the initial one was changed; None if this is not the
    first start. The ladder is off by default, because its matches would keep every core busy; with
    `ladder` None, the server uses its own default.
    """

    def __init__(
        self,
        directory,
        *options,
        environment=os.environ,
        ladder="off",
        program=SKIRMISH,
        change_password=True,
    ):
        self.errors = open(os.path.join(directory, "log"), "a+")
        command = [
            program,
            "serve",
            "--port",
            "0",
            "--data",
            os.path.join(directory, "data"),
            "--sandbox",
            "none",
        ]
        self.process = subprocess.Popen(
            command + list(options),
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=directory,
            env={**({"SKIRMISH_LADDER": ladder} if ladder else {}), **environment},
        )
        self.output = []
        for line in self.process.stdout:
            self.output.append(line.rstrip("\n"))
            if line.startswith("The arena is at "):
                self.port = int(line.rsplit(":", 1)[1])
                break
        else:
            self.process.wait()
            raise AssertionError(f"the arena did not start: {self.output} {self.log()}")
        self.password = None
        path = os.path.join(directory, "data", "initial-password")
        if change_password and os.path.exists(path):
            self.password = change_initial_password(f"http://127.0.0.1:{self.port}", path)

    def cpu_seconds(self):
        """The CPU time that the server has used, without its child processes."""
        clock = ctypes.c_int()
        status = ctypes.CDLL(None).clock_getcpuclockid(self.process.pid, ctypes.byref(clock))
        assert status == 0, os.strerror(status)
        return time.clock_gettime(clock.value)

    def log(self):
        self.errors.flush()
        self.errors.seek(0)
        return self.errors.read()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            status = self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        return status


def wait_for(condition, seconds=30):
    """Waits until condition() is true; fails after `seconds`."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"the condition was not met within {seconds} s"
        time.sleep(0.02)


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body
        check_problem(response.headers.get("Content-Type"), body)
        self.json = (
            json.loads(body)
            if body and "json" in response.headers.get("Content-Type", "")
            else None
        )


class Person:
    """A browser, or a program with a token. Each has its own address, for the rate limits."""

    addresses = 1

    def __init__(self, server):
        self.server = server
        self.cookie, self.cookie_name = None, "skirmish_session"
        self.csrf_token = None
        self.token = None
        self.move()

    def move(self):
        Person.addresses += 1
        self.address = f"127.0.{Person.addresses // 250}.{Person.addresses % 250 + 1}"

    def ask(self, method, path, body=None, headers=None, csrf=True):
        given = dict(headers or {})
        if self.cookie:
            given.setdefault("Cookie", f"{self.cookie_name}={self.cookie}")
        if self.csrf_token and csrf:
            given.setdefault("X-CSRF-Token", self.csrf_token)
        if self.token:
            given.setdefault("Authorization", "Bearer " + self.token)
        if body is not None:
            given.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=60, source_address=(self.address, 0)
        )
        try:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            answer = Answer(response, response.read())
        finally:
            connection.close()
        for value in answer.headers.get_all("Set-Cookie") or []:
            found = re.match(r"((?:__Host-)?skirmish_session)=([^;]*)", value)
            if found:
                self.cookie_name, self.cookie = found[1], found[2] or None
        if answer.status < 300 and isinstance(answer.json, dict) and answer.json.get("csrf_token"):
            self.csrf_token = answer.json["csrf_token"]
        return answer

    def register(self, name, password="correct horse", **more):
        return self.ask("POST", "/api/v1/register", dict(name=name, password=password, **more))

    def log_in(self, name, password="correct horse"):
        return self.ask("POST", "/api/v1/login", {"name": name, "password": password})


class ServerTest(unittest.TestCase):
    """One arena for all tests of a class; `admin` is its administrator."""

    maxDiff = None
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        cls.server = None
        try:
            cls.server = Server(cls.directory, *cls.options)
            cls.admin = Person(cls.server)
            assert cls.admin.log_in("admin", cls.server.password).status == 200
            cls.document = cls.admin.ask("GET", "/api/v1/openapi.json").json
            cls.schemas = Schemas(cls.document)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop() if cls.server else 0
        shutil.rmtree(cls.directory)
        assert status == 0, f"the arena ended with {status}"

    def person(self, name=None):
        person = Person(self.server)
        if name:
            answer = person.register(name)
            self.assertEqual(answer.status, 201, answer.body)
            person.name = name
        return person

    def wants(self, answer, status, method=None, pattern=None):
        """Checks the status and, for a named route, the body against the document."""
        self.assertEqual(answer.status, status, answer.body)
        if status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
            return answer.json["detail"]
        if pattern:
            operation = self.document["paths"][pattern][method.lower()]
            content = operation["responses"][str(status)].get("content")
            if content:
                schema = content["application/json"]["schema"]
                self.assertEqual(self.schemas.wrong(answer.json, schema), [])
            else:
                self.assertEqual(answer.body, b"")
        return answer.json

    def does(self, who, status, method, pattern, body=None, **path):
        """Calls a route by its pattern and checks the response against the document."""
        return self.wants(who.ask(method, pattern.format(**path), body), status, method, pattern)


def main():
    unittest.main(verbosity=2)
