#!/usr/bin/env python3
"""Statistics and changes of tables, as firn and as Spark tell them.

usage: statistics_test.py FIRN [TEST...]
"""

import json
import struct
import sys
import unittest

import pyarrow.parquet
import zstandard
from written_lake import Lake

from firn_program import FirnError  # written_lake tells where it is.

COLUMNS = """i int, l bigint, f float, d double, s string, b binary, dt date, ts timestamp,
    tn timestamp_ntz, dc decimal(9,2), big decimal(30,3), bo boolean, n string, e string,
    one int, st struct<a:int,b:string>, arr array<int>"""
VALUES = """cast(id % 90 as int), id * 1000000007, cast(id as float) / 3,
    if(id = 5, double('NaN'), -id / 7.0), concat('text ', id), cast(concat('b', id) as binary),
    date_add(date'2020-01-01', cast(id % 700 as int)),
    timestamp'2020-01-01 00:00:00Z' + make_interval(0, 0, 0, 0, 0, 0, id),
    timestamp_ntz'1969-12-31 23:00:00' + make_interval(0, 0, 0, 0, 0, 0, id),
    cast(id - 50 as decimal(9,2)), cast(id * 1000000 - 50 as decimal(30,3)), id % 2 = 0,
    cast(null as string), if(id % 3 = 0, '', concat('x', id % 5)), 7,
    struct(cast(id % 4 as int), concat('q', id % 6)), array(cast(id as int))"""
THETA_MAX = 2**63 - 1


def sketches(path):
    """Field id to `ndv` and bytes of each blob of a Puffin file."""
    with open(path.removeprefix("file:").replace("///", "/"), "rb") as file:
        data = file.read()
    length, = struct.unpack("<i", data[-12:-8])
    blobs = json.loads(data[-12 - length:-12])["blobs"]
    unpack = zstandard.ZstdDecompressor().decompress
    return {blob["fields"][0]: (blob["properties"]["ndv"],
                                unpack(data[blob["offset"]:blob["offset"] + blob["length"]]))
            for blob in blobs}


def hashes(sketch):
    """Hashes of a sketch in estimation mode, and theta."""
    count, = struct.unpack("<I", sketch[8:12])
    theta, = struct.unpack("<Q", sketch[16:24])
    return struct.unpack(f"<{count}Q", sketch[24:24 + 8 * count]), theta


class StatisticsTest(unittest.TestCase):
    lake = None
    maxDiff = 6000

    def firn_sketches(self, table, *options):
        row, = self.lake.firn.rows("compute-table-stats", table, *options)
        return sketches(row["statistics_file"])

    def spark_sketches(self, table, arguments=""):
        row, = self.lake.sql(f"CALL lake.system.compute_table_stats('{table}'{arguments})")
        return sketches(row["statistics_file"])

    def test_sketches_of_few_values_have_the_bytes_of_spark(self):
        self.lake.sql(f"CREATE TABLE db.few ({COLUMNS}) USING iceberg TBLPROPERTIES ("
                      "'format-version' = '2', 'write.delete.mode' = 'merge-on-read')")
        self.lake.sql(f"INSERT INTO db.few SELECT {VALUES} FROM range(0, 3000)")
        self.lake.sql("DELETE FROM db.few WHERE i = 11 OR s = 'text 77'")
        theirs = self.spark_sketches("db.few")
        ours = self.firn_sketches("db.few")
        self.assertEqual(len(ours), 15)
        self.assertEqual(ours, theirs)
        self.assertEqual(self.firn_sketches("db.few", "--columns", "st.b,i,st.a"),
                         self.spark_sketches("db.few", ", columns => array('st.b', 'i', 'st.a')"))

    def test_sketches_of_many_values_have_the_same_hashes_and_nearly_the_same_estimate(self):
        self.lake.sql("CREATE TABLE db.many (i bigint, s string) USING iceberg")
        self.lake.sql("INSERT INTO db.many SELECT id, concat('s', id % 50000) "
                      "FROM range(0, 200000)")
        ours, theirs = self.firn_sketches("db.many"), self.spark_sketches("db.many")
        for field, exact in ((1, 200000), (2, 50000)):
            (our_hashes, our_theta), (their_hashes, their_theta) = (
                hashes(found[field][1]) for found in (ours, theirs))
            theta = min(our_theta, their_theta)
            self.assertEqual([x for x in our_hashes if x < theta],
                             [x for x in their_hashes if x < theta])
            self.assertLess(our_theta, THETA_MAX)
            for found in (ours, theirs):
                self.assertAlmostEqual(int(found[field][0]) / exact, 1, delta=0.06)

    def test_spark_plans_with_the_statistics(self):
        self.lake.sql("CREATE TABLE db.planned (i int) USING iceberg")
        self.lake.sql("INSERT INTO db.planned SELECT cast(id % 17 as int) FROM range(0, 1000)")
        self.firn_sketches("db.planned")
        entry, = self.lake.python.load_table("db.planned").metadata.statistics
        self.assertEqual(entry.blob_metadata[0].properties, {"ndv": "17"})
        self.lake.spark.conf.set("spark.sql.cbo.enabled", "true")
        self.lake.spark.conf.set("spark.sql.cbo.planStats.enabled", "true")
        plan, = self.lake.sql("EXPLAIN COST SELECT * FROM db.planned")
        self.assertIn("rowCount", plan["plan"])

    # Partition statistics.

    def partition_rows(self, row):
        path = row["partition_statistics_file"].removeprefix("file:").replace("///", "/")
        file = pyarrow.parquet.ParquetFile(path)
        rows = file.read().to_pylist()
        ids = [(field.name, field.metadata[b"PARQUET:field_id"], field.nullable)
               for field in file.schema_arrow]
        for cells in rows:
            for key in ("last_updated_at", "last_updated_snapshot_id",
                        "total_data_file_size_in_bytes"):
                self.assertIsNotNone(cells.pop(key))
        return ids, rows

    def change(self, table, step):
        statements = (
            "INSERT INTO {t} VALUES (1,'a',date'2020-01-01'),(2,'b',date'2020-01-01'),"
            "(3,null,date'2020-01-02'),(4,'a',date'2020-01-01'),(10,'c',null)",
            "DELETE FROM {t} WHERE id = 1",
            "DELETE FROM {t} WHERE cat = 'b'",
            "ALTER TABLE {t} ADD PARTITION FIELD days(day)",
            "INSERT INTO {t} VALUES (5,'a',date'2020-01-05'),(6,'z',null)",
            "ALTER TABLE {t} DROP PARTITION FIELD cat",
            "INSERT INTO {t} VALUES (7,'a',date'2020-01-05')",
            "CALL lake.system.rewrite_data_files(table => '{t}', "
            "options => map('rewrite-all', 'true'))",
        )
        self.lake.sql(statements[step].format(t=table))
        return step + 1 < len(statements)

    def compute_partitions(self, ours, theirs):
        """Statistics of both engines for tables with the same history."""
        row, = self.lake.firn.rows("compute-partition-stats", ours)
        their_row, = self.lake.sql(f"CALL lake.system.compute_partition_stats('{theirs}')")
        return self.partition_rows(row), self.partition_rows(their_row)

    def make_partitioned(self, table, version):
        self.lake.sql(
            f"CREATE TABLE {table} (id int, cat string, day date) USING iceberg "
            f"PARTITIONED BY (cat) TBLPROPERTIES ('format-version' = '{version}', "
            "'write.delete.mode' = 'merge-on-read')")

    def test_partition_statistics_are_those_of_spark(self):
        for version in (2, 3):
            computed = {}
            for kind in ("whole", "continued"):
                ours, theirs = (f"db.parts_{version}_{kind}_{who}" for who in ("ours", "theirs"))
                self.make_partitioned(ours, version)
                self.make_partitioned(theirs, version)
                step = 0
                while self.change(ours, step) and self.change(theirs, step):
                    step += 1
                    if kind == "continued":
                        with self.subTest(table=ours, step=step):
                            self.assertEqual(*self.compute_partitions(ours, theirs))
                self.change(theirs, step)
                computed[kind], theirs = self.compute_partitions(ours, theirs)
                if kind == "whole":
                    self.assertEqual(computed[kind], theirs)
            # Spark, going on from the statistics before the specs changed, mixes partitions up.
            whole, continued = (
                [row for row in rows if row["data_file_count"]] for _, rows in computed.values())
            self.assertEqual(continued, whole)

    def test_spark_continues_from_the_partition_statistics_of_firn_and_firn_from_those_of_spark(self):
        table, twin = "db.turns", "db.turns_twin"
        for name in (table, twin):
            self.make_partitioned(name, 2)
        for step in (0, 1, 2, 4, 6):
            for name in (table, twin):
                self.change(name, step)
            row, = (self.lake.firn.rows("compute-partition-stats", table) if step % 4 == 0 else
                    self.lake.sql(f"CALL lake.system.compute_partition_stats('{table}')"))
            twin_row, = self.lake.sql(f"CALL lake.system.compute_partition_stats('{twin}')")
            self.assertEqual(self.partition_rows(row), self.partition_rows(twin_row))

    # Changes.

    @staticmethod
    def comparable(rows):
        return sorted((tuple(sorted((key, str(value)) for key, value in row.items()))
                       for row in rows))

    def spark_changes(self, table, arguments=""):
        self.lake.sql(f"CALL lake.system.create_changelog_view(table => '{table}', "
                      f"changelog_view => 'changes'{arguments})")
        return self.comparable(self.lake.sql("SELECT * FROM changes"))

    def firn_changes(self, table, *options):
        return self.comparable(self.lake.firn.rows("changelog", table, *options))

    def make_changes(self, table, mode):
        self.lake.sql(
            f"CREATE TABLE {table} (id int, v string) USING iceberg TBLPROPERTIES ("
            f"'write.delete.mode' = '{mode}', 'write.update.mode' = '{mode}', "
            f"'write.merge.mode' = '{mode}')")
        for statement in (
                "INSERT INTO {t} VALUES (1,'a'),(2,'b'),(3,'c'),(3,'c'),(8,null)",
                "INSERT INTO {t} VALUES (4,'d')",
                "DELETE FROM {t} WHERE id = 2",
                "UPDATE {t} SET v = 'x' WHERE id = 1",
                "INSERT INTO {t} VALUES (2,'b')",
                "CALL lake.system.rewrite_data_files(table => '{t}', "
                "options => map('rewrite-all', 'true'))",
                "MERGE INTO {t} t USING (SELECT 4 AS id, 'dd' AS v UNION ALL SELECT 9, 'n') u "
                "ON t.id = u.id WHEN MATCHED THEN UPDATE SET v = u.v "
                "WHEN NOT MATCHED THEN INSERT *",
                "DELETE FROM {t} WHERE id = 3"):
            self.lake.sql(statement.format(t=table))
        return [row["snapshot_id"] for row in self.lake.sql(
            f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at")]

    def test_changes_are_those_of_spark(self):
        table = "db.copied"
        ids = self.make_changes(table, "copy-on-write")
        for arguments, options in (
                ("", ()),
                (", net_changes => true", ("--net-changes",)),
                (f", identifier_columns => array('id'), options => map('end-snapshot-id', "
                 f"'{ids[-2]}')", ("--identifier-columns", "id", "--end", str(ids[-2]))),
                (f", options => map('start-snapshot-id', '{ids[1]}', "
                 f"'end-snapshot-id', '{ids[3]}')", ("--start", str(ids[1]), "--end", str(ids[3]))),
                (f", options => map('end-snapshot-id', '{ids[3]}')",
                 ("--option", f"end-snapshot-id={ids[3]}")),
                (f", options => map('start-snapshot-id', '{ids[-2]}')",
                 ("--start", str(ids[-2])))):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.firn_changes(table, *options),
                                 self.spark_changes(table, arguments))
        times = sorted(int(row["committed_at"].timestamp() * 1000) for row in self.lake.sql(
            f"SELECT committed_at FROM {table}.snapshots"))
        for time in times[:-1]:  # Spark refuses a start that is the end.
            for delta in (-1, 0, 1):
                arguments = f", options => map('start-timestamp', '{time + delta}')"
                with self.subTest(arguments=arguments):
                    self.assertEqual(
                        self.firn_changes(table, "--option", f"start-timestamp={time + delta}"),
                        self.spark_changes(table, arguments))

    def test_changes_of_a_table_with_deletes_are_those_of_its_copied_twin(self):
        """Spark refuses such tables, or tells nothing of their deletes."""
        expected = None
        for table, mode in (("db.twin", "copy-on-write"), ("db.merged", "merge-on-read")):
            self.make_changes(table, mode)
            last = self.lake.sql(f"SELECT snapshot_id FROM {table}.snapshots "
                                 "ORDER BY committed_at DESC LIMIT 2")[1]["snapshot_id"]
            for options in ((), ("--identifier-columns", "id"), ("--net-changes",)):
                # The last snapshot deletes two rows with one identifier.
                end = ("--end", str(last)) if "id" in options else ()
                rows = self.lake.firn.rows("changelog", table, *options, *end)
                for row in rows:
                    del row["_commit_snapshot_id"]
                    if "--net-changes" in options:
                        del row["_change_ordinal"]
                expected = expected or {}
                if mode == "copy-on-write":
                    expected[options] = self.comparable(rows)
                else:
                    self.assertEqual(self.comparable(rows), expected[options], options)

    def test_updates_of_rows_with_one_identifier_are_refused_as_spark_does(self):
        self.make_changes("db.same", "copy-on-write")
        with self.assertRaisesRegex(FirnError, "several rows with the same identifier"):
            self.firn_changes("db.same", "--identifier-columns", "id")
        with self.assertRaisesRegex(Exception, "multiple rows with the same identifier"):
            self.spark_changes("db.same", ", identifier_columns => array('id')")

    def test_columns_that_spark_cannot_compare_are_no_hindrance(self):
        self.lake.sql("CREATE TABLE db.mapped (id int, m map<string,int>) USING iceberg")
        self.lake.sql("INSERT INTO db.mapped VALUES (1, map('a', 1)), (2, map('b', 2))")
        self.lake.sql("DELETE FROM db.mapped WHERE id = 2")
        found = [(row["id"], row["_change_type"])
                 for row in self.lake.firn.rows("changelog", "db.mapped")]
        self.assertEqual(sorted(found), [(1, "INSERT"), (2, "DELETE"), (2, "INSERT")])
        with self.assertRaises(FirnError):
            self.lake.firn.rows("changelog", "db.mapped", "--option", "foo=1")


if __name__ == "__main__":
    StatisticsTest.lake = Lake(sys.argv.pop(1))
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        StatisticsTest.lake.close()
