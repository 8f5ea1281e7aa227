"""Brings rows that Spark answered and rows that firn printed to one comparable form.

Both forms are told in testdata/README.md; Spark's type texts ("array<struct<a:int>>") say which value
is what.
"""

import struct


def parse_type(text):
    """A Spark type as nested tuples: ("bigint",), ("array", element), ("map", key, value),
    ("struct", [(name, type), ...])."""
    found, rest = _parse(text)
    if rest:
        raise ValueError(f"type {text!r}: {rest!r} is left over")
    return found


def _parse(text):
    for head in ("array<", "map<", "struct<"):
        if text.startswith(head):
            return _parse_nested(head[:-1], text[len(head):])
    end = 0
    depth = 0
    while end < len(text) and not (depth == 0 and text[end] in ",>"):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return (text[:end],), text[end:]


def _parse_nested(kind, rest):
    children = []
    while not rest.startswith(">"):
        name = None
        if kind == "struct":
            name, rest = rest.split(":", 1)
        child, rest = _parse(rest)
        children.append((name, child) if kind == "struct" else child)
        rest = rest[1:] if rest.startswith(",") else rest
    rest = rest[1:]
    return (("struct", children) if kind == "struct" else (kind, *children)), rest


def float32(value):
    """The float32 nearest to a number, widened."""
    return struct.unpack("f", struct.pack("f", value))[0]


def _number(value, name):
    if isinstance(value, dict):
        value = value["f"]
    if isinstance(value, str):
        value = {"Infinity": "inf", "-Infinity": "-inf"}.get(value, value)
    number = float(value)
    if name == "float" and number == number and abs(number) != float("inf"):
        number = float32(number)
    return repr(number)


def _scalar(value, name):
    if name in ("float", "double"):
        return _number(value, name)
    if name == "timestamp":
        return value.replace("+00:00", "Z")
    if isinstance(value, dict):
        return value["hex"]
    return value


def canonical(value, kind):
    """A hashable form of a value of either side."""
    if value is None:
        return None
    if kind[0] == "array":
        return ("list", *(canonical(item, kind[1]) for item in value))
    if kind[0] == "map":
        entries = [
            (item["key"], item["value"]) if isinstance(item, dict) else tuple(item)
            for item in value
        ]
        pairs = [(canonical(k, kind[1]), canonical(v, kind[2])) for k, v in entries]
        return ("map", *sorted(pairs, key=repr))
    if kind[0] == "struct":
        return ("struct", *((name, canonical(value[name], child)) for name, child in kind[1]))
    return _scalar(value, kind[0])


def canonical_rows(rows, schema):
    """Rows as a sorted list, for comparing multisets."""
    kinds = [(name, parse_type(text)) for name, text in schema]
    return sorted(
        (tuple((name, canonical(row[name], kind)) for name, kind in kinds) for row in rows),
        key=repr,
    )
