"""As much of JSON Schema as the schemas of the package use; what it does not know is an error."""

KINDS = {
    "object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int,
    "null": type(None),
}  # fmt: skip
IGNORED = {"$schema", "$id", "$defs", "title", "description"}


def faults(value, schema, root=None, path="$"):
    """Where and how a value breaks a schema; nothing if it keeps it."""
    root = schema if root is None else root
    for key, rule in schema.items():
        if key not in IGNORED:
            yield from CHECKS[key](value, rule, schema, root, path)


def _type(value, rule, schema, root, path):
    wrong_bool = isinstance(value, bool) and rule in {"number", "integer"}
    if wrong_bool or not isinstance(value, KINDS[rule]):
        yield f"{path} is no {rule}: {value!r}"


def _properties(value, rule, schema, root, path):
    for name, inner in rule.items():
        if isinstance(value, dict) and name in value:
            yield from faults(value[name], inner, root, f"{path}.{name}")


def _additional(value, rule, schema, root, path):
    for name in value.keys() - schema.get("properties", {}).keys() if isinstance(value, dict) else ():
        yield from faults(value[name], rule, root, f"{path}.{name}")


def _items(value, rule, schema, root, path):
    for number, one in enumerate(value if isinstance(value, list) else ()):
        yield from faults(one, rule, root, f"{path}[{number}]")


def _any_of(value, rule, schema, root, path):
    found = [list(faults(value, one, root, path)) for one in rule]
    if all(found):
        yield f"{path} is none of these: {found}"


def _ref(value, rule, schema, root, path):
    yield from faults(value, root["$defs"][rule.removeprefix("#/$defs/")], root, path)


def _plain(holds, words):
    def check(value, rule, schema, root, path):
        if not holds(value, rule):
            yield f"{path} {words} {rule!r}: {value!r}"

    return check


CHECKS = {
    "type": _type, "properties": _properties, "additionalProperties": _additional, "items": _items, "anyOf": _any_of,
    "$ref": _ref, "const": _plain(lambda value, rule: value == rule, "must be"),
    "enum": _plain(lambda value, rule: value in rule, "must be one of"),
    "required": _plain(lambda value, rule: not isinstance(value, dict) or set(rule) <= set(value), "must have"),
    "minimum": _plain(lambda value, rule: not isinstance(value, int | float) or value >= rule, "must be at least"),
    "maximum": _plain(lambda value, rule: not isinstance(value, int | float) or value <= rule, "must be at most"),
    "minItems": _plain(lambda value, rule: not isinstance(value, list) or len(value) >= rule, "is shorter than"),
    "maxItems": _plain(lambda value, rule: not isinstance(value, list) or len(value) <= rule, "is longer than"),
}  # fmt: skip
