"""What the tests that need a terminal share: running skirmish in tmux."""

import subprocess
import time

import arena


class TerminalTest(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        self.socket = self.path("tmux.sock")

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-S", self.socket, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=self.environment,
        ).stdout

    def start(self, *arguments):
        quoted = " ".join("'%s'" % argument for argument in arguments)
        self.tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "100",
            "-y",
            "40",
            f"cd {self.directory}; {arena.SKIRMISH} {quoted}; echo status $?; cat",
        )
        self.addCleanup(self.stop)

    def stop(self):
        """Ends tmux and waits for it and what it ran: they may still write to the directory."""
        self.tmux("kill-server")
        until = time.monotonic() + 30
        while self.leftovers() and time.monotonic() < until:
            time.sleep(0.01)
        self.assert_no_processes_left()

    def wait_for(self, *words, absent=()):
        """Waits until the screen shows all the words and none of the absent ones."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            screen = self.tmux("capture-pane", "-p")
            if all(word in screen for word in words) and not any(word in screen for word in absent):
                return screen
            time.sleep(0.05)
        self.fail(f"the screen never showed {words}:\n{screen}")
