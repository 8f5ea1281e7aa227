"""firn against what DuckDB answered about tables that other engines wrote.

usage: duckdb_tables_test.py FIRN FOLDER

FOLDER holds `expected.json` and the tables below `data/persistent/`, which their metadata names by
relative paths.
"""

import ast
import decimal
import json
import os
import shutil
import sys
import tempfile
import unittest

from firn_program import Firn, FirnError

RELATIVE_BASE = "data/persistent"


def firn_for(program, folder):
    """A program that finds in `folder` what the tables name."""
    base = os.path.abspath(os.path.join(folder, RELATIVE_BASE))
    rules = [f"{prefix}{RELATIVE_BASE}={base}" for prefix in ("", "file://", "file:", "/")]
    return Firn(program, ["io.rewrite-prefix=" + ",".join(rules)])


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

    def test_rewrites_the_tables_once_their_manifests_are_right(self):
        refused = []
        with tempfile.TemporaryDirectory(prefix="firn-golden-") as work:
            shutil.copytree(self.folder, work, dirs_exist_ok=True)
            firn = firn_for(self.firn.program, work)
            firn.run("namespace", "create", "db")
            for number, name in enumerate(self.expected):
                with self.subTest(table=name):
                    metadata = os.path.join(work, self.expected[name]["metadata"])
                    if self.rewrite(firn, f"db.t{number}", metadata):
                        refused.append(name)
        # The others tell the sizes of their files as they are.
        self.assertIn("data/persistent/partition_bool", refused)
        self.assertLess(len(refused), len(self.expected))

    def rewrite(self, firn, table, metadata):
        """Rewrite all files; whether that was refused before their sizes were repaired."""
        firn.run("table", "register", table, metadata)
        expected = sorted(map(str, firn.rows("read", table)))
        command = ["rewrite-data-files", table, "--option", "rewrite-all=true",
                   "--verify", "content"]
        try:
            firn.run(*command)
            was_refused = False
        except FirnError as error:
            self.assertIn("'firn repair-metrics' corrects", error.text)
            was_refused = True
            self.assertEqual(sorted(map(str, firn.rows("read", table))), expected)
            firn.run("repair-metrics", table)
            firn.run(*command)
        self.assertEqual(sorted(map(str, firn.rows("read", table))), expected)
        return was_refused


if __name__ == "__main__":
    DuckdbTableTest.folder = os.path.abspath(sys.argv[2])
    DuckdbTableTest.firn = firn_for(sys.argv[1], sys.argv[2])
    with open(os.path.join(sys.argv[2], "expected.json"), encoding="utf-8") as file:
        DuckdbTableTest.expected = json.load(file)
    unittest.main(argv=[sys.argv[0], "-v"])
