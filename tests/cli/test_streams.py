"""Standard output: colours, and readers that leave early."""

import os
import re
import signal
import subprocess

import arena

BOTS = ("house:medium", "house:random")
PLAY = ("play", "planetwars", "--seed", "3")


class ClosedOutput(arena.ArenaTest):
    """Like `skirmish games | head -1`: the command ends without a message."""

    def run_until_closed(self, *arguments, lines=0):
        """Reads this many lines and closes the pipe; if `lines` is 0, it is closed from the start.
        Returns the exit status and the errors."""
        reading, writing = os.pipe()
        if not lines:
            os.close(reading)
        with open(self.path("errors"), "w+", encoding="utf-8") as errors:
            command = subprocess.Popen(
                [arena.SKIRMISH, *arguments],
                cwd=self.directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=errors,
            )
            os.close(writing)
            if lines:
                with open(reading, "rb") as output:
                    for _ in range(lines):
                        self.assertNotEqual(output.readline(), b"", arguments)
            status = command.wait(120)
            errors.seek(0)
            return status, errors.read()

    def test_a_command_ends_silently_when_its_output_is_closed(self):
        replay = ("--replay", "match.skr", *BOTS)
        self.assertEqual(self.run_skirmish(*PLAY, "--quiet", *replay).status, 0)
        for arguments in (
            ("games",),
            ("games", "planetwars"),
            ("doctor",),
            ("replay", "verify", "match.skr"),
            ("replay", "export", "match.skr"),
            (*PLAY, *BOTS),
            (*PLAY, "--json", *BOTS),
            (*PLAY, "--log", *BOTS),
            (*PLAY, "--watch", *BOTS),
            ("tournament", "--game", "planetwars", "--seed", "1", *BOTS),
        ):
            with self.subTest(arguments):
                status, errors = self.run_until_closed(*arguments)
                allowed = "" if arguments[0] != "tournament" else errors  # its progress
                self.assertEqual((status, errors), (-signal.SIGPIPE, allowed))
                self.assertNotIn("skirmish:", errors)
                self.assert_no_processes_left()

    def test_a_match_stops_when_its_output_is_closed(self):
        """Played to its end, the match would take a minute, because the bot waits in every turn."""
        slow = self.bot("slow", "while view():\n    time.sleep(0.5)\n    say('{\"moves\": []}')\n")
        status, errors = self.run_until_closed(
            *PLAY, "--watch", "--replay", "slow.skr", slow, BOTS[1], lines=1
        )
        self.assertEqual((status, errors), (-signal.SIGPIPE, ""))
        self.assertFalse(os.path.exists(self.path("slow.skr")), "the match was played to its end")
        self.assert_no_processes_left()

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [arena.SKIRMISH, *PLAY, *BOTS],
                cwd=self.directory,
                env=self.environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=120,
                check=False,
            )
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to standard output: No space left on device", done.stderr)


class Colours(arena.ArenaTest):
    def has_colours(self, *arguments, **environment):
        done = subprocess.run(
            [arena.SKIRMISH, *arguments],
            cwd=self.directory,
            env=dict(self.environment, **environment),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search("\x1b\\[[0-9;]+m", done.stdout) is not None

    def test_every_command_accepts_color_before_and_after_its_name(self):
        self.assertEqual(
            self.run_skirmish(*PLAY, "--quiet", "--replay", "match.skr", *BOTS).status, 0
        )
        tournament = ("tournament", "--game", "planetwars", "--seed", "1", "--quiet", *BOTS)
        self.assertEqual(self.run_skirmish(*tournament).status, 0)
        for arguments in (
            (*PLAY, "--watch", *BOTS),
            ("replay", "show", "match.skr", "--turn", "3"),
            ("rate", "tournament.db"),
        ):
            with self.subTest(arguments):
                self.assertFalse(self.has_colours(*arguments))
                self.assertTrue(self.has_colours("--color", "always", *arguments))
                self.assertTrue(self.has_colours(*arguments, "--color=always", NO_COLOR="1"))
                self.assertFalse(self.has_colours(*arguments, "--color", "never"))
                self.assertFalse(self.has_colours(*arguments, "--color", "auto"))
        self.assertEqual(self.run_skirmish("games", "--color", "never").status, 0)

    def test_other_values_are_rejected(self):
        for arguments in (("--color", "blue"), ("--color=",), ("--color",)):
            with self.subTest(arguments):
                result = self.run_skirmish("games", *arguments)
                self.assertEqual((result.status, result.out), (2, ""))
                self.assertIn("--color", result.err)

    def test_arguments_after_two_dashes_are_not_options(self):
        result = self.run_skirmish(*PLAY, "--", "--color", "never")
        self.assertEqual(result.status, 2)
        self.assertNotIn("unknown value", result.err)


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    arena.main()
