"""AWS Signature Version 4 as documented, to check the signatures of libcurl.

It shares no code with libcurl. tests/store/test_sigv4.py compares it with the examples that the
documentation publishes.
"""

import hashlib
import hmac
import re
import urllib.parse

AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, ?"
    r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})"
)


def encode(text, safe=""):
    return urllib.parse.quote(text, safe="-_.~" + safe)


def canonical_query(query):
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    decoded = [(urllib.parse.unquote(name), urllib.parse.unquote(value)) for name, value in pairs]
    return "&".join(
        f"{name}={value}"
        for name, value in sorted((encode(name), encode(value)) for name, value in decoded)
    )


def canonical_request(method, path, query, headers, signed, payload_hash):
    """`headers` has names in lower case; `signed` lists the names of the signed headers."""
    lines = [f"{name}:{' '.join(headers[name].split())}\n" for name in signed]
    return "\n".join(
        (
            method,
            encode(urllib.parse.unquote(path), "/"),
            canonical_query(query),
            "".join(lines),
            ";".join(signed),
            payload_hash,
        )
    )


def sign(secret, date, region, service, request):
    """Returns the signature of a canonical request; `date` is formatted as in X-Amz-Date."""

    def mac(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()

    scope = f"{date[:8]}/{region}/{service}/aws4_request"
    text = "\n".join(
        ("AWS4-HMAC-SHA256", date, scope, hashlib.sha256(request.encode()).hexdigest())
    )
    key = mac(("AWS4" + secret).encode(), date[:8])
    for part in (region, service, "aws4_request"):
        key = mac(key, part)
    return mac(key, text).hex()


def check(method, path, query, headers, body, keys, region):
    """Returns None if the request has the right signature, else the code of S3's error."""
    found = AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if not found:
        return "AccessDenied"
    key, day, named_region, service, signed, signature = found.groups()
    signed = signed.split(";")
    if key not in keys:
        return "InvalidAccessKeyId"
    secret, token = keys[key]
    if headers.get("x-amz-security-token") != token:
        return "InvalidToken"
    if named_region != region or service != "s3" or day != headers.get("x-amz-date", "")[:8]:
        return "AuthorizationHeaderMalformed"
    # S3 requires signatures of the host and of all its own headers.
    needed = {"host"} | {name for name in headers if name.startswith("x-amz-")}
    if signed != sorted(signed) or not needed <= set(signed) <= set(headers):
        return "AccessDenied"
    payload_hash = headers.get("x-amz-content-sha256")
    if payload_hash != hashlib.sha256(body).hexdigest():
        return "XAmzContentSHA256Mismatch"
    request = canonical_request(method, path, query, headers, signed, payload_hash)
    expected = sign(secret, headers["x-amz-date"], region, service, request)
    return None if hmac.compare_digest(expected, signature) else "SignatureDoesNotMatch"
