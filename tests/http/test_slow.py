"""Slow clients, which send or read so little that they would hold a connection forever."""

import time
import unittest

from floor import FloorTest, read_all, read_until, wait_until


class SlowClients(FloorTest):
    options = {"head_ms": 1000, "body_ms": 1000, "idle_ms": 1000, "send_ms": 1000}

    def trickle(self, opened, text, pause=0.05):
        """Sends a byte at a time until the server has had enough; returns what it said."""
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
                raise AssertionError("it is still waiting")
            time.sleep(pause)  # what a slow client does, not what the test waits for
        opened.settimeout(30)
        with opened:
            return received + read_all(opened)

    def assert_late(self, answer):
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n"), answer)
        self.assertIn(b"X-Content-Type-Options: nosniff\r\n", answer)

    def test_a_connection_that_says_nothing_is_told_and_closed(self):
        self.assert_late(self.floor.raw())

    def test_a_first_line_that_never_ends_is_408(self):
        self.assert_late(self.trickle(self.floor.open(), b"GET /" + b"a" * 3000))

    def test_headers_that_never_end_are_408(self):
        opened = self.floor.open()
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        self.assert_late(self.trickle(opened, b"X-A: b\r\n" * 1000))

    def test_a_body_that_never_ends_is_408(self):
        opened = self.floor.open()
        opened.sendall(b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        self.assert_late(self.trickle(opened, b"x" * 999))
        self.stop()
        self.assertEqual(self.floor.log()[-1]["status"], 408)

    def test_an_idle_connection_is_closed_without_a_word(self):
        with self.floor.open() as opened:
            opened.sendall(b"GET /echo/a HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = read_until(opened, b"\r\n\r\n")
            self.assertNotIn(b"408", answer + read_all(opened))

    def test_who_does_not_read_is_cut_off(self):
        with self.floor.open(receive_buffer=4096) as opened:
            opened.sendall(b"GET /rows HTTP/1.1\r\nHost: x\r\n\r\n" * 1500)
            wait_until(lambda: self.floor.metric("skirmish_http_expired_total") >= 1)

    def test_others_are_served_meanwhile(self):
        slow = [self.floor.open() for _ in range(50)]
        for opened in slow:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost")
        self.assertEqual(self.floor.get("/healthz").status, 200)
        for opened in slow:
            self.assert_late(read_all(opened))
            opened.close()


if __name__ == "__main__":
    unittest.main()
