"""Hostile bots cannot exhaust the host's memory and disk, or see other processes on it."""

import os
import shutil
import subprocess
import unittest

import hostile_match

HUGE_PAGES = "/proc/sys/vm/nr_hugepages"


class Host:
    """The tests."""

    # ---- memory

    def offer_huge_pages(self, count):
        """Adds huge pages to the machine's pool until the end of the test."""
        try:
            with open(HUGE_PAGES, "r+", encoding="ascii") as file:
                before = int(file.read())
                file.seek(0)
                file.write(str(before + count))
        except OSError:
            self.skipTest("only root can reserve huge pages, where the kernel has them")

        def restore():
            with open(HUGE_PAGES, "w", encoding="ascii") as file:
                file.write(str(before))

        self.addCleanup(restore)
        with open(HUGE_PAGES, encoding="ascii") as file:
            if int(file.read()) < before + count:
                self.skipTest("the machine has no memory for huge pages")

    def test_huge_pages_cannot_evade_the_memory_limit(self):
        self.offer_huge_pages(60)  # 120 MiB
        for name in ("huge", "huge-memfd", "huge-segment"):
            with self.subTest(name=name):
                hostile = self.against_honest(f"bombs {name} 60", "--limit", "memory=48", turn=5000)
                self.assertEqual(hostile["status"], "ok", self.said)
                self.assertRegex(self.said, f"DENIED {name} (EPERM|ENOSYS) after 0")

    # ---- disk

    def small_disk(self, megabytes):
        """Puts the hostile bot's directory on a small disk."""
        place = self.path("hostile")
        options = f"size={megabytes}m,mode=777"
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place],
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode:
            self.skipTest("this user cannot mount one")
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        shutil.copy(os.path.join(self.common, "manners"), place)
        self.own("hostile", "hostile/manners")

    def check_rejected(self, command, reason):
        """A build that takes too much space fails and leaves no files."""
        place = self.path("hostile")
        self.bot("hostile", "exec ./manners polite", command)
        before = sorted(os.listdir(place))
        room = os.statvfs(place).f_bavail
        status, _, err = self.skirmish(
            "play", "planetwars", "--json", "--sandbox=" + self.mode, "--config", "config.json",
            "hostile", "honest", SKIRMISH_BUILD_SECONDS="60",
        )  # fmt: skip
        self.assertEqual(status, 2, err)
        self.assertIn(reason, err)
        self.assertEqual(sorted(os.listdir(place)), before)
        if os.path.ismount(place):
            self.assertEqual(os.statvfs(place).f_bavail, room)

    def test_a_build_gets_no_more_than_its_share_of_the_disk(self):
        for name, command in {
            "many large files": "for i in $(seq 12); do head -c 60M /dev/zero >$i || exit 1; done",
            "removed files": "exec 3>a 4>b 5>c 6>d 7>e 8>f 9>g; rm ?;"
            " for i in 3 4 5 6 7 8 9; do head -c 60M /dev/zero >&$i; done;"
            " for i in 1 2 3; do head -c 60M /dev/zero >$i || exit 1; done",
            "many small files": "seq 70000 | xargs touch",
            "many directories": "seq 70000 | xargs mkdir",
        }.items():
            with self.subTest(name):
                self.check_rejected(command, "No space left on device")

    def test_the_files_of_a_build_are_counted_before_they_are_copied(self):
        for name, command, reason in (
            ("holes", "truncate -s 60M 0 1 2 3 4 5 6 7 8 9", "have more than 512 MiB"),
            ("depth", "mkdir -p $(yes a/ | head -n 70 | tr -d '\\n')", "nested more than 64 deep"),
        ):
            with self.subTest(name):
                self.check_rejected(command, reason)

    def test_a_build_that_would_fill_the_disk_leaves_no_files(self):
        self.small_disk(48)
        write = "for i in $(seq 46); do head -c 1M /dev/zero > new/$i; done"
        self.check_rejected(f"mkdir new; {write}", "46 MiB, and the disk is nearly full")

    def test_a_directory_that_is_too_large_is_not_built(self):
        for i in range(10):
            with open(self.path(f"hostile/{i}"), "wb") as file:
                file.truncate(60 << 20)
        self.check_rejected("true", "its directory has more than 512 MiB")

    def test_a_build_cannot_reserve_space_in_one_call(self):
        self.check_rejected("fallocate -l 40M all 2>&1; exit 3", "Operation not supported")

    def test_exactly_the_changes_of_a_build_are_kept(self):
        self.write("hostile/old", "old")
        self.write("hostile/changed", "before")
        os.mkdir(self.path("hostile/kept"))
        os.mkfifo(self.path("hostile/pipe"))
        os.symlink("old", self.path("hostile/link"))
        self.own("hostile/kept", "hostile/pipe")
        self.write("hostile/kept/same", "same")
        same = os.stat(self.path("hostile/kept/same"))
        self.expected |= {self.path("hostile/new"), self.path("hostile/new/file")}
        self.bot(
            "hostile",
            "exec ./manners polite",
            "rm old; echo after >changed; mkdir new; echo new >new/file; chmod 751 new/file;"
            " ln -sfn new link",
        )
        self.assertEqual(self.against_honest(turn=5000)["status"], "ok", self.said)
        names = set(os.listdir(self.path("hostile"))) - set(hostile_match.PROGRAMS)
        self.assertEqual(names, {"bot.json", "changed", "kept", "link", "new", "pipe"})
        with open(self.path("hostile/changed"), encoding="ascii") as file:
            self.assertEqual(file.read(), "after\n")
        self.assertEqual(os.readlink(self.path("hostile/link")), "new")
        about = os.stat(self.path("hostile/new/file"))
        owner = os.stat(self.path("hostile"))
        self.assertEqual((about.st_mode & 0o7777, about.st_uid), (0o751, owner.st_uid))
        now = os.stat(self.path("hostile/kept/same"))
        self.assertEqual((now.st_ino, now.st_mtime_ns), (same.st_ino, same.st_mtime_ns))

    # ---- processes

    def watch(self, command):
        """Plays a bot that first runs a command, and returns what the command printed."""
        self.bot("hostile", f"({command}) >&2 2>&1; exec ./manners polite")
        hostile = self.against_honest(turn=5000)
        self.assertEqual(hostile["status"], "ok", self.said)
        return self.said

    def test_a_bot_sees_only_its_own_processes(self):
        said = self.watch("echo $$; cd /proc; echo [0-9]*; exec sh -c 'echo done'")
        own, seen, _ = said.splitlines()
        # The bot sees only the shell, and the subshell that lists processes.
        self.assertEqual(seen.split()[0], own)
        self.assertEqual(len(seen.split()), 2, said)

    def test_process_1_does_not_show_the_command_line_of_the_referee(self):
        said = self.watch("cd /proc/1 && find . -maxdepth 2 -exec sh -c 'cat \"$1\"' . {} ';'")
        for secret in ("planetwars", "--seed", "config.json", self.base, "skirmish"):
            self.assertNotIn(secret, said.replace("\0", " "))

    # ---- sockets

    def test_bots_of_a_match_do_not_see_each_others_sockets(self):
        """Neither their number nor their names. The kernel assigns a name to a socket that passes
        its user's credentials."""
        play = "for view in sys.stdin:\n    {}\n    print('{{\"moves\": []}}', flush=True)\n"
        self.write(
            "honest/bot.py",
            "import os, socket, sys\n"
            "all = [socket.socketpair() for i in range(30)]\n"
            "try:\n"
            "    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
            "    a.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)\n"
            "    a.send(b'x')\n"
            "    print('named', a.getsockname(), file=sys.stderr)\n"
            "except OSError:\n    pass\n" + play.format("pass"),
        )
        self.write(
            "hostile/bot.py",
            "import sys\n"
            + play.format("print(*open('/proc/net/unix'), sep='', file=sys.stderr, flush=True)"),
        )
        for name in ("honest", "hostile"):
            self.bot(name, "exec /usr/bin/python3 bot.py")
        hostile = self.against_honest(turn=5000)
        self.assertEqual(hostile["status"], "ok", self.said)
        self.assertEqual(self.said.count("RefCount"), self.turns)  # the bot could read the list
        lines = [line for line in self.said.splitlines() if line and "RefCount" not in line]
        self.assertEqual(lines, [])

    # ---- users

    def user_of_a_bot(self, subordinate):
        """Returns a bot's user and group where /etc/subuid assigns `subordinate` to other users."""
        if self.uid != 0:
            self.skipTest("only root has users for bots")
        text = "".join(f"someone:{first}:{count}\n" for first, count in subordinate)
        self.write("subordinate", text)
        self.user = [
            "unshare", "--mount", "sh", "-c",
            f"mount --bind {self.path('subordinate')} /etc/subuid &&"
            f' mount --bind {self.path("subordinate")} /etc/subgid && exec "$@"', "sh",
        ]  # fmt: skip
        return [int(word) for word in self.watch("id -u; id -g").split()]

    def test_user_ids_of_bots_do_not_overlap_with_those_of_others(self):
        common = [(100000 + i * 65536, 65536) for i in range(100)]
        mine = self.user_of_a_bot([])[0]
        for others in (
            common,
            [(mine - 1000, 2000)],
            [(mine, 1)],
            [(mine + 3, 100), (mine - 70, 69)],
            [(mine - 10**8, 2 * 10**8)],
            [(mine, 2**22), (mine + 1000, 2**22), (mine - 100, 101)],
        ):
            with self.subTest(others=others[:3]):
                for user in self.user_of_a_bot(others):
                    self.assertEqual([x for x in others if x[0] <= user < x[0] + x[1]], [])

    def test_without_a_free_user_the_layer_is_missing(self):
        if self.uid != 0:
            self.skipTest("only root has users for bots")
        with self.assertRaisesRegex(AssertionError, r'layer "uid" is missing .*/etc/subuid'):
            self.user_of_a_bot([(1000, 2**32 - 2000)])

    # ---- files

    def test_an_arena_refuses_a_data_directory_that_bots_can_see(self):
        os.symlink("/usr/local", self.path("out/link"))
        self.expected.add(self.path("out/link"))
        for place in ("/opt", "/usr/local/share", "/etc/alternatives", "out/link"):
            with self.subTest(place=place):
                place = os.path.join(place, self.mark)
                self.addCleanup(shutil.rmtree, place, ignore_errors=True)
                status, out, err = self.skirmish(
                    "serve",
                    "--port",
                    "0",
                    "--sandbox=" + self.mode,
                    "--data",
                    place,
                    timeout=20,
                )
                self.assertEqual((status, out), (2, ""), err)
                self.assertRegex(err, "bots can read .*; choose another data directory")


class AsRoot(hostile_match.Root, Host, unittest.TestCase):
    """As root, strict."""


class AsUser(hostile_match.User, Host, unittest.TestCase):
    """As an ordinary user, without the layer "uid"."""


if __name__ == "__main__":
    hostile_match.arena.main()
