"""What must hold for firn and a live Spark on the same Hadoop tables, whoever wrote them."""

import os

import spark_engine
from spark_values import canonical

METADATA_TABLES = (
    "snapshots", "history", "refs", "metadata_log_entries", "files", "data_files", "delete_files",
    "entries", "manifests", "partitions", "position_deletes", "all_data_files", "all_delete_files",
    "all_entries", "all_files", "all_manifests",
)
TIME_TRAVELLING = ("files", "data_files", "delete_files", "entries", "manifests", "partitions")


def canonical_rows(rows, kinds):
    return sorted(
        (tuple((name, canonical(row[name], kind)) for name, kind in kinds) for row in rows),
        key=repr,
    )


class SparkComparison:
    """The tests run in the order of their names, each on what the one before left."""

    spark = None
    firn = None
    folder = None  # Where the tables are for firn; for Spark they are in c.db.
    tables = []
    uuid_tables = ()  # Iceberg's readable_metrics fail in Spark where a column is a UUID.
    maxDiff = 4000

    def location(self, table):
        return os.path.join(self.folder, table)

    def spark_rows(self, query):
        kinds, rows = spark_engine.collect(self.spark.sql(query))
        return kinds, canonical_rows(rows, kinds)

    def assert_same(self, query, *arguments):
        """A command of firn prints the columns and the rows of a query of Spark."""
        kinds, expected = self.spark_rows(query)
        names = [name for name, _ in kinds]
        rows = self.firn.rows(*arguments)
        for row in rows:
            self.assertEqual([name for name in row if name in names or "EXCEPT" not in query], names)
        self.assertEqual(canonical_rows(rows, kinds), expected)

    def select(self, table, view):
        columns = "*"
        if table in self.uuid_tables and (view.endswith("files") or view in ("entries", "all_entries")):
            columns = "* EXCEPT (readable_metrics)"
        return f"SELECT {columns} FROM c.db.{table}.{view}"

    def some_snapshots(self, table, count):
        """Up to `count` snapshots but the newest, spread over the history."""
        frame = self.spark.sql(
            f"SELECT snapshot_id FROM c.db.{table}.snapshots ORDER BY committed_at DESC"
        )
        found = [row.snapshot_id for row in frame.collect()][1:]
        return found[:: max(1, -(-len(found) // count))]

    def test_1_reads_the_rows_that_spark_reads(self):
        for table in self.tables:
            with self.subTest(table=table):
                self.assert_same(f"SELECT * FROM c.db.{table}", "read", self.location(table))
                lineage = self.lineage_columns(table)
                if lineage:
                    self.assert_same(
                        f"SELECT {', '.join(lineage)}, _file, _pos FROM c.db.{table}",
                        "read", self.location(table),
                        "--columns", "_row_id,_last_updated_sequence_number,_file,_pos")

    def test_2_shows_the_metadata_tables_that_spark_shows(self):
        self.check_metadata_tables()

    def check_metadata_tables(self):
        for table in self.tables:
            for view in METADATA_TABLES:
                with self.subTest(table=table, view=view):
                    self.assert_same(self.select(table, view),
                                     "inspect", self.location(table), view)

    def test_3_shows_the_metadata_tables_of_older_snapshots(self):
        for table in self.tables:
            for snapshot in self.some_snapshots(table, 2):
                for view in TIME_TRAVELLING:
                    with self.subTest(table=table, view=view, snapshot=snapshot):
                        self.assert_same(
                            f"{self.select(table, view)} VERSION AS OF {snapshot}",
                            "inspect", self.location(table), view, "--snapshot-id", str(snapshot))

    def test_4_compacts_tables_that_spark_then_reads_as_before(self):
        for table in self.tables:
            with self.subTest(table=table):
                self.check_compaction(table)

    def compact(self, table):
        return self.firn.rows(
            "rewrite-data-files", self.location(table), "--option", "min-input-files=2")[0]

    def check_compaction(self, table):
        """Rows, also of older snapshots, and row lineage are the same after a rewrite."""
        before = self.rows_with_lineage(table)
        snapshots = {
            snapshot: self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF {snapshot}")
            for snapshot in self.some_snapshots(table, 4)
        }
        self.assertEqual(self.compact(table)["failed_data_files_count"], 0)
        self.assertEqual(self.rows_with_lineage(table), before)
        for snapshot, rows in snapshots.items():
            found = self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF {snapshot}")
            self.assertEqual(found, rows, snapshot)
        self.assert_same(f"SELECT * FROM c.db.{table}", "read", self.location(table))
        self.check_rest(table)

    def check_rest(self, table):
        """Files that came from older partition specs may meet others of their partition, so that a
        second run finds work; a third must not."""
        counts = [self.compact(table)["rewritten_data_files_count"] for _ in range(2)]
        self.assertEqual(counts[-1], 0, "a third run finds work")

    def rows_with_lineage(self, table):
        if self.has_lineage(table) and self.has_orc_files(table):
            # Spark 4.0 with Iceberg 1.11 does not look at the lineage that is stored in ORC files
            # (docs/interop.md); Iceberg's own reader does.
            return (self.spark_rows(f"SELECT * FROM c.db.{table}"),
                    spark_engine.stored_rows(self.spark, f"c.db.{table}"))
        columns = ", ".join(["*", *self.lineage_columns(table)])
        return self.spark_rows(f"SELECT {columns} FROM c.db.{table}")

    def lineage_columns(self, table):
        if not self.has_lineage(table):
            return ()
        # Spark gives every row of an ORC file the first row id of the file.
        row_id = "_row_id + _pos AS _row_id" if self.has_orc_files(table) else "_row_id"
        return (row_id, "_last_updated_sequence_number")

    def has_lineage(self, table):
        return self.firn.rows("table", "describe", self.location(table))[0]["format_version"] >= 3

    def has_orc_files(self, table):
        formats = self.spark.sql(f"SELECT DISTINCT file_format FROM c.db.{table}.files").collect()
        return ("ORC",) in formats

    def test_5_shows_the_metadata_tables_of_compacted_tables(self):
        self.check_metadata_tables()

    def test_6_lets_spark_write_to_compacted_tables(self):
        for table in self.tables:
            with self.subTest(table=table):
                _, before = self.spark_rows(f"SELECT * FROM c.db.{table}")
                self.spark.sql(
                    f"INSERT INTO c.db.{table} SELECT * FROM c.db.{table} LIMIT 1"
                ).collect()
                _, after = self.spark_rows(f"SELECT * FROM c.db.{table}")
                self.assertEqual(len(after), len(before) + min(1, len(before)))
