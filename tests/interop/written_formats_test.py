#!/usr/bin/env python3
"""ORC and Avro files, sorted files, Bloom filters and deletes by key that firn wrote, read by Spark.

usage: written_formats_test.py FIRN [TEST...]

The program delete_keys is taken from (and if need be built in) the build folder of FIRN.
"""

import collections
import datetime
import os
import subprocess
import sys
import unittest

import pyarrow
import pyarrow.compute
import spark_engine  # noqa: F401  It makes tests/golden importable.
import written_rows
from written_lake import Lake, comparable

UTC = datetime.timezone.utc

# firn reads timestamps of ORC between 1678 and 2261 only, and writes no fractions before 1970.
ORC_TIMES = {
    "ntz": (pyarrow.timestamp("us"), [
        datetime.datetime(1969, 12, 31, 23, 59, 59), datetime.datetime(1700, 1, 1),
        datetime.datetime(1970, 1, 1, 0, 0, 0, 1), datetime.datetime(2024, 2, 29, 1, 2, 3, 4)]),
    "milli": (pyarrow.timestamp("ms"), [datetime.datetime(1900, 1, 1)]),
    "tz": (pyarrow.timestamp("us", "UTC"), [
        datetime.datetime(1969, 12, 31, 23, 59, 59, 0, UTC),
        datetime.datetime(1970, 1, 1, 0, 0, 0, 999999, UTC),
        datetime.datetime(2024, 2, 29, tzinfo=UTC)]),
}
ORC_FAR_TIMES = {
    "ntz": (pyarrow.timestamp("us"), [
        datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)]),
    "tz": (pyarrow.timestamp("us", "UTC"), [
        datetime.datetime(1, 1, 1, tzinfo=UTC),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)]),
}


class FormatsTest(unittest.TestCase):
    lake = None
    maxDiff = 3000

    def check(self, table, expected, kinds, engines=("firn", "spark")):
        """These engines read exactly the rows `expected`."""
        names = [name for name, _ in kinds]
        columns = ", ".join(f"`{name}`" for name in names)
        for engine in engines:
            if engine == "spark":
                rows = self.lake.spark_rows(f"SELECT {columns} FROM {table}")
            else:
                rows = self.lake.firn.rows("read", table, "--columns", ",".join(names))
            with self.subTest(table=table, engine=engine):
                rows = collections.Counter(comparable(rows, kinds))
                wanted = collections.Counter(comparable(expected, kinds))
                self.assertEqual(list((rows - wanted).elements())[:3], [], "too many rows")
                self.assertEqual(list((wanted - rows).elements())[:3], [], "missing rows")

    def check_rows(self, table, rows, engines=("firn", "spark")):
        self.check(table, written_rows.rows_of(rows), written_rows.kinds_of(rows.schema), engines)

    def formats_of(self, table):
        return {row["file_format"] for row in self.lake.sql(f"SELECT file_format FROM {table}.files")}

    def test_every_type_in_avro_and_orc(self):
        for file_format in ("avro", "orc"):
            for version in (1, 2, 3):
                table = f"db.{file_format}{version}"
                types = dict(written_rows.TYPES)
                if file_format == "orc":
                    types |= ORC_TIMES
                rows = written_rows.table_of(types)
                self.lake.ingest(table, rows, "--format-version", str(version),
                                 "--property", f"write.format.default={file_format}")
                self.assertEqual(self.formats_of(table), {file_format.upper()})
                self.check_rows(table, rows)

    def test_orc_times_that_only_others_read(self):
        rows = written_rows.table_of(ORC_FAR_TIMES)
        self.lake.ingest("db.orc_times", rows, "--property", "write.format.default=orc")
        self.check_rows("db.orc_times", rows, engines=("spark",))

    def test_firn_and_spark_change_tables_of_each_format(self):
        for file_format in ("avro", "orc"):
            for mode in ("copy-on-write", "merge-on-read"):
                table = f"db.turns_{file_format}_{mode[:4]}"
                rows = written_rows.table_of({"name": (pyarrow.string(), ["a", "b", "c"])}, 40)
                self.lake.ingest(
                    table, rows, "--format-version", "2", "--property",
                    f"write.format.default={file_format}", "--property",
                    f"write.delete.mode={mode}")
                kinds = written_rows.kinds_of(rows.schema)
                expected = written_rows.rows_of(rows)
                self.lake.firn.run("delete", table, "--where", "id IN (3, 4, 5)")
                expected = [row for row in expected if row["id"] not in (3, 4, 5)]
                self.check(table, expected, kinds)
                self.lake.sql(f"DELETE FROM {table} WHERE id IN (6, 7)")
                expected = [row for row in expected if row["id"] not in (6, 7)]
                self.check(table, expected, kinds)
                self.assertEqual(self.formats_of(table), {file_format.upper()})
                self.lake.firn.run("rewrite-data-files", table, "--option", "rewrite-all=true")
                self.check(table, expected, kinds)

    def test_sorted_files(self):
        rows = written_rows.table_of({"x": (pyarrow.int64(), [5, 3, 9, -1, 7]),
                                      "s": (pyarrow.string(), ["b", "a", ""])}, 60)
        self.lake.ingest("db.sorted", rows, "--sort", "s desc nulls last, bucket(4, x), id desc")
        self.check_rows("db.sorted", rows)
        ids, = self.lake.sql("SELECT collect_set(sort_order_id) AS ids FROM db.sorted.files")
        self.assertEqual(ids["ids"], [1])
        stored = [row["id"] for row in self.lake.sql("SELECT id FROM db.sorted ORDER BY _pos")]
        wanted = [row["id"] for row in self.lake.sql(
            "SELECT id FROM db.sorted "
            "ORDER BY s DESC NULLS LAST, lake.system.bucket(4, x) NULLS FIRST, id DESC")]
        self.assertEqual(stored, wanted)

    def test_bloom_filters(self):
        rows = written_rows.table_of({"s": (pyarrow.string(), [f"name {i}" for i in range(997)])},
                                     2000)
        self.lake.ingest(
            "db.bloom", rows, "--property", "write.parquet.bloom-filter-enabled.column.s=true",
            "--property", "write.parquet.bloom-filter-enabled.column.id=true")
        self.check_rows("db.bloom", rows)
        for where in ("id = 1234", "s = 'name 17'", "s = 'nobody'", "id IN (5, 99999)"):
            expected = [row["id"] for row in self.lake.firn.rows("read", "db.bloom",
                                                                 "--where", where)]
            found = [row["id"] for row in self.lake.sql(f"SELECT id FROM db.bloom WHERE {where}")]
            self.assertEqual(sorted(found), sorted(expected), where)

    def delete_keys(self, table, columns, *keys):
        build = os.path.dirname(self.lake.firn.program)
        program = os.path.join(build, "tests", "delete_keys")
        if not os.path.exists(program):
            subprocess.run(["cmake", "--build", build, "--target", "delete_keys"], check=True)
        settings = [part for setting in self.lake.firn.settings for part in ("--conf", setting)]
        subprocess.run([program, *settings, table, columns, *keys], check=True,
                       stdout=subprocess.DEVNULL)
        self.lake.sql(f"REFRESH TABLE {table}")

    def test_deletes_by_key(self):
        types = {"cat": (pyarrow.string(), ["a", "b", "c"])}
        for version in ("2", "3"):
            for file_format in ("parquet", "avro", "orc"):
                for spec in ("", "cat"):
                    table = f"db.keys_{version}_{file_format}_{spec}"
                    rows = written_rows.table_of(types, 30)
                    options = ["--partition", spec] if spec else []
                    self.lake.ingest(table, rows, "--format-version", version, *options,
                                     "--property", f"write.delete.format.default={file_format}")
                    expected = written_rows.rows_of(rows)
                    gone = [row for row in expected if row["id"] in (2, 3, 5, 17)]
                    columns = "id,cat" if spec else "id"
                    keys = [f"{row['id']},{row['cat'] or 'null'}" if spec else str(row["id"])
                            for row in gone]
                    self.delete_keys(table, columns, *keys)
                    again = rows.filter(pyarrow.compute.equal(rows["id"], 3))
                    self.lake.ingest(table, again)
                    expected = [row for row in expected if row not in gone]
                    expected += written_rows.rows_of(again)
                    self.check(table, expected, written_rows.kinds_of(rows.schema))
                    kinds = self.lake.sql(f"SELECT content, file_format FROM {table}.delete_files")
                    self.assertEqual({(row["content"], row["file_format"]) for row in kinds},
                                     {(2, file_format.upper())})


if __name__ == "__main__":
    FormatsTest.lake = Lake(sys.argv.pop(1))
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        FormatsTest.lake.close()
