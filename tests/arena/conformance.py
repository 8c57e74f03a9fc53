"""Checks real requests and responses against the arena's OpenAPI document.

Knows the part of JSON Schema that the document uses, and fails on any other keyword: ignoring one
would make every value fit.
"""

import datetime
import re

KINDS = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}  # fmt: skip
KNOWN = {
    "$ref", "type", "enum", "oneOf", "anyOf", "properties", "required", "additionalProperties",
    "items", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "pattern",
    "format", "description",
}  # fmt: skip


def is_kind(value, kind):
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def is_time(text):
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).tzinfo is not None
    except ValueError:
        return False


class Schemas:
    """The named schemas of an OpenAPI document."""

    def __init__(self, document):
        self.named = document["components"]["schemas"]

    def check(self, name, value):
        """Fails if a value does not fit the schema of this name."""
        found = self.wrong(value, {"$ref": f"#/components/schemas/{name}"}, name)
        assert not found, found

    def wrong(self, value, schema, where="answer"):
        """A list of errors in a value."""
        if set(schema) - KNOWN:
            return [f"{where}: the schema has {sorted(set(schema) - KNOWN)}, which nobody checks"]
        if "$ref" in schema:
            return self.wrong(
                value, self.named[schema["$ref"].removeprefix("#/components/schemas/")], where
            )
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                found = [self.wrong(value, one, where) for one in schema[keyword]]
                fitting = sum(not one for one in found)
                return (
                    []
                    if fitting == 1 or (fitting and keyword == "anyOf")
                    else [f"{where} fits {fitting} of its kinds: {found}"]
                )
        if "enum" in schema and value not in schema["enum"]:
            return [f"{where}: {value!r} is none of {schema['enum']}"]
        kinds = schema.get("type", list(KINDS))
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if not any(is_kind(value, kind) for kind in kinds):
            return [f"{where}: {value!r} is no {' or '.join(kinds)}"]
        if isinstance(value, dict):
            return self.wrong_object(value, schema, where)
        if isinstance(value, list):
            return self.wrong_list(value, schema, where)
        return (
            self.wrong_word(value, schema, where)
            if isinstance(value, str)
            else self.wrong_number(value, schema, where)
        )

    def wrong_object(self, value, schema, where):
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        found = [
            f"{where} lacks {name}" for name in schema.get("required", []) if name not in value
        ]
        for name, member in value.items():
            if name in properties:
                found += self.wrong(member, properties[name], f"{where}.{name}")
            elif others is False:
                found.append(f"{where} has {name}, which is not declared")
            elif others is not True:
                found += self.wrong(member, others, f"{where}.{name}")
        return found

    def wrong_list(self, value, schema, where):
        found = self.wrong_size(value, schema.get("minItems", 0), schema.get("maxItems"), where)
        for at, item in enumerate(value):
            found += self.wrong(item, schema.get("items", {}), f"{where}[{at}]")
        return found

    def wrong_word(self, value, schema, where):
        found = self.wrong_size(value, schema.get("minLength", 0), schema.get("maxLength"), where)
        if "pattern" in schema and not re.search(schema["pattern"], value):
            found.append(f"{where}: {value!r} does not match {schema['pattern']}")
        if "format" in schema and (schema["format"] != "date-time" or not is_time(value)):
            found.append(f"{where}: {value!r} is no {schema['format']}")
        return found

    @staticmethod
    def wrong_size(value, least, most, where):
        return (
            []
            if least <= len(value) and (most is None or len(value) <= most)
            else [f"{where} has {len(value)} parts"]
        )

    @staticmethod
    def wrong_number(value, schema, where):
        if value is None or isinstance(value, bool):
            return []
        good = schema.get("minimum", value) <= value <= schema.get("maximum", value)
        return [] if good else [f"{where}: {value!r} is too small or too large"]


class Document:
    """Checks requests and responses. Records which operations have responded without an error."""

    def __init__(self, document):
        self.schemas = Schemas(document)
        self.checked = set()
        self.seen = set()  # the names of checked events
        self.operations = []
        for pattern, methods in document["paths"].items():
            expression = re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(pattern)))
            for method, operation in methods.items():
                self.operations.append((pattern.count("{"), method.upper(), expression, operation))
        self.operations.sort(
            key=lambda entry: entry[0]
        )  # literal segments take precedence over parameters

    def find(self, method, path):
        for _, known, expression, operation in self.operations:
            if known == method and expression.fullmatch(path):
                return operation
        raise AssertionError(f"the document has no {method} {path}")

    def check_request(self, operation, query, body):
        """Checks a request: the tests must send what the document allows."""
        declared = {
            one["name"]: one["schema"] for one in operation["parameters"] if one["in"] == "query"
        }
        for name, value in query:
            assert (
                name in declared
            ), f"{operation['operationId']}: the parameter {name} is not declared"
            given = int(value) if declared[name]["type"] == "integer" else value
            found = self.schemas.wrong(given, declared[name], name)
            assert not found, found
        content = operation.get("requestBody", {}).get("content", {})
        if body is not None and "application/json" in content:
            found = self.schemas.wrong(body, content["application/json"]["schema"], "request")
            assert not found, (operation["operationId"], found)

    def check_event(self, operation, event, data):
        declared = operation.get("x-events", {})
        assert (
            event in declared
        ), f"{operation['operationId']} sent the event {event}, which is not declared"
        found = self.schemas.wrong(data, declared[event], f"{operation['operationId']} {event}")
        assert not found, found
        self.seen.add(event)

    def check_answer(self, operation, status, content_type, value, tag=None):
        """Checks a response. `value` is the parsed JSON or None; `tag` is the ETag or None."""
        name, declared = operation["operationId"], operation["responses"]
        if status == 200:
            assert bool(tag) == (
                "304" in declared
            ), f"{name} has the tag {tag}, and 304 is {'' if '304' in declared else 'not '}declared"
        assert str(status) in declared, f"{name} answered {status}, which is not declared: {value}"
        content = declared[str(status)].get("content", {})
        assert list(content) == (
            [content_type] if content_type else []
        ), f"{name}: {status} has {content_type}, not {list(content)}"
        schema = content.get(content_type, {}).get("schema")
        if schema:
            found = self.schemas.wrong(value, schema, f"{name} {status}")
            assert not found, found
        if status < 400:
            self.checked.add(name)

    def unchecked(self):
        return sorted(
            {operation["operationId"] for _, _, _, operation in self.operations} - self.checked
        )
