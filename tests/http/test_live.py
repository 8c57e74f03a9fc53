"""Live streams: history, reconnecting, and slow or too many viewers."""

import unittest

from demo_server import ServerTest, read_all, read_until, wait_until


class Live(ServerTest):
    options = {"heartbeat_ms": 60000, "viewer_stall_ms": 60000, "send_buffer": 8192}

    def publish(self, text, topic="m"):
        return self.server.ask("POST", f"/live/{topic}", text).json["id"]

    def watch(self, topic="m", query="", last=None, receive_buffer=None):
        opened = self.server.open(receive_buffer)
        self.addCleanup(opened.close)
        header = f"Last-Event-ID: {last}\r\n" if last is not None else ""
        opened.sendall(f"GET /live/{topic}{query} HTTP/1.1\r\nHost: x\r\n{header}\r\n".encode())
        return opened, read_until(opened, b"\r\n\r\n")

    def ids(self, text):
        return [int(line[4:]) for line in text.split(b"\n") if line.startswith(b"id: ")]

    def test_a_viewer_receives_past_and_new_events(self):
        self.publish(b"one")
        opened, received = self.watch()
        self.assertTrue(received.startswith(b"HTTP/1.1 200 OK\r\n"))
        self.assertIn(b"Content-Type: text/event-stream\r\n", received)
        self.assertIn(b"X-Content-Type-Options: nosniff\r\n", received)
        received = read_until(opened, b"data: one\n\n", received)
        self.publish(b"two")
        received = read_until(opened, b"id: 2\nevent: turn\ndata: two\n\n", received)
        self.assertEqual(self.ids(received), [1, 2])

    def test_a_viewer_may_start_with_new_events_only(self):
        self.publish(b"one")
        opened, received = self.watch(query="?from=now")
        read_until(opened, b"retry: 2000\n\n", received)
        self.publish(b"two")
        self.assertEqual(self.ids(read_until(opened, b"data: two\n\n", received)), [2])

    def test_a_viewer_that_reconnects_continues_after_its_last_event(self):
        for i in range(5):
            self.publish(b"%d" % i)
        for last, expected in (
            (3, [4, 5]),
            (0, [1, 2, 3, 4, 5]),
            (99, [1, 2, 3, 4, 5]),
            ("x", [1, 2, 3, 4, 5]),
        ):
            opened, received = self.watch(query="?from=start", last=last)
            received = read_until(opened, b"id: 5\nevent: turn\ndata: 4\n\n", received)
            self.assertEqual(self.ids(received), expected)
            self.assertNotIn(b"event: gap", received)

    def test_a_viewer_may_start_with_the_last_event(self):
        for i in range(130):
            self.publish(b"%d" % i)
        opened, received = self.watch(query="?from=last")
        received = read_until(opened, b"data: 129\n\n", received)
        self.publish(b"more")
        received = read_until(opened, b"data: more\n\n", received)
        self.assertEqual(self.ids(received), [130, 131])
        self.assertNotIn(b"event: gap", received)

    def test_missed_events_are_reported_as_a_gap(self):
        for i in range(130):
            self.publish(b"%d" % i)
        opened, received = self.watch(last=10)
        received = read_until(opened, b"data: 129\n\n", received)
        self.assertIn(b'event: gap\ndata: {"missed":20}\n\n', received)
        self.assertEqual(self.ids(received), list(range(31, 131)))

    def test_data_cannot_forge_an_event(self):
        self.publish(b"a\nb\rc\r\nevent: forged\n\nid: 9\n")
        opened, received = self.watch()
        received = read_until(opened, b"data: \n\n", received)
        self.assertTrue(
            received.endswith(
                b"id: 1\nevent: turn\ndata: a\ndata: b\ndata: c\ndata: event: forged\n"
                b"data: \ndata: id: 9\ndata: \n\n"
            ),
            received,
        )

    def test_a_stream_that_ended_closes_for_all_viewers_and_stays_closed(self):
        self.publish(b"one")
        opened, received = self.watch()
        self.server.ask("POST", "/live/m/end")
        self.assertIn(b"data: one\n\n", received + read_all(opened))
        self.assertEqual(self.publish(b"two"), 0)
        self.assertTrue(self.watch(last=1)[1].startswith(b"HTTP/1.1 204 "))
        opened, received = self.watch()
        self.assertIn(b"data: one\n\n", received + read_all(opened))

    def test_a_deleted_topic_is_404_and_can_be_created_again(self):
        self.publish(b"one")
        opened, received = self.watch()
        self.server.ask("DELETE", "/live/m")
        self.assertIn(b"data: one\n\n", received + read_all(opened))
        self.assert_problem(self.server.get("/live/m"), 404)
        self.assertEqual(self.publish(b"again"), 1)

    def test_head_returns_the_headers_of_a_stream(self):
        self.publish(b"one")
        answer = self.server.ask("HEAD", "/live/m")
        self.assertEqual(
            (answer.status, answer.headers["Content-Type"]), (200, "text/event-stream")
        )

    def test_a_viewer_that_disconnects_is_not_counted(self):
        self.publish(b"one")
        opened, received = self.watch()
        read_until(opened, b"data: one\n\n", received)
        self.assertEqual(self.server.metric("skirmish_live_viewers"), 1)
        opened.close()
        wait_until(lambda: self.server.metric("skirmish_live_viewers") == 0)
        self.publish(b"two")
        self.assertEqual(self.server.metric("skirmish_live_dropped_total"), 0)

    def test_large_events_reach_a_slow_viewer_completely(self):
        texts = [bytes([97 + i]) * 300000 for i in range(4)]
        for text in texts:
            self.publish(text)
        opened, received = self.watch(receive_buffer=4096)
        received = read_until(opened, b"data: " + texts[3] + b"\n\n", received)
        for text in texts:
            self.assertIn(b"data: " + text + b"\n\n", received)

    def test_a_viewer_too_slow_for_the_history_is_dropped_and_others_continue(self):
        self.publish(b"first")
        slow, _ = self.watch(receive_buffer=4096)
        quick, received = self.watch()
        received = read_until(quick, b"data: first\n\n", received)
        for i in range(150):
            text = b"%d:" % i + b"x" * 40000
            self.publish(text)
            received = read_until(quick, b"data: " + text + b"\n\n", received[-10:])
        # The slow viewer has read nothing so far, and the history no longer has its next event.
        self.assertLess(len(read_all(slow)), 150 * 40000)
        self.assertEqual(self.server.metric("skirmish_live_dropped_total"), 1)
        self.assertEqual(self.server.metric("skirmish_live_viewers"), 1)


class Stalled(ServerTest):
    options = {
        "heartbeat_ms": 100,
        "viewer_stall_ms": 1000,
        "send_buffer": 8192,
        "viewers_per_address": 30,
        "per_address": 1000,
    }

    publish = Live.publish
    watch = Live.watch

    def test_a_viewer_that_reads_nothing_is_dropped(self):
        slow, _ = self.watch_after_first(4096)
        quick, received = self.watch()
        for text in (b"x" * 900000, b"y" * 900000, b"last"):
            self.publish(text)
            received = read_until(quick, b"data: " + text + b"\n\n", received)
        wait_until(lambda: self.server.metric("skirmish_live_dropped_total") == 1)
        self.assertLess(len(read_all(slow)), 1000000)
        self.publish(b"more")
        read_until(quick, b"data: more\n\n")

    def watch_after_first(self, receive_buffer=None):
        self.publish(b"first")
        return self.watch(receive_buffer=receive_buffer)

    def test_an_idle_stream_sends_heartbeats(self):
        opened, received = self.watch_after_first()
        received = read_until(opened, b"data: first\n\n:\n\n", received)
        read_until(opened, b":\n\n:\n\n", received)

    def test_viewers_per_address_are_limited(self):
        self.publish(b"first")
        held = [self.watch()[0] for _ in range(30)]
        answer = self.server.get("/live/m")
        self.assert_problem(answer, 503, "Too many viewers")
        self.assertEqual(answer.headers["Retry-After"], "10")
        held.pop().close()
        wait_until(lambda: self.server.metric("skirmish_live_viewers") == 29)
        self.assertTrue(self.watch()[1].startswith(b"HTTP/1.1 200 "))


if __name__ == "__main__":
    unittest.main()
