"""Rows for tables that firn writes, and Arrow values in the form that is compared."""

import datetime
import decimal

import pyarrow

EPOCH = datetime.datetime(1970, 1, 1)
UTC = datetime.timezone.utc
NAN = float("nan")
INFINITE = float("inf")
NUMBER_16 = bytes(range(16))

# Name to Arrow type and values. Every column gets nulls besides.
TYPES = {
    "flag": (pyarrow.bool_(), [True, False]),
    "tiny": (pyarrow.int8(), [-128, 127]),
    "word": (pyarrow.uint16(), [0, 65535]),
    "wide": (pyarrow.uint32(), [0, 2**32 - 1]),
    "i": (pyarrow.int32(), [-2**31, 0, 2**31 - 1]),
    "l": (pyarrow.int64(), [-2**63, -1, 2**63 - 1]),
    "half": (pyarrow.float16(), [1.5, -0.0]),
    "f": (pyarrow.float32(), [NAN, -0.0, 0.0, -INFINITE, 1.5]),
    "d": (pyarrow.float64(), [NAN, 0.0, -0.0, INFINITE, 5e-324, 1.7976931348623157e308]),
    "zero": (pyarrow.float64(), [-0.0, 0.0]),
    "nans": (pyarrow.float32(), [NAN]),
    "small": (pyarrow.decimal128(5, 2), [decimal.Decimal("-999.99"), decimal.Decimal("0.01")]),
    "middle": (pyarrow.decimal128(18, 0), [decimal.Decimal(-10**18 + 1), decimal.Decimal(7)]),
    "large": (pyarrow.decimal128(38, 10), [
        decimal.Decimal("-9999999999999999999999999999.9999999999"), decimal.Decimal("0.5")]),
    "day": (pyarrow.date32(), [
        datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(9999, 12, 31)]),
    "ntz": (pyarrow.timestamp("us"), [
        datetime.datetime(1, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)]),
    "milli": (pyarrow.timestamp("ms"), [datetime.datetime(1900, 1, 1, 0, 0, 0, 1000)]),
    "tz": (pyarrow.timestamp("us", "UTC"), [
        datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
        datetime.datetime(2024, 2, 29, tzinfo=UTC)]),
    "tokyo": (pyarrow.timestamp("us", "Asia/Tokyo"), [
        datetime.datetime(2024, 1, 1, 0, 0, 0, 1, UTC)]),
    "text": (pyarrow.string(), [
        "a string that is longer than sixteen characters", "日本語の長い文字列は切り詰められます😀", ""]),
    "beyond": (pyarrow.string(), ["😀" * 20, "\U0010ffff" * 17, "e\u0301" * 9]),
    "edge": (pyarrow.string(), [
        "x" * 15 + "\U0010ffff" + "y", "x" * 14 + "\ud7ff\U0010ffff" + "y"]),
    "exact": (pyarrow.large_string(), ["sixteen letters!", "a"]),
    "coded": (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ["red", "green"]),
    "bytes": (pyarrow.binary(), [b"\0\xff", b"a" * 15 + b"\xff\xff", b""]),
    "high": (pyarrow.large_binary(), [b"\xff" * 17, b"\xff" * 20]),
    "fixed": (pyarrow.binary(16), [b"\0" * 16, NUMBER_16, b"\xff" * 16]),
    "items": (pyarrow.list_(pyarrow.int32()), [[1, None], [], [-5]]),
    "pairs": (pyarrow.map_(pyarrow.string(), pyarrow.float64()), [
        [("k", NAN), ("none", None)], [], [("\N{PILE OF POO}", -0.0)]]),
    "nest": (pyarrow.struct([
        ("a", pyarrow.int32()),
        ("b", pyarrow.list_(pyarrow.struct([("x", pyarrow.string()), ("y", pyarrow.date32())]))),
        ("c", pyarrow.struct([("d.e", pyarrow.float32())])),
    ]), [
        {"a": 1, "b": [{"x": "y", "y": None}, None], "c": {"d.e": NAN}},
        {"a": None, "b": [], "c": {"d.e": None}},
        {"a": 3, "b": [{"x": None, "y": datetime.date(2024, 1, 1)}], "c": None},
    ]),
}

# Spark has no such types.
OTHER_TYPES = {
    "clock": (pyarrow.time64("us"), [datetime.time(0), datetime.time(23, 59, 59, 999999)]),
    "seconds": (pyarrow.time32("s"), [datetime.time(0), datetime.time(23, 59, 59)]),
}
NANOSECOND_TYPES = {
    "nano": (pyarrow.timestamp("ns"), [-1, 0, 2**62 + 1]),
    "nano_tz": (pyarrow.timestamp("ns", "UTC"), [-2**62 - 1, 1]),
    "nothing": (pyarrow.null(), [None]),
}


def table_of(kinds, count=40, first_id=1, run=1):
    """Rows in which the values of each column take turns, `run` rows each, with nulls between."""
    columns = {"id": pyarrow.array(range(first_id, first_id + count), pyarrow.int64())}
    for number, (name, (kind, values)) in enumerate(kinds.items()):
        columns[name] = pyarrow.array(
            [None if i % (5 + number % 7) == 4 else values[i // run % len(values)]
             for i in range(count)], kind)
    return pyarrow.table(columns)


def kind_of(data_type):
    """An Arrow type in the form of `spark_values.parse_type`, as exact as comparisons need."""
    kinds = pyarrow.types
    if kinds.is_list(data_type) or kinds.is_large_list(data_type):
        return ("array", kind_of(data_type.value_type))
    if kinds.is_map(data_type):
        return ("map", kind_of(data_type.key_type), kind_of(data_type.item_type))
    if kinds.is_struct(data_type):
        return ("struct", [(field.name, kind_of(field.type)) for field in data_type])
    if kinds.is_float64(data_type):
        return ("double",)
    if kinds.is_floating(data_type):
        return ("float",)
    if kinds.is_timestamp(data_type):
        return ("timestamp" if data_type.tz else "timestamp_ntz",)
    return (str(data_type),)


def kinds_of(schema):
    return [(field.name, kind_of(field.type)) for field in schema]


def _time_text(scalar, data_type):
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[data_type.unit]
    seconds, rest = divmod(scalar.value, per_second)
    digits = 9 if data_type.unit == "ns" else 6
    fraction = rest * 10**digits // per_second
    text = (EPOCH + datetime.timedelta(seconds=seconds)).isoformat(timespec="seconds")
    return f"{text}.{fraction:0{digits}d}{'Z' if data_type.tz else ''}"


def encode(scalar):
    """An Arrow scalar in the form of the oracle files (testdata/README.md)."""
    if not scalar.is_valid:
        return None
    data_type = scalar.type
    kinds = pyarrow.types
    if kinds.is_dictionary(data_type):
        return encode(scalar.value)
    if kinds.is_map(data_type):
        return [[encode(entry[0]), encode(entry[1])] for entry in scalar.values]
    if kinds.is_list(data_type) or kinds.is_large_list(data_type):
        return [encode(item) for item in scalar.values]
    if kinds.is_struct(data_type):
        return {field.name: encode(scalar[field.name]) for field in data_type}
    if kinds.is_timestamp(data_type):
        return _time_text(scalar, data_type)
    value = scalar.as_py()
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return {"f": repr(value)}
    if isinstance(value, (bool, int, str)):
        return value
    return str(value)


def rows_of(table):
    """The rows of an Arrow table as dictionaries of encoded values."""
    names = table.schema.names
    columns = [[encode(scalar) for scalar in column] for column in table.columns]
    return [dict(zip(names, values)) for values in zip(*columns)]


def literal(value):
    """A Python value in SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, datetime.datetime):
        value = value.astimezone(UTC) if value.tzinfo else value
        return f"'{value.replace(tzinfo=None).isoformat(' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if value in (INFINITE, -INFINITE):
        return f"'{'-' if value < 0 else ''}Infinity'"
    if isinstance(value, float) and value != value:
        return "'NaN'"
    return f"'{value}'" if isinstance(value, str) else str(value)
