"""Compares tests/sigv4.py with the examples in the AWS documentation."""

import hashlib
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import sigv4  # pylint: disable=wrong-import-position

EMPTY = hashlib.sha256(b"").hexdigest()
HELLO = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"

# Cases from the test suite of Signature Version 4.
SUITE = {"secret": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "date": "20150830T123600Z"}
SUITE_CASES = (
    ("GET", "/", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    ("POST", "/", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    (
        "GET",
        "/",
        "Param2=value2&Param1=value1",
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
)

# "Signature calculations for the Authorization header" in the documentation of Amazon S3.
S3 = {"secret": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "date": "20130524T000000Z"}
S3_CASES = (
    (
        "GET",
        "/test.txt",
        "",
        {"range": "bytes=0-9"},
        EMPTY,
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
    (
        "PUT",
        "/test$file.text",
        "",
        {
            "date": "Fri, 24 May 2013 00:00:00 GMT",
            "x-amz-storage-class": "REDUCED_REDUNDANCY",
        },
        HELLO,
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ),
    (
        "GET",
        "/",
        "lifecycle",
        {},
        EMPTY,
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ),
    (
        "GET",
        "/",
        "max-keys=2&prefix=J",
        {},
        EMPTY,
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ),
)


def signature(method, path, query, headers, payload, of, service):
    request = sigv4.canonical_request(method, path, query, headers, sorted(headers), payload)
    return sigv4.sign(of["secret"], of["date"], "us-east-1", service, request)


class Examples(unittest.TestCase):
    def test_signatures_match_the_test_suite_of_the_documentation(self):
        for method, path, query, expected in SUITE_CASES:
            headers = {"host": "example.amazonaws.com", "x-amz-date": SUITE["date"]}
            found = signature(method, path, query, headers, EMPTY, SUITE, "service")
            self.assertEqual(found, expected, (method, query))

    def test_signatures_match_the_examples_of_amazon_s3(self):
        for method, path, query, more, payload, expected in S3_CASES:
            headers = {
                "host": "examplebucket.s3.amazonaws.com",
                "x-amz-content-sha256": payload,
                "x-amz-date": S3["date"],
                **more,
            }
            self.assertEqual(signature(method, path, query, headers, payload, S3, "s3"), expected)

    def test_the_payload_of_the_example_has_its_digest(self):
        self.assertEqual(hashlib.sha256(b"Welcome to Amazon S3.").hexdigest(), HELLO)


if __name__ == "__main__":
    unittest.main()
