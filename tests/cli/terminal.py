"""Runs skirmish in tmux, for the tests that need a terminal."""

import subprocess
import time

import arena


class TerminalTest(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        self.socket = self.path("tmux.sock")
        self.started = False
        self.afterwards = ""  # commands for the shell after the program has exited

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-S", self.socket, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=self.environment,
        ).stdout

    def start(self, *arguments):
        self.start_script(arena.SKIRMISH + "".join(f" '{argument}'" for argument in arguments))

    def start_script(self, script):
        """Runs a shell script, in which $SKIRMISH is the program."""
        self.write("script.sh", script + "\n")
        # Keeps the screen after the program has exited, without a process.
        self.write("tmux.conf", "set -g remain-on-exit on\nset -g remain-on-exit-format ''\n")
        self.tmux(
            "-f",
            self.path("tmux.conf"),
            "new-session",
            "-d",
            "-x",
            "100",
            "-y",
            "40",
            # With the trap, this shell survives the Ctrl-C that ends the program.
            f"trap : INT; cd {self.directory}; SKIRMISH={arena.SKIRMISH} bash script.sh; "
            f"echo status $?; {self.afterwards}",
        )
        self.started = True
        self.addCleanup(self.stop)

    def stop(self):
        """Stops tmux and waits until it and its programs no longer write to the directory."""
        if not self.started:
            return
        self.started = False
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
