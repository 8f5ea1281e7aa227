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
from firn_program import Firn
from spark_comparison import SparkComparison

RECORDED = "/tmp/firn-fixtures/warehouse"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class RecordedTablesTest(SparkComparison, unittest.TestCase):
    uuid_tables = ("many_types_api",)


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
