#!/usr/bin/env python3
"""Tables that firn wrote, read by Spark, PyIceberg and DuckDB, changed by the first two as well.

usage: written_tables_test.py FIRN [TEST...]
"""

import concurrent.futures
import datetime
import decimal
import sys
import unittest

import pyarrow
import pyarrow.compute
import pyarrow.parquet
import spark_engine  # noqa: F401  It makes tests/golden importable.
import written_rows
from firn_program import FirnError
from py4j.protocol import Py4JJavaError
from written_lake import Lake, comparable

VERSIONS = (1, 2, 3)


class LakeTest(unittest.TestCase):
    """Every test has tables of its own in the one lake."""

    lake = None
    maxDiff = 3000

    def check_source(self, table, rows):
        self.lake.check(self, table, written_rows.rows_of(rows), written_rows.kinds_of(rows.schema))


class IngestedTest(LakeTest):
    def test_every_type_of_parquet(self):
        for version in VERSIONS:
            table = f"db.types{version}"
            rows = written_rows.table_of(written_rows.TYPES)
            self.lake.ingest(table, rows[:15], "--format-version", str(version))
            self.lake.ingest(table, rows[15:])
            self.check_source(table, rows)

    def test_types_that_spark_lacks(self):
        for version in VERSIONS:
            table = f"db.other{version}"
            kinds = dict(written_rows.OTHER_TYPES)
            if version == 3:
                kinds |= written_rows.NANOSECOND_TYPES
            rows = written_rows.table_of(kinds)
            self.lake.ingest(table, rows, "--format-version", str(version))
            self.check_source(table, rows)

    def test_a_table_of_nulls_and_a_table_without_rows(self):
        rows = written_rows.table_of({name: (kind, [None]) for name, (kind, _)
                                      in written_rows.TYPES.items()}, 5)
        for version in VERSIONS:
            self.lake.ingest(f"db.nulls{version}", rows, "--format-version", str(version))
            self.check_source(f"db.nulls{version}", rows)
            self.lake.ingest(f"db.none{version}", rows[:0], "--format-version", str(version))
            self.check_source(f"db.none{version}", rows[:0])

    def test_csv(self):
        path = f"{self.lake.folder}/in.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,name,price,day,at,ok\n"
                       '1,"a ""quoted"", text",0.5,2024-02-29,2024-01-01 10:00:00,true\n'
                       '2,"two\nlines 😀",-1e300,1969-12-31,1969-12-31 23:59:59.999999,false\n'
                       "3,,,,,\n"
                       '4,"",7,0001-01-01,9999-12-31 23:59:59,true\n')
        kinds = [("id", ("int64",)), ("name", ("string",)), ("price", ("double",)),
                 ("day", ("date",)), ("at", ("timestamp_ntz",)), ("ok", ("bool",))]
        values = [
            (1, 'a "quoted", text', {"f": "0.5"}, "2024-02-29", "2024-01-01T10:00:00.000000", True),
            (2, "two\nlines 😀", {"f": "-1e+300"}, "1969-12-31", "1969-12-31T23:59:59.999999",
             False),
            (3, None, None, None, None, None),
            (4, "", {"f": "7.0"}, "0001-01-01", "9999-12-31T23:59:59.000000", True),
        ]
        rows = [dict(zip((name for name, _ in kinds), row)) for row in values]
        for version in VERSIONS:
            self.lake.firn.run("ingest", "csv", path, "--into", f"db.csv{version}",
                               "--format-version", str(version))
            self.lake.check(self, f"db.csv{version}", rows, kinds)

    def test_rows_that_python_made_a_table_for(self):
        """Types that Parquet from elsewhere does not name: UUID, and columns that must be there."""
        identifiers = [b"\x12" * 16, b"\xfe" * 16, None]
        schema = pyarrow.schema([
            pyarrow.field("id", pyarrow.int64(), nullable=False),
            pyarrow.field("key", pyarrow.uuid()),
            pyarrow.field("at", pyarrow.timestamp("us", "UTC"), nullable=False)])
        at = [datetime.datetime(2024, 1, day, tzinfo=datetime.timezone.utc) for day in (1, 2, 3)]
        rows = pyarrow.table([
            pyarrow.array([1, 2, 3], pyarrow.int64()),
            pyarrow.array(identifiers, pyarrow.binary(16)),
            pyarrow.array(at, pyarrow.timestamp("us", "UTC"))], names=schema.names)
        keys = pyarrow.ExtensionArray.from_storage(pyarrow.uuid(), rows[1].combine_chunks())
        expected = written_rows.rows_of(rows.set_column(1, "key", keys))
        kinds = [("id", ("int64",)), ("key", ("string",)), ("at", ("timestamp",))]
        for version in (1, 2):
            table = f"db.made{version}"
            self.lake.python.create_table(
                table, schema, properties={"format-version": str(version)})
            self.lake.ingest(table, rows)
            self.lake.check(self, table, expected, kinds)


PARTITIONED = """id bigint, i int, s string, bin binary, day date, ts timestamp, ntz timestamp_ntz,
    dec decimal(9, 2), flag boolean, f float, d double"""

TEXTS = ["plain", "a/b=c%?#& ü+:", "", "😀😀😀", "é", " ", "null", "..", "x" * 40]

PARTITION_TYPES = {
    "i": (pyarrow.int32(), [-11, -10, -1, 0, 34, 2**31 - 1, -2**31]),
    "s": (pyarrow.string(), TEXTS),
    "bin": (pyarrow.binary(), [b"", b"\0\xff\0", b"abc", b"\xff" * 5]),
    "day": (pyarrow.date32(), [
        datetime.date(1969, 12, 31), datetime.date(1970, 1, 1), datetime.date(1, 1, 1),
        datetime.date(2024, 2, 29), datetime.date(1960, 2, 1)]),
    "ts": (pyarrow.timestamp("us", "UTC"), [
        datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, datetime.timezone.utc),
        datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc),
        datetime.datetime(2024, 2, 29, 12, 0, 0, 1, datetime.timezone.utc)]),
    "ntz": (pyarrow.timestamp("us"), [
        datetime.datetime(1969, 12, 31, 23, 0), datetime.datetime(1960, 2, 1, 0, 0, 0, 1),
        datetime.datetime(2024, 2, 29, 12, 34, 56, 789)]),
    "dec": (pyarrow.decimal128(9, 2), [
        decimal.Decimal(text) for text in ("-0.01", "0.00", "14.20", "-99999.99", "10.65")]),
    "flag": (pyarrow.bool_(), [True, False]),
    "f": (pyarrow.float32(), [1.5, float("nan"), float("-inf"), -2.25]),
    "d": (pyarrow.float64(), [float("nan"), 0.1, -3e300, float("inf")]),
}

BUCKETED = ("id", "i", "s", "bin", "day", "ts", "ntz", "dec")
SPECS = (
    [f"{name}" for name in ("id", *PARTITION_TYPES)]
    + [f"bucket(5, {name})" for name in BUCKETED]
    + [f"truncate({width})"
       for width in ("10, i", "7, id", "2, s", "2, bin", "50, dec")]
    + [f"{unit}s({name})" for unit in ("year", "month", "day") for name in ("day", "ts", "ntz")]
    + ["hours(ts)", "hours(ntz)"]
)
TOGETHER = "bucket(3, id), truncate(2, s), days(ts), flag"


class PartitionedTest(LakeTest):
    """Spark or firn makes the table, firn fills it, Spark copies the rows into one of its own."""

    def make(self, table, spec, version):
        self.lake.sql(f"CREATE TABLE {table} ({PARTITIONED}) USING iceberg PARTITIONED BY ({spec}) "
                      f"TBLPROPERTIES ('format-version' = '{version}', "
                      "'write.spark.fanout.enabled' = 'true')")

    def partitions(self, table):
        """Partition values and folders, each with its number of rows."""
        return comparable(self.lake.spark_rows(
            "SELECT to_json(partition) AS p, "
            "regexp_extract(file_path, '/data/(.*)/[^/]*$', 1) AS folder, "
            f"sum(record_count) AS n FROM {table}.files GROUP BY ALL"),
            [("p", ("string",)), ("folder", ("string",)), ("n", ("bigint",))])

    def check_copy(self, table, spec, version):
        copy = table + "_copy"
        self.make(copy, spec, version)
        self.lake.sql(f"INSERT INTO {copy} SELECT * FROM {table}")
        self.assertEqual(self.partitions(table), self.partitions(copy), spec)

    def test_each_transform(self):
        rows = written_rows.table_of(PARTITION_TYPES, 60)
        for number, spec in enumerate(SPECS):
            with self.subTest(spec=spec):
                table = f"db.spec{number}"
                if number % 2 == 0:
                    self.make(table, spec, 2)
                else:
                    schema = PARTITIONED.replace("ts timestamp,", "ts timestamptz,")
                    self.lake.firn.run("table", "create", table, "--schema", schema,
                                       "--partition", spec)
                self.lake.ingest(table, rows)
                self.check_source(table, rows)
                self.check_copy(table, spec, 2)

    def test_transforms_together_in_each_version(self):
        rows = written_rows.table_of(PARTITION_TYPES, 60)
        for version in VERSIONS:
            table = f"db.together{version}"
            self.make(table, TOGETHER, version)
            self.lake.ingest(table, rows[:30])
            self.lake.ingest(table, rows[30:])
            self.check_source(table, rows)
            self.check_copy(table, TOGETHER, version)

    def test_a_field_that_was_dropped(self):
        """In version 1 it stays as a void field."""
        rows = written_rows.table_of(PARTITION_TYPES, 30)
        for version in VERSIONS:
            table = f"db.dropped{version}"
            self.make(table, "days(ts), bucket(4, id), flag", version)
            self.lake.ingest(table, rows[:10])
            self.lake.sql(f"ALTER TABLE {table} DROP PARTITION FIELD days(ts)")
            self.lake.ingest(table, rows[10:20])
            self.lake.sql(f"ALTER TABLE {table} ADD PARTITION FIELD truncate(1, s)")
            self.lake.ingest(table, rows[20:])
            self.check_source(table, rows)
            result, = self.lake.firn.rows(
                "rewrite-data-files", table, "--option", "rewrite-all=true")
            self.assertEqual(result["failed_data_files_count"], 0)
            self.check_source(table, rows)


def simple_rows(first_id, count):
    """Rows for changes: predicates on them are easy to tell in Python."""
    ids = range(first_id, first_id + count)
    return pyarrow.table({
        "id": pyarrow.array(ids, pyarrow.int64()),
        "name": pyarrow.array([None if i % 9 == 0 else f"n{i} 😀" for i in ids], pyarrow.string()),
        "cat": pyarrow.array([None if i % 10 == 0 else f"c{i % 3}" for i in ids], pyarrow.string()),
        "d": pyarrow.array([None if i % 8 == 0 else (float("nan") if i % 8 == 1 else i / 4)
                            for i in ids], pyarrow.float64()),
        "ts": pyarrow.array([datetime.datetime(2024, 1, 1 + i % 4, i % 24) for i in ids],
                            pyarrow.timestamp("us")),
    })


SIMPLE = "id bigint, name string, cat string, d double, ts timestamp_ntz"
SIMPLE_KINDS = written_rows.kinds_of(simple_rows(1, 1).schema)
NAN = {"f": "nan"}

# What firn deletes one after the other, and the rows for which it is true.
DELETES = (
    ("id IN (3, 17, 40)", lambda row: row["id"] in (3, 17, 40)),
    ("name LIKE 'n1%'", lambda row: (row["name"] or "").startswith("n1")),
    ("d = 'NaN' AND id > 20", lambda row: row["d"] == NAN and row["id"] > 20),
    ("cat IS NULL", lambda row: row["cat"] is None),
    ("cat = 'c1' AND ts < '2024-01-02T12:00:00'",
     lambda row: row["cat"] == "c1" and row["ts"] < "2024-01-02T12:00:00"),
    ("id = 99999", lambda row: False),
    ("cat = 'c2'", lambda row: row["cat"] == "c2"),
)


def renamed(rows, name):
    return rows.set_column(1, "name", pyarrow.array([name] * len(rows)))


def merged(rows, added):
    ids = {row["id"] for row in added}
    return without(rows, lambda row: row["id"] in ids) + added


def without(rows, matches):
    return [row for row in rows if not matches(row)]


class ChangedTest(LakeTest):
    """firn and Spark change one table in turn."""

    def make(self, table, version, spec, mode="copy-on-write"):
        """Three files, or three in each partition; returns the rows."""
        self.lake.sql(
            f"CREATE TABLE {table} ({SIMPLE}) USING iceberg {spec} TBLPROPERTIES ("
            f"'format-version' = '{version}', 'write.delete.mode' = '{mode}', "
            f"'write.update.mode' = '{mode}', 'write.merge.mode' = '{mode}')")
        rows = []
        for first in (1, 21, 41):
            added = simple_rows(first, 20)
            self.lake.ingest(table, added)
            rows += written_rows.rows_of(added)
        return rows

    def kinds(self):
        """(table, format version, partitioning, mode) of each table."""
        for version in VERSIONS:
            for mode in ("copy-on-write", "merge-on-read")[:1 if version == 1 else 2]:
                for number, spec in enumerate(("", "PARTITIONED BY (cat, days(ts))")):
                    name = f"db.{self._testMethodName[5:16]}_{version}_{mode[:4]}_{number}"
                    yield name, version, spec, mode

    def check(self, table, rows):
        self.lake.check(self, table, rows, SIMPLE_KINDS)

    def delete_files(self, table):
        return [(row["content"], row["file_format"])
                for row in self.lake.sql(f"SELECT content, file_format FROM {table}.delete_files")]

    def compact(self, table):
        result, = self.lake.firn.rows("rewrite-data-files", table, "--option", "rewrite-all=true")
        self.assertEqual(result["failed_data_files_count"], 0)

    def test_deletes_one_after_the_other(self):
        for table, version, spec, mode in self.kinds():
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                lineage = self.lake.lineage(table)[0] if version == 3 else {}
                for where, matches in DELETES:
                    result, = self.lake.firn.rows("delete", table, "--where", where)
                    kept = without(rows, matches)
                    self.assertEqual(result["deleted_rows"], len(rows) - len(kept), where)
                    rows = kept
                    self.check(table, rows)
                    self.check_lineage(table, version, rows, lineage)
                    self.check_totals(table, len(rows))
                self.check_delete_files(table, version, mode)
                self.compact(table)
                self.assertEqual(self.delete_files(table), [])
                self.check(table, rows)
                self.check_lineage(table, version, rows, lineage)
                self.check_totals(table, len(rows))

    def check_totals(self, table, rows):
        """The summary of the newest snapshot tells what there is."""
        newest, = self.lake.sql(
            f"SELECT summary FROM {table}.snapshots ORDER BY committed_at DESC LIMIT 1")
        files = self.lake.sql(
            f"SELECT content, record_count, file_size_in_bytes FROM {table}.files")
        data = [file for file in files if file["content"] == 0]
        deletes = [file for file in files if file["content"] == 1]
        found = {key: int(newest["summary"].get(key, "missing")) for key in (
            "total-records", "total-position-deletes", "total-data-files", "total-delete-files",
            "total-equality-deletes")}
        self.assertEqual(found, {
            "total-records": sum(file["record_count"] for file in data),
            "total-position-deletes": sum(file["record_count"] for file in deletes),
            "total-data-files": len(data),
            "total-delete-files": len(deletes),
            "total-equality-deletes": 0,
        })
        self.assertEqual(found["total-records"] - found["total-position-deletes"], rows)

    def check_lineage(self, table, version, rows, before):
        if version < 3:
            return
        expected = {row["id"]: before[row["id"]] for row in rows}
        for found in self.lake.lineage(table):
            self.assertEqual(found, expected)

    def check_delete_files(self, table, version, mode):
        expected = set()
        if mode == "merge-on-read":
            expected = {(1, "PARQUET" if version == 2 else "PUFFIN")}
        self.assertEqual(set(self.delete_files(table)), expected)

    def test_merge_on_read_is_refused_where_the_format_has_no_deletes(self):
        rows = self.make("db.first", 1, "")
        with self.assertRaises(FirnError) as caught:
            self.lake.firn.run("delete", "db.first", "--where", "id = 3",
                               "--write-mode", "merge-on-read")
        self.assertIn("format version", caught.exception.text)
        self.check("db.first", rows)

    def test_overwrites(self):
        for table, version, spec, mode in self.kinds():
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                self.lake.firn.run("delete", table, "--where", "id IN (1, 2, 30)")
                rows = without(rows, lambda row: row["id"] in (1, 2, 30))
                added = simple_rows(101, 2)
                self.lake.ingest(table, added, "--mode", "overwrite-partitions")
                added = written_rows.rows_of(added)
                touched = {(row["cat"], row["ts"][:10]) for row in added}
                rows = added + without(
                    rows, lambda row: not spec or (row["cat"], row["ts"][:10]) in touched)
                self.check(table, rows)
                added = simple_rows(201, 7)
                self.lake.ingest(table, added, "--mode", "overwrite")
                self.check(table, written_rows.rows_of(added))
                self.assertEqual(self.delete_files(table), [])

    def test_merges(self):
        """Rows with a key of the input are replaced, the others come in; Spark merges in turn."""
        for table, version, spec, mode in self.kinds():
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                lineage = self.lake.lineage(table)[0] if version == 3 else {}
                for first, count in ((15, 12), (1, 3), (58, 6), (18, 2), (40, 25)):
                    added = renamed(simple_rows(first, count), f"merge {first}")
                    result = self.lake.ingest(table, added, "--mode", "merge", "--key", "id")
                    self.assertEqual(result["rows"], count)
                    rows = merged(rows, written_rows.rows_of(added))
                    self.check(table, rows)
                    self.check_totals(table, len(rows))
                    self.check_merged_lineage(table, version, rows, lineage)
                self.merge_with_spark(table, simple_rows(20, 4))
                rows = merged(rows, written_rows.rows_of(simple_rows(20, 4)))
                added = renamed(simple_rows(19, 50), "all")
                self.lake.ingest(table, added, "--mode", "merge", "--key", "id,ts")
                rows = merged(rows, written_rows.rows_of(added))
                self.check(table, rows)
                self.compact(table)
                self.check(table, rows)
                self.check_merged_lineage(table, version, rows, lineage)

    def merge_with_spark(self, table, rows):
        source = self.lake.save("merge", rows)
        self.lake.sql(f"MERGE INTO {table} t USING (SELECT * FROM parquet.`{source}`) s "
                      "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")

    def check_merged_lineage(self, table, version, rows, before):
        """Rows keep their ids through updates, in the eyes of firn and of Spark."""
        if version < 3:
            return
        firn, spark = self.lake.lineage(table)
        self.assertEqual(firn, spark)
        self.assertEqual(set(firn), {row["id"] for row in rows})
        self.assertEqual(len({row_id for row_id, _ in firn.values()}), len(rows))
        for key, (row_id, _) in before.items():
            self.assertEqual(firn[key][0], row_id, f"row id of {key}")

    def test_overwrites_by_a_filter(self):
        for table, version, spec, mode in self.kinds():
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                source = self.lake.save("overwrite", simple_rows(101, 5))
                for where, matches in (
                        ("cat = 'c1'", lambda row: row["cat"] == "c1"),
                        ("id BETWEEN 30 AND 44", lambda row: 30 <= row["id"] <= 44)):
                    result, = self.lake.firn.rows(
                        "overwrite", table, "--where", where, "--from", source,
                        "--write-mode", mode)
                    kept = without(rows, matches)
                    self.assertEqual(result["deleted_rows"], len(rows) - len(kept))
                    self.assertEqual(result["added_rows"], 5)
                    rows = kept + written_rows.rows_of(simple_rows(101, 5))
                    self.check(table, rows)
                    self.check_totals(table, len(rows))

    def test_spark_and_firn_in_turn(self):
        for table, version, spec, mode in self.kinds():
            with self.subTest(table=table):
                self.take_turns(table, self.make(table, version, spec, mode))

    def take_turns(self, table, rows):
        def delete(engine, where, matches):
            nonlocal rows
            if engine == "spark":
                self.lake.sql(f"DELETE FROM {table} WHERE {where}")
            else:
                self.lake.firn.run("delete", table, "--where", where)
            rows = without(rows, matches)
            self.check(table, rows)

        delete("firn", "id IN (2, 22, 42)", lambda row: row["id"] in (2, 22, 42))
        delete("spark", "id IN (4, 24)", lambda row: row["id"] in (4, 24))
        delete("firn", "id IN (5, 25, 45)", lambda row: row["id"] in (5, 25, 45))
        delete("spark", "id IN (6, 26, 46)", lambda row: row["id"] in (6, 26, 46))
        self.lake.sql(f"INSERT INTO {table} SELECT id + 1000, name, cat, d, ts FROM {table} "
                      "WHERE id < 10")
        rows += [{**row, "id": row["id"] + 1000} for row in rows if row["id"] < 10]
        self.check(table, rows)
        self.lake.sql(f"UPDATE {table} SET name = 'changed' WHERE id % 5 = 3")
        rows = [{**row, "name": "changed"} if row["id"] % 5 == 3 else row for row in rows]
        self.check(table, rows)
        delete("firn", "name = 'changed' AND cat = 'c0'",
               lambda row: row["name"] == "changed" and row["cat"] == "c0")
        self.lake.sql("CALL lake.system.rewrite_data_files("
                      f"table => '{table}', options => map('rewrite-all', 'true'))")
        self.check(table, rows)
        delete("firn", "id = 9 OR id > 1007", lambda row: row["id"] == 9 or row["id"] > 1007)
        delete("spark", "id = 10", lambda row: row["id"] == 10)
        self.lake.ingest(table, simple_rows(501, 5))
        rows += written_rows.rows_of(simple_rows(501, 5))
        self.check(table, rows)
        self.compact(table)
        self.check(table, rows)
        delete("spark", "id = 11", lambda row: row["id"] == 11)
        delete("firn", "true", lambda row: True)

    def test_position_deletes_of_a_table_that_was_raised_to_version_3(self):
        for number, spec in enumerate(("", "PARTITIONED BY (cat, days(ts))")):
            table = f"db.raised{number}"
            rows = self.make(table, 2, spec, "merge-on-read")
            self.lake.firn.run("delete", table, "--where", "id IN (2, 22, 42)")
            self.lake.sql(f"DELETE FROM {table} WHERE id IN (3, 23)")
            self.lake.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')")
            rows = without(rows, lambda row: row["id"] in (2, 22, 42, 3, 23))
            self.check(table, rows)
            for engine, gone in (("firn", (4, 24)), ("spark", (5, 25, 45)), ("firn", (26, 46))):
                if engine == "firn":
                    self.lake.firn.run("delete", table, "--where", f"id IN {gone}")
                else:
                    self.lake.sql(f"DELETE FROM {table} WHERE id IN {gone}")
                rows = without(rows, lambda row, gone=gone: row["id"] in gone)
                self.check(table, rows)
            self.compact(table)
            self.check(table, rows)
            self.assertEqual(self.delete_files(table), [])

    def test_nothing_is_lost_when_both_change_a_table_at_once(self):
        for table, version, spec, mode in self.kinds():
            if spec:
                continue  # Without partitions they meet in the same files.
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    spark = pool.submit(self.change_with_spark, table)
                    self.change_with_firn(table)
                    spark.result()
                rows = without(rows, lambda row: row["id"] in range(1, 13))
                for first in (100, 110, 120, 130):
                    rows += written_rows.rows_of(simple_rows(first, 5))
                self.check(table, rows)
                if version == 3:
                    for found in self.lake.lineage(table):
                        self.assertEqual(len({row_id for row_id, _ in found.values()}), len(rows))
                        self.assertEqual(len(found), len(rows))

    def change_with_firn(self, table):
        for number in range(6):
            self.until_it_wins(FirnError, lambda error: error.code == 9, lambda number=number:
                               self.lake.firn.run("delete", table, "--where", f"id = {1 + number}"))
            if number in (1, 3):
                self.lake.ingest(table, simple_rows(100 if number == 1 else 120, 5))

    def change_with_spark(self, table):
        source = self.lake.save("more", pyarrow.concat_tables(
            [simple_rows(110, 5), simple_rows(130, 5)]))
        for number in range(6):
            self.until_it_wins(Py4JJavaError, lambda error: "ommit" in str(error) or
                               "onflicting" in str(error) or "oncurrent" in str(error),
                               lambda number=number: self.lake.sql(
                                   f"DELETE FROM {table} WHERE id = {7 + number}"))
            if number in (1, 3):
                first = 110 if number == 1 else 130
                self.lake.sql(f"INSERT INTO {table} SELECT * FROM parquet.`{source}` "
                              f"WHERE id BETWEEN {first} AND {first + 4}")

    def until_it_wins(self, kind, is_conflict, action):
        for _ in range(20):
            try:
                return action()
            except kind as error:
                self.assertTrue(is_conflict(error), error)
        self.fail("20 conflicts one after the other")

    def test_pyiceberg_and_firn_in_turn(self):
        for table, version, spec, mode in self.kinds():
            if version == 3:
                continue  # PyIceberg does not write format version 3.
            spec = spec and "PARTITIONED BY (cat)"  # For transforms it needs a library.
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                self.lake.firn.run("delete", table, "--where", "id IN (1, 21)")
                self.lake.python.load_table(table).append(simple_rows(61, 5))
                rows += written_rows.rows_of(simple_rows(61, 5))
                self.lake.python.load_table(table).delete("id < 5")
                self.lake.firn.run("delete", table, "--where", "id = 62")
                rows = without(rows, lambda row: row["id"] in (1, 2, 3, 4, 21, 62))
                self.check(table, rows)
                self.compact(table)
                self.check(table, rows)


class MadeToOrderTest(LakeTest):
    """Table properties, evolved schemas and odd names are heeded by what firn writes."""

    def make(self, table, columns, **properties):
        listed = ", ".join(f"'{key.replace('__', '.').replace('_', '-')}' = '{value}'"
                           for key, value in properties.items())
        self.lake.sql(f"CREATE TABLE {table} ({columns}) USING iceberg TBLPROPERTIES ({listed})")

    def test_codecs(self):
        rows = simple_rows(1, 50)
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4"):
            with self.subTest(codec=codec):
                table = f"db.codec_{codec}"
                self.make(table, SIMPLE, write__parquet__compression_codec=codec)
                self.lake.ingest(table, rows)
                self.check_source(table, rows)
                path, = self.lake.files(table)
                column = pyarrow.parquet.ParquetFile(path).metadata.row_group(0).column(0)
                self.assertEqual(column.compression.lower(), codec)

    def test_places(self):
        rows = simple_rows(1, 5)
        elsewhere = f"file://{self.lake.folder}/elsewhere"
        for number, properties in enumerate((
                {"write__data__path": elsewhere},
                {"write__metadata__path": elsewhere + "_metadata"},
                {"write__object_storage__enabled": "true"},
                {"write__metadata__compression_codec": "gzip"})):
            with self.subTest(**properties):
                table = f"db.place{number}"
                self.make(table, SIMPLE, **properties)
                self.lake.ingest(table, rows)
                self.lake.firn.run("delete", table, "--where", "id = 2")
                kept = written_rows.rows_of(pyarrow.concat_tables([rows[:1], rows[2:]]))
                self.lake.check(self, table, kept, SIMPLE_KINDS)

    def test_many_files_and_row_groups(self):
        """firn looks at sizes after some thousands of rows."""
        for version, mode in ((1, "copy-on-write"), (2, "merge-on-read"), (3, "merge-on-read")):
            with self.subTest(version=version):
                table = f"db.many{version}"
                self.make(table, SIMPLE, format_version=version, write__delete__mode=mode,
                          write__target_file_size_bytes=50000,
                          write__parquet__row_group_size_bytes=4000,
                          write__parquet__page_row_limit=50)
                rows = simple_rows(1, 20000)
                self.lake.ingest(table, rows)
                self.assertGreater(len(self.lake.files(table)), 1)
                rows = written_rows.rows_of(rows)
                for where, matches in DELETES[:5]:
                    self.lake.firn.run("delete", table, "--where", where)
                    rows = without(rows, matches)
                self.lake.check(self, table, rows, SIMPLE_KINDS)
                self.lake.firn.run("rewrite-data-files", table, "--option", "rewrite-all=true")
                self.lake.check(self, table, rows, SIMPLE_KINDS)

    def test_evolved_columns(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                self.evolve(f"db.evolved{version}", version)

    def evolve(self, table, version):
        self.make(table, "id int, old string, f float, dec decimal(5, 2), "
                  "s struct<a: int, gone: string>", format_version=version)
        self.lake.ingest(table, pyarrow.table({
            "id": pyarrow.array([1, 2], pyarrow.int32()), "old": ["x", "y"],
            "f": pyarrow.array([0.5, None], pyarrow.float32()),
            "dec": pyarrow.array([decimal.Decimal("1.25"), None], pyarrow.decimal128(5, 2)),
            "s": pyarrow.array([{"a": 1, "gone": "g"}, None], pyarrow.struct(
                [("a", pyarrow.int32()), ("gone", pyarrow.string())]))}))
        for change in ("ALTER COLUMN id TYPE bigint", "ALTER COLUMN f TYPE double",
                       "ALTER COLUMN dec TYPE decimal(9, 2)", "RENAME COLUMN old TO name",
                       "ADD COLUMN old date", "ALTER COLUMN s.a TYPE bigint", "DROP COLUMN s.gone",
                       "ADD COLUMN s.more array<double>", "ALTER COLUMN name FIRST"):
            self.lake.sql(f"ALTER TABLE {table} {change}")
        struct = pyarrow.struct([("a", pyarrow.int64()),
                                 ("more", pyarrow.list_(pyarrow.float64()))])
        schema = pyarrow.schema([
            ("name", pyarrow.string()), ("id", pyarrow.int64()), ("f", pyarrow.float64()),
            ("dec", pyarrow.decimal128(9, 2)), ("s", struct), ("old", pyarrow.date32())])
        added = pyarrow.Table.from_pylist([
            {"name": "z", "id": 2**40, "f": 0.1, "dec": decimal.Decimal("1234567.89"),
             "s": {"a": 2**40, "more": [0.5, None]}, "old": datetime.date(2024, 1, 1)}], schema)
        before = pyarrow.Table.from_pylist([
            {"name": "x", "id": 1, "f": 0.5, "dec": decimal.Decimal("1.25"),
             "s": {"a": 1, "more": None}, "old": None},
            {"name": "y", "id": 2, "f": None, "dec": None, "s": None, "old": None}], schema)
        self.lake.ingest(table, added.select(["old", "s", "dec", "f", "id", "name"]))
        self.lake.ingest(table, pyarrow.table({"id": pyarrow.array([3], pyarrow.int32())}))
        last = pyarrow.Table.from_pylist([{"id": 3}], schema)
        rows = pyarrow.concat_tables([before, added, last])
        found = self.lake.read(table, schema.names, evolved=True)
        kinds = written_rows.kinds_of(schema)
        for engine, read in found.items():
            self.assertEqual(comparable(read, kinds),
                             comparable(written_rows.rows_of(rows), kinds), engine)
        self.lake.firn.run("rewrite-data-files", table, "--option", "rewrite-all=true")
        self.check_source(table, rows)

    def test_odd_names(self):
        names = ["a.b", "with space", "größe", "UPPER", "1st", "select", "x=y/z", "😀", "_row"]
        rows = pyarrow.table({"id": pyarrow.array([1, 2], pyarrow.int64()),
                              **{name: [name, None] for name in names}})
        for version in VERSIONS:
            table = f"db.odd{version}"
            self.lake.ingest(table, rows, "--format-version", str(version))
            expected = written_rows.rows_of(rows)
            kinds = written_rows.kinds_of(rows.schema)
            columns = ", ".join(f"`{name}`" for name in rows.schema.names)
            found = {
                "firn": self.lake.firn.rows("read", table),
                "spark": self.lake.spark_rows(f"SELECT {columns} FROM {table}"),
                "pyiceberg": written_rows.rows_of(
                    self.lake.python.load_table(table).scan().to_arrow()),
            }
            for engine, read in found.items():
                with self.subTest(version=version, engine=engine):
                    self.assertEqual(comparable(read, kinds), comparable(expected, kinds))


class FilterTest(LakeTest):
    """Statistics of files, row groups and pages keep no engine from a row that it looks for."""

    def test_rows_that_are_found_by_each_value(self):
        rows = written_rows.table_of(written_rows.TYPES, 600, run=20)
        self.lake.ingest("db.found", rows[:0], "--property", "write.parquet.page-row-limit=20",
                         "--property", "write.parquet.row-group-size-bytes=10000")
        self.lake.ingest("db.found", rows[:350])
        self.lake.ingest("db.found", rows[350:])
        unpruned = self.lake.spark.sql("SELECT * FROM db.found").localCheckpoint()
        unpruned.createOrReplaceTempView("all_found")
        for where in self.predicates():
            with self.subTest(where=where):
                expected, spark = (
                    self.lake.sql(f"SELECT id FROM {table} WHERE {where} ORDER BY id")
                    for table in ("all_found", "db.found"))
                if not where.endswith(" = -0.0"):  # Spark looks for 0.0 in a dictionary of -0.0.
                    self.assertEqual(spark, expected)
                found = self.lake.firn.rows("read", "db.found", "--columns", "id", "--where", where)
                self.assertEqual(sorted(found, key=lambda row: row["id"]), expected)

    @staticmethod
    def predicates():
        for name, (kind, values) in written_rows.TYPES.items():
            yield f"{name} IS NULL"
            if pyarrow.types.is_nested(kind):
                continue
            for value in values:
                for operator in ("=", "<", ">=", "<>")[:4 if value is values[0] else 2]:
                    yield f"{name} {operator} {written_rows.literal(value)}"
        yield from ("nest.a = 3", "nest.c.`d.e` = 'NaN'", "nest.a IS NULL", "nest.c IS NULL",
                    "NOT nest.a < 2", "text LIKE 'a string%'", "beyond LIKE '\U0010ffff%'")


class MetricsTest(LakeTest):
    """Counts and bounds, as Spark shows them."""

    COUNTS = ("value_count", "null_value_count", "nan_value_count")
    BOUNDS = ("lower_bound", "upper_bound")

    def metrics(self, table):
        row, = self.lake.sql(f"SELECT readable_metrics FROM {table}.files")
        return row["readable_metrics"]

    def test_those_of_firn_are_those_of_spark(self):
        rows = written_rows.table_of(written_rows.TYPES)
        for version in VERSIONS:
            table, copy = f"db.metrics{version}", f"db.metrics{version}_copy"
            self.lake.ingest(table, rows, "--format-version", str(version))
            self.lake.sql(f"CREATE TABLE {copy} USING iceberg TBLPROPERTIES ('format-version' = "
                          f"'{version}') AS SELECT /*+ COALESCE(1) */ * FROM {table}")
            found, expected = self.metrics(table), self.metrics(copy)
            self.assertEqual(list(found), list(expected))
            # Spark leaves out nulls of a float that come from a null struct around it.
            inner = pyarrow.compute.struct_field(rows["nest"], ["c", "d.e"])
            expected["nest.c.d.e"] |= {
                "value_count": len(inner), "null_value_count": inner.null_count}
            for column, metrics in expected.items():
                for metric in (*self.COUNTS, *self.BOUNDS):
                    with self.subTest(version=version, column=column, metric=metric):
                        self.assertEqual(repr(found[column][metric]), repr(metrics[metric]))
                self.assertGreater(found[column]["column_size"], 0, column)

    def test_metrics_modes(self):
        rows = written_rows.table_of(written_rows.TYPES).drop_columns("fixed")  # Spark's is binary.
        for number, properties in enumerate((
                {"default": "none"}, {"default": "counts"}, {"default": "full"},
                {"default": "truncate(3)"}, {"max-inferred-column-defaults": "4"},
                {"default": "none", "column.text": "truncate(5)", "column.nest.b.element.x": "full",
                 "column.nest.a": "full", "column.d": "counts", "column.bytes": "truncate(1)"})):
            listed = ", ".join(f"'write.metadata.metrics.{key}' = '{value}'"
                               for key, value in properties.items())
            with self.subTest(**properties):
                table, copy = f"db.mode{number}", f"db.mode{number}_copy"
                self.lake.sql(f"CREATE TABLE {copy} USING iceberg TBLPROPERTIES ({listed}) AS "
                              f"SELECT /*+ COALESCE(1) */ * FROM {self.typed(rows)}")
                self.lake.sql(f"CREATE TABLE {table} USING iceberg TBLPROPERTIES ({listed}) AS "
                              f"SELECT * FROM {copy} LIMIT 0")
                self.lake.ingest(table, rows)
                found, expected = self.metrics(table), self.metrics(copy)
                for found_metrics in (found, expected):
                    del found_metrics["nest.c.d.e"]  # test_those_of_firn_are_those_of_spark()
                    for column in found_metrics.values():
                        del column["column_size"]
                self.assertEqual(repr(found), repr(expected))

    def typed(self, rows):
        """A table with `rows`, made once."""
        if not self.lake.sql("SHOW TABLES IN db LIKE 'typed'"):
            self.lake.ingest("db.typed", rows)
        return "db.typed"

    def test_answers_from_metadata_alone(self):
        """Spark takes counts and extremes from the metrics where it can."""
        rows = written_rows.table_of(written_rows.TYPES)
        self.lake.ingest("db.extremes", rows[:20])
        self.lake.ingest("db.extremes", rows[20:])
        self.lake.spark.sql("SELECT * FROM db.extremes").localCheckpoint(
        ).createOrReplaceTempView("all_extremes")
        for name, (kind, _) in written_rows.TYPES.items():
            if pyarrow.types.is_nested(kind):
                continue
            for columns in (f"count({name})", f"min({name}), max({name})", "count(*)"):
                with self.subTest(columns=columns):
                    found, expected = (self.lake.sql(f"SELECT {columns} FROM {table}")
                                       for table in ("db.extremes", "all_extremes"))
                    # Which zero it finds among equals is up to Spark.
                    self.assertEqual(*(repr(answer).replace("-0.0", "0.0")
                                       for answer in (found, expected)))

    def test_bounds_hold_the_values(self):
        rows = written_rows.table_of(written_rows.TYPES)
        self.lake.ingest("db.bounds", rows)
        found = self.metrics("db.bounds")
        for name, (kind, _) in written_rows.TYPES.items():
            if pyarrow.types.is_nested(kind):
                continue
            with self.subTest(column=name):
                self.check_bounds(found[name], rows[name], kind)

    def check_bounds(self, metrics, column, kind):
        values = [value for value in column.to_pylist() if value is not None]
        numbers = [value for value in values if value == value]
        self.assertEqual(metrics["value_count"], len(column))
        self.assertEqual(metrics["null_value_count"], len(column) - len(values))
        if pyarrow.types.is_floating(kind):
            self.assertEqual(metrics["nan_value_count"], len(values) - len(numbers))
            self.assertEqual([repr(metrics[bound]) for bound in self.BOUNDS],
                             [repr(bound) for bound in zero_aware_bounds(numbers)])
            return
        if pyarrow.types.is_timestamp(kind):
            numbers = [value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
                       if value.tzinfo else value for value in numbers]
        lower, upper = (bytes(bound) if isinstance(bound, bytearray) else bound
                        for bound in (metrics[bound] for bound in self.BOUNDS))
        if isinstance(numbers[0], (str, bytes)) and not pyarrow.types.is_fixed_size_binary(kind):
            lowest, highest = min(numbers), max(numbers)
            self.assertEqual(lower, lowest[:16])
            if len(highest) <= 16:
                self.assertEqual(upper, highest)
            elif upper is not None:
                self.assertLessEqual(len(upper), 16)
                self.assertGreater(upper, highest)
                self.assertEqual(upper[:-1], highest[:len(upper) - 1])
            return
        self.assertEqual([lower, upper], [min(numbers), max(numbers)])


def zero_aware_bounds(numbers):
    """Least and greatest; -0.0 for a least and 0.0 for a greatest zero, as the two are equal."""
    if not numbers:
        return [None, None]
    lower, upper = min(numbers), max(numbers)
    return [-0.0 if lower == 0 else lower, 0.0 if upper == 0 else upper]


if __name__ == "__main__":
    LakeTest.lake = Lake(sys.argv.pop(1))
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        LakeTest.lake.close()
