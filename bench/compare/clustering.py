#!/usr/bin/env python3
"""How many files of a clustered table a filter on one column touches.

    ninja -C build/release firn && bench/compare/clustering.py build/release/firn

A table of two columns of different type and scale, uniform or skewed, is rewritten into about 128
files in each order. A filter is a range of one column that keeps one row in a hundred; a file is
touched if its bounds in the manifests overlap the range. Printed is the mean over 200 ranges drawn
with a fixed seed.
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys

import numpy
import pyarrow
from pyarrow import parquet

ROWS = 16_000_000
FILES = 128
RANGES = 200
KEPT = ROWS // 100
ORDERS = ["id, amount", "zorder(id, amount)", "hilbert(id, amount)"]


def make_rows(is_skewed):
    random_numbers = numpy.random.default_rng(7)
    if is_skewed:
        ids = numpy.exp(random_numbers.normal(10, 3, ROWS)).astype("int64")
        amounts = random_numbers.pareto(1.1, ROWS)
    else:
        ids = random_numbers.integers(0, 10**12, ROWS)
        amounts = random_numbers.random(ROWS)
    return pyarrow.table({"id": ids, "amount": amounts,
                          "filler": random_numbers.integers(0, 2**62, ROWS)})


class Bench:
    def __init__(self, options):
        self.firn = str(pathlib.Path(options.program).resolve())
        self.folder = pathlib.Path(options.folder)

    def run(self, *arguments):
        done = subprocess.run([self.firn, "--output", "json", "--quiet", *arguments],
                              cwd=self.folder, check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def make_table(self, rows):
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True)
        parquet.write_table(rows, self.folder / "rows.parquet")
        self.run("ingest", "parquet", "rows.parquet", "--into", "db.t")
        return sum(row["file_size_in_bytes"] for row in self.run("inspect", "db.t", "files"))

    def bounds(self, order, stored_bytes):
        """Of the columns, in each file; the target is corrected until there are 128 files."""
        target = stored_bytes // FILES
        for _ in range(8):
            self.run("rewrite-data-files", "db.t", "--strategy", "sort", "--sort-order", order,
                     "--option", "rewrite-all=true",
                     "--option", f"target-file-size-bytes={target}")
            files = [row["readable_metrics"] for row in self.run("inspect", "db.t", "files")]
            if abs(len(files) - FILES) <= 2:
                break
            target = target * len(files) // FILES
        return files


def mean_touched(files, column, values):
    """How many files a range of KEPT neighbouring values overlaps."""
    draw = random.Random(11)
    touched = 0
    for _ in range(RANGES):
        first = draw.randrange(len(values) - KEPT)
        low, high = values[first], values[first + KEPT]
        touched += sum(file[column]["lower_bound"] <= high and file[column]["upper_bound"] >= low
                       for file in files)
    return touched / RANGES


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build/release/firn")
    parser.add_argument("--folder", default="/tmp/firn-bench-clustering")
    options = parser.parse_args()
    bench = Bench(options)
    print("| values | order | files | touched by a range of id | of amount |\n"
          + "| --- " * 5 + "|")
    for is_skewed in (False, True):
        rows = make_rows(is_skewed)
        stored_bytes = bench.make_table(rows)
        ordered = {name: numpy.sort(rows[name].to_numpy()).tolist() for name in ("id", "amount")}
        for order in ORDERS:
            files = bench.bounds(order, stored_bytes)
            print(f"| {'skewed' if is_skewed else 'uniform'} | {order} | {len(files)} "
                  f"| {mean_touched(files, 'id', ordered['id']):.1f} "
                  f"| {mean_touched(files, 'amount', ordered['amount']):.1f} |", flush=True)
    shutil.rmtree(bench.folder)


if __name__ == "__main__":
    sys.exit(main())
