"""Strict requires every layer; best-effort prints the missing layers; and a build leaves no
privileges, whichever layers are available."""

import json
import os
import re
import stat
import struct
import subprocess
import sys
import unittest

import hostile_match

DEPRIVE = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "deprive.py")]
SECCOMP = {"x86_64": 317, "aarch64": 277}.get(os.uname().machine)
LANDLOCK = 444
CAPABILITY = "security.capability"


class Layers:
    """The tests."""

    def without(self, calls=(), kinds=()):
        """From now on, runs skirmish without these system calls and kinds of namespaces."""
        self.user = [*self.user, *DEPRIVE, ",".join(map(str, calls)), ",".join(kinds)]

    def play(self, mode, *options):
        return self.skirmish(
            "play", "planetwars", "--json", "--sandbox=" + mode, "--config", "config.json",
            "--turn-time", "5000", *options, "hostile", "honest",
        )  # fmt: skip

    def missing(self):
        """The layers that this user lacks, as a best-effort match prints them, in order."""
        status, _, err = self.play("best-effort")
        self.assertEqual(status, 0, err)
        found = re.fullmatch(r"skirmish: the sandbox is incomplete, missing: (.*);.*\n", err)
        return found[1].split(", ") if found else []

    def check_missing(self, layer, strictest):
        """Without this layer, no strict mode plays, and best-effort reports it as missing."""
        for mode in ("strict", strictest):
            status, out, err = self.play(mode)
            self.assertEqual((status, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(f"--sandbox={mode} is not available", err)
            self.assertIn(layer, re.findall(r"\w+", err))
            self.assertIn("--sandbox=best-effort", err)
        status, out, err = self.play("best-effort", "--quiet")
        self.assertEqual(status, 0, err)
        self.assertIn(layer, re.findall(r"\w+", err.partition("missing: ")[2]))
        self.assertNotIn(layer, json.loads(out)["sandbox"])

    def test_each_namespace_that_cannot_be_created_is_one_missing_layer(self):
        """A limit on their number prevents creating them, which the kernel reports as ENOSPC. In a
        user namespace, a new /proc, and so the layer "files", requires a pid namespace."""
        had = self.missing()
        before = self.user
        for kind, layer in (
            ("pid", "kill"),
            ("mnt", "files"),
            ("net", "network"),
            ("ipc", "ipc"),
            ("uts", "ipc"),
            ("cgroup", "ipc"),
        ):
            with self.subTest(kind=kind):
                self.user = before
                self.without(kinds=[kind])
                self.check_missing(layer, "strict-except-uid")
                more = {"files"} if layer == "kill" else set()
                self.assertEqual(set(self.missing()) - set(had), {layer} | more)

    def test_system_calls_that_are_missing_are_missing_layers(self):
        had = self.missing()
        before = self.user
        for number, layer in ((LANDLOCK, "landlock"), (SECCOMP, "seccomp")):
            with self.subTest(layer=layer):
                self.user = before
                self.without(calls=[number])
                self.check_missing(layer, "strict-except-uid")
                self.assertEqual(set(self.missing()) - set(had), {layer})

    def test_strict_is_available_only_with_every_layer(self):
        missing = self.missing()
        for mode, accepted in (("strict", set()), ("strict-except-uid", {"uid"})):
            status, out, err = self.play(mode)
            if set(missing) <= accepted:
                self.assertEqual(status, 0, err)
                self.assertEqual(len(json.loads(out)["sandbox"]), 12 - len(missing))  # no "cpu"
            else:
                self.assertEqual((status, out), (2, ""), err)
                first = [layer for layer in missing if layer not in accepted][0]
                self.assertIn(f'{mode} is not available: layer "{first}" is missing (', err)
        if missing and missing != ["uid"]:
            self.assertIn("also missing: ", err)

    def test_an_arena_that_cannot_be_strict_says_how_to_start(self):
        if not self.missing():
            self.skipTest("this user has every layer")
        status, out, err = self.skirmish("serve", "--data", self.path("out/data"), "--port", "0")
        self.assertEqual((status, out), (2, ""), err)
        self.assertRegex(err, "--sandbox=(strict-except-uid|best-effort)")

    def build(self, mode, command):
        self.bot("hostile", "exec ./manners polite", command)
        status, _, err = self.play(mode)
        self.assertEqual(status, 0, err)

    def check_privileges(self, mode):
        """The build gives its files as many privileges as it can; none may remain."""
        self.expected |= {self.path("hostile/shared"), self.path("hostile/shared/inner")}
        # cap_net_raw, permitted and effective; without setcap, which not every machine has
        value = list(struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
        give = f"import os; os.setxattr('bombs', '{CAPABILITY}', bytes({value}))"
        self.build(
            mode,
            "mkdir shared && cp tries shared/inner;"
            "chmod 6755 tries shared/inner;"
            f'/usr/bin/python3 -c "{give}" 2>/dev/null; true',
        )
        for name in ("tries", "shared/inner"):
            mode = stat.S_IMODE(os.stat(self.path("hostile/" + name)).st_mode)
            self.assertFalse(mode & (stat.S_ISUID | stat.S_ISGID), f"{name} has mode {mode:o}")
            self.assertTrue(mode & stat.S_IXOTH, "the other bits stay")
        for name in ("tries", "bombs", "shared/inner"):
            self.assertNotIn(CAPABILITY, os.listxattr(self.path("hostile/" + name)))

    def test_a_build_without_a_sandbox_leaves_no_privileges(self):
        self.check_privileges("none")

    def test_a_build_without_filters_leaves_no_privileges(self):
        self.without(calls=[LANDLOCK, SECCOMP])
        self.check_privileges("best-effort")

    def test_a_build_that_fails_leaves_no_privileges(self):
        self.bot("hostile", "exec ./manners polite", "chmod 6755 tries; exit 1")
        self.assertEqual(self.play("none")[0], 2)
        self.assertFalse(os.stat(self.path("hostile/tries")).st_mode & stat.S_ISUID)

    def test_file_capabilities_do_not_survive_a_build(self):
        """The test sets them before the build, because only root can set them."""
        for name in ("tries", "bombs"):
            try:
                cap_net_raw = bytes.fromhex("0100000200200000000000000000000000000000")
                os.setxattr(self.path("hostile/" + name), CAPABILITY, cap_net_raw)
            except PermissionError:
                self.skipTest("this user cannot set capabilities of files")
        if self.uid != 0:
            self.skipTest("this user cannot remove them either")
        self.build("best-effort", "true")
        for name in ("tries", "bombs"):
            self.assertNotIn(CAPABILITY, os.listxattr(self.path("hostile/" + name)))


class AsRoot(hostile_match.Root, Layers, unittest.TestCase):
    """Root has every layer."""


class AsUser(hostile_match.User, Layers, unittest.TestCase):
    """An ordinary user lacks "uid", and the layers of control groups if none is delegated."""


if __name__ == "__main__":
    hostile_match.arena.main()
