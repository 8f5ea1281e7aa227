#!/usr/bin/env python3
"""firn beside a live Spark: same rows, same metadata tables, and Spark reads what firn compacts.

usage: spark_test.py FIRN [PATTERN]

Spark writes tables of every kind and format version into a new folder first; with PATTERN, only
those whose names match it, such as `types_v3` or `*_v1`.
"""

import os
import sys
import tempfile
import unittest

import spark_engine
import spark_tables
from firn_program import Firn
from spark_comparison import SparkComparison


class SparkTest(SparkComparison, unittest.TestCase):
    pass


def main():
    with tempfile.TemporaryDirectory(prefix="firn-interop-") as warehouse:
        SparkTest.firn = Firn(sys.argv[1])
        SparkTest.folder = os.path.join(warehouse, "db")
        SparkTest.spark = spark_engine.open_spark(
            spark_engine.catalog_settings("c", type="hadoop", warehouse=warehouse))
        SparkTest.tables = spark_tables.write_tables(
            SparkTest.spark, sys.argv[2] if len(sys.argv) > 2 else "*")
        try:
            unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
        finally:
            SparkTest.spark.stop()


if __name__ == "__main__":
    main()
