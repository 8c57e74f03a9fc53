"""`skirmish serve` for operators: options from flags, environment and file; start and stop."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import accounts_server
from accounts_server import SKIRMISH, Person, Server

# Rejected options: flags, environment, content of arena.json, and a part of the message.
MISTAKES = [
    (["--colour", "red"], {}, None, 'unknown option "--colour"'),
    (["--port"], {}, None, "option --port requires a value"),
    (["--port", "x"], {}, None, '--port must be a whole number from 0 to 65534, not "x"'),
    (["--port", "65535"], {}, None, "--port must be a whole number"),
    (["--port", "-1"], {}, None, "--port must be a whole number"),
    (["--jobs", "-1"], {}, None, "--jobs must be a whole number"),
    (["--jobs", "0"], {}, None, "only a store on PostgreSQL can have workers; set --store"),
    (
        ["--sandbox", "some"],
        {},
        None,
        '--sandbox: unknown value "some"; known: none, best-effort, strict-except-uid, strict',
    ),
    (
        [],
        {"SKIRMISH_SANDBOX": "strickt"},
        None,
        'SKIRMISH_SANDBOX: unknown value "strickt"; did you mean "strict"?',
    ),
    (
        ["--registration", "ajar"],
        {},
        None,
        '--registration: unknown value "ajar"; known: open, invitation, closed',
    ),
    (
        [],
        {},
        '{\n  "registration": "invitaton"\n}',
        'arena.json:2: "registration": unknown value "invitaton"; did you mean "invitation"?',
    ),
    (["--visitors", "maybe"], {}, None, '--visitors: unknown value "maybe"; known: off, on'),
    (["--visitors", "of"], {}, None, '--visitors: unknown value "of"; did you mean "off"?'),
    (
        ["--libraries", "pyton:json"],
        {},
        None,
        '--libraries: unknown language "pyton"; did you mean "python"?',
    ),
    (["--data", ""], {}, None, "--data must not be empty"),
    (
        ["--host-names", "arena.example.org http://b.example"],
        {},
        None,
        '--host-names: invalid host name "http://b.example"; use the form arena.example.org',
    ),
    (["--http-memory", "8"], {}, None, "--http-memory must be a whole number from 16 to 1048576"),
    (
        ["--http-memory", "100", "--upload-max", "16777216"],
        {},
        None,
        "--http-memory is too small for uploads of 16777216 bytes; use at least 272",
    ),
    (["--proxies", "10.0.0.0/8 nonsense"], {}, None, "--proxies: "),
    (
        ["--people-per-address", "0"],
        {},
        None,
        "--people-per-address must be a whole number from 1 to 10000",
    ),
    (["--libraries", "numpy"], {}, None, "--libraries: expected LANGUAGE:NAME"),
    (["--libraries", "cobol:x"], {}, None, '--libraries: unknown language "cobol"'),
    (["--libraries", "python:x';exit;'"], {}, None, "--libraries: expected LANGUAGE:NAME"),
    (
        [],
        {},
        '{"libraries": ["python:json", "python:no_such_thing"]}',
        'arena.json:1: "libraries": Python cannot import "no_such_thing"',
    ),
    (["--upload-max", "10"], {}, None, "--upload-max must be a whole number from 1024"),
    (["somewhere"], {}, None, 'unexpected argument "somewhere"'),
    (["--config", "missing.json"], {}, None, "cannot read missing.json: No such file"),
    (
        [],
        {"SKIRMISH_PROT": "1"},
        None,
        'unknown environment variable "SKIRMISH_PROT"; did you mean "SKIRMISH_PORT"?',
    ),
    ([], {"SKIRMISH_PORT": "many"}, None, "SKIRMISH_PORT must be a whole number"),
    ([], {"SKIRMISH_LADDER": ""}, None, 'SKIRMISH_LADDER: unknown value ""; known: off, on'),
    ([], {}, '{\n  "prot": 1\n}', 'arena.json:2: unknown field "prot"; did you mean "port"?'),
    ([], {}, '{\n\n  "port": "8080"\n}', 'arena.json:3: "port" must be a number, not a string'),
    ([], {}, '{"port": 8080.5}', 'arena.json:1: "port" must be a whole number'),
    (
        [],
        {},
        '{"port": 99999}',
        'arena.json:1: "port" must be a whole number from 0 to 65534, not "99999"',
    ),
    ([], {}, '{"visitors": "off"}', 'arena.json:1: "visitors" must be true or false'),
    ([], {}, '{"proxies": "10.0.0.0/8"}', 'arena.json:1: "proxies" must be an array'),
    ([], {}, '{"proxies": [1]}', "arena.json:1: expected a string"),
    ([], {}, '{"config": "other.json"}', 'unknown field "config"'),
    ([], {}, '{"port": 1, "port": 2}', "arena.json: line 1"),
    ([], {}, "[]", "arena.json:1: expected a JSON object"),
    ([], {}, "", "arena.json: line 1"),
    ([], {}, '{"data": "a\\u0000b"}', '"data" contains a NUL'),
]


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SKIRMISH_")}
    return dict(kept, **more)


class Serve(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        self.addCleanup(shutil.rmtree, self.directory)

    def write(self, text):
        with open(os.path.join(self.directory, "arena.json"), "w") as file:
            file.write(text)

    def start(self, *options, ladder="off", **variables):
        server = Server(
            self.directory, *options, ladder=ladder, environment=environment(**variables)
        )
        self.addCleanup(server.stop)
        return server

    def start_error(self, options, variables=None, before=()):
        done = subprocess.run(
            [*before, SKIRMISH, "serve", *options],
            cwd=self.directory,
            text=True,
            timeout=60,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**(variables or {})),
        )
        self.assertEqual(done.returncode, 2, (options, done.stdout, done.stderr))
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_invalid_options_are_rejected_with_their_source(self):
        for options, variables, file, sentence in MISTAKES:
            with self.subTest(options=options, variables=variables, file=file):
                if file is not None:
                    self.write(file)
                    options = [*options, "--config", "arena.json"]
                message = self.start_error(options, variables)
                self.assertIn(sentence, message)
                self.assertLessEqual(len(message.splitlines()), 2)
                self.assertFalse(os.path.exists(os.path.join(self.directory, "skirmish-data")))

    def test_flags_override_the_environment_which_overrides_the_file(self):
        self.write(
            json.dumps(
                {
                    "registration": "closed",
                    "visitors": False,
                    "ladder": False,
                    "secure_cookies": True,
                    "data": "not-here",
                    "port": 1,
                    "proxies": ["127.0.0.0/8", "::1"],
                    "host_names": ["arena.example.org", "b.example"],
                    "http_memory": 64,
                    "libraries": ["python:json", "c:m", "python:xml.dom"],
                }
            )
        )
        server = self.start(
            "--config",
            "arena.json",
            "--visitors",
            "on",
            ladder=None,
            SKIRMISH_VISITORS="off",
            SKIRMISH_REGISTRATION="invitation",
        )
        arena = Person(server).ask("GET", "/api/v1/arena").json
        self.assertEqual(
            (arena["registration"], arena["visitors"], arena["ladder"]), ("invitation", True, False)
        )
        languages = Person(server).ask("GET", "/api/v1/languages").json["items"]
        self.assertEqual(
            {one["name"]: one["libraries"] for one in languages if one["libraries"]},
            {"python": ["json", "xml.dom"], "c": ["m"]},
        )
        self.assertFalse(os.path.exists(os.path.join(self.directory, "not-here")))
        admin = Person(server)
        cookie = admin.log_in("admin", server.password).headers["Set-Cookie"]
        self.assertIn("Secure", cookie)
        metrics = admin.ask("GET", "/metrics").body.decode()
        self.assertIn(f"skirmish_http_memory_limit_bytes {64 << 20}\n", metrics)
        # The proxy is trusted, so the client's address is the one that it forwards.
        visitor = Person(server)
        visitor.ask(
            "POST",
            "/api/v1/login",
            {"name": "admin", "password": server.password},
            {"X-Forwarded-For": "203.0.113.9"},
        )
        sessions = admin.ask("GET", "/api/v1/sessions").json["items"]
        self.assertEqual(sessions[0]["address"], "203.0.113.9")

    def test_the_environment_can_name_the_file(self):
        self.write('{"registration": "closed"}')
        server = self.start(SKIRMISH_CONFIG="arena.json")
        self.assertEqual(Person(server).ask("GET", "/api/v1/arena").json["registration"], "closed")

    def test_only_a_proxy_may_name_the_client_address(self):
        server = self.start()
        admin = Person(server)
        admin.ask(
            "POST",
            "/api/v1/login",
            {"name": "admin", "password": server.password},
            {"X-Forwarded-For": "203.0.113.9"},
        )
        self.assertEqual(
            admin.ask("GET", "/api/v1/sessions").json["items"][0]["address"], admin.address
        )

    def test_requests_for_other_host_names_are_rejected(self):
        """Otherwise another site could let its name resolve to this address (DNS rebinding)."""
        for options, own in (((), 421), (("--host-names", "arena.example.org"), 200)):
            server = self.start(*options)
            for host, status in (
                ("127.0.0.1", 200),
                ("localhost:3000", 200),
                ("arena.example.org", own),
                ("evil.example", 421),
            ):
                for path in ("/", "/api/v1/arena", "/metrics"):
                    answer = Person(server).ask("GET", path, headers={"Host": host})
                    self.assertEqual(answer.status, status, (options, host, path))
            self.assertIn("host-names", answer.json["detail"])
            server.stop()

    def test_limits_of_a_shared_address_grow_with_its_people(self):
        # Rejected requests count too.
        counts = []
        for people in (1, 8):
            server = self.start("--people-per-address", str(people))
            visitor = Person(server)
            requests = 0
            while (answer := visitor.ask("POST", "/api/v1/matches", {})).status == 422:
                requests += 1
            self.assertEqual(answer.status, 429)
            self.assertIn("Guest limit reached", answer.json["detail"])
            self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
            counts.append(requests)
            server.stop()
        self.assertLess(counts[0], 8 * 4)
        self.assertGreaterEqual(counts[1], 8 * 4)

    def test_help_names_every_option(self):
        done = subprocess.run(
            [SKIRMISH, "serve", "--help"], text=True, stdout=subprocess.PIPE, check=True
        )
        for word in [
            "config",
            "data",
            "web",
            "address",
            "port",
            "jobs",
            "sandbox",
            "registration",
            "visitors",
            "ladder",
            "host-names",
            "secure-cookies",
            "proxies",
            "libraries",
            "people-per-address",
            "http-memory",
            "upload-max",
            "unpacked-max",
            "bots-max",
            "versions-max",
            "waiting-max",
            "match-seconds",
            "lease-seconds",
            "worker-speed-min",
            "analyses-per-hour",
            "seats-max",
            "keep-days",
            "SKIRMISH_PORT",
        ]:
            self.assertIn(word, done.stdout)

    def test_starting_without_the_sandbox_requires_an_option(self):
        if os.geteuid() != 0:
            self.skipTest("only root can take the control groups away")
        without_groups = [
            "unshare",
            "--mount",
            "sh",
            "-c",
            'umount -R /sys/fs/cgroup && exec "$@"',
            "sh",
        ]
        message = self.start_error(["--port", "0"], before=without_groups)
        self.assertIn("memory", message)
        self.assertIn("no control groups that can limit memory are mounted", message)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "skirmish-data")))

    def test_a_port_in_use_is_reported(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = subprocess.run(
                [SKIRMISH, "serve", "--port", str(port), "--sandbox", "none", "--data", "data"],
                cwd=self.directory,
                env=environment(),
                text=True,
                timeout=60,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"cannot listen on 127.0.0.1 port {port}", done.stderr)

    def test_two_arenas_cannot_share_a_data_directory(self):
        self.start()
        message = self.start_error(["--port", "0", "--sandbox", "none", "--data", "data"])
        self.assertIn("data", message)

    def test_sigint_and_sigterm_stop_it_and_leave_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.start()
            children = f"/proc/{server.process.pid}/task/{server.process.pid}/children"
            with open(children) as file:
                started = [int(word) for word in file.read().split()]
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(120), 0)
            for child in started:
                self.assertFalse(os.path.exists(f"/proc/{child}/stat"), f"{child} is still there")
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.1", server.port), timeout=5)

    def test_metrics_can_be_limited_to_networks_and_administrators(self):
        for option, status in (("none", 403), ("10.0.0.0/8", 403), ("127.0.0.0/8 ::1", 200)):
            server = self.start("--metrics-from", option)
            self.assertEqual(Person(server).ask("GET", "/metrics").status, status, option)
            self.assertEqual(Person(server).ask("GET", "/healthz").status, 200)
            if option == "none":
                admin = self.log_in(server, server.password)
                program = Person(server)
                for scopes, allowed in ((["read"], 403), (["administer"], 200)):
                    made = {"name": scopes[0], "scopes": scopes}
                    program.token = admin.ask("POST", "/api/v1/tokens", made).json["token"]
                    self.assertEqual(program.ask("GET", "/metrics").status, allowed)
            server.stop()
        message = self.start_error(["--metrics-from", "10.0.0.300"])
        self.assertIn("--metrics-from", message)

    # ---- a lost password ----

    def password(self, *arguments, typed="", status=0):
        done = subprocess.run(
            [SKIRMISH, "password", *arguments],
            cwd=self.directory,
            text=True,
            timeout=60,
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return done.stdout if status == 0 else done.stderr

    def log_in(self, server, password, status=200):
        person = Person(server)
        self.assertEqual(person.log_in("admin", password).status, status)
        return person

    def test_a_lost_password_can_be_reset_with_or_without_a_running_arena(self):
        server = self.start()
        admin = self.log_in(server, server.password)
        program = Person(server)
        program.token = admin.ask("POST", "/api/v1/tokens", {"name": "x"}).json["token"]
        self.assertEqual(program.ask("GET", "/api/v1/me").status, 200)
        said = self.password("Admin", "--data", "data")
        fresh = said.split(": ")[1].split()[0]
        self.assertEqual(admin.ask("GET", "/api/v1/me").status, 401)  # the session is revoked
        self.assertEqual(program.ask("GET", "/api/v1/me").status, 401)
        self.log_in(server, server.password, 401)
        # The operator has seen the new password, so it must be changed.
        admin = self.log_in(server, fresh)
        self.assertEqual(admin.ask("GET", "/api/v1/admin/audit").status, 403)
        change = {"password": fresh, "new_password": "one for a while"}
        self.assertEqual(admin.ask("PUT", "/api/v1/me/password", change).status, 204)
        deeds = admin.ask("GET", "/api/v1/admin/audit").json["items"]
        found = [
            (deed["person"], deed["subject"], deed["detail"])
            for deed in deeds
            if deed["action"] == "account.reset"
        ]
        self.assertEqual(found, [(None, "admin", "with skirmish password")])
        self.assertEqual(
            [
                name
                for name in os.listdir(os.path.join(self.directory, "data"))
                if "password" in name
            ],
            [],
        )
        self.assertNotIn(fresh, server.log())
        self.assertEqual(server.process.poll(), None)
        server.stop()
        self.assertEqual(
            self.password("admin", "--data", "data", "--ask", typed="one that I chose\n" * 2),
            "Password of admin changed. All sessions ended, all API tokens revoked.\n",
        )
        server = self.start()
        self.log_in(server, "one for a while", 401)
        admin = self.log_in(server, "one that I chose")
        deeds = admin.ask("GET", "/api/v1/admin/audit").json["items"]
        self.assertEqual(len([deed for deed in deeds if deed["action"] == "account.reset"]), 2)

    def test_a_reset_rejects_unknown_accounts_and_invalid_passwords(self):
        self.assertIn("no arena in nowhere", self.password("admin", "--data", "nowhere", status=2))
        self.assertFalse(os.path.exists(os.path.join(self.directory, "nowhere")))
        server = self.start()
        for runs in (True, False):
            self.assertIn(
                'unknown account "nobody"', self.password("nobody", "--data", "data", status=2)
            )
            self.assertIn(
                "8",
                self.password("admin", "--data", "data", "--ask", typed="short\nshort\n", status=2),
            )
            self.assertIn(
                "the passwords do not match",
                self.password(
                    "admin",
                    "--data",
                    "data",
                    "--ask",
                    typed="one that I chose\nanother one\n",
                    status=2,
                ),
            )
            self.assertIn("name of one account", self.password("--data", "data", status=2))
            if runs:
                self.log_in(server, server.password)
                server.stop()

    def test_invalid_reset_files_are_deleted(self):
        server = self.start()
        path = os.path.join(self.directory, "data", "password.request")
        for text in (
            "",
            "{}",
            '{"account": 1, "password": 5}',
            '{"account": 1, "password": "%s"}' % ("x" * 500),
            "x" * 5000,
            '{"account": 99, "password": "x"}',
        ):
            with open(path + ".new", "w") as file:
                file.write(text)
            os.rename(path + ".new", path)
            accounts_server.wait_for(lambda: not os.path.exists(path))
        self.log_in(server, server.password)


if __name__ == "__main__":
    accounts_server.main()
