"""Limits: greedy clients, work that takes a while, and stopping. Slow clients have test_slow.py."""

import socket
import threading
import time
import unittest

from floor import Answer, FloorTest, read_all, read_until, wait_until


class GreedyClients(FloorTest):
    options = {"per_address": 5}

    def test_an_address_has_so_many_connections_and_no_more(self):
        held = [self.floor.open() for _ in range(5)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            read_until(opened, b"}")
        self.assertEqual(self.floor.raw(), b"")
        held.pop().close()

        def is_served():
            try:
                return self.floor.get("/healthz").status == 200
            except OSError:
                return False

        wait_until(is_served)
        for opened in held:
            opened.close()


class FullServer(FloorTest):
    options = {"connections": 8, "per_address": 100, "idle_ms": 600}

    def test_who_comes_when_it_is_full_waits_until_there_is_room(self):
        held = [self.floor.open() for _ in range(8)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(self.floor.get("/healthz").status, 200)  # once the idle ones are gone
        for opened in held:
            opened.close()


def ask_until_refused(test, ask, burst):
    """Sends requests until one gets a 429, and returns it. That takes `burst` requests, plus one
    per second."""
    began = time.monotonic()
    answers = [ask(0)]
    while answers[-1].status == 200:
        answers.append(ask(len(answers)))
    test.assertGreaterEqual(len(answers) - 1, burst)
    test.assertLessEqual(len(answers) - 1, burst + time.monotonic() - began)
    return answers[-1]


class Rates(FloorTest):
    def test_what_is_asked_too_often_is_429(self):
        refused = ask_until_refused(self, lambda _: self.floor.get("/limited"), 3)
        self.assert_problem(refused, 429, "Rate limit")
        self.assertEqual(refused.headers["Retry-After"], "1")
        self.assertEqual(self.floor.get("/healthz").status, 200)

    def test_only_a_known_proxy_speaks_for_others(self):
        self.assertEqual(
            self.floor.get("/echo/a", X_Forwarded_For="203.0.113.9").json["address"], "127.0.0.1"
        )


class BehindProxy(FloorTest):
    options = {"proxy": "127.0.0.0/8", "per_address": 3}

    def address(self, forwarded):
        return self.floor.get("/echo/a", X_Forwarded_For=forwarded).json["address"]

    def test_the_last_stranger_is_who_asks(self):
        self.assertEqual(self.address("203.0.113.9"), "203.0.113.9")
        self.assertEqual(self.address("1.2.3.4, 203.0.113.9, 127.0.0.7"), "203.0.113.9")
        self.assertEqual(self.address("2001:db8::1"), "2001:db8::1")
        self.assertEqual(self.address("1.2.3.4, nonsense"), "127.0.0.1")

    def test_limits_are_each_client_s_own(self):
        for client in ("203.0.113.1", "203.0.113.2"):
            refused = ask_until_refused(
                self, lambda _: self.floor.get("/limited", X_Forwarded_For=client), 3
            )
            self.assertEqual(refused.status, 429)

    def test_an_account_is_counted_wherever_it_comes_from(self):
        def ask(i):
            return self.floor.get(
                "/account", Cookie="session=good", X_Forwarded_For=f"203.0.113.{i}"
            )

        self.assertEqual(ask_until_refused(self, ask, 5).status, 429)
        self.assert_problem(self.floor.get("/account", X_Forwarded_For="203.0.113.9"), 401)

    def test_a_proxy_has_as_many_connections_as_it_likes(self):
        held = [self.floor.open() for _ in range(10)]
        for opened in held:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            read_until(opened, b"}")
            opened.close()


class DeferredWork(FloorTest):
    options = {"pool_threads": 2, "pool_queue": 2, "drain_ms": 10000}

    def start(self, name):
        connection = self.floor.connect()
        connection.request("GET", f"/slow/{name}")
        return connection

    def pending(self, count):
        wait_until(lambda: self.floor.metric("skirmish_deferred_pending") == count)

    def test_work_that_takes_a_while_holds_nobody_up(self):
        waiting = []
        for i in range(4):
            waiting.append(self.start(i))
            self.pending(i + 1)
        for _ in range(20):
            self.assertEqual(self.floor.get("/healthz").status, 200)
        refused = self.floor.get("/slow/more")
        self.assert_problem(refused, 503, "server is busy")
        self.assertEqual(refused.headers["Retry-After"], "5")
        for _ in waiting:
            self.floor.ask("POST", "/release")
        self.assertEqual(
            [Answer(connection.getresponse()).body for connection in waiting],
            [b"done for %d" % i for i in range(4)],
        )
        for connection in waiting:
            connection.close()

    def test_who_leaves_while_it_is_done_does_no_harm(self):
        self.start("gone").close()
        self.pending(1)
        self.floor.ask("POST", "/release")
        self.pending(0)
        self.assertEqual(self.floor.get("/healthz").status, 200)

    def test_a_stop_waits_for_the_work_that_was_begun(self):
        waiting = self.start("begun")
        self.pending(1)
        releasing = self.floor.connect()
        releasing.connect()
        idle = self.floor.open()
        releasing.request("GET", "/healthz")
        releasing.getresponse().read()
        stopped = []
        thread = threading.Thread(target=lambda: stopped.append(self.floor.stop()))
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
        """Whether new connections are refused."""
        with socket.socket() as knocking:
            return knocking.connect_ex(("127.0.0.1", self.floor.port)) != 0


class Stopping(FloorTest):
    options = {"drain_ms": 300}

    def test_connections_of_every_kind_do_not_keep_it_from_stopping(self):
        self.floor.ask("POST", "/live/m", b"first")
        kinds = [
            b"",
            b"GET /hea",
            b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
            b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /live/m HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /big?size=50000000 HTTP/1.1\r\nHost: x\r\n\r\n",
        ]
        held = [self.floor.open(receive_buffer=4096) for _ in kinds]
        for opened, text in zip(held, kinds):
            opened.sendall(text)
        read_until(held[4], b"first")
        began = time.monotonic()
        self.assertEqual(self.floor.stop(), 0)
        self.assertLess(time.monotonic() - began, 30)
        for opened in held:
            opened.close()


if __name__ == "__main__":
    unittest.main()
