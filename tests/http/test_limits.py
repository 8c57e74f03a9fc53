"""Limits on connections and requests, deferred work, and stopping."""

import os
import resource
import socket
import threading
import time
import unittest

from demo_server import Answer, Server, ServerTest, read_all, read_until, wait_until


class ConnectionsPerAddress(ServerTest):
    options = {"per_address": 5}

    def test_connections_per_address_are_limited(self):
        held = [self.server.open() for _ in range(5)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            read_until(opened, b"}")
        self.assertEqual(self.server.raw(), b"")
        held.pop().close()

        def is_served():
            try:
                return self.server.get("/healthz").status == 200
            except OSError:
                return False

        wait_until(is_served)
        for opened in held:
            opened.close()


def sockets_of(pid):
    """How many sockets a process has."""
    count = 0
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            count += os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:")
        except OSError:
            continue  # the file was closed meanwhile
    return count


class OpenFiles(unittest.TestCase):
    """The server raises its limit on open files, or serves fewer clients."""

    def start(self, soft, hard, **options):
        server = Server(files=(soft, hard), **options)
        self.addCleanup(server.errors.close)
        self.addCleanup(server.stop)
        return server

    def test_the_limit_is_raised_to_what_the_connections_need(self):
        server = self.start(64, 4096, connections=300, per_address=300, idle_ms=3600000)
        held = [server.open() for _ in range(200)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        for opened in held:
            read_until(opened, b"}")  # while all other connections are open
        for opened in held:
            opened.close()
        self.assertEqual([line for line in server.log() if line["level"] == "warning"], [])

    def test_a_limit_that_is_too_low_is_logged_and_clients_wait(self):
        server = self.start(64, 266, connections=300, per_address=300)
        self.assertIn("limit of open files is low", [line["event"] for line in server.log()])
        before = sockets_of(server.process.pid)
        held = [server.open() for _ in range(20)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        for opened in held[:10]:
            read_until(opened, b"}")
        for served, waiting in zip(held[:10], held[10:]):
            served.close()
            read_until(waiting, b"}")
            self.assertLessEqual(sockets_of(server.process.pid) - before, 10)
        for opened in held[10:]:
            opened.close()


class HostNames(ServerTest):
    options = {"host_names": "arena.example.org"}

    def test_only_known_host_names_are_answered(self):
        for host, status in (
            ("localhost:3000", 200),
            ("127.0.0.1", 200),
            ("[::1]:80", 200),
            ("arena.example.org", 200),
            ("evil.example", 421),
            ("arena.example.org.evil.example", 421),
        ):
            answer = self.server.get("/echo/a", Host=host)
            self.assertEqual(answer.status, status, host)
        self.assert_problem(answer, 421, "host-names")
        request = b"GET http://evil.example/echo/a HTTP/1.1\r\nHost: localhost\r\n"
        answer = self.server.raw(request + b"Connection: close\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 421 "), answer)


class FullServer(ServerTest):
    options = {"connections": 8, "per_address": 100, "idle_ms": 600}

    def test_a_client_of_a_full_server_waits_for_a_free_connection(self):
        held = [self.server.open() for _ in range(8)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        # The response arrives once the server has closed idle connections.
        self.assertEqual(self.server.get("/healthz").status, 200)
        for opened in held:
            opened.close()


def memory_of(pid):
    """The resident memory of a process, in bytes."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def is_sanitized(pid):
    with open(f"/proc/{pid}/exe", "rb") as file:
        return b"__asan_init" in file.read()


class Memory(ServerTest):
    options = {"memory_mib": 16, "per_address": 1000, "proxy": "127.0.0.0/8"}

    def start_upload(self, client, size):
        """Sends all but the last byte of a body."""
        opened = self.server.open()
        opened.sendall(
            b"POST /megabytes HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.%d\r\n" % client
            + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % size
            + b"x" * (size - 1)
        )
        return opened

    def test_bodies_of_many_clients_stay_within_the_memory_limit(self):
        before = memory_of(self.server.process.pid)
        clients = [self.start_upload(i, 1 << 20) for i in range(60)]
        wait_until(lambda: self.server.metric("skirmish_http_memory_refused_total") >= 44)
        if not is_sanitized(self.server.process.pid):  # whose allocator keeps freed memory
            self.assertLess(memory_of(self.server.process.pid) - before, 40 << 20)
        self.assertLessEqual(
            self.server.metric("skirmish_http_memory_bytes"),
            self.server.metric("skirmish_http_memory_limit_bytes"),
        )
        statuses = []
        for opened in clients:
            try:
                opened.sendall(b"x")
            except OSError:
                pass  # it was refused; the response has arrived
            answer = read_all(opened)
            opened.close()
            statuses.append(answer[9:12])
            if answer[9:12] == b"503":
                self.assertIn(b"Retry-After: ", answer)
        self.assertEqual(set(statuses), {b"200", b"503"})
        wait_until(lambda: self.server.metric("skirmish_http_memory_bytes") < 1 << 20)

    def test_one_client_cannot_use_all_memory(self):
        clients = [self.start_upload(1, 900000) for _ in range(20)]
        wait_until(lambda: self.server.metric("skirmish_http_memory_refused_total") >= 1)
        with self.start_upload(2, 900000) as other:
            other.sendall(b"x")
            self.assertTrue(read_all(other).startswith(b"HTTP/1.1 200 "))
        for opened in clients:
            opened.close()


class MemoryOfResponses(ServerTest):
    options = {"memory_mib": 64, "per_address": 1000, "proxy": "127.0.0.0/8"}

    def test_responses_that_are_not_read_stay_within_the_memory_limit(self):
        """They are larger than the kernel's buffers, which take the first few megabytes."""
        held = []
        for client in range(12):
            held.append(self.server.open(receive_buffer=4096))
            held[-1].sendall(
                b"GET /big?size=7000000 HTTP/1.1\r\nHost: x\r\n"
                b"X-Forwarded-For: 203.0.113.%d\r\n\r\n" % client
            )
        statuses = [opened.recv(12)[9:] for opened in held]
        self.assertEqual(set(statuses), {b"200", b"503"})
        self.assertLessEqual(
            self.server.metric("skirmish_http_memory_bytes"),
            self.server.metric("skirmish_http_memory_limit_bytes"),
        )
        self.assertEqual(
            self.server.metric("skirmish_http_memory_refused_total"), statuses.count(b"503")
        )
        for opened in held:
            opened.close()
        wait_until(lambda: self.server.metric("skirmish_http_memory_bytes") < 1 << 20)


class MemoryOfStreams(ServerTest):
    options = {
        "memory_mib": 16,
        "per_address": 1000,
        "proxy": "127.0.0.0/8",
        "send_buffer": 1 << 20,
    }

    def watch(self, client):
        """Connects a viewer from this client's address; returns the socket and the status."""
        opened = self.server.open()
        self.addCleanup(opened.close)
        opened.sendall(
            b"GET /live/m HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n" % client
        )
        return opened, opened.recv(12)[9:]

    def test_viewers_stay_within_the_memory_limit(self):
        self.server.ask("POST", "/live/m", b"first")
        one = [self.watch(1) for _ in range(5)]
        self.assertEqual(sorted({status for _, status in one}), [b"200", b"503"])
        others = [self.watch(client) for client in range(2, 30)]
        self.assertEqual(others[0][1], b"200")  # an address gets only a share of the memory
        self.assertEqual(others[-1][1], b"503")
        refused = [status for _, status in one + others].count(b"503")
        self.assertEqual(self.server.metric("skirmish_http_memory_refused_total"), refused)
        self.assertLessEqual(
            self.server.metric("skirmish_http_memory_bytes"),
            self.server.metric("skirmish_http_memory_limit_bytes"),
        )
        self.assertIn(b"Retry-After: ", read_until(others[-1][0], b"\r\n\r\n"))
        for opened, _ in one + others:
            opened.close()
        wait_until(lambda: self.server.metric("skirmish_http_memory_bytes") < 1 << 20)


def ask_until_limited(test, ask, burst):
    """Sends requests until one gets a 429, and returns that response. Fails unless `burst` requests
    are allowed, plus at most one per second."""
    began = time.monotonic()
    answers = [ask(0)]
    while answers[-1].status == 200:
        answers.append(ask(len(answers)))
    test.assertGreaterEqual(len(answers) - 1, burst)
    test.assertLessEqual(len(answers) - 1, burst + time.monotonic() - began)
    return answers[-1]


class RateLimits(ServerTest):
    def test_requests_over_the_rate_limit_get_429(self):
        limited = ask_until_limited(self, lambda _: self.server.get("/limited"), 3)
        self.assert_problem(limited, 429, "Rate limit", "Try again in ")
        self.assertEqual(limited.headers["Retry-After"], "1")
        self.assertEqual(self.server.get("/healthz").status, 200)

    def test_forwarded_addresses_of_unknown_proxies_are_ignored(self):
        self.assertEqual(
            self.server.get("/echo/a", X_Forwarded_For="203.0.113.9").json["address"], "127.0.0.1"
        )


class BehindProxy(ServerTest):
    options = {"proxy": "127.0.0.0/8", "per_address": 3}

    def address(self, forwarded):
        return self.server.get("/echo/a", X_Forwarded_For=forwarded).json["address"]

    def test_the_client_is_the_last_address_that_is_not_a_proxy(self):
        self.assertEqual(self.address("203.0.113.9"), "203.0.113.9")
        self.assertEqual(self.address("1.2.3.4, 203.0.113.9, 127.0.0.7"), "203.0.113.9")
        self.assertEqual(self.address("2001:db8::1"), "2001:db8::1")
        self.assertEqual(self.address("1.2.3.4, nonsense"), "127.0.0.1")
        self.assertEqual(self.address("203.0.113.9:4711, 127.0.0.7:3000"), "203.0.113.9")
        self.assertEqual(self.address("[2001:db8::1]:443"), "2001:db8::1")

    def test_several_forwarded_headers_are_one_list(self):
        answer = self.server.raw(
            b"GET /echo/a HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4\r\n"
            b"x-forwarded-for: 203.0.113.9\r\nX-Forwarded-For: 127.0.0.7\r\n"
            b"Connection: close\r\n\r\n"
        )
        self.assertIn(b'"address":"203.0.113.9"', answer)

    def test_clients_of_a_proxy_have_separate_limits(self):
        for client in ("203.0.113.1", "203.0.113.2"):
            limited = ask_until_limited(
                self, lambda _: self.server.get("/limited", X_Forwarded_For=client), 3
            )
            self.assertEqual(limited.status, 429)

    def test_the_limit_of_an_account_applies_to_all_its_addresses(self):
        def ask(i):
            return self.server.get(
                "/account", Cookie="session=good", X_Forwarded_For=f"203.0.113.{i}"
            )

        self.assertEqual(ask_until_limited(self, ask, 5).status, 429)
        self.assert_problem(self.server.get("/account", X_Forwarded_For="203.0.113.9"), 401)

    def test_only_clients_without_credentials_are_advised_to_log_in(self):
        sent = [{}, {"Authorization": "Bearer secret"}, {"Cookie": "session=stale"}]
        for i, credentials in enumerate(sent):
            headers = {"X_Forwarded_For": f"203.0.113.{20 + i}", **credentials}
            limited = ask_until_limited(self, lambda _: self.server.get("/limited", **headers), 3)
            self.assert_problem(limited, 429, "Rate limit of your network address")
            self.assertEqual("log in" in limited.json["detail"], not credentials, limited.json)

    def test_connections_of_a_proxy_are_not_limited(self):
        held = [self.server.open() for _ in range(10)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            read_until(opened, b"}")
            opened.close()


class DeferredWork(ServerTest):
    options = {"pool_threads": 2, "pool_queue": 2, "drain_ms": 10000}

    def start(self, name):
        connection = self.server.connect()
        connection.request("GET", f"/slow/{name}")
        return connection

    def pending(self, count):
        wait_until(lambda: self.server.metric("skirmish_deferred_pending") == count)

    def test_deferred_work_delays_no_other_request_and_is_limited(self):
        waiting = []
        for i in range(4):
            waiting.append(self.start(i))
            self.pending(i + 1)
        for _ in range(20):
            self.assertEqual(self.server.get("/healthz").status, 200)
        busy = self.server.get("/slow/more")
        self.assert_problem(busy, 503, "server is busy")
        self.assertEqual(busy.headers["Retry-After"], "5")
        for _ in waiting:
            self.server.ask("POST", "/release")
        self.assertEqual(
            [Answer(connection.getresponse()).body for connection in waiting],
            [b"done for %d" % i for i in range(4)],
        )
        for connection in waiting:
            connection.close()

    def test_a_client_may_disconnect_during_deferred_work(self):
        self.start("gone").close()
        self.pending(1)
        self.server.ask("POST", "/release")
        self.pending(0)
        self.assertEqual(self.server.get("/healthz").status, 200)

    def test_stopping_waits_for_deferred_work(self):
        waiting = self.start("begun")
        self.pending(1)
        releasing = self.server.connect()
        releasing.connect()
        idle = self.server.open()
        releasing.request("GET", "/healthz")
        releasing.getresponse().read()
        stopped = []
        thread = threading.Thread(target=lambda: stopped.append(self.server.stop()))
        thread.start()
        wait_until(self.is_closed)
        releasing.request("POST", "/release")
        self.assertEqual(releasing.getresponse().status, 204)
        answer = waiting.getresponse()
        self.assertEqual(
            (answer.read(), answer.headers["Connection"]), (b"done for begun", "close")
        )
        thread.join()
        self.assertEqual(stopped, [0])
        self.assertEqual(read_all(idle), b"")
        for each in (waiting, releasing, idle):
            each.close()

    def is_closed(self):
        """Whether the server accepts no new connections."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.server.port)) != 0


class Stopping(ServerTest):
    options = {"drain_ms": 300}

    def test_open_connections_do_not_prevent_stopping(self):
        self.server.ask("POST", "/live/m", b"first")
        kinds = [
            b"",
            b"GET /hea",
            b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
            b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /live/m HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /big?size=50000000 HTTP/1.1\r\nHost: x\r\n\r\n",
        ]
        held = [self.server.open(receive_buffer=4096) for _ in kinds]
        for opened, text in zip(held, kinds):
            opened.sendall(text)
        read_until(held[4], b"first")
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 30)
        for opened in held:
            opened.close()


if __name__ == "__main__":
    unittest.main()
