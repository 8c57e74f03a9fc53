"""Requests and responses: routing, decoding, caching, compression, and hostile input."""

import gzip
import json
import unittest

from demo_server import ServerTest, read_all, read_until, wait_until


class Routing(ServerTest):
    def test_a_path_reaches_its_handler_with_its_parameters(self):
        answer = self.server.get("/echo/hunter?limit=20&order=newest")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["name"], "hunter")
        self.assertEqual(answer.json["limit"], 20)
        self.assertEqual(answer.json["query"], [["limit", "20"], ["order", "newest"]])

    def test_a_literal_segment_takes_precedence_over_a_parameter(self):
        self.assertIn(b"a page", self.server.get("/echo/special").body)
        self.assertEqual(self.server.get("/echo/specials").json["name"], "specials")

    def test_a_parameter_can_take_the_rest_of_the_path(self):
        self.assertEqual(self.server.get("/files/a/b%20c/d.js").body, b"a/b c/d.js")

    def test_an_unknown_path_is_404(self):
        for path in (
            "/nothing",
            "/echo",
            "/echo/",
            "/echo/a/b",
            "//echo/a",
            "/files/",
            "/files/a//b",
            "/healthz/",
        ):
            self.assert_problem(self.server.get(path), 404)

    def test_another_method_is_405_with_allow(self):
        answer = self.server.ask("POST", "/echo/a")
        self.assert_problem(answer, 405)
        self.assertEqual(answer.headers["Allow"], "GET, HEAD, PUT, DELETE, OPTIONS")
        self.assert_problem(self.server.ask("BREW", "/echo/a"), 405)

    def test_options_returns_the_allowed_methods(self):
        answer = self.server.ask("OPTIONS", "/healthz")
        self.assertEqual((answer.status, answer.headers["Allow"]), (204, "GET, HEAD, OPTIONS"))
        self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_head_is_get_without_the_body(self):
        get = self.server.get("/rows")
        head = self.server.ask("HEAD", "/rows")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["Content-Length"], str(len(get.body)))
        self.assertEqual(head.headers["ETag"], get.headers["ETag"])

    def test_the_openapi_document_has_every_documented_route(self):
        document = self.server.get("/openapi.json").json
        self.assertEqual(
            set(document["paths"]), {"/openapi.json", "/echo/{name}", "/json", "/account"}
        )
        self.assertEqual(set(document["paths"]["/echo/{name}"]), {"get", "put"})
        operation = document["paths"]["/echo/{name}"]["get"]
        self.assertEqual(
            [parameter["in"] for parameter in operation["parameters"]], ["path"] + ["query"] * 4
        )
        self.assertEqual(
            document["paths"]["/json"]["post"]["responses"]["201"]["content"],
            {"application/json": {"schema": {"$ref": "#/components/schemas/Echo"}}},
        )
        self.assertIn("429", document["paths"]["/account"]["get"]["responses"])
        for pointer in json.dumps(document).split('"$ref": "')[1:]:
            self.assertIn(
                pointer.split('"')[0].rsplit("/", 1)[1], document["components"]["schemas"]
            )

    def test_health_and_metrics_are_served(self):
        self.assertEqual(self.server.get("/healthz").json, {"status": "ok"})
        # The server counts a request after sending the response, perhaps after we have received it.
        wait_until(
            lambda: self.server.metric('skirmish_http_request_seconds_count{route="health"}') == 1
        )
        self.assertGreaterEqual(self.server.metric('skirmish_http_responses_total{class="2xx"}'), 1)
        text = self.server.get("/metrics").body.decode()
        self.assertEqual(text.count("# TYPE skirmish_http_request_seconds histogram"), 1)


class Decoding(ServerTest):
    def assert_rejected(self, path, *words):
        self.assert_problem(self.server.get(path), 400, *words)

    def test_percent_escapes_are_decoded_once(self):
        self.assertEqual(self.server.get("/echo/a%20b%2525").json["name"], "a b%25")
        self.assertEqual(self.server.get("/echo/a+b?text=a+b%2B").json["query"], [["text", "a b+"]])
        self.assertEqual(self.server.get("/echo/a+b").json["name"], "a+b")
        self.assertEqual(
            self.server.get("/echo/%E2%82%AC?a%20b=%26%3D").json["query"], [["a b", "&="]]
        )

    def test_encoded_slashes_and_dot_segments_are_rejected(self):
        for path in ("/echo/a%2Fb", "/echo/a%2fb", "/echo/a%5Cb", "/echo/a\\b"):
            self.assert_rejected(path, "slash")
        for path in (
            "/echo/..",
            "/echo/%2e%2E",
            "/files/../etc/passwd",
            "/files/a/%2e/b",
            "/echo/.",
        ):
            self.assert_rejected(path, "..")

    def test_control_characters_are_rejected(self):
        for path in (
            "/echo/a%00",
            "/echo/a%0d%0ab",
            "/echo/%7f",
            "/echo/a?text=%00",
            "/echo/a?text=a%0Ab",
        ):
            self.assert_rejected(path, "control")

    def test_incomplete_escapes_are_rejected(self):
        for path in ("/echo/%", "/echo/%4", "/echo/%4g", "/echo/a?text=%zz", "/echo/a?%=1"):
            self.assert_rejected(path, "hexadecimal")

    def test_invalid_utf8_is_rejected(self):
        for path in (
            "/echo/%C0%AF",
            "/echo/%ff",
            "/echo/%ED%A0%80",
            "/echo/a?text=%F8%88%80%80%80",
            "/echo/%E2%82",
        ):
            self.assert_rejected(path, "UTF-8")

    def test_duplicate_parameters_are_rejected(self):
        self.assert_rejected("/echo/a?limit=1&limit=2", "duplicate")
        self.assert_rejected("/echo/a?limit=1&%6cimit=1", "duplicate")

    def test_unknown_and_invalid_parameters_are_rejected(self):
        self.assert_rejected("/echo/a?name=b", "Unknown query parameter")
        self.assert_rejected("/echo/a?colour=red", "Unknown query parameter", "colour")
        for value in ("", "0", "201", "1.0", "x", "99999999999999999999"):
            self.assert_rejected(f"/echo/a?limit={value}", "whole number from 1 to 200")
        self.assertEqual(
            [error["field"] for error in self.server.get("/echo/a?limit=x").json["errors"]],
            ["limit"],
        )
        self.assert_rejected("/echo/a?order=best", 'unknown value "best"; known: newest, oldest')
        self.assert_rejected("/echo/a?text=" + "x" * 201, "200 bytes")

    def test_too_many_parameters_are_rejected(self):
        self.assert_rejected("/echo/a?" + "&".join(f"p{i}=1" for i in range(17)), "16 parameters")

    def test_an_absolute_url_is_reduced_to_its_path(self):
        answer = self.server.raw(
            b"GET http://elsewhere/echo/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        self.assertIn(b'"name":"a"', answer)

    def test_cookies_are_parsed_and_duplicates_are_ignored(self):
        answer = self.server.get("/echo/a", Cookie='session=good; other="quoted"; broken; =x')
        self.assertEqual(answer.json["cookies"], [["session", "good"], ["other", "quoted"]])
        self.assertTrue(answer.json["session"])
        self.assertFalse(
            self.server.get("/echo/a", Cookie="session=evil; session=good").json["session"]
        )


class Bodies(ServerTest):
    def test_a_body_is_received_unchanged(self):
        body = bytes(range(256)) * 300
        self.assertEqual(self.server.ask("POST", "/bytes", body).body, body)

    def test_a_chunked_body_is_received_unchanged(self):
        body = [b"x" * 5000, b"y" * 3000]
        self.assertEqual(self.server.ask("POST", "/bytes", iter(body)).body, b"".join(body))

    def test_a_body_announced_as_too_long_is_rejected_before_it_is_sent(self):
        for more in (
            b"Content-Length: 100001\r\nExpect: 100-continue",
            b"Content-Length: 100000000",
        ):
            answer = self.server.raw(b"POST /bytes HTTP/1.1\r\nHost: x\r\n" + more + b"\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
            self.assertIn(b"at most 100000 bytes are allowed", answer)
            self.assertIn(b"Connection: close", answer)

    def test_a_client_that_sends_a_rejected_body_can_read_the_response(self):
        """Proxies and browsers read the response only after they have sent the whole body."""
        connection = self.server.connect()
        self.addCleanup(connection.close)
        for path, status in (
            ("/bytes", 413),
            ("/account", 401),
            ("/nowhere", 404),
            ("/bytes", 413),
        ):
            connection.request("POST", path, b"x" * 3000000)
            answer = connection.getresponse()
            self.assertEqual(answer.status, status)
            self.assertEqual(json.loads(answer.read())["status"], status)

    def test_a_chunked_body_that_becomes_too_long_is_rejected(self):
        answer = self.server.ask("POST", "/bytes", iter([b"x" * 60000, b"y" * 60000]))
        self.assert_problem(answer, 413, "100000 bytes")

    def test_an_endless_body_is_cut_off(self):
        opened = self.server.open()
        opened.sendall(b"POST /bytes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with self.assertRaises(OSError):
            for _ in range(10000):
                opened.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
        opened.close()

    def test_a_body_for_a_route_without_one_is_rejected(self):
        self.assert_problem(self.server.ask("GET", "/healthz", b"body"), 413)
        self.assert_problem(self.server.ask("DELETE", "/echo/a", b"body"), 413)

    def test_a_json_route_accepts_only_json(self):
        json_type = {"Content-Type": "Application/JSON; charset=utf-8"}
        self.assertEqual(self.server.ask("POST", "/json", b"{}", json_type).status, 200)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp"):
            self.assert_problem(
                self.server.ask("POST", "/json", b"{}", {"Content-Type": kind}), 415
            )
        self.assert_problem(self.server.ask("POST", "/json", b"{}"), 415)

    def test_100_continue_is_sent_only_if_the_body_will_be_accepted(self):
        head = (
            b"POST /account HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n"
            b"Expect: 100-continue\r\n\r\n"
        )
        answer = self.server.raw(head)
        self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)
        with self.server.open() as opened:
            opened.sendall(head.replace(b"\r\nExpect", b"\r\nCookie: session=good\r\nExpect"))
            self.assertTrue(read_until(opened, b"\r\n\r\n").startswith(b"HTTP/1.1 100 "))

    def test_invalid_and_contradictory_lengths_are_rejected(self):
        for headers in (
            b"Content-Length: 4\r\nTransfer-Encoding: chunked",
            b"Content-Length: 4\r\nContent-Length: 5",
            b"Content-Length: -4",
            b"Content-Length: 4x",
            b"Content-Length: 99999999999999999999999",
        ):
            answer = self.server.raw(
                b"POST /bytes HTTP/1.1\r\nHost: x\r\n"
                + headers
                + b"\r\n\r\n0\r\n\r\nGET /echo/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            self.assertRegex(answer, rb"^HTTP/1.1 (400|413) ")
            self.assertNotIn(b"smuggled", answer)

    def test_a_rejected_request_is_answered_before_its_body_is_sent(self):
        for path, status in (("/account", 401), ("/nowhere", 404), ("/healthz", 405)):
            for length in (b"Content-Length: 900000", b"Transfer-Encoding: chunked"):
                with self.server.open() as opened:
                    opened.sendall(
                        f"POST {path} HTTP/1.1\r\nHost: x\r\n".encode() + length + b"\r\n\r\n"
                    )
                    answer = read_all(opened)
                self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer)
                self.assertIn(b"Connection: close", answer)

    def test_a_rejected_body_that_has_arrived_does_not_end_the_connection(self):
        with self.server.open() as opened:
            opened.sendall(
                b"POST /account HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
                b"GET /echo/next HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            answer = read_until(opened, b'"name":"next"')
        self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)

    def test_malformed_chunks_are_rejected(self):
        for chunks in (
            b"5\nhello\r\n0\r\n\r\n",
            b"5\r\nhello\n0\r\n\r\n",
            b"5\r\nhello\r\n0\n\r\n",
            b"5\r\nhello\r\n0\r\n\n",
            b"5\r\nhelloo\r\n0\r\n\r\n",
            b"5 \r\nhello\r\n0\r\n\r\n",
            b"0x5\r\nhello\r\n0\r\n\r\n",
            b"-5\r\nhello\r\n0\r\n\r\n",
            b"\r\nhello\r\n0\r\n\r\n",
            b"000000005\r\nhello\r\n0\r\n\r\n",
            b"5;a=\x00\r\nhello\r\n0\r\n\r\n",
            b"5\r\nhello\r\n0\r\nTrailer: a\nb\r\n\r\n",
        ):
            answer = self.server.raw(
                b"POST /bytes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
            )
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), (chunks, answer))
        answer = self.server.raw(
            b"POST /bytes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Connection: close\r\n\r\n"
            b'2;name="value"\r\nhe\r\n00003\r\nllo\r\n0\r\nTrailer: ignored\r\n\r\n'
        )
        self.assertTrue(answer.endswith(b"\r\n\r\nhello"), answer)


class Connections(ServerTest):
    def test_a_connection_is_reused(self):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        connection.connect()
        opened = connection.sock
        for method, path, status in [
            ("GET", "/healthz", 200),
            ("POST", "/release", 204),
            ("GET", "/nothing", 404),
            ("HEAD", "/rows", 200),
            ("DELETE", "/echo/a", 200),
            ("OPTIONS", "/rows", 204),
            ("POST", "/healthz", 405),
            ("GET", "/account", 401),
            ("GET", "/slow/a", 200),
        ] * 3:
            connection.request(method, path)
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, status, path)
            self.assertNotEqual(response.headers["Connection"], "close", path)
            self.assertIs(connection.sock, opened, path)

    def test_pipelined_requests_are_answered_in_order(self):
        names = [b"n%d" % i for i in range(50)]
        requests = [b"GET /echo/%s HTTP/1.1\r\nHost: x\r\n\r\n" % name for name in names]
        requests.insert(25, b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n<here>")
        requests[-1] = requests[-1].replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        answer = self.server.raw(b"".join(requests))
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 51)
        places = [answer.index(b'"name":"%s"' % name) for name in names]
        self.assertEqual(places, sorted(places))
        self.assertTrue(places[24] < answer.index(b"<here>") < places[25])

    def test_a_deferred_request_is_answered_when_its_work_is_done(self):
        """After any number of requests: a connection that sends many has to yield to others."""
        for count in range(24, 41):
            with self.subTest(requests_before=count), self.server.open() as opened:
                opened.sendall(
                    b"GET /echo/before HTTP/1.1\r\nHost: x\r\n\r\n" * count
                    + b"GET /slow/work HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                )
                received = b""
                while received.count(b"HTTP/1.1 200 OK") < count:
                    received += opened.recv(65536)
                for _ in range(3):
                    self.assertEqual(self.server.get("/healthz").status, 200)
                self.server.ask("POST", "/release")
                received += read_all(opened)
                self.assertEqual(received.count(b"HTTP/1.1 200 OK"), count + 1)
                self.assertTrue(received.endswith(b"done for work"), received[-400:])

    def test_malformed_requests_are_rejected_with_our_headers_and_logged(self):
        head = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
        malformed = [
            (400, b"\x16\x03\x01\x02\x00\r\n\r\n"),
            (400, b"GET\r\n\r\n"),
            (400, b"GET /healthz\r\n\r\n"),
            (400, b"GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, b"GET /healthz  HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, b"GET /healthz HTTP/1.1 \r\nHost: x\r\n\r\n"),
            (400, b"GET /healthz http/1.1\r\nHost: x\r\n\r\n"),
            (400, b"GET /healthz\x00/a HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, b"G\x00T /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            (505, b"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n"),
            (400, b"GET /healthz HTTP/1.1\r\n\r\n"),
            (400, head + b"Host: x\r\n\r\n"),
            (400, head + b"host: y\r\n\r\n"),
            (400, b"GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n"),
            (400, b"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n"),
            (400, head + b"A\x00B: c\r\n\r\n"),
            (400, head + b"A : b\r\n\r\n"),
            (400, head + b"A\t: b\r\n\r\n"),
            (400, head + b" A: b\r\n\r\n"),
            (400, head + b"A: b\r\n folded\r\n\r\n"),
            (400, head + b"A: b\x00c\r\n\r\n"),
            (400, head + b"A: b\rc\r\n\r\n"),
            (400, head + b"A: b\x7f\r\n\r\n"),
            (400, head + b"A\r\n\r\n"),
            (400, head + b": b\r\n\r\n"),
            (400, head + b"A: b\nC: d\r\n\r\n"),
            (400, b"GET /healthz HTTP/1.1\nHost: x\n\n"),
            (400, b"POST /bytes HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            (400, head + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
            (501, head + b"Transfer-Encoding: gzip, chunked\r\n\r\n"),
            (417, head + b"Expect: something\r\n\r\n"),
        ]
        for status, text in malformed:
            answer = self.server.raw(text)
            self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), (text, answer))
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, text)
            for line in (
                b"Content-Type: application/problem+json\r\n",
                b"X-Content-Type-Options: nosniff\r\n",
                b"Connection: close\r\n",
            ):
                self.assertIn(line, answer, text)
        self.assertEqual(self.server.get("/healthz").status, 200)
        self.stop()
        logged = [line["status"] for line in self.server.log() if line["event"] == "request"]
        self.assertEqual(logged, [status for status, _ in malformed] + [200])

    def test_an_empty_line_before_a_request_is_ignored(self):
        answer = self.server.raw(
            b"\r\nGET /echo/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)

    def test_an_http_1_0_client_gets_its_response_and_the_end(self):
        answer = self.server.raw(b"GET /echo/a HTTP/1.0\r\n\r\n")
        self.assertIn(b'"name":"a"', answer)
        with self.server.open() as opened:
            for _ in range(2):
                opened.sendall(b"GET /echo/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                answer = read_until(opened, b"}")
                self.assertIn(b"Connection: keep-alive\r\n", answer)

    def test_a_client_that_closes_its_side_gets_its_response(self):
        with self.server.open() as opened:
            opened.sendall(b"GET /echo/a HTTP/1.1\r\nHost: x\r\n\r\n")
            opened.shutdown(1)
            self.assertIn(b'"name":"a"', read_all(opened))

    def test_a_url_that_is_too_long_is_414(self):
        self.assert_problem(self.server.get("/echo/" + "a" * 5000), 414)
        answer = self.server.raw(b"GET /" + b"a" * 60000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 414 "), answer[:100])

    def test_headers_that_are_too_long_or_too_many_are_431(self):
        self.assert_problem(self.server.get("/healthz", X_Long="a" * 13000), 431)
        self.assert_problem(self.server.get("/healthz", **{f"X_{i}": "a" for i in range(50)}), 431)
        answer = self.server.raw(
            b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 60000 + b"\r\n\r\n"
        )
        self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer[:100])

    def test_a_client_may_disconnect_at_any_time(self):
        for text in (
            b"GET /he",
            b"POST /bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc",
            b"GET /big?size=50000000 HTTP/1.1\r\nHost: x\r\n\r\n",
        ):
            with self.server.open() as opened:
                opened.sendall(text)
        self.assertEqual(self.server.get("/healthz").status, 200)


class Content(ServerTest):
    def test_a_matching_etag_gets_304(self):
        for path in ("/rows", "/big?size=10", "/big?size=9000"):
            tag = self.server.get(path).headers["ETag"]
            for known in (tag, tag[2:], '"other", ' + tag, "*"):
                answer = self.server.get(path, If_None_Match=known)
                self.assertEqual(
                    (answer.status, answer.body, answer.headers["ETag"]), (304, b"", tag)
                )
                self.assert_protected(answer)
            self.assertEqual(self.server.get(path, If_None_Match='"other"').status, 200)
        self.assertEqual(
            self.server.ask("HEAD", "/rows", headers={"If-None-Match": "*"}).status, 304
        )

    def test_large_responses_are_compressed_for_clients_that_accept_it(self):
        for path in ("/rows", "/big?size=9000"):
            plain = self.server.get(path)
            for accepted in ("gzip", "br, GZIP;q=0.5", "*"):
                packed = self.server.get(path, Accept_Encoding=accepted)
                self.assertEqual(packed.headers["Content-Encoding"], "gzip")
                self.assertEqual(gzip.decompress(packed.body), plain.body)
                self.assertEqual(packed.headers["ETag"], plain.headers["ETag"])
                self.assertEqual(
                    (packed.headers["Vary"], plain.headers["Vary"]),
                    ("Accept-Encoding", "Accept-Encoding"),
                )
            for accepted in ("gzip;q=0", "gzip; q=0.000, *", "br", "identity", "*;q=0", "notgzip"):
                self.assertIsNone(
                    self.server.get(path, Accept_Encoding=accepted).headers["Content-Encoding"]
                )

    def test_small_and_secret_responses_are_not_compressed(self):
        for path in ("/big?size=1000", "/big?size=9000&secret=1"):
            self.assertIsNone(
                self.server.get(path, Accept_Encoding="gzip").headers["Content-Encoding"]
            )

    def test_a_file_is_sent_unchanged(self):
        answer = self.server.get("/file")
        self.assertEqual(answer.body, b"as it is in the file")
        self.assertEqual(answer.headers["Content-Encoding"], "zstd")
        self.assertIn("immutable", answer.headers["Cache-Control"])

    def test_a_large_response_is_complete(self):
        self.assertEqual(len(self.server.get("/big?size=20000000").body), 20000000)

    def test_every_response_has_the_security_headers(self):
        for path in ("/healthz", "/", "/nothing", "/rows", "/file", "/live/none"):
            self.assert_protected(self.server.get(path))
        self.assertEqual(
            self.server.get("/healthz").headers["Content-Security-Policy"],
            "default-src 'none'; frame-ancestors 'none'",
        )
        self.assertIn("script-src 'self'", self.server.get("/").headers["Content-Security-Policy"])
        self.assertEqual(self.server.get("/healthz").headers["Cache-Control"], "no-store")


class Injection(ServerTest):
    def test_a_value_cannot_inject_a_header(self):
        evil = b"/x\r\nSet-Cookie: stolen=1\r\n\r\n<script>\x00\xff; Path=/evil"
        answer = self.server.ask("POST", "/inject", evil)
        self.assertEqual(
            answer.headers["Location"],
            "/x%0D%0ASet-Cookie: stolen=1%0D%0A%0D%0A<script>%00%FF; Path=/evil",
        )
        self.assertEqual(
            answer.headers.get_all("Set-Cookie"),
            [
                "kept=/x%0D%0ASet-Cookie:%20stolen=1%0D%0A%0D%0A<script>%00%FF%3B%20Path=/evil"
                "; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
            ],
        )
        self.assertEqual(answer.body, b"")

    def test_a_value_cannot_inject_a_log_line(self):
        self.server.ask(
            "POST", "/inject", b'x"}\n{"level":"error","event":"forged"}\r\n\x1b[2J\xff'
        )
        self.stop()
        lines = self.server.log()
        self.assertEqual([line["event"] for line in lines], ["inject", "request"])
        self.assertEqual(
            lines[0]["text"], 'x"}\n{"level":"error","event":"forged"}\r\n\x1b[2J\ufffd'
        )

    def test_the_log_has_every_request_and_no_secret(self):
        self.server.get(
            "/echo/password1?text=password2",
            Cookie="session=password3",
            Authorization="Bearer password4",
        )
        self.server.get("/password5")
        self.server.ask("POST", "/bytes", b"password6", {"X-Forwarded-For": "password7"})
        self.stop()
        lines = self.server.log()
        self.assertNotIn("password", json.dumps(lines))
        self.assertEqual(
            {(line["route"], line["status"]) for line in lines},
            {("echo", 200), ("none", 404), ("bytes", 200)},
        )
        for line in lines:
            self.assertLessEqual(
                {"time", "level", "event", "request", "address", "method", "microseconds", "bytes"},
                set(line),
            )
        self.assertEqual(len({line["request"] for line in lines}), 3)

    def test_every_response_has_the_request_id_of_its_log_line(self):
        problem = self.server.get("/nothing")
        good = self.server.get("/echo/a")
        names = [answer.headers["X-Request-Id"] for answer in (problem, good)]
        self.assertEqual(problem.json["request"], names[0])
        self.stop()
        # One of several threads writes a line after its response, so the order varies.
        self.assertCountEqual([line["request"] for line in self.server.log()], names)


if __name__ == "__main__":
    unittest.main()
