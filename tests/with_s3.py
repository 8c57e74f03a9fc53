#!/usr/bin/env python3
"""Runs a command with a small object store that speaks S3, and returns its exit status.

    tests/with_s3.py COMMAND...

The store is only for tests. It checks the signature of every request (tests/sigv4.py), keeps each
object as a file, and injects faults on request. The environment of the command contains

    TEST_FILES                   the URI of a bucket, with "%u" in the prefix for a number
    TEST_S3                      the folder of the store, see below
    AWS_SHARED_CREDENTIALS_FILE  a file with the keys

The folder contains

    objects/BUCKET/KEY  the objects; a bucket is a folder
    faults              one line per request: 500, 503, 429, 403, close, truncate, corrupt, slow or
                        hang; "ok" for none. Each request removes its line
    mode                the fault of all requests without a line; permanent
    log                 one line per request: method, path, fault, status
"""

import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import xml.sax.saxutils

import sigv4

KEY, SECRET, TOKEN = "TESTKEY", "with-s3/secret+key", "with-s3-session-token"
REGION = "test-region-1"
SLOW_SECONDS = 2
PAGE = 5  # keys per page of a list, so few that lists have several pages


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "test"
    wbufsize = -1  # one packet per response, which otherwise waits 40 ms for an ACK

    def log_message(self, *_):
        pass

    def respond(self, status, body=b"", length=None):
        """Sends a response. `length` is that of the header, if it differs from the body's."""
        self.server.note(f"{self.command} {self.path} {self.fault} {status}")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code):
        # S3 includes the access key in some errors; the arena must not show it in messages.
        body = f"<Error><Code>{code}</Code><Message>{KEY} {SECRET}</Message></Error>"
        self.respond(status, body.encode())

    def hang(self):
        """Does not respond until the client gives up."""
        self.server.note(f"{self.command} {self.path} hang 0")
        self.connection.recv(1)
        self.close_connection = True

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.fault = self.server.next_fault()
        if self.fault == "hang":
            return self.hang()
        if self.fault == "slow":
            time.sleep(SLOW_SECONDS)
        if self.fault == "close":
            self.server.note(f"{self.command} {self.path} close 0")
            self.close_connection = True
            return None
        if self.fault.isdigit():
            return self.refuse(int(self.fault), "AccessDenied" if self.fault == "403" else "Busy")
        url = urllib.parse.urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        keys = {KEY: (SECRET, TOKEN)}
        wrong = sigv4.check(self.command, url.path, url.query, headers, body, keys, REGION)
        if wrong:
            return self.refuse(400 if wrong == "AuthorizationHeaderMalformed" else 403, wrong)
        bucket, _, key = urllib.parse.unquote(url.path).lstrip("/").partition("/")
        if not os.path.isdir(self.server.path_of(bucket)):
            return self.refuse(404, "NoSuchBucket")
        if not key:
            return self.list(bucket, dict(urllib.parse.parse_qsl(url.query)))
        return getattr(self, self.command.lower())(self.server.path_of(bucket, key), body)

    do_GET = do_HEAD = do_PUT = do_DELETE = handle_request

    def list(self, bucket, query):
        if query.get("list-type") != "2":
            return self.refuse(400, "InvalidArgument")
        top = self.server.path_of(bucket)
        keys = sorted(
            os.path.relpath(os.path.join(folder, name), top)
            for folder, _, names in os.walk(top)
            for name in names
        )
        keys = [key for key in keys if key.startswith(query.get("prefix", ""))]
        # The token contains characters that the client has to encode.
        after = query.get("continuation-token", "+/ =&")[5:]
        keys = [key for key in keys if key > after]
        most = min(PAGE, int(query.get("max-keys", "1000")))
        more = len(keys) > most
        token = xml.sax.saxutils.escape("+/ =&" + (keys[most - 1] if more else ""))
        contents = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in keys[:most])
        self.respond(
            200,
            (
                '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/">'
                f"<IsTruncated>{str(more).lower()}</IsTruncated>{contents}"
                + (f"<NextContinuationToken>{token}</NextContinuationToken>" if more else "")
                + "</ListBucketResult>"
            ).encode(),
        )

    def get(self, path, _body):
        try:
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            return self.refuse(404, "NoSuchKey")
        if self.fault == "truncate":
            self.close_connection = True
            return self.respond(200, content[: len(content) // 2], len(content))
        if self.fault == "corrupt":
            content = bytes([content[0] ^ 1]) + content[1:]
        return self.respond(200, content)

    head = get

    def put(self, path, body):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.server.folder, delete=False) as file:
            file.write(body)
        os.replace(file.name, path)
        self.respond(200)

    def delete(self, path, _body):
        if os.path.exists(path):
            os.unlink(path)
        self.respond(204)


def uri(endpoint, prefix, bucket="arena", timeout=1):
    return f"s3://{bucket}/{prefix}?endpoint={endpoint}&region={REGION}&timeout={timeout}"


class Store(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder, address="127.0.0.1", port=0):
        super().__init__((address, port), Handler)
        self.folder = folder
        self.lock = threading.Lock()
        os.makedirs(self.path_of("arena"), exist_ok=True)
        with open(os.path.join(folder, "credentials"), "w", encoding="utf-8") as file:
            file.write(
                "# keys\n[other]\naws_access_key_id = no\naws_secret_access_key = no\n"
                f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key={SECRET}\n"
                f"aws_session_token = {TOKEN}\n"
            )

    def path_of(self, *parts):
        return os.path.join(self.folder, "objects", *parts)

    def uri(self, prefix, bucket="arena"):
        endpoint = f"http://127.0.0.1:{self.server_port}"
        return uri(endpoint, prefix, bucket)

    def next_fault(self):
        path = os.path.join(self.folder, "faults")
        with self.lock:
            try:
                with open(path, encoding="utf-8") as file:
                    first, *rest = file.read().split()
            except (FileNotFoundError, ValueError):
                return self.mode()
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(rest))
        return first

    def mode(self):
        try:
            with open(os.path.join(self.folder, "mode"), encoding="utf-8") as file:
                return file.read().strip() or "ok"
        except FileNotFoundError:
            return "ok"

    def note(self, line):
        with self.lock, open(os.path.join(self.folder, "log"), "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def environment(self):
        return {
            "TEST_S3": self.folder,
            "TEST_FILES": self.uri("test-%u"),
            "AWS_SHARED_CREDENTIALS_FILE": os.path.join(self.folder, "credentials"),
        }


class RunningStore:
    """A store in a temporary folder, for a `with` statement."""

    def __enter__(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"
        self.folder = tempfile.mkdtemp(prefix="skirmish-s3-", dir=memory)
        self.store = Store(self.folder)
        threading.Thread(target=self.store.serve_forever, daemon=True).start()
        return self.store

    def __exit__(self, *_):
        self.store.shutdown()
        self.store.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    with RunningStore() as store:
        env = {**os.environ, **store.environment()}
        return subprocess.run(sys.argv[1:], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
