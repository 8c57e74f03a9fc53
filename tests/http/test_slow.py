"""Clients that send or read too slowly."""

import time
import unittest

from demo_server import ServerTest, read_all, read_until, wait_until


class SlowClients(ServerTest):
    options = {"head_ms": 1000, "body_ms": 1000, "idle_ms": 1000, "send_ms": 1000}

    def trickle(self, opened, text, pause=0.05):
        """Sends single bytes until the server responds or disconnects; returns the response."""
        opened.setblocking(False)
        received = b""
        end = time.monotonic() + 30
        for i in range(len(text)):
            try:
                opened.send(text[i : i + 1])
                received += opened.recv(65536)
                break
            except BlockingIOError:
                pass
            except OSError:
                break
            if time.monotonic() > end:
                raise AssertionError("the server is still waiting")
            time.sleep(pause)  # simulates a slow client
        opened.settimeout(30)
        with opened:
            return received + read_all(opened)

    def assert_timed_out(self, answer):
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n"), answer)
        self.assertIn(b"X-Content-Type-Options: nosniff\r\n", answer)

    def test_a_connection_without_a_request_is_408(self):
        self.assert_timed_out(self.server.raw())

    def test_a_slow_request_line_is_408(self):
        self.assert_timed_out(self.trickle(self.server.open(), b"GET /" + b"a" * 3000))

    def test_slow_headers_are_408(self):
        opened = self.server.open()
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        self.assert_timed_out(self.trickle(opened, b"X-A: b\r\n" * 1000))

    def test_a_slow_body_is_408(self):
        opened = self.server.open()
        opened.sendall(b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        self.assert_timed_out(self.trickle(opened, b"x" * 999))
        self.stop()
        self.assertEqual(self.server.log()[-1]["status"], 408)

    def test_an_idle_connection_is_closed_without_a_response(self):
        with self.server.open() as opened:
            opened.sendall(b"GET /echo/a HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = read_until(opened, b"\r\n\r\n")
            self.assertNotIn(b"408", answer + read_all(opened))

    def test_a_client_that_does_not_read_is_disconnected(self):
        with self.server.open(receive_buffer=4096) as opened:
            opened.sendall(b"GET /rows HTTP/1.1\r\nHost: x\r\n\r\n" * 1500)
            wait_until(lambda: self.server.metric("skirmish_http_expired_total") >= 1)

    def test_slow_clients_do_not_delay_others(self):
        slow = [self.server.open() for _ in range(50)]
        for opened in slow:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost")
        self.assertEqual(self.server.get("/healthz").status, 200)
        for opened in slow:
            self.assert_timed_out(read_all(opened))
            opened.close()


class StalledClients(ServerTest):
    """Clients that make no progress, although the time of their phase has not expired."""

    options = {"stall_ms": 500, "body_ms": 3600000, "send_ms": 3600000}

    def test_a_body_that_stops_is_408(self):
        opened = self.server.open()
        opened.sendall(b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
        with opened:
            self.assertTrue(read_all(opened).startswith(b"HTTP/1.1 408 "))

    def test_a_client_that_stops_reading_is_disconnected(self):
        for path in ("/big?size=8000000", "/bigfile"):
            before = self.server.metric("skirmish_http_expired_total")
            with self.server.open(receive_buffer=4096) as opened:
                opened.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                wait_until(lambda: self.server.metric("skirmish_http_expired_total") == before + 1)

    def test_a_viewer_that_reads_nothing_is_disconnected(self):
        """Even if all its events fit into the kernel's buffers."""
        self.server.ask("POST", "/live/quiet", b"x" * 60000)
        with self.server.open(receive_buffer=4096) as opened:
            opened.sendall(b"GET /live/quiet HTTP/1.1\r\nHost: x\r\n\r\n")
            wait_until(lambda: self.server.metric("skirmish_live_viewers") == 1)
            wait_until(lambda: self.server.metric("skirmish_live_viewers") == 0)


if __name__ == "__main__":
    unittest.main()
