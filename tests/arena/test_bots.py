"""Bots and versions over HTTP: who may do what, what may be uploaded, what is kept."""

import io
import os
import tarfile
import unittest
import zipfile

import bots_server

ECHO = "while True: print(input())\n"


def zip_of(files, compression=zipfile.ZIP_DEFLATED):
    """An archive of (name, content) pairs, in their order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in files:
            archive.writestr(
                zipfile.ZipInfo(name) if isinstance(name, str) else name, content, compression
            )
    return out.getvalue()


def tar_of(entries, mode="w:gz"):
    """An archive of (name, content) pairs or of TarInfos."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
                continue
            info = tarfile.TarInfo(entry[0])
            info.size = len(entry[1])
            archive.addfile(info, io.BytesIO(entry[1]))
    return out.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


class Bots(bots_server.BotsTest):
    def test_a_bot_can_be_created_found_listed_published_and_retired(self):
        made = self.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "striker"}, "ann")
        self.check(made, 201, "BotDetail")
        self.assertEqual(made.headers["Location"], "/api/v1/bots/ann/striker")
        self.add_bot("other", game="ctf")
        self.add_bot("bens", who="ben")
        names = lambda query, who=None: [
            bot["name"]
            for bot in self.check(  # noqa: E731
                self.ask("GET", "/api/v1/bots" + query, who=who), 200, "Bots"
            ).json["items"]
            if bot["owner"] != "house"
        ]
        self.assertEqual(names("?owner=ann"), ["other", "striker"])
        self.assertEqual(names("?mine=true", "ben"), ["bens"])
        self.assertEqual(names("?game=aliens"), ["bens", "striker"])
        self.assertEqual(names("?owner=ANN&game=ctf"), ["other"])
        self.assertEqual(names("?search=RIKE"), ["striker"])
        self.assertEqual(names("?search=s&owner=ben"), ["bens"])
        self.assertEqual(names("?search=e&game=aliens"), ["bens", "striker"])
        self.assertEqual(names("?search=e&game=aliens&owner=ann"), ["striker"])
        for nothing in ("%25", "_", "x' OR 1=1--", "strikers", "s" * 64):
            self.assertEqual(names("?search=" + nothing.replace(" ", "%20")), [], nothing)
        self.check(self.ask("GET", "/api/v1/bots?mine=true"), 401)
        self.check(self.ask("GET", "/api/v1/bots?owner=nobody"), 404)
        self.check(self.ask("GET", "/api/v1/bots?game=chess"), 404)
        changed = self.check(
            self.ask("PATCH", "/api/v1/bots/ann/striker", {"published": True}, "ann"),
            200,
            "BotDetail",
        )
        self.assertTrue(changed.json["published"])
        self.check(self.ask("DELETE", "/api/v1/bots/ann/striker", who="ann"), 204)
        self.check(self.ask("GET", "/api/v1/bots/ann/striker"), 404)
        self.add_bot()  # the name is free again

    def test_a_page_continues_where_the_last_one_ended(self):
        for number in range(5):
            self.add_bot(f"bot-{number}")
        seen, cursor = [], ""
        while cursor is not None:
            page = self.check(
                self.ask("GET", f"/api/v1/bots?owner=ann&limit=2&cursor={cursor}"), 200, "Bots"
            ).json
            seen += [bot["name"] for bot in page["items"]]
            cursor = page["next"]
        self.assertEqual(seen, [f"bot-{number}" for number in (4, 3, 2, 1, 0)])
        self.check(self.ask("GET", "/api/v1/bots?cursor=nonsense"), 400)

    def test_invalid_bots_are_rejected_with_a_reason(self):
        for body in (
            {},
            {"game": "chess", "name": "bot"},
            {"game": "aliens"},
            {"game": "aliens", "name": "../etc"},
            {"game": "aliens", "name": "<b>x</b>"},
            {"game": "aliens", "name": "x" * 33},
            {"game": "aliens", "name": "bot", "owner": "ben"},
            {"game": 1, "name": "bot"},
            {"game": "aliens", "name": "bo\0t"},
            {"game": "aliens\0x", "name": "bot"},
        ):
            with self.subTest(body=body):
                self.check(self.ask("POST", "/api/v1/bots", body, "ann"), 422)
        self.check(self.ask("POST", "/api/v1/bots", {"game": "aliens", "name": "bot"}), 401)
        self.add_bot("bot")
        self.check(self.ask("POST", "/api/v1/bots", {"game": "ctf", "name": "BOT"}, "ann"), 409)

    def test_only_the_owner_changes_a_bot_and_administrators_may_retire_it(self):
        self.add_bot()
        self.check(self.upload("bot.py", ECHO), 201)
        self.build()
        for who in ("ben", "olga", "ada"):
            with self.subTest(who=who):
                self.check(self.upload("bot.py", ECHO, who=who), 403)
                self.check(self.ask("POST", "/api/v1/versions/1/activate", who=who), 403)
                self.check(
                    self.ask("PATCH", "/api/v1/bots/ann/striker", {"published": True}, who), 403
                )
        for who in ("ben", "olga"):
            self.check(self.ask("DELETE", "/api/v1/bots/ann/striker", who=who), 403)
        for method, path in (
            ("DELETE", "/api/v1/bots/ann/striker"),
            ("POST", "/api/v1/versions/1/activate"),
        ):
            self.check(self.ask(method, path), 401)
        self.check(self.ask("PATCH", "/api/v1/bots/ann/striker", {"published": True}, "ann"), 200)
        self.check(self.ask("PATCH", "/api/v1/bots/ann/striker", {"published": False}, "ada"), 200)
        self.check(self.ask("DELETE", "/api/v1/bots/ann/striker", who="ada"), 204)

    def test_sources_and_logs_are_for_the_owner_and_organisers_unless_published(self):
        self.add_bot()
        self.check(self.upload("bot.py", ECHO), 201)
        self.build()

        def readers():
            found = []
            for who in (None, "ann", "ben", "olga", "ada"):
                answers = {
                    self.ask("GET", f"/api/v1/versions/1/{part}", who=who).status
                    for part in ("source", "log")
                }
                name = self.version(1, who)["file_name"]
                listed = self.ask("GET", "/api/v1/bots/ann/striker/versions", who=who).json[
                    "items"
                ][0]["file_name"]
                whole = self.ask("GET", "/api/v1/bots/ann/striker", who=who).json["version"][
                    "file_name"
                ]
                self.assertEqual({name, listed, whole}, {"bot.py" if answers == {200} else None})
                self.assertIn(answers, ({200}, {404}))
                found += [who] if answers == {200} else []
            return found

        self.assertEqual(readers(), ["ann", "olga", "ada"])
        self.ask("PATCH", "/api/v1/bots/ann/striker", {"published": True}, "ann")
        self.assertEqual(readers(), [None, "ann", "ben", "olga", "ada"])
        self.ask("PATCH", "/api/v1/bots/ann/striker", {"published": False}, "ann")
        self.assertEqual(readers(), ["ann", "olga", "ada"])

    def test_the_source_is_returned_unchanged_with_an_etag(self):
        self.add_bot()
        content = os.urandom(5000)
        self.check(self.upload('a "b".py', content), 201)
        answer = self.ask("GET", "/api/v1/versions/1/source", who="ann")
        self.assertEqual((answer.status, answer.body), (200, content))
        self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
        self.assertEqual(answer.headers["Content-Disposition"], 'attachment; filename="a _b_.py"')
        again = self.ask(
            "GET",
            "/api/v1/versions/1/source",
            who="ann",
            headers={"If-None-Match": answer.headers["ETag"]},
        )
        self.assertEqual((again.status, again.body), (304, b""))

    def test_versions_are_numbered_and_immutable_and_the_newest_good_one_plays(self):
        self.add_bot()
        first = self.upload("bot.c", "int main(void) { return 0; }\n")
        self.check(first, 201, "Version")
        self.assertEqual(first.headers["Location"], "/api/v1/versions/1")
        self.assertEqual(
            (first.json["build"], first.json["active"], first.json["language"]),
            ("waiting", False, "c"),
        )
        self.check(self.ask("POST", "/api/v1/versions/1/activate", who="ann"), 422)
        self.build()
        self.check(self.upload("bot.c", "this is not C\n"), 201)
        self.check(self.upload("bot.py", ECHO), 201)
        self.build()
        listed = self.check(
            self.ask("GET", "/api/v1/bots/ann/striker/versions"), 200, "Versions"
        ).json["items"]
        self.assertEqual(
            [(row["number"], row["build"], row["active"]) for row in listed],
            [(3, "good", True), (2, "failed", False), (1, "good", False)],
        )
        log = self.ask("GET", "/api/v1/versions/2/log", who="ann")
        self.assertIn(b"error", log.body)
        self.assertEqual(log.headers["Content-Type"].split(";")[0], "text/plain")
        self.check(self.ask("POST", "/api/v1/versions/2/activate", who="ann"), 422)
        self.check(self.ask("POST", "/api/v1/versions/1/activate", who="ann"), 200, "Version")
        self.assertEqual(
            self.check(self.ask("GET", "/api/v1/bots/ann/striker"), 200, "BotDetail").json[
                "version"
            ]["number"],
            1,
        )
        for method in ("PUT", "PATCH"):
            for path in ("/api/v1/versions/1", "/api/v1/versions/1/source"):
                self.assertEqual(self.ask(method, path, who="ann").status, 405)
        source = self.ask("GET", "/api/v1/versions/1/source", who="ann")
        self.assertEqual(source.body, b"int main(void) { return 0; }\n")

    def test_an_editor_uploads_code_as_json(self):
        self.add_bot()
        path = "/api/v1/bots/ann/striker/versions"
        made = self.check(
            self.ask("POST", path, {"file_name": "bot.rb", "source": "puts gets # \u00e4"}, "ann"),
            201,
            "Version",
        )
        self.assertEqual(made.json["language"], "ruby")
        self.assertEqual(
            self.ask("GET", "/api/v1/versions/1/source", who="ann").body,
            "puts gets # \u00e4".encode(),
        )
        for body in (
            {},
            {"file_name": "bot.rb"},
            {"source": "x"},
            {"file_name": 1, "source": "x"},
            {"file_name": "", "source": "x"},
            {"file_name": "bot.rb", "source": "x", "language": "ruby"},
            {"file_name": "a\0.rb", "source": "x"},
            {"file_name": "a\nb.rb", "source": "x"},
        ):
            with self.subTest(body=body):
                self.check(self.ask("POST", path, body, "ann"), 422)

    def test_languages_are_listed(self):
        items = self.check(self.ask("GET", "/api/v1/languages"), 200, "Languages").json["items"]
        self.assertEqual(
            [item["title"] for item in items],
            ["Python", "JavaScript", "Ruby", "Java", "C", "C++", "Go", "Rust", "Lua", "Perl"]
            + ["Haskell", "Common Lisp"],
        )
        self.assertTrue(items[0]["available"])

    def test_unknown_versions_are_not_found(self):
        for path in (
            "/api/v1/versions/99",
            "/api/v1/versions/99/log",
            "/api/v1/versions/99/source",
            "/api/v1/bots/ann/nothing",
            "/api/v1/bots/nobody/x",
            "/api/v1/bots/ann/" + "x" * 32,
        ):
            self.check(self.ask("GET", path, who="olga"), 404)
        for path in ("/api/v1/versions/0", "/api/v1/versions/-1", "/api/v1/versions/x"):
            self.check(self.ask("GET", path, who="olga"), 400)
        self.check(self.ask("POST", "/api/v1/versions/99/activate", who="ann"), 404)

    def test_bots_and_versions_survive_a_restart(self):
        self.add_bot()
        self.check(self.upload("bot.c", "int main(void) { return 0; }\n"), 201)
        self.build()
        os.mkdir(os.path.join(self.data, "versions", ".new-half"))
        os.makedirs(os.path.join(self.data, "versions", "7", "files"))
        self.stop()
        self.start()
        self.assertEqual(sorted(os.listdir(os.path.join(self.data, "versions"))), ["1"])
        self.assertEqual(self.version(1)["build"], "good")
        self.assertTrue(self.version(1)["active"])


class Uploads(bots_server.BotsTest):
    def accept(self, file_name, content, language):
        answer = self.check(self.upload(file_name, content), 201, "Version")
        self.assertEqual(answer.json["language"], language)
        self.assertEqual(self.left_over(), [])
        return answer.json["id"]

    def assert_rejected(self, file_name, content, word):
        answer = self.check(self.upload(file_name, content), 422)
        self.assertIn(word, answer.json["detail"])
        self.assertNotIn(self.data, answer.json["detail"])
        self.assertEqual(self.left_over(), [])

    def setUp(self):
        super().setUp()
        self.add_bot()

    def files_of(self, version):
        """The unpacked files with their permissions."""
        top = os.path.join(self.data, "versions", str(version), "files")
        found = {}
        for directory, _, names in os.walk(top):
            for name in names:
                path = os.path.join(directory, name)
                found[os.path.relpath(path, top)] = os.lstat(path).st_mode & 0o7777
        return found

    def test_a_single_file_of_every_language_is_accepted(self):
        for name, language in (
            ("bot.py", "python"),
            ("bot.js", "javascript"),
            ("bot.mjs", "javascript"),
            ("bot.rb", "ruby"),
            ("Bot.java", "java"),
            ("bot.c", "c"),
            ("bot.cpp", "c++"),
            ("bot.cc", "c++"),
            ("bot.go", "go"),
            ("bot.lua", "lua"),
            ("bot.pl", "perl"),
            ("BOT.PY", "python"),
        ):
            with self.subTest(name=name):
                self.accept(name, "x", language)

    def test_archives_of_every_kind_are_accepted(self):
        files = [("main.py", b"import other"), ("other.py", b""), ("data/deep/table.txt", b"1 2 3")]
        self.accept("bot.zip", zip_of(files), "python")
        self.accept("bot.ZIP", zip_of(files, zipfile.ZIP_STORED), "python")
        self.accept("bot.tar", tar_of(files, "w:"), "python")
        self.accept("bot.tar.gz", tar_of(files), "python")
        self.accept(
            "bot.tgz", tar_of([(f"./{name}", content) for name, content in files]), "python"
        )
        self.build()
        for version in range(1, 6):
            self.assertEqual(
                sorted(self.files_of(version)), ["data/deep/table.txt", "main.py", "other.py"]
            )

    def test_an_archive_of_one_directory_is_unpacked_without_it(self):
        self.accept(
            "bot.zip",
            zip_of(
                [("mine/main.c", b"int main(void) { return 0; }"), ("__MACOSX/mine/._main.c", b"x")]
            ),
            "c",
        )
        self.accept(
            "bot.tar.gz",
            tar_of([("mine/bot.json", b'{"run": "sh run.sh"}'), ("mine/run.sh", b"cat")]),
            "own",
        )
        self.build()
        self.assertEqual([self.version(number)["build"] for number in (1, 2)], ["good", "good"])
        self.assertEqual(sorted(self.files_of(1)), ["mine/bot", "mine/main.c"])

    def test_bot_json_defines_how_to_build_and_run(self):
        self.accept(
            "bot.zip",
            zip_of([("bot.json", b'{"build": "cp a b", "run": "sh b"}'), ("a", b"cat")]),
            "own",
        )
        self.build()
        self.assertEqual(sorted(self.files_of(1)), ["a", "b", "bot.json"])
        self.assert_rejected("bot.zip", zip_of([("bot.json", b'{"run": 1}')]), "bot.json:1:")
        self.assert_rejected(
            "bot.zip", zip_of([("bot.json", b'{"name": "x"}')]), '"run" is missing'
        )
        self.assert_rejected("bot.zip", zip_of([("bot.json", b"nonsense")]), "bot.json")
        self.assert_rejected("bot.zip", zip_of([("bot.json/x", b"")]), "bot.json")

    def test_the_commands_of_a_bot_json_name_its_language(self):
        for commands, language in (
            ('"run": "python3 bot.py"', "python"),
            ('"run": "/usr/bin/env node bot.js"', "javascript"),
            ('"build": "javac -d build *.java", "run": "java -cp build Bot"', "java"),
            ('"build": "g++ -o bot *.cpp", "run": "./bot"', "c++"),
            ('"build": "GOCACHE=/tmp/go go build -o bot", "run": "./bot"', "go"),
            ('"build": "cargo build --release", "run": "target/release/bot"', "rust"),
            ('"run": "./bot.rb"', "ruby"),
            ('"run": "./bot"', "own"),
        ):
            with self.subTest(commands):
                content = zip_of([("bot.json", f"{{{commands}}}".encode()), ("bot", b"x")])
                self.accept("bot.zip", content, language)

    def test_an_upload_without_a_main_file_is_rejected(self):
        self.assert_rejected(
            "bot.zip", zip_of([("a.py", b""), ("b.py", b"")]), "none is named main"
        )
        self.assert_rejected(
            "bot.zip", zip_of([("main.py", b""), ("main.rb", b"")]), "main.py and main.rb"
        )
        self.assert_rejected("bot.zip", zip_of([("readme.txt", b"")]), "no source file")
        self.accept(
            "bot.zip",
            zip_of(
                [
                    ("a.c", b"int f(void);int main(void){return f();}"),
                    ("b.c", b"int f(void){return 0;}"),
                ]
            ),
            "c",
        )
        self.build()
        self.assertEqual(self.version(1)["build"], "good")

    def test_file_names_are_not_run_as_commands(self):
        name = "a'; touch hacked; '$(touch hacked)`touch hacked`.c"
        self.accept(name, "int main(void) { return 0; }", "c")
        self.accept("-o x.c", "int main(void) { return 0; }", "c")
        self.build()
        self.assertEqual([self.version(number)["build"] for number in (1, 2)], ["good", "good"])
        self.assertEqual(sorted(self.files_of(1)), sorted([name, "bot"]))
        self.assertEqual(sorted(self.files_of(2)), ["-o x.c", "bot"])

    def test_unusable_uploads_are_rejected(self):
        self.assert_rejected("bot.exe", "MZ", "neither an archive")
        self.assert_rejected("bot", "x", "neither an archive")
        self.assert_rejected(".py", "x", "neither an archive")
        self.assert_rejected("bot.py", "", "empty")
        self.assert_rejected("../bot.py", "x", "name")
        self.assert_rejected("a\\b.py", "x", "name")
        self.assert_rejected("b\u00f6t.py", "x", "name")
        self.assert_rejected("bot.zip", "no zip at all", "cannot be read")
        self.assert_rejected("bot.tar", "no tar at all", "cannot be read")
        self.assert_rejected("bot.tar.gz", "no tar at all", "cannot be read")
        self.assert_rejected("bot.zip", zip_of([("a/", b"")]), "no files")
        self.assert_rejected("bot.zip", tar_of([("main.py", b"")]), "cannot be read")

    def test_paths_that_lead_out_of_the_archive_are_rejected(self):
        for path, word in (
            ("../main.py", '".."'),
            ("a/../../main.py", '".."'),
            ("/etc/main.py", "absolute"),
            ("a/..", '".."'),
            ("a\\..\\b.py", None),
            ("a/b\x01.py", "name"),
            ("C:\\x.py", None),
        ):
            with self.subTest(path=path):
                self.assert_rejected(
                    "bot.tar.gz", tar_of([("main.py", b""), (path, b"x")]), word or "name"
                )
                if word:
                    self.assert_rejected("bot.zip", zip_of([("main.py", b""), (path, b"x")]), word)
        self.assertEqual(
            [
                name
                for name in os.listdir(self.data)
                if name not in ("versions", "files", "lock") and not name.startswith("arena.db")
            ],
            [],
        )

    def test_links_and_devices_are_rejected(self):
        plain = ("main.py", b"")
        for entry, word in (
            (special("link", tarfile.SYMTYPE, "/etc/passwd"), "contains a link"),
            (special("link", tarfile.LNKTYPE, "main.py"), "contains a link"),
            (special("link", tarfile.SYMTYPE, "main.py"), "contains a link"),
            (special("pipe", tarfile.FIFOTYPE), "neither"),
            (special("disk", tarfile.BLKTYPE), "neither"),
            (special("zero", tarfile.CHRTYPE), "neither"),
        ):
            with self.subTest(entry=entry.type):
                self.assert_rejected("bot.tar", tar_of([plain, entry], "w:"), word)
        self.assert_rejected(
            "bot.tar",
            tar_of([special("a", tarfile.SYMTYPE, "/tmp"), ("a/main.py", b"x")], "w:"),
            "contains a link",
        )
        link = zipfile.ZipInfo("link")
        link.create_system = 3
        link.external_attr = 0o120777 << 16
        self.assert_rejected(
            "bot.zip", zip_of([("main.py", b""), (link, b"/etc/passwd")]), "contains a link"
        )

    def test_unpacked_files_have_plain_permissions(self):
        info = zipfile.ZipInfo("tool")
        info.create_system = 3
        info.external_attr = 0o106777 << 16
        self.accept("bot.zip", zip_of([("main.py", b""), (info, b"x")]), "python")
        self.build()
        self.assertEqual(self.files_of(1), {"main.py": 0o644, "tool": 0o755})

    def test_archive_bombs_are_rejected_early(self):
        zeros = bytes(40 << 20)
        self.assert_rejected("bot.zip", zip_of([("main.py", zeros)]), "bomb")
        self.assert_rejected("bot.tar.gz", tar_of([("main.py", zeros)]), "bomb")
        noise = os.urandom(20000)
        self.assert_rejected(
            "bot.zip",
            zip_of([(f"{number}.py", noise * 100) for number in range(5)]),
            "more than 8388608 bytes",
        )
        self.assert_rejected(
            "bot.zip", zip_of([(f"{number}.py", b"") for number in range(1001)]), "1000 files"
        )
        self.assert_rejected(
            "bot.tar.gz",
            tar_of([special(f"{number}", tarfile.DIRTYPE) for number in range(1001)]),
            "1000 files",
        )
        self.assert_rejected("bot.zip", zip_of([("a/" * 11 + "main.py", b"")]), "deep")
        self.assert_rejected("bot.zip", zip_of([("x" * 91, b"")]), "1 to 90 bytes")
        self.assert_rejected("bot.tar.gz", tar_of([("x" * 60000, b"")]), "240 bytes")
        self.assert_rejected(
            "bot.zip", zip_of([("/".join(["x" * 50] * 5) + "/main.py", b"")]), "240 bytes"
        )

    def test_a_sparse_file_counts_with_its_full_size(self):
        """A sparse file of a terabyte: 512 bytes after a hole."""
        sparse = tarfile.TarInfo("main.py")
        sparse.type = tarfile.GNUTYPE_SPARSE
        sparse.size = 512
        block = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
        block[386:398] = b"\x80\0\0\0\0\0\1\0\0\0\0\0"  # the offset of the 512 bytes
        block[398:410] = b"%011o\0" % 512
        block[483:495] = b"\x80\0\0\0\0\0\1\0\0\0\2\0"  # the size including the hole
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        self.assert_rejected("bot.tar", bytes(block) + b"#" * 512 + bytes(1024), "bomb")

    def test_duplicate_names_are_rejected(self):
        for first, second in (
            ("main.py", "main.py"),
            ("main.py", "MAIN.py"),
            ("a/x", "A/X"),
            ("main.py", "./main.py"),
            ("x", "x/y"),
            ("x/y", "x"),
        ):
            with self.subTest(first=first, second=second):
                word = "twice" if "x" in (first, second) else "two files"
                self.assert_rejected("bot.tar", tar_of([(first, b"1"), (second, b"2")], "w:"), word)

    def test_truncated_archives_are_rejected(self):
        files = [("main.py", os.urandom(3000)), ("b.txt", os.urandom(3000))]
        for name, content in (("bot.zip", zip_of(files)), ("bot.tar.gz", tar_of(files))):
            for cut in (1, 10, 500, 3100, 5000, len(content) - 30):
                with self.subTest(name=name, cut=cut):
                    self.check(self.upload(name, content[:cut]), 422)
        whole = zip_of([("main.py", b"while True: print(input())")], zipfile.ZIP_STORED)
        self.assert_rejected("bot.zip", whole.replace(b"while", b"While"), "CRC")
        self.assertEqual(self.left_over(), [])


class Limits(bots_server.BotsTest):
    options = (
        "bots_max=2",
        "versions_max=3",
        "upload_max=1000",
        "unpacked_max=2000",
        "disk_max=2500",
    )

    def test_bots_per_account_are_limited(self):
        self.add_bot("one")
        self.add_bot("two")
        self.check(self.ask("POST", "/api/v1/bots", {"game": "ctf", "name": "three"}, "ann"), 409)
        self.add_bot("bens", who="ben")
        self.check(self.ask("DELETE", "/api/v1/bots/ann/one", who="ann"), 204)
        self.add_bot("three")

    def test_versions_per_day_are_limited(self):
        self.add_bot()
        for _ in range(3):
            self.check(self.upload("bot.py", ECHO), 201)
        limited = self.check(self.upload("bot.py", ECHO), 429)
        self.assertTrue(limited.headers["Retry-After"])
        self.add_bot("other")
        self.check(self.upload("bot.py", ECHO, bot="other"), 429)
        self.check(self.ask("DELETE", "/api/v1/bots/ann/striker", who="ann"), 204)
        self.add_bot()
        self.check(self.upload("bot.py", ECHO), 429)

    def test_the_disk_space_of_an_account_is_limited(self):
        self.add_bot()
        self.check(self.upload("bot.py", ECHO + "#" * 800), 201)
        self.check(self.upload("bot.py", ECHO + "#" * 810), 201)
        self.build()
        full = self.check(self.upload("bot.py", ECHO + "#" * 820), 413)
        self.assertIn("your bots already take 1 MiB", full.json["detail"])
        self.check(self.upload("bot.py", ECHO), 201)
        used = self.check(self.ask("GET", "/api/v1/me/disk", who="ann"), 200, "DiskUsage").json
        self.assertEqual(used["sources"], 3 * len(ECHO) + 1610)
        self.assertEqual((used["used"], used["limit"]), (used["sources"], 2500))
        old, active = self.version(1), self.version(2)
        self.assertTrue(active["active"])
        path = "/api/v1/versions/%d"
        self.check(self.ask("DELETE", path % active["id"], who="ann"), 409)
        self.check(self.ask("DELETE", path % old["id"], who="ben"), 403)
        self.check(self.ask("DELETE", path % old["id"], who="ann"), 204)
        self.assertTrue(self.version(1)["deleted"])
        self.check(self.ask("POST", path % old["id"] + "/activate", who="ann"), 422)
        used = self.check(self.ask("GET", "/api/v1/me/disk", who="ann"), 200, "DiskUsage").json
        self.assertEqual(used["sources"], 2 * len(ECHO) + 810)

    def test_the_size_of_an_upload_is_limited(self):
        self.add_bot()
        self.check(self.upload("bot.py", "#" * 1000), 201)
        self.check(self.upload("bot.py", "#" * 1001), 413)
        answer = self.check(self.upload("bot.zip", zip_of([("main.py", b"#" * 2001)])), 422)
        self.assertIn("more than 2000 bytes", answer.json["detail"])
        self.check(self.upload("bot.zip", zip_of([("main.py", b"#" * 2000)])), 201)


if __name__ == "__main__":
    unittest.main()
