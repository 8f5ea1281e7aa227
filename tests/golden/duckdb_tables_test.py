"""firn against what DuckDB answered about tables that other engines wrote.

usage: duckdb_tables_test.py FIRN FOLDER

FOLDER holds `expected.json` and the tables below `data/persistent/`, which their metadata names by
relative paths.
"""

import ast
import decimal
import json
import os
import sys
import unittest

from firn_program import Firn

RELATIVE_BASE = "data/persistent"


def time_text(text):
    """DuckDB leaves out a fraction of zero."""
    return text[: -len(".000000")] if text.endswith(".000000") else text


def as_duckdb_text(value, kind):
    """A value that firn printed as the text that DuckDB's Python client gives."""
    if kind == "BOOLEAN":
        return "True" if value else "False"
    if kind.startswith("TIMESTAMP"):
        zone = "+00:00" if value.endswith("+00:00") else ""
        return time_text(value[: len(value) - len(zone)].replace("T", " ")) + zone
    if kind == "TIME":
        return time_text(value)
    return str(value)


def is_same(value, kind, expected):
    if value is None or expected is None:
        return value is expected
    if kind == "BLOB":
        return bytes.fromhex(value) == ast.literal_eval(expected)
    if kind in ("FLOAT", "DOUBLE"):
        return abs(float(value) - float(expected)) <= 1e-6 * max(1.0, abs(float(expected)))
    if kind.startswith("DECIMAL("):
        return decimal.Decimal(value) == decimal.Decimal(expected)
    if kind.startswith("MAP("):
        pairs = {str(item["key"]): str(item["value"]) for item in value}
        return pairs == {str(k): str(v) for k, v in ast.literal_eval(expected).items()}
    return as_duckdb_text(value, kind) == expected


class DuckdbTableTest(unittest.TestCase):
    folder = None
    firn = None
    expected = {}

    def metadata_location(self, name):
        return os.path.join(self.folder, self.expected[name]["metadata"])

    def test_reads_the_rows_that_duckdb_reads(self):
        for name, answers in self.expected.items():
            if "error" in answers:
                continue
            with self.subTest(table=name):
                rows = self.firn.rows("read", self.metadata_location(name))
                self.assertEqual(len(rows), answers["count"])
                self.assertEqual(self.firn.count(self.metadata_location(name)), answers["count"])
                left = [[row[column] for column in answers["columns"]] for row in rows]
                for wanted in answers["rows"]:
                    matches = [
                        row
                        for row in left
                        if all(map(is_same, row, answers["types"], wanted))
                    ]
                    self.assertTrue(matches, f"no row is {wanted}; rows left: {left[:5]}")
                    left.remove(matches[0])

    def test_reads_the_tables_that_duckdb_cannot_read(self):
        for name, answers in self.expected.items():
            if "error" not in answers:
                continue
            with self.subTest(table=name):
                rows = self.firn.rows("read", self.metadata_location(name))
                self.assertEqual(self.firn.count(self.metadata_location(name)), len(rows))


if __name__ == "__main__":
    base = os.path.abspath(os.path.join(sys.argv[2], RELATIVE_BASE))
    rules = [f"{prefix}{RELATIVE_BASE}={base}" for prefix in ("", "file://", "file:", "/")]
    DuckdbTableTest.folder = os.path.abspath(sys.argv[2])
    DuckdbTableTest.firn = Firn(sys.argv[1], ["io.rewrite-prefix=" + ",".join(rules)])
    with open(os.path.join(sys.argv[2], "expected.json"), encoding="utf-8") as file:
        DuckdbTableTest.expected = json.load(file)
    unittest.main(argv=[sys.argv[0], "-v"])
