"""The same table made and changed by firn and by Spark's DDL: ids, specs and orders are equal.

usage: evolution_spark_test.py FIRN
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import spark_engine

FIRN = pathlib.Path()
COMPARED = ("format-version", "last-column-id", "current-schema-id", "default-spec-id",
            "last-partition-id", "default-sort-order-id")
COLUMNS = ("id bigint not null comment 'key', name string, ts timestamptz, "
           "s struct<a: int, b: struct<c: float>>, l array<struct<x: int>>, "
           "m map<string, struct<q: int>>, d decimal(9,2), k varchar(10)")


def newest_metadata(folder):
    """The newest metadata file of a table in Hadoop layout."""
    files = pathlib.Path(folder, "metadata").glob("v*.metadata.json")
    newest = max(files, key=lambda file: int(file.name[1:].split(".")[0]))
    # Java writes a blank into the name of a decimal type.
    text = re.sub(r"decimal\((\d+), (\d+)\)", r"decimal(\1,\2)", newest.read_text(encoding="utf-8"))
    return json.loads(text)


def compared(metadata):
    """What evolution assigns, in the order of ids."""
    parts = {key: metadata[key] for key in COMPARED}
    parts["schemas"] = [dict(schema, **{"identifier-field-ids":
                                        sorted(schema.get("identifier-field-ids", []))})
                        for schema in metadata["schemas"]]
    parts["partition-specs"] = metadata["partition-specs"]
    parts["sort-orders"] = sorted(metadata["sort-orders"], key=lambda order: order["order-id"])
    return parts


class EvolutionSparkTest(unittest.TestCase):
    spark = None
    warehouse = ""
    maxDiff = 6000

    @classmethod
    def setUpClass(cls):
        cls.warehouse = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="firn-interop-"))
        cls.spark = spark_engine.open_spark(
            spark_engine.catalog_settings("c", type="hadoop", warehouse=cls.warehouse))
        cls.spark.sql("CREATE NAMESPACE c.db")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()

    def firn(self, *words):
        result = subprocess.run(
            [FIRN, "--catalog", "c", "--output", "json", "--conf", "catalog.c.type=hadoop",
             "--conf", f"catalog.c.warehouse=file://{self.warehouse}", *words],
            capture_output=True, text=True, cwd=self.warehouse, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def location(self, table):
        return f"{self.warehouse}/db/{table}"

    def compare(self, name):
        self.assertEqual(compared(newest_metadata(self.location(f"{name}_firn"))),
                         compared(newest_metadata(self.location(f"{name}_spark"))))

    def make_both(self, name, version, partition=""):
        columns = COLUMNS.replace("timestamptz", "timestamp")  # Which has a zone in Spark.
        clause = f"PARTITIONED BY ({partition})" if partition else ""
        self.spark.sql(f"CREATE TABLE c.db.{name}_spark ({columns}) USING iceberg {clause} "
                       f"TBLPROPERTIES ('format-version'='{version}')")
        words = ["--partition", partition] if partition else []
        self.firn("table", "create", f"db.{name}_firn", "--schema", COLUMNS,
                  "--format-version", str(version), *words)
        self.compare(name)

    def alter(self, name, statement, words):
        self.spark.sql(f"ALTER TABLE c.db.{name}_spark {statement}")
        self.firn("table", "alter", f"db.{name}_firn", *words)
        self.compare(name)

    def test_schemas_evolve_alike(self):
        self.make_both("columns", 2)
        steps = [
            ("ADD COLUMN e struct<f: int, g: array<string>>",
             ["add-column", "e struct<f: int, g: array<string>>"]),
            ("ADD COLUMN s.b.z bigint COMMENT 'deep' FIRST",
             ["add-column", "s.b.z bigint", "--doc", "deep", "--first"]),
            ("ADD COLUMN l.element.y int", ["add-column", "l.element.y int"]),
            ("ADD COLUMN m.value.r int AFTER q", ["add-column", "m.value.r int", "--after", "q"]),
            ("ALTER COLUMN s.a TYPE bigint", ["alter-column", "s.a", "--type", "bigint"]),
            ("ALTER COLUMN d TYPE decimal(20,2)",
             ["alter-column", "d", "--type", "decimal(20,2)"]),
            ("ALTER COLUMN d COMMENT 'price'", ["alter-column", "d", "--doc", "price"]),
            ("ALTER COLUMN d AFTER id", ["alter-column", "d", "--after", "id"]),
            ("RENAME COLUMN s.b.c TO cc", ["rename-column", "s.b.c", "cc"]),
            ("DROP COLUMN e.f", ["drop-column", "e.f"]),
            ("ADD COLUMN e.f int", ["add-column", "e.f int"]),
            ("SET IDENTIFIER FIELDS id", ["set-identifier-fields", "id"]),
            ("DROP IDENTIFIER FIELDS id", ["set-identifier-fields", ""]),
            ("ALTER COLUMN id DROP NOT NULL", ["alter-column", "id", "--drop-not-null"]),
            ("DROP COLUMN e", ["drop-column", "e"]),
        ]
        for statement, words in steps:
            with self.subTest(statement=statement):
                self.alter("columns", statement, words)

    def test_layouts_evolve_alike(self):
        for version in (1, 2):
            name = f"layout{version}"
            self.make_both(name, version, "days(ts), bucket(16, id), truncate(4, name), k")
            steps = [
                ("ADD PARTITION FIELD bucket(8, id)",
                 ["add-partition-field", "bucket(8, id)"]),
                ("ADD PARTITION FIELD s.a AS sa", ["add-partition-field", "s.a", "--as", "sa"]),
                ("DROP PARTITION FIELD k", ["drop-partition-field", "k"]),
                ("DROP PARTITION FIELD bucket(16, id)",
                 ["drop-partition-field", "bucket(16, id)"]),
                ("REPLACE PARTITION FIELD ts_day WITH months(ts)",
                 ["replace-partition-field", "ts_day", "months(ts)"]),
                ("ADD PARTITION FIELD k", ["add-partition-field", "k"]),
                ("ADD PARTITION FIELD truncate(2, name)",
                 ["add-partition-field", "truncate(2, name)"]),
                ("WRITE LOCALLY ORDERED BY id DESC, bucket(4, name), ts ASC NULLS LAST",
                 ["set-sort-order", "id desc, bucket(4, name), ts asc nulls last"]),
                ("WRITE LOCALLY ORDERED BY id", ["set-sort-order", "id"]),
                ("WRITE UNORDERED", ["set-sort-order", ""]),
            ]
            for statement, words in steps:
                with self.subTest(version=version, statement=statement):
                    self.alter(name, statement, words)

    def test_spark_reads_and_writes_what_firn_changed(self):
        self.firn("table", "create", "db.rows", "--schema", "id int, trip int, dist int",
                  "--partition", "bucket(8, trip)", "--format-version", "3")
        self.spark.sql("INSERT INTO c.db.rows VALUES (1, 1, 10)")
        for words in (["replace-partition-field", "trip_bucket", "bucket(4, dist)"],
                      ["drop-column", "trip"],
                      ["add-column", "c int", "--default", "5"],
                      ["alter-column", "id", "--type", "bigint"],
                      ["rename-column", "dist", "distance"]):
            self.firn("table", "alter", "db.rows", *words)
        self.spark.sql("INSERT INTO c.db.rows (id, distance, c) VALUES (2, 20, 6)")
        expected = [{"id": 1, "distance": 10, "c": 5}, {"id": 2, "distance": 20, "c": 6}]
        frame = self.spark.sql("SELECT * FROM c.db.rows ORDER BY id")
        rows = [row.asDict() for row in frame.collect()]
        self.assertEqual(rows, expected)
        self.assertEqual(sorted(self.firn("read", "db.rows"), key=lambda row: row["id"]), expected)
        self.spark.sql("ALTER TABLE c.db.rows ADD COLUMN e string")
        described, = self.firn("table", "describe", "db.rows")
        self.assertEqual([column["id"] for column in described["schema"]], [1, 3, 4, 5])


if __name__ == "__main__":
    FIRN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
