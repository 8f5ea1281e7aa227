"""firn beside a live Spark: same rows, same metadata tables, and Spark reads what firn compacts.

usage: spark_test.py FIRN [WAREHOUSE]

Without WAREHOUSE, Spark writes tables of every kind into a new folder first. With it, the tables of
namespace `db` in that Hadoop warehouse are compared and compacted in place: give a copy.
"""

import os
import shutil
import sys
import tempfile
import unittest

import spark_engine
import spark_tables
from firn_program import Firn
from spark_values import canonical

METADATA_TABLES = (
    "snapshots", "history", "refs", "metadata_log_entries", "files", "data_files", "delete_files",
    "entries", "manifests", "partitions", "position_deletes", "all_data_files", "all_delete_files",
    "all_entries", "all_files", "all_manifests",
)


def canonical_rows(rows, kinds):
    return sorted(
        (tuple((name, canonical(row[name], kind)) for name, kind in kinds) for row in rows),
        key=repr,
    )


class SparkTest(unittest.TestCase):
    spark = None
    firn = None
    warehouse = None
    tables = []
    maxDiff = 4000

    def location(self, table):
        return os.path.join(self.warehouse, "db", table)

    def spark_rows(self, query):
        kinds, rows = spark_engine.collect(self.spark.sql(query))
        return kinds, canonical_rows(rows, kinds)

    def snapshot_ids(self, table):
        frame = self.spark.sql(f"SELECT snapshot_id FROM c.db.{table}.snapshots")
        return [row.snapshot_id for row in frame.collect()]

    def test_1_reads_the_rows_that_spark_reads(self):
        for table in self.tables:
            with self.subTest(table=table):
                kinds, expected = self.spark_rows(f"SELECT * FROM c.db.{table}")
                rows = self.firn.rows("read", self.location(table))
                self.assertEqual(canonical_rows(rows, kinds), expected)

    def test_2_shows_the_metadata_tables_that_spark_shows(self):
        for table in self.tables:
            for view in METADATA_TABLES:
                with self.subTest(table=table, view=view):
                    kinds, expected = self.spark_rows(f"SELECT * FROM c.db.{table}.{view}")
                    rows = self.firn.rows("inspect", self.location(table), view)
                    for row in rows:
                        self.assertEqual(list(row), [name for name, _ in kinds])
                    self.assertEqual(canonical_rows(rows, kinds), expected)

    def test_3_compacts_tables_that_spark_then_reads_as_before(self):
        for table in self.tables:
            with self.subTest(table=table):
                self.check_compaction(table)

    def check_compaction(self, table):
        """Rows of every snapshot, and row lineage, are the same after a rewrite."""
        columns = "*"
        if "_row_id" in self.lineage_columns(table):
            columns = "*, _row_id, _last_updated_sequence_number"
        query = f"SELECT {columns} FROM c.db.{table}"
        before = self.spark_rows(query)
        snapshots = {
            snapshot: self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF {snapshot}")
            for snapshot in self.snapshot_ids(table)
        }
        result = self.firn.rows(
            "rewrite-data-files", self.location(table), "--option", "min-input-files=2"
        )[0]
        self.assertEqual(result["failed_data_files_count"], 0)
        self.assertEqual(self.spark_rows(query), before)
        for snapshot, rows in snapshots.items():
            found = self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF {snapshot}")
            self.assertEqual(found, rows, snapshot)
        kinds, expected = self.spark_rows(f"SELECT * FROM c.db.{table}")
        rows = self.firn.rows("read", self.location(table))
        self.assertEqual(canonical_rows(rows, kinds), expected)
        self.check_rest(table)

    def check_rest(self, table):
        """Files that came from older partition specs may meet others of their partition, so that a
        second run finds work; a third must not."""
        counts = [
            self.firn.rows(
                "rewrite-data-files", self.location(table), "--option", "min-input-files=2"
            )[0]["rewritten_data_files_count"]
            for _ in range(2)
        ]
        self.assertEqual(counts[-1], 0, "a third run finds work")

    def lineage_columns(self, table):
        version = self.firn.rows("table", "describe", self.location(table))[0]["format_version"]
        return ("_row_id",) if version >= 3 else ()

    def test_4_shows_the_metadata_tables_of_compacted_tables(self):
        self.test_2_shows_the_metadata_tables_that_spark_shows()

    def test_5_lets_spark_write_to_compacted_tables(self):
        for table in self.tables:
            with self.subTest(table=table):
                _, before = self.spark_rows(f"SELECT * FROM c.db.{table}")
                self.spark.sql(
                    f"INSERT INTO c.db.{table} SELECT * FROM c.db.{table} LIMIT 1"
                ).collect()
                _, after = self.spark_rows(f"SELECT * FROM c.db.{table}")
                self.assertEqual(len(after), len(before) + min(1, len(before)))


def main():
    made = None
    SparkTest.firn = Firn(sys.argv[1])
    if len(sys.argv) > 2:
        SparkTest.warehouse = os.path.abspath(sys.argv[2])
    else:
        made = tempfile.mkdtemp(prefix="firn-interop-")
        SparkTest.warehouse = os.path.join(made, "warehouse")
    SparkTest.spark = spark_engine.open_spark(SparkTest.warehouse)
    if made:
        SparkTest.tables = spark_tables.write_tables(SparkTest.spark)
    else:
        SparkTest.tables = sorted(os.listdir(os.path.join(SparkTest.warehouse, "db")))
    try:
        unittest.main(argv=[sys.argv[0], "-v"])
    finally:
        SparkTest.spark.stop()
        if made:
            shutil.rmtree(made)


if __name__ == "__main__":
    main()
