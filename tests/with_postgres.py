#!/usr/bin/env python3
"""Runs a command with a private PostgreSQL server, and returns its exit status.

    tests/with_postgres.py COMMAND...

TEST_POSTGRES contains the URI of the server's database `postgres`. The URI has a password, so that
tests notice messages that show it. The server listens only on a Unix socket, and always stops when
the command ends. If PostgreSQL is not installed, the exit status is 77, which meson reports as
skipped.
"""

import contextlib
import glob
import hashlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

USER = "skirmish"
PASSWORD = "with-postgres-secret"  # no message may contain it
OLDEST = 15
# A locale that sorts text differently from SQLite.
INITDB = (
    *("--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C.UTF-8"),
    *("--locale-provider=icu", "--icu-locale=en", "--auth=scram-sha-256", "--username=" + USER),
)
SECONDS = 60


def programs():
    """The folder of the newest server's programs, or None."""
    folders = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    versions = {int(path.split("/")[4]): os.path.dirname(path) for path in folders}
    newest = max(versions, default=0)
    return versions[newest] if newest >= OLDEST else None


def unprivileged(*options):
    """Returns the prefix of a command that drops root, as which PostgreSQL refuses to run."""
    user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    return ["setpriv", *user, *options]


def folder(parent):
    path = tempfile.mkdtemp(prefix="skirmish-postgres-", dir=parent)
    if os.getuid() == 0:
        postgres = pwd.getpwnam("postgres")
        os.chown(path, postgres.pw_uid, postgres.pw_gid)
    return path


def create(initdb, data, sockets):
    """Creates the cluster."""
    password = os.path.join(sockets, "password")
    with open(password, "w", encoding="utf-8") as file:
        file.write(PASSWORD + "\n")
    subprocess.run(
        unprivileged() + [initdb, *INITDB, "--pwfile=" + password, "--pgdata=" + data],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )


def copy(source, to):
    """Copies a folder with its owners and permissions."""
    subprocess.run(["cp", "-a", source, to], check=True)


def create_or_copy(initdb, data, sockets):
    """Creates the cluster, or copies a cached one that the same program and options created.
    Creating one takes more time than most tests."""
    version = subprocess.run([initdb, "--version"], check=True, stdout=subprocess.PIPE).stdout
    key = hashlib.sha256(repr((version, INITDB, PASSWORD, os.getuid())).encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    template = os.path.join(cache, "skirmish", "postgres", key)
    if os.path.isdir(template):
        copy(template + "/.", data)
        return
    create(initdb, data, sockets)
    os.makedirs(os.path.dirname(template), exist_ok=True)
    draft = tempfile.mkdtemp(dir=os.path.dirname(template))
    copy(data + "/.", draft)
    try:
        os.rename(draft, template)
    except OSError:  # another test has created the template meanwhile
        shutil.rmtree(draft)


def start(postgres, data, sockets, more_settings):
    """Starts the server, which exits with this process. Its log is in `sockets`."""
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": sockets,
        "fsync": "off",
        "full_page_writes": "off",
        "shared_buffers": "32MB",
        "max_connections": "60",
        "autovacuum": "off",
        **more_settings,
    }
    with open(os.path.join(sockets, "log"), "wb") as log:
        return subprocess.Popen(
            unprivileged("--pdeathsig=QUIT")
            + [postgres, "-D", data]
            + [word for name in settings for word in ("-c", f"{name}={settings[name]}")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
        )


def await_ready(server, data, sockets):
    """Waits until the server accepts connections."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError):
            with open(os.path.join(data, "postmaster.pid"), encoding="utf-8") as file:
                if file.read().split()[-1:] == ["ready"]:
                    return
        time.sleep(0.01)
    with open(os.path.join(sockets, "log"), encoding="utf-8") as log:
        sys.exit("PostgreSQL did not start: " + log.read())


@contextlib.contextmanager
def run_server(settings, parent):
    """Yields the URI and the process of a new server with these settings and its data below the
    folder `parent`; None for both if PostgreSQL is not installed."""
    found = programs()
    if not found:
        yield None, None
        return
    data = folder(parent)
    sockets = folder("/tmp")  # socket paths must be short
    server = None
    try:
        create_or_copy(os.path.join(found, "initdb"), data, sockets)
        server = start(os.path.join(found, "postgres"), data, sockets, settings)
        await_ready(server, data, sockets)
        host = urllib.parse.quote(sockets, safe="")
        yield f"postgresql://{USER}:{PASSWORD}@{host}/postgres", server
    finally:
        if server:
            server.send_signal(signal.SIGQUIT)  # immediate shutdown: no data is kept
            server.wait()
        shutil.rmtree(data, ignore_errors=True)
        shutil.rmtree(sockets, ignore_errors=True)


@contextlib.contextmanager
def postgres_server():
    """Yields the URI of a new server for tests; None if PostgreSQL is not installed."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"
    with run_server({}, memory) as (uri, _server):
        yield uri


def stop(number, _frame):
    sys.exit(128 + number)


def main():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    with postgres_server() as uri:
        if not uri:
            print(f"PostgreSQL {OLDEST} is not installed; see tools/setup test")
            return 77
        return subprocess.run(sys.argv[1:], env={**os.environ, "TEST_POSTGRES": uri}).returncode


if __name__ == "__main__":
    sys.exit(main())
