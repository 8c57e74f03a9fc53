"""The web interface as `skirmish serve` serves it, from small and from invalid directories."""

import gzip
import os
import shutil
import socket
import subprocess
import tempfile
import unittest

import accounts_server
from accounts_server import SKIRMISH, Person, Server, ServerTest

SCRIPT = ("export const answer = 42;\n" * 200).encode()
FILES = {
    "index.html": b"<!doctype html><title>Pages</title>"
    b"<script type=module src=/assets/index-B7xYz_1-.js></script>",
    "assets/index-B7xYz_1-.js": SCRIPT,
    "assets/index-C0ffee00.css": b"main { margin: 0 }\n",
    "assets/rules-DEADbeef.wasm": b"\0asm\1\0\0\0" + bytes(2000),
    "assets/rules-DEADbeef.wasm.br": b"in Brotli",  # Python cannot write Brotli
    "assets/text-a1b2c3d4.woff2": b"wOF2" + bytes(2000),
    "assets/board-keyboard.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "assets/-ABCDEFGH.js": b"1",
    "favicon.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "favicon.ico": b"\0\0\1\0",
    "icon-ABCDEFG1.png": b"\x89PNG",
    "robots.txt": b"User-agent: *\n",
    "app.webmanifest": b"{}",
    "data/games.json": b"[]",
    "empty.txt": b"",
    "two words.txt": b"blank",
    ".secret.txt": b"hidden",
    ".git/index.html": b"hidden",
}
FOREVER = "public, max-age=31536000, immutable"
TYPES = {
    "/": "text/html; charset=utf-8",
    "/index.html": "text/html; charset=utf-8",
    "/assets/index-B7xYz_1-.js": "text/javascript; charset=utf-8",
    "/assets/index-C0ffee00.css": "text/css; charset=utf-8",
    "/assets/rules-DEADbeef.wasm": "application/wasm",
    "/assets/text-a1b2c3d4.woff2": "font/woff2",
    "/favicon.svg": "image/svg+xml",
    "/favicon.ico": "image/x-icon",
    "/icon-ABCDEFG1.png": "image/png",
    "/robots.txt": "text/plain; charset=utf-8",
    "/app.webmanifest": "application/manifest+json",
    "/data/games.json": "application/json",
}
POLICY = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
NOTHING = "default-src 'none'; frame-ancestors 'none'"


def write_files(directory, files):
    for name, content in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


class Pages(ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.web = tempfile.mkdtemp(prefix="skirmish-test-web-")
        write_files(cls.web, FILES)
        cls.options = ("--web", cls.web)
        try:
            super().setUpClass()
        except BaseException:
            shutil.rmtree(cls.web)
            raise
        shutil.rmtree(cls.web)  # the server read all files at its start

    def get(self, path, **headers):
        return Person(self.server).ask(
            "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    def raw(self, target):
        """Sends a path without normalising it; returns the status and the whole response."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as wire:
            head = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            wire.sendall(b"GET " + target + head)
            answer = b"".join(iter(lambda: wire.recv(65536), b""))
        return int(answer.split(b" ", 2)[1]) if answer else 0, answer

    def test_every_file_has_its_type_and_its_bytes(self):
        for path, kind in TYPES.items():
            with self.subTest(path):
                answer = self.get(path)
                self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, kind))
                self.assertEqual(answer.body, FILES[path[1:] or "index.html"])
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.get("/two%20words.txt").body, b"blank")
        self.assertEqual((self.get("/empty.txt").status, self.get("/empty.txt").body), (200, b""))

    def test_only_an_asset_with_a_hash_in_its_name_is_kept_forever(self):
        forever = {
            "assets/index-B7xYz_1-.js",
            "assets/index-C0ffee00.css",
            "assets/rules-DEADbeef.wasm",
            "assets/text-a1b2c3d4.woff2",
            "assets/-ABCDEFGH.js",
        }
        for name in FILES:
            if not name.startswith(".") and not name.endswith(".br"):
                with self.subTest(name):
                    rule = self.get("/" + name.replace(" ", "%20")).headers["Cache-Control"]
                    self.assertEqual(rule, FOREVER if name in forever else "no-cache")
        self.assertEqual(self.get("/somewhere/else").headers["Cache-Control"], "no-cache")

    def test_only_embedded_pages_may_be_shown_in_frames(self):
        for path, framed in {
            "/": False,
            "/matches/1": False,
            "/embedded/matches/1": False,
            "/embed/matches/1": True,
        }.items():
            with self.subTest(path):
                answer = self.get(path)
                policy = answer.headers["Content-Security-Policy"]
                self.assertEqual((answer.status, answer.body), (200, FILES["index.html"]))
                self.assertEqual("X-Frame-Options" not in answer.headers, framed)
                self.assertIn("frame-ancestors " + ("*" if framed else "'none'"), policy)
                self.assertEqual(
                    policy.split("; frame-ancestors")[0],
                    self.get("/").headers["Content-Security-Policy"].split("; frame-ancestors")[0],
                )

    def test_an_unchanged_file_is_not_sent_again(self):
        for path in ("/", "/deep/link", "/robots.txt", "/assets/index-B7xYz_1-.js"):
            with self.subTest(path):
                tag = self.get(path).headers["ETag"]
                again = self.get(path, If_None_Match=tag)
                self.assertEqual((again.status, again.body, again.headers["ETag"]), (304, b"", tag))
                self.assertEqual(self.get(path, If_None_Match='"other"').status, 200)
        self.assertNotEqual(self.get("/").headers["ETag"], self.get("/robots.txt").headers["ETag"])

    def test_files_are_compressed_for_clients_that_accept_it(self):
        packed = self.get("/assets/index-B7xYz_1-.js", Accept_Encoding="gzip")
        self.assertEqual(
            (packed.headers["Content-Encoding"], packed.headers["Vary"]),
            ("gzip", "Accept-Encoding"),
        )
        self.assertLess(len(packed.body), len(SCRIPT) // 10)
        self.assertEqual(gzip.decompress(packed.body), SCRIPT)
        plain = self.get("/assets/index-B7xYz_1-.js", Accept_Encoding="identity")
        self.assertEqual((plain.headers["Content-Encoding"], plain.body), (None, SCRIPT))
        self.assertEqual(
            self.get("/assets/rules-DEADbeef.wasm", Accept_Encoding="gzip").headers[
                "Content-Encoding"
            ],
            "gzip",
        )
        self.assertIsNone(
            self.get("/assets/text-a1b2c3d4.woff2", Accept_Encoding="gzip").headers[
                "Content-Encoding"
            ]
        )

    def test_the_brotli_form_of_a_file_is_sent_to_clients_that_accept_it(self):
        path = "/assets/rules-DEADbeef.wasm"
        for accepted in ("gzip, deflate, br, zstd", "br", "br;q=0.5", "*"):
            packed = self.get(path, Accept_Encoding=accepted)
            self.assertEqual(
                (packed.headers["Content-Encoding"], packed.headers["Vary"], packed.body),
                ("br", "Accept-Encoding", b"in Brotli"),
                accepted,
            )
            self.assertEqual(packed.headers["Content-Type"], "application/wasm")
        for accepted in ("gzip", "gzip, br;q=0", "bro"):
            other = self.get(path, Accept_Encoding=accepted)
            self.assertNotEqual(other.headers["Content-Encoding"], "br", accepted)
        self.assertEqual(self.get(path + ".br").status, 404)
        self.assertEqual(
            self.get("/assets/index-B7xYz_1-.js", Accept_Encoding="br").headers["Content-Encoding"],
            None,
        )

    def test_head_is_get_without_the_body(self):
        for path in ("/", "/deep/link", "/assets/index-B7xYz_1-.js"):
            get = self.get(path)
            head = Person(self.server).ask("HEAD", path)
            self.assertEqual((head.status, head.body), (200, b""))
            for name in (
                "Content-Length",
                "Content-Type",
                "ETag",
                "Cache-Control",
                "Content-Security-Policy",
            ):
                self.assertEqual(head.headers[name], get.headers[name])

    def test_pages_may_load_only_the_arenas_own_files(self):
        # Scripts have the policy too: a web worker takes it from its script.
        for path in ("/", "/deep/link", "/assets/index-B7xYz_1-.js"):
            policy = self.get(path).headers["Content-Security-Policy"]
            self.assertEqual(dict(part.strip().split(" ", 1) for part in policy.split(";")), POLICY)
        for path in (
            "/favicon.svg",
            "/assets/index-C0ffee00.css",
            "/data/games.json",
            "/api/v1/arena",
        ):
            self.assertEqual(self.get(path).headers["Content-Security-Policy"], NOTHING)

    def test_a_path_that_names_no_file_serves_the_index_page(self):
        for path in (
            "/editor",
            "/matches/17",
            "/matches/17?turn=3&turn-by=x",
            "/docs/",
            "/a/b/c/d/e/f",
            "/?next=%2Feditor",
            "/bots/alice/%E2%9C%93",
            "/index.html/",
            "/apis",
            "/api.html",
            "/favicon.svg/x",
            "/assets",
        ):
            with self.subTest(path):
                answer = self.get(path)
                self.assertEqual((answer.status, answer.body), (200, FILES["index.html"]))
                self.assertEqual(answer.headers["Content-Type"], TYPES["/"])

    def test_unknown_assets_and_api_paths_are_not_found(self):
        for path in (
            "/assets/",
            "/assets/index-OLD00000.js",
            "/assets/a/b.js",
            "/api",
            "/api/",
            "/api/v1",
            "/api/v2/arena",
            "/api/v1/arena/x",
            "/api/v1/nothing",
            "/healthz/",
            "/healthz/x",
            "/metrics/x",
            "//",
            "//editor",
            "/a//b",
            "/" + "x" * 600,
        ):
            with self.subTest(path[:40]):
                answer = self.get(path)
                self.assertEqual(
                    (answer.status, answer.headers["Content-Type"]),
                    (404, "application/problem+json"),
                )

    def test_no_other_file_of_the_machine_is_served(self):
        self.assertEqual(self.raw(b"/robots.txt")[0], 200)
        for target in (
            b"/../log",
            b"/assets/../../log",
            b"/%2e%2e/log",
            b"/assets/%2e%2e%2findex.html",
            b"/..%2flog",
            b"/..%5clog",
            b"/assets\\..\\index.html",
            b"/%00",
            b"/robots.txt%00.html",
            b"/%ff",
            b"/%",
            b"/%2",
            b"/./index.html",
            b"/x%0d%0aSet-Cookie:a=b",
            b"/" + b"a/" * 40,
            b"editor",
            b"*",
        ):
            with self.subTest(target):
                status, answer = self.raw(target)
                self.assertEqual(status, 400)
                self.assertNotIn(b"Set-Cookie", answer.split(b"\r\n\r\n")[0])
        self.assertEqual(self.raw(b"/robots.txt\0.html")[0], 400)
        for target in (b"//etc/passwd", b"//index.html", b"///"):
            self.assertEqual(self.raw(target)[0], 404, target)
        for target in (b"/etc/passwd", b"/.secret.txt", b"/.git/index.html"):
            status, answer = self.raw(target)
            self.assertEqual(
                (status, answer.split(b"\r\n\r\n", 1)[1]), (200, FILES["index.html"]), target
            )

    def test_pages_accept_only_get_and_head(self):
        for method in ("POST", "PUT", "PATCH", "DELETE", "BREW"):
            for path in ("/", "/editor", "/assets/index-B7xYz_1-.js"):
                answer = Person(self.server).ask(method, path)
                self.assertEqual(
                    (answer.status, answer.headers["Allow"]),
                    (405, "GET, HEAD, OPTIONS"),
                    (method, path),
                )
            self.assertEqual(Person(self.server).ask(method, "/api/v1/nothing").status, 404)
        self.assertEqual(Person(self.server).ask("OPTIONS", "/api/v1/nothing").status, 404)
        self.assertEqual(Person(self.server).ask("OPTIONS", "/editor").status, 204)

    def test_pages_ignore_an_expired_cookie(self):
        self.assertEqual(self.get("/editor", Cookie="skirmish_session=gone").status, 200)
        self.assertEqual(self.admin.ask("GET", "/editor").status, 200)

    def test_the_openapi_document_does_not_list_pages(self):
        self.assertIn("/api/v1/arena", self.document["paths"])
        for path in self.document["paths"]:
            self.assertTrue(path.startswith("/api/v1/"), path)

    def test_pages_have_no_rate_limit(self):
        person = Person(self.server)
        self.assertEqual(
            {person.ask("GET", "/assets/index-C0ffee00.css").status for _ in range(400)}, {200}
        )


class Directories(unittest.TestCase):
    """Invalid directories are reported at the start."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="skirmish-test-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.web = os.path.join(self.directory, "web")
        os.mkdir(self.web)

    def start_error(self, web="web"):
        done = subprocess.run(
            [SKIRMISH, "serve", "--port", "0", "--sandbox", "none", "--data", "data", "--web", web],
            cwd=self.directory,
            text=True,
            timeout=60,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "data")))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def start(self, *options, **more):
        server = Server(self.directory, *options, **more)
        self.addCleanup(server.stop)
        return server

    def test_a_missing_directory_is_rejected(self):
        self.assertIn(
            "web files in nowhere: cannot open the directory: No such file or directory",
            self.start_error("nowhere"),
        )
        write_files(self.directory, {"file": b""})
        self.assertIn(
            "web files in file: cannot open the directory: Not a directory",
            self.start_error("file"),
        )

    def test_a_directory_without_an_index_page_is_rejected(self):
        self.assertIn("web files in web: no index.html", self.start_error())
        os.mkdir(os.path.join(self.web, "index.html"))
        self.assertIn("web files in web: no index.html", self.start_error())

    def test_unknown_file_types_are_rejected(self):
        for name in (
            "assets/index-B7xYz_1-.js.map",
            "LICENSE",
            "a.HTML",
            "b.d/c",
            "js",
            "d.",
            "assets/e.htm",
            "assets/f.js.br",
        ):
            with self.subTest(name):
                write_files(self.web, {"index.html": b"x", name: b"x"})
                message = self.start_error()
                self.assertIn(
                    f"web files in web: {name}: unknown file type; supported types: .html .js ",
                    message,
                )
                os.remove(os.path.join(self.web, name))

    def test_links_and_special_files_are_rejected(self):
        write_files(self.web, {"index.html": b"x"})
        for name, make in {
            "link.txt": lambda path: os.symlink("/etc/hostname", path),
            "lost.txt": lambda path: os.symlink("nowhere", path),
            "folder": lambda path: os.symlink("/etc", path),
        }.items():
            make(os.path.join(self.web, name))
            self.assertIn(
                f"web files in web: {name} is a symbolic link; only regular files are allowed",
                self.start_error(),
            )
            os.remove(os.path.join(self.web, name))
        os.mkfifo(os.path.join(self.web, "pipe.txt"))
        self.assertIn(
            "web files in web: pipe.txt is neither a file nor a directory", self.start_error()
        )

    def test_sizes_depths_and_names_over_the_limits_are_rejected(self):
        write_files(self.web, {"index.html": b"x", "a/b/c/d/e/f/g/h/i.txt": b"x"})
        self.assertIn("more than 8 deep", self.start_error())
        shutil.rmtree(os.path.join(self.web, "a"))
        write_files(self.web, {"/".join(["x" * 200] * 3) + "/a.txt": b"x"})
        self.assertIn("path longer than 512 bytes", self.start_error())
        shutil.rmtree(os.path.join(self.web, "x" * 200))
        with open(os.path.join(self.web, "large.wasm"), "wb") as file:
            file.truncate((64 << 20) + 1)
        self.assertIn(
            "large.wasm: the files have more than 67108864 bytes in total", self.start_error()
        )
        os.remove(os.path.join(self.web, "large.wasm"))
        write_files(self.web, {f"{number}.txt": b"" for number in range(1000)})
        self.assertIn("more than 1000 files", self.start_error())
        os.remove(os.path.join(self.web, "0.txt"))
        self.assertEqual(Person(self.start("--web", "web")).ask("GET", "/1.txt").status, 200)

    def test_the_directory_may_be_a_link_and_can_be_set_by_every_option(self):
        write_files(self.web, {"index.html": b"here"})
        os.symlink("web", os.path.join(self.directory, "current"))
        write_files(self.directory, {"arena.json": b'{"web": "current"}'})
        for options, variables in (
            (("--web", "current"), {}),
            ((), {"SKIRMISH_WEB": "current"}),
            (("--config", "arena.json"), {}),
        ):
            server = self.start(*options, environment=dict(os.environ, **variables))
            self.assertEqual(Person(server).ask("GET", "/x").body, b"here")
            self.assertFalse([line for line in server.output if "pages" in line])
            server.stop()

    def test_without_pages_the_arena_says_so_and_serves_the_api(self):
        program = os.path.join(self.directory, "bin", "skirmish")
        os.mkdir(os.path.dirname(program))
        shutil.copy(SKIRMISH, program)
        os.mkdir(
            os.path.join(self.directory, "bin", "web")
        )  # as in a build folder of Meson's, before the pages are built
        environment = dict(os.environ)
        environment.pop("SKIRMISH_HOUSE_BOTS", None)  # this copy of the program has no house bots
        server = self.start(program=program, environment=environment)
        self.assertEqual(
            [line for line in server.output if "pages" in line],
            [
                "The web pages are not built; only the API is available. "
                "To build them, run tools/build-web"
            ],
        )
        person = Person(server)
        for path in ("/", "/matches/17"):
            answer = person.ask("GET", path)
            self.assertEqual(
                (answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8")
            )
            self.assertIn(b"<code>tools/build-web</code>", answer.body)
        self.assertEqual(person.ask("GET", "/assets/a.js").status, 404)
        self.assertEqual(person.ask("GET", "/api/v1/arena").status, 200)
        server.stop()
        # The server finds pages that a build puts next to the program.
        write_files(self.directory, {"bin/web/index.html": b"built"})
        server = self.start(program=program, environment=environment)
        self.assertEqual(Person(server).ask("GET", "/").body, b"built")
        self.assertFalse([line for line in server.output if "pages" in line])

    def test_an_empty_directory_name_is_rejected(self):
        done = subprocess.run(
            [SKIRMISH, "serve", "--web", ""],
            cwd=self.directory,
            text=True,
            timeout=60,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("--web must not be empty", done.stderr)


if __name__ == "__main__":
    accounts_server.main()
