"""The viewer on this machine: `skirmish replay view` and `skirmish play --view`. Its page is tested
in a browser by web/tests/local.test.mjs; here it is a file without scripts."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import arena


class View(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("web"))
        self.write("web/index.html", "<html><head><title>Page</title></head></html>")
        self.write("web/script.js", "script")
        self.environment["SKIRMISH_WEB"] = self.path("web")
        for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)

    def record(self):
        self.play("aliens", "--seed", "3", "--replay", "match.skr", "house:random", "house:random")
        with open(self.path("match.skr"), "rb") as file:
            return file.read()

    def start(self, *arguments):
        """Starts a command and returns the address that it prints."""
        self.process = subprocess.Popen(
            [arena.SKIRMISH, *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.end)
        self.printed = ""
        for line in self.process.stdout:
            self.printed += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/local/[0-9a-f]{32}$", line.rstrip()):
                return found[0]
        self.fail(f"no address in {self.printed!r}")

    def end(self):
        """Stops the command like Ctrl-C, and returns its status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.stdout.close()
        status = self.process.wait(30)
        until = time.monotonic() + 30
        while self.runs(self.path("browser")) and time.monotonic() < until:
            time.sleep(0.01)  # the browser exits by itself
        self.assert_no_processes_left()
        return status

    def get(self, address, host=None):
        """The status and body of a response; b"" for a stream, because it has no end."""
        request = urllib.request.Request(address, headers={"Host": host} if host else {})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                stream = answer.headers["Content-Type"] == "text/event-stream"
                return answer.status, b"" if stream else answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def state(self, address):
        with urllib.request.urlopen(address + "/events", timeout=30) as events:
            for line in events:
                if line.startswith(b"data:"):
                    return json.loads(line.removeprefix(b"data:"))
        return self.fail("no state was sent")

    def test_a_replay_is_served_with_the_pages_until_ctrl_c(self):
        replay = self.record()
        address = self.start("replay", "view", "match.skr")
        status, page = self.get(address)
        self.assertEqual(status, 200)
        self.assertIn(b'<meta name="skirmish-local"', page)
        state = self.state(address)
        self.assertEqual((state["title"], state["game"]), ("match.skr", "Aliens"))
        number = state["matches"][0]["replay"]
        self.assertEqual(self.get(f"{address}/replays/{number}"), (200, replay))
        self.assertEqual(self.get(f"{address}/replays/{number + 1}")[0], 404)
        root = address.split("/local/")[0]
        self.assertEqual(self.get(root + "/script.js"), (200, b"script"))
        self.assertEqual(self.get(root + "/")[0], 404, "there is no arena")
        self.assertEqual(self.get(root + "/index.html")[0], 404)
        self.assertEqual(self.end(), 0)

    def test_other_users_cannot_read_the_viewed_replay(self):
        self.record()
        address = self.start("replay", "view", "match.skr")
        wrong = address[:-1] + ("0" if address[-1] != "0" else "1")
        for path in ("", "/events", "/replays/0"):
            with self.subTest(path=path):
                self.assertEqual(self.get(wrong + path)[0], 404, "another token")
                self.assertEqual(self.get(address[:-1] + path)[0], 404, "part of the token")
                self.assertEqual(self.get(address + path, "evil.example")[0], 421)
        self.assertEqual(self.get(address + "/replays/0", "localhost")[0], 200)

    def test_a_match_can_be_viewed_when_it_is_over(self):
        address = self.start(
            "play", "aliens", "--seed", "3", "--view", "house:random", "house:random"
        )
        self.assertIn("aliens, seed 3", self.printed)
        number = self.state(address)["matches"][0]["replay"]
        status, replay = self.get(f"{address}/replays/{number}")
        self.assertEqual((status, replay[:16]), (200, b"SKIRMISH REPLAY\n"))
        self.assertEqual(self.end(), 0)
        self.assertEqual(sorted(os.listdir(self.directory)), ["web"], "no file is left")
        with open(self.path("viewed.skr"), "wb") as file:
            file.write(replay)
        self.assertIn(
            "verified: aliens, seed 3", self.run_skirmish("replay", "verify", "viewed.skr").out
        )

    def test_a_viewed_match_can_also_be_kept(self):
        address = self.start(
            *("play", "aliens", "--seed", "3", "--view", "--replay", "kept.skr"),
            *("house:random", "house:random"),
        )
        self.assertEqual(self.state(address)["title"], "kept.skr")
        with open(self.path("kept.skr"), "rb") as file:
            self.assertEqual(self.get(address + "/replays/0"), (200, file.read()))

    def test_a_port_in_use_is_reported(self):
        self.record()
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            done = self.run_skirmish("replay", "view", "match.skr", "--port", port)
            self.assertEqual(done.status, 2)
            self.assertIn(f"cannot listen on 127.0.0.1 port {port}: Address already", done.err)
            self.assertIn("choose another port with --port", done.err)
        address = self.start("replay", "view", "match.skr", "--port", port)
        self.assertIn(f":{port}/", address)

    def test_the_browser_opens_the_address(self):
        self.record()
        self.write("browser", f'#!/bin/sh\nprintf %s "$1" >{self.path("new")}\nmv new opened\n')
        os.chmod(self.path("browser"), 0o755)
        self.environment["BROWSER"] = self.path("browser")
        address = self.start("replay", "view", "match.skr")
        until = time.monotonic() + 30
        while not os.path.exists(self.path("opened")) and time.monotonic() < until:
            time.sleep(0.01)
        with open(self.path("opened"), encoding="utf-8") as file:
            self.assertEqual(file.read(), address)
        self.end()
        os.remove(self.path("opened"))
        self.start("replay", "view", "match.skr", "--no-open")
        self.end()
        self.assertFalse(os.path.exists(self.path("opened")))

    def test_mistakes_are_reported(self):
        self.record()
        self.write("text.skr", "no replay")
        both = ("house:random", "house:random")
        for arguments, message in (
            (("replay", "view"), "view: expected one FILE"),
            (("replay", "view", "match.skr", "--port", "70000"), "--port must be a whole number"),
            (("replay", "view", "missing.skr"), "missing.skr: cannot be opened"),
            (("replay", "view", "text.skr"), "text.skr"),
            (("play", "aliens", "--view", "--json", *both), "--json cannot be combined with"),
            (("play", "aliens", "--port", "1", *both), "--port and --no-open require --view"),
        ):
            with self.subTest(arguments=arguments):
                done = self.run_skirmish(*arguments)
                self.assertEqual(done.status, 2)
                self.assertIn(message, done.err)
        self.environment["SKIRMISH_WEB"] = self.path("nowhere")
        done = self.run_skirmish("replay", "view", "match.skr")
        self.assertEqual(done.status, 2)
        self.assertIn("web files in", done.err)


if __name__ == "__main__":
    arena.main()
