"""Checks the text of every problem (RFC 9457) that a test receives.

All clients of the arena tests call check_problem, so every message they can reach is checked.
"""

import json
import re

TITLE = re.compile(r"[A-Z][A-Za-z]*( [A-Z][A-Za-z]*)*")


def starts_well(detail):
    """True if it starts with a capital, a quotation mark, a number, or a name such as bot.json."""
    word = detail.split(" ")[0]
    return bool(word) and (word[0].isupper() or not re.fullmatch(r"[a-z]+[,;:']?", word))


def check_problem(content_type, body):
    """Fails unless `title` is a noun phrase and `detail` a sentence. Ignores other responses."""
    if not (content_type or "").startswith("application/problem+json") or not body:
        return
    problem = json.loads(body)
    title, detail = problem["title"], problem["detail"]
    assert TITLE.fullmatch(title), f"not a noun phrase: {title!r}"
    assert starts_well(detail), f"does not start like a sentence: {detail!r}"
    assert detail.endswith((".", "?")), f"does not end like a sentence: {detail!r}"
    assert not detail.endswith(".."), f"ends with two full stops: {detail!r}"
    for error in problem.get("errors", []):
        assert set(error) == {"field", "detail"} and error["field"], error
        assert starts_well(error["detail"]), error
        assert error["detail"].endswith((".", "?")), error
