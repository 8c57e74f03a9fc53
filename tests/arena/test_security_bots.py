"""Hostile uploads, builds and bots."""

import gzip
import io
import json
import os
import re
import subprocess
import tarfile
import time
import unittest
import zipfile

from security_arena import BOT, SecurityCase


class HostileBotsTest(SecurityCase):
    # ---- uploads ----

    def test_no_file_name_leads_out_of_the_upload(self):
        for name in (
            "../evil.py",
            "/evil.py",
            "a/../../evil.py",
            "..",
            ".",
            "",
            "evil.py/",
            "a\\..\\evil.py",
            "evil\x00.py",
            "evil\n.py",
            "x" * 300 + ".py",
        ):
            self.assertIn(self.upload(name, b"print()").status, (400, 422), name)
        # Odd names are allowed: shells and headers do not interpret them.
        made = [
            self.upload(name, b"print()")
            for name in (
                'quo"te.py',
                "back\\.py",
                "$(touch evil).py",
                "`id`.py",
                "a;id.py",
                "a b.py",
                "-c.py",
                "'.py",
                "\u00fc.py",
            )
        ]
        versions = [reply.json["id"] for reply in made if reply.status == 201]
        self.assertTrue(versions)
        for version in versions:
            self.wait(
                lambda: self.ask("GET", f"/api/v1/versions/{version}", who="dora").json["build"]
                != "waiting"
            )
            self.assertNotIn(
                b"uid=", self.ask("GET", f"/api/v1/versions/{version}/log", who="dora").body
            )
            source = self.ask("GET", f"/api/v1/versions/{version}/source", who="dora")
            self.assertRegex(
                source.headers["Content-Disposition"], r'^attachment; filename="[^"\\]*"$'
            )
            self.assertEqual(source.body, b"print()")
        self.assertEqual(self.outside(), [])

    def outside(self):
        return [
            os.path.join(place, name)
            for place, _, names in os.walk(self.directory)
            for name in names
            if name.startswith("evil")
        ]

    def test_archives_cannot_write_outside_their_directory(self):
        def tar(kind=None, name="evil.py", link=""):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as archive:
                info = tarfile.TarInfo(name)
                info.type = kind or tarfile.REGTYPE
                info.linkname = link
                info.size = 0 if kind else 7
                archive.addfile(info, None if kind else io.BytesIO(b"print()"))
                main = tarfile.TarInfo("bot.py")
                main.size = 7
                archive.addfile(main, io.BytesIO(b"print()"))
            return out.getvalue()

        def packed(name, mode=0o644):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                archive.writestr(info, "/etc/passwd")
                archive.writestr("bot.py", "print()")
            return out.getvalue()

        for name in ("../evil.py", "/tmp/evil.py", "a/../../evil.py"):
            self.assertEqual(self.upload("bot.tar", tar(name=name)).status, 422, name)
            self.assertEqual(self.upload("bot.zip", packed(name)).status, 422, name)
        for kind, link in (
            (tarfile.SYMTYPE, "/etc/passwd"),
            (tarfile.LNKTYPE, "../../../etc/passwd"),
            (tarfile.CHRTYPE, ""),
            (tarfile.FIFOTYPE, ""),
            (tarfile.BLKTYPE, ""),
        ):
            self.assertEqual(self.upload("bot.tar", tar(kind, "evil", link)).status, 422, kind)
        self.assertEqual(self.upload("bot.zip", packed("evil", 0o120777)).status, 422)
        self.assertEqual(self.outside(), [])

    def test_archive_bombs_are_rejected(self):
        big = io.BytesIO()
        with zipfile.ZipFile(big, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("bot.py", "w", force_zip64=True) as file:
                for _ in range(300):
                    file.write(bytes(1 << 20))
        many = io.BytesIO()
        with zipfile.ZipFile(many, "w") as archive:
            for i in range(12000):
                archive.writestr(f"{i}.py", "")
        deep = io.BytesIO()
        with zipfile.ZipFile(deep, "w") as archive:
            archive.writestr("d/" * 2000 + "bot.py", "")
        tarred = io.BytesIO()
        with gzip.GzipFile(fileobj=tarred, mode="wb") as file:
            info = tarfile.TarInfo("bot.py")
            info.size = 300 << 20
            file.write(info.tobuf())
            for _ in range(300):
                file.write(bytes(1 << 20))
        before = self.memory()
        for name, bomb in (
            ("big.zip", big),
            ("many.zip", many),
            ("deep.zip", deep),
            ("big.tar.gz", tarred),
        ):
            began = time.monotonic()
            reply = self.upload(name, bomb.getvalue(), "mallory")
            self.assertEqual(reply.status, 422, (name, reply.body))
            self.assertLess(time.monotonic() - began, 60, name)
        self.assertLess(self.memory() - before, 100 << 20)
        left = os.listdir(os.path.join(self.directory, "data", "versions"))
        self.assertEqual([name for name in left if name.startswith(".")], [])

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) << 10

    # ---- bots ----

    def test_the_length_of_a_match_is_limited(self):
        body = {
            "game": "planetwars",
            "config": json.dumps({"max_turns": 100000}),
            "turn_time": 5000,
            "seats": [{"language": "python", "source": "import time\ntime.sleep(1000000)"}] * 2,
        }
        reply = self.ask("POST", "/api/v1/matches", body, "dora")
        self.assertEqual(reply.status, 422)
        self.assertIn("can take 278 hours", reply.json["detail"])
        body.update(
            config=json.dumps({"max_turns": 100}),
            seats=[{"language": "python", "source": "pass"}] * 2,
        )
        self.assertEqual(self.ask("POST", "/api/v1/matches", body, "dora").status, 201)

    def test_no_configuration_gives_bots_more_memory_than_the_operator(self):
        """The default limit of Footsoldiers is 2.5 GiB."""
        source = "import sys\nmemory = bytearray(b'x') * (300 << 20)\nprint('Ready', flush=True)\n"
        source += "for line in sys.stdin: print('[]', flush=True)\n"
        house = "house/footsoldiers-random"
        self.wait(lambda: self.ask("GET", "/api/v1/bots/" + house).json["active_version"])
        seats = [{"language": "python", "source": source}, {"bot": house}]
        for config in ('{"total-turns": 2}', '{"bot-memory-limit-kib": 614400, "total-turns": 2}'):
            body = {"game": "footsoldiers", "config": config, "seats": seats}
            made = self.ask("POST", "/api/v1/matches", body, "dora")
            self.assertEqual(made.status, 201, made.body)
            path = f"/api/v1/matches/{made.json['id']}"
            self.wait(lambda path=path: self.ask("GET", path).json["state"] == "over")
            packed = self.ask("GET", path + "/replay", who="dora").body[20:]
            record = subprocess.run(["zstd", "-dc"], input=packed, stdout=subprocess.PIPE).stdout
            if b'"memory"' not in record.split(b'"sandbox":[')[1].split(b"]")[0]:
                self.skipTest("the sandbox has no layer `memory` on this machine")
            greedy = self.ask("GET", path).json["players"][0]
            self.assertIn("ran out of memory", greedy["failure"] or "", greedy)

    def add_bot(self, name, **files):
        """Adds a bot of mallory's; returns its version once the build has ended."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for path, text in files.items():
                archive.writestr(path.replace("_", "."), text)
        self.ask("POST", "/api/v1/bots", {"name": name, "game": "aliens"}, "mallory")
        made = self.ask(
            "POST",
            f"/api/v1/bots/mallory/{name}/versions?file_name=bot.zip",
            out.getvalue(),
            "mallory",
            {"Content-Type": "application/octet-stream"},
        )
        self.assertEqual(made.status, 201, made.body)
        path = f"/api/v1/versions/{made.json['id']}"
        return self.wait(
            lambda: (found := self.ask("GET", path).json)["build"] not in ("waiting", "building")
            and found
        )

    def test_a_build_that_breaks_its_own_bot_forfeits(self):
        """Its author neither avoids a defeat nor makes the arena read a file for the bot."""
        run = {
            "name": "x",
            "run": "exec python3 m.py",
            "build": "rm bot.json; ln -s /etc/shadow bot.json",
        }
        self.assertEqual(
            self.add_bot("spoiler", bot_json=json.dumps(run), m_py=BOT)["build"], "good"
        )
        made = self.ask(
            "POST",
            "/api/v1/matches",
            {"game": "aliens", "seats": [{"bot": "mallory/spoiler"}, {"bot": "mallory/other"}]},
            "mallory",
        )
        path = f"/api/v1/matches/{made.json['id']}"
        found = self.wait(
            lambda: (match := self.ask("GET", path).json)["state"] in ("over", "given_up") and match
        )
        self.assertEqual(
            [player["status"] for player in found["players"]], ["did not start", "ok"], found
        )
        self.assertIn("bot.json is no longer a regular file", found["players"][0]["failure"])

    def test_a_build_that_leaves_too_much_is_deleted(self):
        run = {
            "name": "x",
            "run": "exec python3 m.py",
            "build": "i=0; mkdir d; while [ $i -lt 20001 ]; do : > d/$i; i=$((i+1)); done",
        }
        version = self.add_bot("hoarder", bot_json=json.dumps(run), m_py=BOT)
        self.assertEqual(version["build"], "failed")
        self.assertIn(
            b"more than 20000 files",
            self.ask("GET", f"/api/v1/versions/{version['id']}/log", who="mallory").body,
        )
        self.assertFalse(
            os.path.exists(os.path.join(self.directory, "data", "versions", str(version["id"])))
        )

    def test_a_draft_can_access_neither_files_nor_the_network(self):
        data = os.path.join(self.directory, "data")
        source = f"""
import os, socket, sys
def attempt(name, what):
    try:
        what()
        print("REACHED", name, file=sys.stderr)
    except BaseException as error:
        print("denied", name, type(error).__name__, file=sys.stderr)
def connect(place, family=socket.AF_INET):
    wire = socket.socket(family)
    wire.settimeout(2)
    wire.connect(place)
def found():
    for name in os.listdir("/proc"):
        if name.isdigit() and b"serve" in open("/proc/" + name + "/cmdline", "rb").read():
            return
    raise OSError("none")
def outside(root):
    return [found for found in os.walk(root) if not found[0].startswith(os.getcwd())]
def files(root):
    return [name for _, _, names in outside(root) for name in names]
def folders(root):
    return [name for _, names, _ in outside(root) for name in names]
attempt("data", lambda: files({data!r})[0])
attempt("neighbours", lambda: folders(os.path.dirname(os.getcwd()))[1])
attempt("write", lambda: open(os.path.join({data!r}, "evil"), "w").write("x"))
attempt("versions", lambda: os.listdir(os.path.join({data!r}, "versions")))
attempt("shadow", lambda: open("/etc/shadow").read())
attempt("arena", lambda: connect(("127.0.0.1", {self.server.port})))
attempt("outside", lambda: connect(("192.0.2.1", 80)))
run = os.path.join({data!r}, "run")
attempt("seats", lambda: connect(os.path.join(run, os.listdir(run)[0]), socket.AF_UNIX))
attempt("processes", found)
attempt("signal", lambda: os.kill({self.server.process.pid}, 0))
attempt("trace", lambda: open("/proc/{self.server.process.pid}/mem", "rb").read(1))
attempt("environment", lambda: [
    name for name in os.environ if name.startswith("SKIRMISH") and name != "SKIRMISH_SEED"][0])
sys.stderr.flush()
sys.stdin.readline()
print("<script>alert(2)</script>", flush=True)
"""
        body = {
            "game": "aliens",
            "seats": [{"language": "python", "source": source}, {"bot": "mallory/other"}],
        }
        made = self.ask("POST", "/api/v1/matches", body)
        self.assertEqual(made.status, 201, made.body)
        match, key = made.json["id"], made.json["key"]
        self.wait(lambda: self.ask("GET", f"/api/v1/matches/{match}").json["state"] == "over")
        found = self.ask(
            "GET", f"/api/v1/matches/{match}"
        )  # its reason may quote the bot's output, which check_head checks
        self.assertEqual(found.headers["Content-Type"], "application/json")
        path = f"/api/v1/matches/{match}/players/0/stderr"
        self.assertEqual(self.ask("GET", path).status, 404)
        self.assertEqual(self.ask("GET", path + "?key=" + "0" * len(key)).status, 404)
        self.assertEqual(
            self.ask("GET", f"/api/v1/matches/{match}/players/1/stderr?key={key}").status, 404
        )
        output = self.ask("GET", path + "?key=" + key).body.decode()
        self.assertEqual(output.count("denied"), 12, output)
        self.assertNotIn("REACHED", output)
        self.assertEqual(self.outside(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
