"""Hostile bots in the sandbox: the match continues, the verdict is right, and they leave nothing
behind.

Every test runs twice: as root with `--sandbox=strict`, and as an ordinary user with
`strict-except-uid`, or with `best-effort` where no control group is delegated to that user.
"""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import time
import unittest

import hostile_match
from hostile_match import OUTSIDE

# Errors of calls that the sandbox denied, as opposed to limits and other failures.
REFUSALS = {
    "EPERM", "EACCES", "ENOENT", "ENOSYS", "EROFS", "ESRCH", "EXDEV", "ENXIO", "ENODEV",
    "EAFNOSUPPORT", "ENETUNREACH", "ENOTDIR", "EPROTONOSUPPORT", "EOPNOTSUPP", "SIGSYS",
}  # fmt: skip


class Hostile:
    """The tests."""

    def test_doctor_agrees_with_what_a_match_finds(self):
        """Each layer works, or has a reason and a remedy, and strict is available or not."""
        status, out, err = self.skirmish("doctor")
        self.assertEqual(err, "")
        self.assertEqual(status, 0 if self.mode == "strict" else 1)
        self.assertIn(
            "--sandbox=strict is " + ("available" if self.mode == "strict" else "not available"),
            out,
        )
        works = {line.split()[1] for line in out.splitlines() if line.startswith("works")}
        self.check("manners polite", "ok", "--limit", "cpu=1000")
        self.assertEqual(works, set(self.layers))
        lines = out.splitlines()
        for at, line in enumerate(lines):
            if line.startswith("MISSING"):
                self.assertRegex(lines[at + 1], r"^ +reason: \S")
                self.assertRegex(lines[at + 2], r"^ +remedy: \S")

    # ---- pipes

    def test_a_bot_that_reads_nothing_times_out(self):
        self.config(2)
        hostile = self.check("manners reads-nothing", "timeout", turn=200)
        self.assertEqual(hostile["timeouts"], 2)

    def test_a_bot_can_answer_without_reading(self):
        self.check("manners answers-unread", "ok")

    def test_a_flood_of_standard_output_is_rejected(self):
        hostile = self.check("manners flood-stdout", "ok")
        self.assertEqual(hostile["refused"], 5)

    def test_a_flood_of_standard_error_is_truncated(self):
        self.check("manners flood-stderr", "ok", turn=5000)
        self.assertIn("standard error limit reached", self.said)
        self.assertLess(len(self.said), 500000)

    def test_an_endless_line_is_too_much_output(self):
        self.config(3)
        self.against_honest("manners endless-line")
        self.assertIn("too much output", self.kinds)
        self.assertNotIn("answer", self.kinds)

    def test_an_answer_without_a_newline_times_out(self):
        self.config(2)
        self.check("manners no-newline", "timeout", turn=200)

    def test_bytes_that_are_not_text_are_rejected(self):
        hostile = self.check("manners garbage", "ok")
        self.assertEqual(hostile["refused"], 5)

    def test_control_characters_of_a_bot_do_not_reach_the_terminal(self):
        say = r"printf '\033]0;mine\007\033[2J\302\2332J'"
        self.bot("hostile", say + " >&2; exit 1")
        arguments = [
            "play",
            "planetwars",
            "--sandbox=" + self.mode,
            "--config",
            "config.json",
            "--stderr",
            "hostile",
            "honest",
        ]
        _, out, err = self.skirmish(*arguments)
        self.bot("hostile", "true", say + "; exit 1")
        _, _, built = self.skirmish(*arguments)
        for text in (out, err, built):
            self.assertIn("?]0;mine??[2J?2J".replace("?", "\ufffd"), text)
            self.assertEqual([c for c in text if c < " " and c != "\n" or c == "\x9b"], [])
        self.write("hostile/bot.json", json.dumps({"name": "\x1b[2J", "run": "true"}))
        status, _, err = self.skirmish(*arguments)
        self.assertEqual(status, 2)
        self.assertIn('"name" must not contain control characters', err)

    def test_a_bot_can_close_its_standard_input(self):
        self.check("manners close-stdin", "ok")

    def test_closing_standard_output_is_a_crash(self):
        hostile = self.check("manners close-stdout", "crashed")
        self.assertIn("closed its standard output", hostile["failure"])

    def test_closing_both_pipes_is_a_crash(self):
        self.check("manners close-both", "crashed")

    # ---- ends

    def test_an_exit_at_any_stage_is_a_crash(self):
        for stage in range(6):
            with self.subTest(stage=stage):
                hostile = self.check(f"manners exits {stage}", "crashed")
                self.assertIn("exited with status 7", hostile["failure"])

    def test_death_by_any_signal_is_a_crash(self):
        names = (
            "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ SYS"
        )
        for name in names.split():
            with self.subTest(signal=name):
                number = getattr(signal, "SIG" + name)
                hostile = self.check(f"manners dies {int(number)}", "crashed")
                self.assertIn(f"signal {int(number)}", hostile["failure"])

    def test_a_bot_that_ignores_signals_and_the_end_of_its_input_is_ended(self):
        self.check("manners deaf", "ok")

    def check_stopped(self, run):
        """Where the referee uses signals to stop bots between turns, it also continues a bot that
        has stopped itself.
        """
        self.config(3)
        hostile = self.against_honest(run, turn=200)
        if "freeze" in self.layers:
            self.assertEqual((hostile["status"], hostile["timeouts"]), ("timeout", 2))
        else:
            self.assertIn(hostile["status"], ("ok", "timeout"))

    def test_a_bot_that_stops_itself_times_out(self):
        self.check_stopped("manners stops")

    # ---- children

    def test_a_bot_that_becomes_a_daemon_is_ended(self):
        self.check("manners daemonize", "ok")

    def test_children_in_their_own_sessions_are_ended(self):
        self.check("manners sessions", "ok")

    def test_a_child_that_outlives_its_parent_is_ended(self):
        self.check("manners survives", "crashed")

    def test_a_shared_memory_segment_does_not_exist_outside(self):
        self.check("manners shares", "ok")
        with open("/proc/sysvipc/shm", encoding="ascii") as file:
            self.assertNotIn(str(0x5CA1AB1E), file.read())

    # ---- signals to others

    def test_signals_reach_no_other_process(self):
        self.check("manners signals-all", "ok", turn=5000)
        self.assertIn("DENIED signals", self.said)

    def test_a_bot_that_kills_its_process_group_kills_only_itself(self):
        hostile = self.check("manners signals-group", "crashed")
        self.assertIn("signal 9", hostile["failure"])

    def test_a_bot_that_stops_its_process_group_stops_only_itself(self):
        self.check_stopped("manners stops-group")

    # ---- bombs

    def count(self, name):
        """How many pieces a bomb got before the sandbox denied more, and the errno; or None."""
        for line in self.said.splitlines():
            words = line.split()
            if words[:2] == ["DENIED", name]:
                return int(words[4]), words[2]
        return None

    def test_a_fork_bomb_reaches_the_process_limit(self):
        self.check("bombs forks 500", "ok", turn=5000)
        had, errno = self.count("forks")
        self.assertEqual(errno, "EAGAIN")
        self.assertLess(had, 64)

    def test_an_endless_fork_bomb_times_out(self):
        self.config(3)
        self.check("bombs fork-storm 500", "timeout")
        self.check("bombs fork-storm 500", "timeout", "--limit", "processes=5")

    def test_a_thread_bomb_reaches_the_process_limit(self):
        self.check("bombs threads 500", "ok", "--limit", "processes=20", turn=5000)
        had, errno = self.count("threads")
        self.assertEqual(errno, "EAGAIN")
        self.assertLess(had, 20)

    def test_watches_in_epoll_sets_are_limited_for_all_processes_of_a_bot(self):
        self.check("bombs watches 12", "ok", turn=60000)
        had, errno = self.count("watches")
        self.assertEqual((had, errno), (3, "ENOSPC"))  # 5,000 each

    def test_an_endless_thread_bomb_times_out(self):
        self.config(3)
        self.check("bombs thread-storm 500", "timeout")

    def test_a_crash_at_the_process_limit_names_the_limit(self):
        hostile = self.check("manners dies-of-forks", "crashed", turn=5000)
        self.assertIn("exited with status 5", hostile["failure"])
        if "processes" in self.layers:
            self.assertIn(
                "exited with status 5 after reaching its process limit in turn",
                hostile["failure"],
            )

    def test_a_crash_at_the_file_size_limit_names_the_limit(self):
        hostile = self.check(
            "manners dies-of-a-large-file", "crashed", "--limit", "file-size=1", turn=5000
        )
        self.assertIn("File size limit exceeded", hostile["failure"])

    def check_memory(self, name):
        hostile = self.against_honest(f"bombs {name} 256", "--limit", "memory=48", turn=5000)
        if self.has_memory:
            self.assertEqual(hostile["status"], "out of memory", (hostile, self.said))
            self.assertNotIn("ALLOWED", self.said)
        return hostile

    def test_a_memory_bomb_is_killed(self):
        self.check_memory("malloc")

    def test_a_slow_memory_bomb_is_killed(self):
        self.check_memory("slow")

    def test_a_memory_bomb_of_private_pages_is_killed(self):
        self.check_memory("private")

    def test_a_memory_bomb_of_shared_pages_is_killed(self):
        self.check_memory("shared")

    def test_a_memory_bomb_in_a_memfd_is_killed_or_denied(self):
        if not self.has_memory:
            self.skipTest("no memory limit for this user")
        # Either the file is denied or the bot is killed.
        hostile = self.against_honest("bombs memfd 256", "--limit", "memory=48", turn=5000)
        self.assertTrue(
            hostile["status"] == "out of memory" or self.count("memfd"), (hostile, self.said)
        )

    def test_the_memory_limit_applies_to_all_processes_of_a_bot(self):
        # The bot may continue if the kernel kills one of its children.
        if not self.has_memory:
            self.skipTest("no memory limit for this user")
        hostile = self.against_honest("bombs children 50", "--limit", "memory=48", turn=5000)
        self.assertIn(hostile["status"], ("ok", "out of memory"), self.said)

    def test_the_size_of_tmp_is_limited(self):
        self.against_honest("bombs tmpfs 512", turn=5000)
        had, errno = self.count("tmpfs")
        self.assertEqual(errno, "ENOSPC")
        self.assertLessEqual(had, 64)

    def test_a_full_tmp_counts_as_memory(self):
        if not self.has_memory:
            self.skipTest("no memory limit for this user")
        self.check("bombs tmpfs 512", "out of memory", "--limit", "memory=32", turn=5000)

    def test_the_size_of_a_file_is_limited(self):
        self.against_honest("bombs large 512", turn=5000)
        had, errno = self.count("large")
        self.assertIn(errno, ("EFBIG", "ENOSPC"))
        self.assertLessEqual(had, 64)

    def test_the_number_of_files_is_limited(self):
        self.check("bombs files 1000000", "ok", turn=5000)
        had, errno = self.count("files")
        self.assertEqual(errno, "ENOSPC")
        self.assertLess(had, 100000)

    def test_the_number_of_descriptors_is_limited(self):
        self.check("bombs descriptors 100000", "ok", turn=5000)
        had, errno = self.count("descriptors")
        self.assertEqual(errno, "EMFILE")
        self.assertLess(had, 10000)

    # ---- escapes

    def plant(self):
        """Adds links and programs that an author could upload, and files worth stealing."""
        os.symlink("/etc/shadow", self.path("hostile/link-shadow"))
        os.symlink(self.path("honest/bot.json"), self.path("hostile/link-honest"))
        os.symlink(self.path("out/old.skr"), self.path("hostile/link-replay"))
        os.symlink("..", self.path("hostile/link-up"))
        self.write("out/old.skr", "an earlier replay\n")
        shutil.copy(self.path("hostile/tries"), self.path("hostile/setuid-tries"))
        os.chmod(self.path("hostile/setuid-tries"), 0o4755)

    def listeners(self):
        tcp = socket.create_server(("127.0.0.1", 0))
        port = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", port))
        named = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        named.bind(self.path("socket"))
        os.chmod(self.path("socket"), 0o777)
        abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        abstract.bind("\0" + self.mark)
        for one in (named, abstract):
            one.listen()
        for one in (tcp, udp, named, abstract):
            one.setblocking(False)
            self.addCleanup(one.close)
        return port, (tcp, named, abstract), udp

    def check_doors(self):
        """Only attempts named "open:" succeed; the sandbox denies all others."""
        self.assertIn("TRIED", self.said)
        # The test's directory is below /tmp, and the bot has its own /tmp: this is not outside.
        harmless = {"ALLOWED make:..", "ALLOWED make:BASE", "ALLOWED make:link-up"}
        wrong = []
        for line in self.said.splitlines():
            words = line.split()
            if words[0] == "ALLOWED" and not words[1].startswith("open:"):
                wrong.append(line)
            elif words[0] == "DENIED" and words[1].startswith("open:"):
                wrong.append(line)
            elif words[0] == "DENIED" and words[2] not in REFUSALS:
                # EINVAL is right for a user that does not exist in the namespace.
                if words[2] != "EINVAL" or not words[1].startswith("become-"):
                    wrong.append(line)
        self.assertEqual([line for line in wrong if line not in harmless], [])
        self.assertGreater(self.said.count("DENIED"), 150)

    def test_no_attempt_to_escape_succeeds(self):
        host = os.uname().nodename
        self.plant()
        # If possible, give skirmish the right to raise priorities, which bots must not inherit.
        before_others = ["prlimit", "--rtprio=50", "--nice=40"]
        if (
            subprocess.run(
                [*before_others, "true"], stderr=subprocess.DEVNULL, check=False
            ).returncode
            == 0
        ):
            self.user = [*before_others, *self.user]
        port, streams, datagrams = self.listeners()
        self.check(f"tries {self.mark} {self.base} {port}", "ok", turn=10000)
        self.check_doors()
        for one in streams:
            with self.assertRaises(BlockingIOError):
                one.accept()
        with self.assertRaises(BlockingIOError):
            datagrams.recv(100)
        self.assertEqual(os.uname().nodename, host)
        self.assertEqual(stat.S_IMODE(os.stat("/dev/null").st_mode), 0o666)

    def test_root_of_a_user_namespace_gives_a_bot_no_rights(self):
        """In such a namespace, there is no other user that the bot could become."""
        alone = ["unshare", "--user", "--map-root-user"]
        if subprocess.run(
            [*self.user, *alone, "true"], stderr=subprocess.DEVNULL, check=False
        ).returncode:
            self.skipTest("this user cannot create user namespaces")
        self.user = [*self.user, *alone]
        self.plant()
        self.against_honest(f"tries {self.mark} {self.base} 1", "--sandbox=best-effort", turn=10000)
        self.assertNotIn("uid", self.layers)
        self.assertNotIn("ALLOWED everything", self.said)
        self.assertIn("DENIED have-capabilities", self.said)
        self.assertIn("DENIED chmod-null", self.said)
        self.assertEqual(stat.S_IMODE(os.stat("/dev/null").st_mode), 0o666)

    def test_a_bot_that_is_a_command_cannot_write_to_its_working_directory(self):
        """But it can read the directory where skirmish was started."""
        os.chmod(self.path("out"), 0o777)
        status, _, err = self.skirmish(
            "play", "planetwars", "--json", "--sandbox=" + self.mode, "--config", "config.json",
            "--turn-time", "5000", "--replay", "out/match.skr",
            f"sh -c 'echo x > {self.mark}; echo x > out/{self.mark}; cat config.json >&2;"
            " exec hostile/manners polite'",
            "honest/manners polite",
        )  # fmt: skip
        self.assertEqual(status, 0, err)
        self.read_replay()
        self.assertIn("max_turns", self.said)
        self.assertEqual(set(self.kinds), {"answer"})

    def test_a_command_that_is_too_long_is_an_error(self):
        self.bot("hostile", "exec ./manners polite " + "x" * 200000)
        status, out, err = self.skirmish(
            "play",
            "planetwars",
            "--json",
            "--sandbox=" + self.mode,
            "--config",
            "config.json",
            "hostile",
            "honest",
        )
        if status == 0:
            self.assertIn(json.loads(out)["players"][0]["status"], ("did not start", "crashed"))
        else:
            self.assertEqual(status, 2, err)
            self.assertIn("rgument list too long", err)

    def test_a_bot_json_that_is_a_pipe_is_an_error(self):
        os.unlink(self.path("hostile/bot.json"))
        os.mkfifo(self.path("hostile/bot.json"))
        status, _, err = self.skirmish(
            "play", "planetwars", "--sandbox=" + self.mode, "hostile", "honest"
        )
        self.assertEqual(status, 2, err)

    def test_a_bot_cannot_exhaust_per_user_limits_of_another(self):
        self.config(3)
        self.bot("honest", "exec ./manners needs")
        if self.uid != 0:
            self.skipTest("bots of an ordinary user run as that user")
        self.check("manners hogs", "ok", turn=5000)

    # ---- time

    def test_a_bot_cannot_compute_during_the_turn_of_another(self):
        self.config(4)
        self.bot("honest", "exec ./manners late 300")
        self.check("manners spins", "ok", turn=2000)
        spun = [int(line.split()[1]) for line in self.said.splitlines() if line.startswith("SPUN")]
        self.assertEqual(len(spun), 3)
        self.assertLess(sorted(spun)[1], 150, "CPU time had in each of the other's turns of 300 ms")

    def test_a_bot_with_many_threads_gets_no_more_than_its_share(self):
        """Both run on one core and are measured by their control groups: load slows both alike."""
        self.config(2)
        self.user = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *self.user]
        self.bot("honest", "exec ./manners works 300")
        hostile = self.against_honest("manners crowd 16", "--think", "together", turn=200000)
        if "cpu" not in self.layers:
            self.skipTest("this user has no CPU shares")
        self.assertLess(hostile["cpu_total_ms"], 3 * self.honest["cpu_total_ms"])

    def test_the_limit_on_cpu_time_is_enforced(self):
        self.config(3)
        self.bot("honest", "exec ./manners late 300")
        began = time.monotonic()
        hostile = self.against_honest(
            "manners crowd 4", "--think", "together", "--limit", "cpu=10", turn=20000
        )
        if "cpu" not in self.layers:
            self.skipTest("this user has no limit on CPU time")
        # Without the limit, the bot would use more than one core for most of the time.
        self.assertLess(hostile["cpu_total_ms"], 200 * (time.monotonic() - began))

    def test_bots_that_think_in_turn_have_no_cpu_share(self):
        self.check("manners polite", "ok")
        self.assertNotIn("cpu", self.layers)

    def test_an_answer_5_ms_late_times_out(self):
        hostile = self.against_honest("manners late 205", turn=200)
        self.assertGreater(hostile["timeouts"], 0)
        self.assertEqual(
            hostile["status"], "timeout" if self.kinds[-1] == "timeout" else hostile["status"]
        )

    def test_an_answer_a_minute_late_times_out(self):
        self.config(2)
        hostile = self.check("manners late 60000", "timeout", turn=200)
        self.assertEqual(hostile["timeouts"], 2)

    # ---- builds

    def build(self, command, seconds=2):
        """Plays a match whose hostile bot has a build step; returns the error, or None."""
        self.bot("hostile", "exec ./manners polite", command)
        status, _, err = self.skirmish(
            "play", "planetwars", "--json", "--sandbox=" + self.mode, "--config", "config.json",
            "--turn-time", "2000", "hostile", "honest", SKIRMISH_BUILD_SECONDS=str(seconds),
        )  # fmt: skip
        if status == 0:
            return None
        self.assertEqual(status, 2, err)
        self.assertIn("hostile", err)
        return err

    def test_an_endless_build_times_out(self):
        self.assertIn(
            "timed out after 1 s", self.build("sleep 1000 & setsid sleep 1000 & sleep 1000", 1)
        )

    def test_a_build_that_stops_itself_times_out(self):
        self.assertIn("timed out after 1 s", self.build("kill -STOP $$", 1))

    def test_a_daemon_of_a_build_is_ended(self):
        self.assertIsNone(self.build("setsid sleep 1000 </dev/null >/dev/null 2>&1 & exit 0"))

    def test_a_failed_build_is_an_error(self):
        self.assertIn("exited with status 3", self.build("echo why >&2; exit 3"))

    def test_a_flood_of_build_output_is_truncated(self):
        error = self.build("yes", 1)
        self.assertLess(len(error), 2000)

    def test_a_build_dumps_no_core(self):
        self.assertIsNone(
            self.build(
                "ulimit -c unlimited; sh -c 'kill -SEGV $$'; cd /tmp; sh -c 'kill -QUIT $$'; exit 0"
            )
        )

    def test_a_build_cannot_fill_its_tmp(self):
        self.assertIsNotNone(self.build("head -c 1G /dev/zero > /tmp/a || exit 1"))

    def test_a_compiler_bomb_fails(self):
        doubling = "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 40))
        self.write(
            "hostile/bomb.c", "#define A0 {0},\n" + doubling + "struct { int x; } all[] = {A39};\n"
        )
        self.assertIsNotNone(self.build("cc -c bomb.c -o /tmp/bomb.o"))

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_a_compiler_bomb_in_the_output_fails(self):
        self.write("hostile/bomb.c", "char all[1ul << 32] = {1};\n")
        self.assertIsNotNone(self.build("cc -c bomb.c -o /tmp/bomb.o", 5))

    def test_a_fork_bomb_in_a_build_fails(self):
        self.assertIsNotNone(self.build("echo | ./bombs fork-storm 500", 1))

    def test_a_build_cannot_write_or_read_elsewhere(self):
        places = [
            "..",
            "../honest",
            "../out",
            "/",
            "/usr/bin",
            "/etc",
            "/var/tmp",
            "/dev/shm",
            "/tmp",
            *OUTSIDE,
        ]
        tries = "; ".join(f"echo x > {place}/{self.mark}" for place in places)
        self.assertIsNone(
            self.build(
                f"({tries}; cat ../honest/bot.json && exit 1; cat /etc/shadow && exit 1)"
                " >/dev/null 2>&1; exit 0"
            )
        )

    def test_a_build_has_no_network(self):
        self.plant()
        # Builds may write to their own directory.
        self.expected.add(self.path("hostile/" + self.mark))
        port, streams, _ = self.listeners()
        self.assertIsNone(
            self.build(
                f"./tries {self.mark} {self.base} {port} </dev/null 2>&1"
                " | grep -e '^ALLOWED.*-to-host' -e everything && exit 1; exit 0",
                10,
            )
        )
        for one in streams:
            with self.assertRaises(BlockingIOError):
                one.accept()

    def test_files_of_a_build_are_available_in_the_match(self):
        self.expected |= {
            self.path("hostile/made"),
            self.path("hostile/new"),
            self.path("hostile/new/made"),
        }
        self.bot(
            "hostile", "exec new/made polite", "cp manners made && mkdir new && mv made new/made"
        )
        hostile = self.against_honest()
        self.assertEqual(hostile["status"], "ok")
        about = os.stat(self.path("hostile/new/made"))
        self.assertEqual(
            about.st_uid, self.uid, "files of a build belong to the owner of its directory"
        )

    def test_a_build_cannot_make_a_set_user_id_program_of_root(self):
        self.bot("hostile", "exec ./manners polite", "chmod 4777 tries; chmod 4777 bombs; true")
        self.skirmish(
            "play",
            "planetwars",
            "--json",
            "--sandbox=" + self.mode,
            "--config",
            "config.json",
            "hostile",
            "honest",
        )
        for name in ("tries", "bombs"):
            about = os.stat(self.path("hostile/" + name))
            self.assertFalse(
                about.st_mode & stat.S_ISUID and about.st_uid == 0,
                "a build created a set-user-id program of root",
            )


class AsRoot(hostile_match.Root, Hostile, unittest.TestCase):
    """As root: strict, with every layer."""


class AsUser(hostile_match.User, Hostile, unittest.TestCase):
    """As an ordinary user, without the layer "uid"."""

    def test_a_sandbox_that_cannot_be_tested_is_not_reported_as_missing(self):
        """Here it cannot be tested because the user has reached a process limit."""
        if self.uid == 0:
            self.skipTest("root has no process limit")
        self.user = [*self.user, "prlimit", "--nproc=1"]
        for arguments in (
            ["play", "planetwars", "--json", "--config", "config.json", "hostile", "honest"],
            ["doctor"],
        ):
            status, out, err = self.skirmish(*arguments)
            self.assertIn("cannot test the sandbox: clone3", err)
            self.assertNotEqual(status, 0)
            self.assertEqual(out, "")

    def test_best_effort_reports_missing_layers_and_records_the_others(self):
        status, out, err = self.skirmish(
            "play", "planetwars", "--json", "--config", "config.json", "hostile", "honest"
        )
        self.assertEqual(status, 0, err)
        recorded = json.loads(out)["sandbox"]
        for layer in ("kill", "files", "network", "seccomp", "no_new_privs", "rlimits"):
            self.assertIn(layer, recorded)
        self.assertEqual(err.count("\n"), 1)
        for layer in ["uid"] + ["memory"] * (not self.has_memory):
            self.assertIn(layer, err)
            self.assertNotIn(layer, recorded)


if __name__ == "__main__":
    hostile_match.arena.main()
