"""tools/build-web, ./run and ./test in a made-up tree, with an npm, a node, a ninja and stages that
only record their calls."""

import os
import shutil
import subprocess
import time

import arena

ROOT = os.path.dirname(arena.TESTS)
FIRST_LINE = "Building the pages (log: build/web.log)\n"

NPM = """#!/bin/sh
echo "npm $*" >>"$NOTES"
case $1 in
ci)
    rm -rf node_modules
    if [ -f refused ]; then
        echo 'npm ERR! code EUSAGE'; echo 'npm ERR! they are not in sync'
        for i in $(seq 60); do echo 'npm ERR! usage'; done
        exit 1
    fi
    if [ -f offline ]; then
        echo 'npm ERR! code EAI_AGAIN'
        echo 'npm ERR! request failed'
        exit 1
    fi
    mkdir node_modules
    ;;
run)
    rm -rf dist
    mkdir -p dist/assets
    if [ -f broken ]; then echo 'main.ts: it is broken'; exit 1; fi
    [ -f empty ] || cp main.ts dist/index.html
    cp src/rules/rules.wasm "dist/assets/rules-$(cksum <main.ts | cut -d ' ' -f 1).wasm"
    ;;
esac
"""


class ScriptTest(arena.ArenaTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("tree/tools"))
        for name in ("run", "tools/lib.sh", "tools/build-web"):
            shutil.copy(os.path.join(ROOT, name), self.path(os.path.join("tree", name)))
        self.script("tree/tools/setup", '#!/bin/sh\necho "setup $*" >>"$NOTES"\n')
        self.script("bin/npm", NPM)
        self.script("bin/node", '#!/bin/sh\necho "${NODE_IS:-18.0.0}"\n')
        self.environment.update(
            NOTES=self.path("notes"), PATH=self.path("bin") + ":" + os.environ["PATH"]
        )
        self.environment.pop("SKIRMISH_WEB", None)

    def put(self, name, text=""):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        self.write(name, text)

    def script(self, name, text):
        self.put(name, text)
        os.chmod(self.path(name), 0o755)

    def call(self, name, *arguments, status=0, **variables):
        """Runs a script; returns its messages, and the notes of the programs that it called."""
        self.put("notes")
        done = subprocess.run(
            [self.path(name), *arguments],
            cwd=self.directory,
            env=dict(self.environment, **variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        with open(self.path("notes"), encoding="utf-8") as file:
            return done.stderr, file.read().splitlines()

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


class BuildWeb(ScriptTest):
    def setUp(self):
        super().setUp()
        self.put("tree/web/package.json", "{}")
        self.put("tree/web/package-lock.json", "{}")
        self.put("tree/web/main.ts", "first")
        self.put("tree/src/base/buffer.c", "int buffer;")
        self.script("tree/web/rules/build", '#!/bin/sh\necho "rules" >>"$NOTES"\necho wasm >"$1"\n')

    def build(self, **more):
        return self.call("tree/tools/build-web", **more)

    def test_a_second_build_does_nothing(self):
        said, did = self.build()
        self.assertEqual(said, FIRST_LINE)
        self.assertEqual(did, ["setup web", "npm ci", "rules", "npm run build"])
        self.assertEqual(self.read("tree/build/web/index.html"), "first")
        self.assertEqual(self.build(), ("", []))

    def test_a_changed_source_causes_a_build(self):
        self.build()
        for name in (
            "web/main.ts",
            "web/src/new file.svelte",
            "web/.npmrc",
            "src/base/buffer.c",
            "src/games/games.list",
            "src/match/board.c",
            "bots/starter/aliens/bot.py",
            "docs/protocol.md",
        ):
            self.put("tree/" + name, "changed")
            self.assertEqual(
                self.build(), (FIRST_LINE, ["setup web", "rules", "npm run build"]), name
            )
            self.assertEqual(self.build(), ("", []), name)
        os.remove(self.path("tree/docs/protocol.md"))
        self.assertEqual(self.build()[0], FIRST_LINE)
        for name in (
            "web/node_modules/svelte/index.js",
            "web/dist/left.js",
            "web/src/rules/rules.wasm",
            "web/tests/home.spec.ts",
            "src/http/http.c",
            "README.md",
        ):
            self.put("tree/" + name, "changed")
            self.assertEqual(self.build(), ("", []), name)

    def test_a_changed_list_of_packages_is_installed(self):
        self.build()
        self.put("tree/web/package-lock.json", '{"packages": {}}')
        self.assertEqual(self.build()[1], ["setup web", "npm ci", "rules", "npm run build"])

    def test_files_of_earlier_builds_are_deleted(self):
        self.build()
        before = set(os.listdir(self.path("tree/build/web/assets")))
        self.put("tree/web/main.ts", "second")
        self.build()
        after = set(os.listdir(self.path("tree/build/web/assets")))
        self.assertEqual((len(before), len(after), before & after), (1, 1, set()))
        self.assertEqual(
            sorted(os.listdir(self.path("tree/build"))), [".lock-web", "web", "web.log"]
        )

    def test_deleted_pages_are_built_again(self):
        self.build()
        shutil.rmtree(self.path("tree/build"))
        self.assertEqual(self.build()[0], FIRST_LINE)
        self.assertEqual(self.read("tree/build/web/index.html"), "first")

    def test_without_a_network_the_error_names_the_remedy(self):
        self.put("tree/web/offline")
        said, _ = self.build(status=1)
        self.assertIn("npm ERR! code EAI_AGAIN", said)
        self.assertIn(
            "the first build of the pages needs the network",
            said,
        )

    def test_the_registry_of_the_machine_is_used(self):
        """npm uses the registry that the machine configures, because no file of web/ names one."""
        for name in ("package.json", "package-lock.json", ".npmrc"):
            with open(os.path.join(ROOT, "web", name), encoding="utf-8") as file:
                self.assertNotRegex(file.read(), r'"resolved"|registry\s*=|_auth|\.tgz')

    def test_a_failed_build_shows_the_log_and_keeps_the_old_pages(self):
        self.build()
        self.put("tree/web/broken")
        for _ in range(2):  # the second build must not skip the failed one
            said, _ = self.build(status=1)
            self.assertIn("main.ts: it is broken", said)
            self.assertTrue(
                said.endswith("Building the pages failed; the complete log is build/web.log\n"),
                said,
            )
            self.assertEqual(self.read("tree/build/web/index.html"), "first")
        os.remove(self.path("tree/web/broken"))
        self.put("tree/web/empty")
        self.assertIn("npm run build made no web/dist/index.html", self.build(status=1)[0])
        os.remove(self.path("tree/web/empty"))
        self.put("tree/web/main.ts", "fixed")
        self.build()
        self.assertEqual(self.read("tree/build/web/index.html"), "fixed")

    def test_a_failure_of_npm_is_shown_and_retried_next_time(self):
        self.put("tree/web/refused")
        self.assertIn("they are not in sync", self.build(status=1)[0])
        os.remove(self.path("tree/web/refused"))
        self.assertIn("npm ci", self.build()[1])

    def test_a_node_that_is_too_old_is_an_error(self):
        said, did = self.build(status=1, NODE_IS="16.20.1")
        self.assertIn("Node.js 18 or later is needed; this is 16.20.1", said)
        self.assertEqual(did, ["setup web"])
        self.build(NODE_IS="20.1.0")

    def test_a_tree_without_pages_needs_no_build(self):
        shutil.rmtree(self.path("tree/web"))
        self.assertEqual(
            self.build(), ("This tree has no web/, so there are no pages to build.\n", [])
        )


class Run(ScriptTest):
    def setUp(self):
        super().setUp()
        self.script(
            "tree/tools/build-web", '#!/bin/sh\necho "build-web" >>"$NOTES"\n[ -z "${FAIL-}" ]\n'
        )
        self.script("bin/ninja", "#!/bin/sh\necho 'ninja: no work to do.'\n")
        self.script("tree/build/skirmish", '#!/bin/sh\necho "skirmish $*" >>"$NOTES"\n')
        self.put("tree/build/build.ninja")

    def test_the_pages_are_built_before_the_arena_starts(self):
        self.assertEqual(
            self.call("tree/run"), ("", ["setup build", "build-web", "skirmish serve"])
        )
        self.assertEqual(
            self.call("tree/run", "serve", "--port", "1")[1],
            ["setup build", "build-web", "skirmish serve --port 1"],
        )

    def test_the_pages_are_built_before_the_viewer_starts(self):
        for words in ("dev .", "replay view a.skr", "play aliens --view a b"):
            self.assertEqual(
                self.call("tree/run", *words.split())[1],
                ["setup build", "build-web", "skirmish " + words],
            )

    def test_the_arena_does_not_start_if_the_pages_cannot_be_built(self):
        self.assertEqual(self.call("tree/run", status=1, FAIL="1")[1], ["setup build", "build-web"])

    def test_other_commands_do_not_build_the_pages(self):
        for words in (
            "play aliens a b",
            "help serve",
            "serve --help",
            "serve --web there",
            "serve --web=there",
        ):
            self.assertEqual(
                self.call("tree/run", *words.split())[1], ["setup build", "skirmish " + words]
            )
        self.assertEqual(
            self.call("tree/run", SKIRMISH_WEB="there")[1], ["setup build", "skirmish serve"]
        )


class Stages(ScriptTest):
    """./test with stages that only record that they run. Two of them meet at a named pipe."""

    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(ROOT, "tools/count-tests"), self.path("tree/tools"))
        with open(os.path.join(ROOT, "test"), encoding="utf-8") as file:
            body, call, rest = file.read().rpartition('main "$@"')
        self.assertEqual(rest, "\n")
        stages = "style quick slow web sanitizers fuzz tidy".split()
        stubs = [f"stage_{name}() {{ echo {name} >>$NOTES; }}\n" for name in stages]
        stubs.append("build_with_sanitizers() { :; }\n")
        self.script("tree/test", "".join([body, *stubs, '. "$STUBS"\n', call, rest]))
        os.mkfifo(self.path("pipe"))
        self.environment.update(PIPE=self.path("pipe"), STUBS=self.path("stubs"))

    def run_test(self, stubs, *stages):
        self.put("stubs", stubs)
        done = subprocess.run(
            [self.path("tree/test"), *stages],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        lines = [line.split()[:2] for line in done.stdout.splitlines()]
        return done.returncode, lines, self.read("notes").splitlines()

    def test_the_tests_with_sanitizers_run_alongside_other_stages(self):
        status, lines, ran = self.run_test(
            'stage_web() { echo web >"$PIPE"; }\nstage_sanitizers() { grep -q web "$PIPE"; }\n'
        )
        names = ("style", "quick", "slow", "web", "sanitizers", "fuzz", "tidy")
        self.assertEqual(
            (status, lines), (0, [[name, "PASS"] for name in names] + [["7", "passed,"]])
        )
        self.assertEqual(
            sorted(ran), ["fuzz", "quick", "setup test", "slow", "style", "tidy", "tidy"]
        )

    def test_the_build_with_sanitizers_does_not_run_at_idle_priority(self):
        policy = "chrt --pid $BASHPID | grep -o SCHED_.*"
        _, _, ran = self.run_test(
            f'build_with_sanitizers() {{ echo "build $({policy})" >>$NOTES; }}\n'
            f'stage_tidy() {{ echo "tidy $({policy})" >>$NOTES; }}\n'
        )
        self.assertIn("tidy SCHED_IDLE", ran)
        self.assertIn("build", [line.split()[0] for line in ran])
        self.assertNotIn("build SCHED_IDLE", ran)

    def test_a_failed_stage_stops_the_stages_in_the_background(self):
        status, lines, ran = self.run_test(
            'stage_quick() { read -r pid <"$PIPE"; echo "$pid" >>$NOTES; false; }\n'
            'stage_sanitizers() { echo "$BASHPID" >"$PIPE"; sleep 1000; }\n'
        )
        self.assertEqual((status, lines[:2]), (1, [["style", "PASS"], ["quick", "FAIL"]]))
        self.assertEqual(lines[2:], [["1", "passed,"]])
        (pid,) = filter(str.isdigit, ran)
        while os.path.exists(f"/proc/{pid}"):  # the test's timeout limits this loop
            time.sleep(0.01)

    def test_a_failure_in_the_background_is_reported_in_its_place(self):
        status, lines, _ = self.run_test("stage_sanitizers() { false; echo never; }\n")
        self.assertEqual((status, lines[4]), (1, ["sanitizers", "FAIL"]))
        self.assertEqual(lines[5:], [["4", "passed,"]])


class Configure(ScriptTest):
    def test_without_the_packages_of_the_tests_the_program_can_be_built(self):
        self.script(
            "bin/pkg-config",
            "#!/bin/sh\n"
            'case " $* " in *" cmocka "*) exit 1 ;; esac\n'
            f'exec {shutil.which("pkg-config")} "$@"\n',
        )
        self.script("bin/cmake", "#!/bin/sh\nexit 1\n")
        done = subprocess.run(
            ["meson", "setup", self.path("build"), ROOT],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertIn("cmocka not found: not building the tests", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:])


if __name__ == "__main__":
    arena.main()
