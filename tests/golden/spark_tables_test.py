"""firn against what Spark answered about tables that Spark wrote.

usage: spark_tables_test.py FIRN FOLDER...

A folder holds answers in `oracle/<table>.json` and tables as `<table>/` or `warehouse/db/<table>/`.
Metadata names files below the folder where Spark wrote them; `io.rewrite-prefix` maps them, so the
tables stand anywhere.
"""

import json
import os
import sys
import unittest

from firn_program import Firn
from spark_values import canonical_rows

RECORDED_BASE = "/tmp/firn-fixtures/warehouse/db"
METADATA_TABLES = ("files", "snapshots", "history", "refs", "manifests", "partitions")


class SparkTable:
    """A table that Spark wrote, and what Spark answered about it."""

    def __init__(self, firn_path, base, recorded, name, answers):
        self.name = name
        self.location = os.path.join(base, name)
        self.firn = Firn(firn_path, [f"io.rewrite-prefix={recorded}={base}"])
        self.answers = answers


def find_tables(firn_path, folder):
    """All tables below a folder: `oracle/<table>.json` and the table itself."""
    base = os.path.join(folder, "warehouse", "db")
    base = os.path.abspath(base if os.path.isdir(base) else folder)
    for name in sorted(os.listdir(os.path.join(folder, "oracle"))):
        table, extension = os.path.splitext(name)
        if extension != ".json" or "." in table:
            continue
        with open(os.path.join(folder, "oracle", name), encoding="utf-8") as file:
            yield SparkTable(firn_path, base, RECORDED_BASE, table, json.load(file))


def comparable(value):
    """Times in one spelling, containers hashable."""
    if isinstance(value, dict):
        return tuple((key, comparable(item)) for key, item in sorted(value.items()))
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and set(item) == {"key", "value"} for item in value):
            return comparable({item["key"]: item["value"] for item in value})
        return tuple(comparable(item) for item in value)
    if isinstance(value, str) and value.endswith("+00:00"):
        return value[: -len("+00:00")] + "Z"
    return value


def sorted_rows(rows, columns):
    return sorted(
        (tuple((name, comparable(row[name])) for name in columns) for row in rows), key=repr
    )


class SparkTableTest(unittest.TestCase):
    """Every table of every folder; a failing one does not hide the others."""

    tables = []
    maxDiff = 4000

    def test_reads_the_rows_that_spark_reads(self):
        for table in self.tables:
            with self.subTest(table=table.name):
                schema = table.answers["schema"]
                rows = table.firn.rows("read", table.location)
                expected = table.answers["rows_sorted"]
                self.assertEqual(canonical_rows(rows, schema), canonical_rows(expected, schema))

    def test_shows_the_columns_in_the_order_of_the_schema(self):
        for table in self.tables:
            with self.subTest(table=table.name):
                rows = table.firn.rows("read", table.location, "--limit", "1")
                names = [name for name, _ in table.answers["schema"]]
                self.assertEqual([list(row) for row in rows], [names])

    def test_counts_the_rows_that_spark_counts(self):
        for table in self.tables:
            with self.subTest(table=table.name):
                self.assertEqual(table.firn.count(table.location), table.answers["row_count"])

    def test_counts_as_spark_at_every_snapshot_and_ref(self):
        for table in self.tables:
            for option, key in (
                ("--snapshot-id", "time_travel_row_counts"),
                ("--ref", "ref_row_counts"),
            ):
                for name, rows in table.answers[key].items():
                    with self.subTest(table=table.name, at=name):
                        found = table.firn.count(table.location, option, name)
                        self.assertEqual(found, rows)

    def test_shows_the_metadata_tables_that_spark_shows(self):
        for table in self.tables:
            for view in METADATA_TABLES:
                with self.subTest(table=table.name, view=view):
                    expected = table.answers[view]
                    columns = list(expected[0]) if expected else []
                    rows = table.firn.rows("inspect", table.location, view)
                    self.assertEqual(sorted_rows(rows, columns), sorted_rows(expected, columns))

    def test_knows_the_row_lineage_that_spark_knows(self):
        for table in self.tables:
            if "row_lineage" not in table.answers:
                continue
            with self.subTest(table=table.name):
                columns = ["_row_id", "_last_updated_sequence_number", "_file", "_pos"]
                rows = table.firn.rows("read", table.location, "--columns", ",".join(columns))
                found = [tuple(row[name] for name in columns) for row in rows]
                expected = [
                    (row["_row_id"], row["seq"], row["_file"], row["_pos"])
                    for row in table.answers["row_lineage"]
                ]
                self.assertEqual(sorted(found), sorted(expected))


if __name__ == "__main__":
    for folder in sys.argv[2:]:
        SparkTableTest.tables += find_tables(sys.argv[1], folder)
    unittest.main(argv=[sys.argv[0], "-v"])
