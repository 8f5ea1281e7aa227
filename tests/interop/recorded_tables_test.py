#!/usr/bin/env python3
"""firn beside a live Spark on tables that Spark wrote long ago: compared and compacted.

usage: recorded_tables_test.py FIRN [FOLDER]

FOLDER holds tables as `<table>/` or `warehouse/db/<table>/`; the default is testdata/spark. With
FIRN_SHARED, or `../shared` beside the checkout, the larger set of tables is unpacked from there.
They are copied first. Their metadata names files below the folder where they were written: firn
finds them by `io.rewrite-prefix`, Spark by a mount table of Hadoop's.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import spark_engine
import written_rows
from firn_program import Firn
from moved_files import here
from pyiceberg.table import StaticTable
from spark_comparison import SparkComparison, canonical_rows
from written_lake import Lake

RECORDED = "/tmp/firn-fixtures/warehouse"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class RecordedTablesTest(SparkComparison, unittest.TestCase):
    uuid_tables = ("many_types_api",)
    moved = {}

    def test_7_leaves_tables_that_pyiceberg_and_duckdb_read_as_spark_does(self):
        for table in self.tables:
            with self.subTest(table=table):
                self.firn.run("rewrite-data-files", self.location(table),
                              "--option", "rewrite-all=true")
                files = self.firn.rows("inspect", self.location(table), "files")
                self.assertEqual([file for file in files if file["content"]], [])
                self.check_readers(table, files)

    def check_readers(self, table, files):
        kinds, rows = spark_engine.collect(self.spark.sql(f"SELECT * FROM c.db.{table}"))
        formats = {file["file_format"] for file in files}
        if formats <= {"PARQUET", "ORC"}:  # PyIceberg reads no Avro.
            with self.subTest(engine="PyIceberg"):
                # It reads null lists and maps as empty ones, whoever wrote them.
                found = self.read_by_pyiceberg(table)
                self.assertEqual(canonical_rows(with_collections(found, kinds), kinds),
                                 canonical_rows(with_collections(rows, kinds), kinds))
        if formats == {"PARQUET"}:
            with self.subTest(engine="DuckDB"):
                found = self.read_by_duckdb(files, [name for name, _ in kinds])
                self.assertEqual(canonical_rows(found, kinds), canonical_rows(rows, kinds))

    def read_by_pyiceberg(self, table):
        description, = self.firn.rows("table", "describe", self.location(table))
        opened = StaticTable.from_metadata(
            here(description["metadata_location"], self.moved),
            {**self.moved, "py-io-impl": "moved_files.MovedFiles"})
        return written_rows.rows_of(opened.scan().to_arrow())

    def read_by_duckdb(self, files, names):
        paths = [here(file["file_path"], self.moved) for file in files]
        return Lake.duckdb_rows(paths, names)


def with_collections(rows, kinds):
    """`rows` with empty lists and maps for null ones."""
    return [{name: _with_collections(row[name], kind) for name, kind in kinds} for row in rows]


def _with_collections(value, kind):
    if kind[0] == "array":
        return [_with_collections(item, kind[1]) for item in value or []]
    if kind[0] == "map":
        entries = [(entry["key"], entry["value"]) if isinstance(entry, dict) else entry
                   for entry in value or []]
        return [(key, _with_collections(item, kind[2])) for key, item in entries]
    if kind[0] == "struct" and value is not None:
        return {name: _with_collections(value[name], child) for name, child in kind[1]}
    return value


def copy_tables(folder, warehouse):
    """Fill `warehouse`/db."""
    shared = pathlib.Path(os.environ.get("FIRN_SHARED", ROOT.parent / "shared"))
    archive = shared / "data" / "spark" / "tables.tar.zst"
    if folder is None and archive.exists():
        subprocess.run(["tar", "-I", "zstd", "-xf", archive, "-C", warehouse,
                        "--strip-components=2", "firn-fixtures/warehouse"], check=True)
        return
    source = pathlib.Path(folder or ROOT / "testdata" / "spark")
    base = source / "warehouse" / "db"
    for table in (base if base.is_dir() else source).iterdir():
        if (table / "metadata").is_dir():
            shutil.copytree(table, warehouse / "db" / table.name)


def main(test=RecordedTablesTest):
    with tempfile.TemporaryDirectory(prefix="firn-interop-") as folder:
        warehouse = pathlib.Path(folder)
        test.firn = Firn(sys.argv[1], [f"io.rewrite-prefix={RECORDED}={warehouse}"])
        copy_tables(sys.argv[2] if len(sys.argv) > 2 else None, warehouse)
        test.moved = {"moved.from": RECORDED, "moved.to": str(warehouse)}
        test.folder = str(warehouse / "db")
        test.tables = sorted(os.listdir(test.folder))
        mounts = "spark.hadoop.fs.viewfs.mounttable.firn"
        test.spark = spark_engine.open_spark({
            **spark_engine.catalog_settings("c", type="hadoop", warehouse=RECORDED),
            "spark.hadoop.fs.defaultFS": "viewfs://firn/",
            f"{mounts}.linkFallback": "file:///",
            f"{mounts}.link.{RECORDED}": f"file://{warehouse}",
        })
        try:
            unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
        finally:
            test.spark.stop()


if __name__ == "__main__":
    main()
