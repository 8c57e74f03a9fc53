"""An arena whose connection to PostgreSQL is encrypted, with a password from a file. The server is
private, on a loopback address, with certificates made for the test."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from accounts_server import SKIRMISH, Person, Server

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import with_postgres


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def make_certificates(folder):
    """Makes ca.crt, server.crt for the host localhost, signed by it, and other.crt, another CA."""
    for name in ("ca", "other"):
        openssl(
            folder,
            *(
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                f"/CN={name}",
            ),
            *("-keyout", name + ".key", "-out", name + ".crt"),
        )
    openssl(
        folder,
        *("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"),
        *("-keyout", "server.key", "-out", "server.csr"),
    )
    openssl(
        folder,
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key"),
        *("-CAcreateserial", "-days", "2", "-out", "server.crt"),
    )
    if os.getuid() == 0:
        shutil.chown(os.path.join(folder, "server.key"), "postgres", "postgres")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(with_postgres.programs(), "PostgreSQL is not installed; see tools/setup test")
class Tls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skirmish-tls-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o755)  # the server runs as another user
        make_certificates(self.folder)
        self.port = free_port()
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "ssl": "on",
            "ssl_cert_file": self.path("server.crt"),
            "ssl_key_file": self.path("server.key"),
        }
        self.enterContext(with_postgres.run_server(settings, "/tmp"))
        line = f"*:{self.port}:postgres:{with_postgres.USER}:{with_postgres.PASSWORD}\n"
        with open(self.path("pgpass"), "w", encoding="utf-8") as file:
            file.write(line)
        os.chmod(self.path("pgpass"), 0o600)
        self.environment = {**os.environ, "PGPASSFILE": self.path("pgpass")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def uri(self, host, ca):
        return (
            f"postgresql://{with_postgres.USER}@{host}:{self.port}/postgres"
            f"?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={self.path(ca)}"
        )

    def sql(self, query):
        command = ["psql", "-qAt", self.uri("localhost", "ca.crt"), "-c", query]
        return subprocess.check_output(command, env=self.environment, text=True).split()

    def test_all_connections_are_encrypted_and_the_password_comes_from_a_file(self):
        server = Server(
            self.folder,
            *("--store", self.uri("localhost", "ca.crt")),
            environment=self.environment,
        )
        self.addCleanup(server.stop)
        self.assertEqual(Person(server).register("ann").status, 201)
        encrypted = self.sql(
            "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        self.assertEqual(encrypted, ["t"])
        self.assertEqual(self.sql("SELECT count(*) FROM accounts WHERE name = 'ann'"), ["1"])
        self.assertNotIn(with_postgres.PASSWORD, server.log())
        self.assertEqual(server.stop(), 0)

    def refusal(self, uri):
        done = subprocess.run(
            [SKIRMISH, "serve", "--port", "0", "--data", "refused", "--store", uri],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertFalse(os.path.exists(self.path("refused")))
        self.assertNotIn(with_postgres.PASSWORD, done.stdout)
        return done.stdout

    def test_a_server_that_cannot_prove_its_identity_is_refused(self):
        for host, ca, cause in (
            ("db.example.org", "ca.crt", r"does not match host name"),
            ("localhost", "other.crt", r"certificate verify failed"),
            ("localhost", "missing.crt", r"root certificate file .* does not exist"),
        ):
            text = self.refusal(self.uri(host, ca))
            self.assertTrue(re.search(cause, text), text)
            self.assertTrue(re.search(r"; check .*sslrootcert", text), text)


if __name__ == "__main__":
    unittest.main()
