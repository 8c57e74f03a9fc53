"""An installation: the program finds its house bots and pages, the manual pages match the help, and
systemd accepts the unit."""

import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.request

import arena

ROOT = os.path.dirname(arena.TESTS)
BUILD = os.path.dirname(arena.SKIRMISH)
MAN = os.path.join(BUILD, "docs", "man")
HAS_MAN = shutil.which("scdoc") is not None


def text_of(page):
    """The text of a manual page without roff's escapes."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\\f[BIRP]", "", text)
    return re.sub(r"\\(.)", r"\1", text)


class InstallTest(arena.ArenaTest):
    def commands(self):
        overview = self.run_skirmish("help").out
        return [
            name
            for name in re.findall(r"^  (\w+) +\S", overview, re.M)
            if name not in ("help", "version", "skirmish")
        ]

    @unittest.skipUnless(HAS_MAN, "scdoc is not installed")
    def test_every_option_of_the_help_is_in_the_manual(self):
        commands = self.commands()
        self.assertIn("play", commands)
        for command in commands:
            with self.subTest(command):
                page = text_of(os.path.join(MAN, f"skirmish-{command}.1"))
                wanted = self.run_skirmish("help", command).out
                options = set(re.findall(r"--[a-z][a-z0-9-]+", wanted))
                self.assertEqual(options - set(re.findall(r"--[a-z][a-z0-9-]+", page)), set())
                # The page also has all other words of the help.
                words = set(re.findall(r"[A-Za-z]{4,}", wanted)) - {
                    "Usage",
                    "Exit",
                    "Examples",
                    "Example",
                }
                self.assertEqual(words - set(re.findall(r"[A-Za-z]{4,}", page)) - {"status"}, set())

    @unittest.skipUnless(HAS_MAN, "scdoc is not installed")
    def test_the_main_manual_page_names_every_command(self):
        page = text_of(os.path.join(MAN, "skirmish.1"))
        for command in self.commands():
            self.assertIn(f"skirmish-{command}(1)", page)

    def test_an_installation_plays(self):
        """The program finds its house bots where an installation puts them."""
        os.makedirs(self.path("usr/bin"))
        os.makedirs(self.path("usr/libexec/skirmish/bots"))
        shutil.copy(arena.SKIRMISH, self.path("usr/bin/skirmish"))
        for name in ("aliens-random", "aliens-medium"):
            shutil.copy(os.path.join(BUILD, "bots", name), self.path("usr/libexec/skirmish/bots"))
        done = subprocess.run(
            [
                self.path("usr/bin/skirmish"),
                "play",
                "aliens",
                "--quiet",
                "--sandbox",
                "none",
                "house:medium",
                "house:random",
            ],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def install_pages(self):
        """Calls tools/install-web as `meson install` does, on folders in the test's directory."""
        done = subprocess.run(
            [os.path.join(ROOT, "tools", "install-web"), "share"],
            env=dict(
                self.environment,
                MESON_BUILD_ROOT=self.path("build"),
                MESON_INSTALL_DESTDIR_PREFIX=self.path("usr"),
            ),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout

    def first_page(self):
        """The first page that the installed program serves."""
        with subprocess.Popen(
            [
                self.path("usr/bin/skirmish"),
                "serve",
                "--port",
                "0",
                "--sandbox",
                "none",
                "--data",
                self.path("data"),
            ],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            try:
                line = next(line for line in process.stdout if line.startswith("The arena is at "))
                with urllib.request.urlopen(line.split()[-1], timeout=60) as answer:
                    return answer.read()
            finally:
                process.terminate()

    def test_an_installation_serves_the_web_pages(self):
        os.makedirs(self.path("usr/bin"))
        os.makedirs(self.path("build/web/assets"))
        shutil.copy(arena.SKIRMISH, self.path("usr/bin/skirmish"))
        self.assertIn("run tools/build-web first", self.install_pages())
        self.assertFalse(os.path.exists(self.path("usr/share")))
        self.write("build/web/index.html", "first")
        self.write("build/web/.digest", "0")
        self.write("build/web/assets/a-OLD00000.js", "1")
        self.install_pages()
        os.rename(
            self.path("build/web/assets/a-OLD00000.js"), self.path("build/web/assets/a-NEW00000.js")
        )
        self.write("build/web/index.html", "second")
        self.install_pages()
        found = sorted(
            os.path.relpath(os.path.join(where, name), self.path("usr/share"))
            for where, _, names in os.walk(self.path("usr/share"))
            for name in names
        )
        self.assertEqual(found, ["skirmish/web/assets/a-NEW00000.js", "skirmish/web/index.html"])
        self.assertEqual(self.first_page(), b"second")

    def test_an_installation_has_the_starter_bots(self):
        with open(
            os.path.join(BUILD, "meson-info", "intro-install_plan.json"), encoding="utf-8"
        ) as file:
            folders = json.load(file)["install_subdirs"]
        self.assertIn(
            "{datadir}/skirmish/starter", [folder["destination"] for folder in folders.values()]
        )

    def test_an_installation_has_the_dashboard_and_the_alerts(self):
        with open(
            os.path.join(BUILD, "meson-info", "intro-install_plan.json"), encoding="utf-8"
        ) as file:
            files = json.load(file)["data"]
        found = [entry["destination"] for entry in files.values()]
        for name in ("grafana/skirmish.json", "prometheus/skirmish.yml"):
            self.assertIn("{datadir}/skirmish/" + name, found)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_accepts_the_unit(self):
        with open(os.path.join(BUILD, "packaging", "skirmish.service"), encoding="utf-8") as file:
            unit = file.read()
        # systemd-analyze checks that the program exists, but the test does not install it.
        unit = re.sub(r"^ExecStart=\S+", f"ExecStart={arena.SKIRMISH}", unit, flags=re.M)
        unit = re.sub(r"^Documentation=.*\n", "", unit, flags=re.M)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", self.write("skirmish.service", unit)],
            env=self.environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        complaints = [line for line in done.stderr.splitlines() if "skirmish.service" in line]
        self.assertEqual(complaints, [], done.stderr)
        self.assertRegex(unit, r"(?m)^Delegate=yes$")


if __name__ == "__main__":
    arena.main()
