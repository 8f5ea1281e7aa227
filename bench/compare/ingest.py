#!/usr/bin/env python3
"""Files into a table: firn against PyIceberg's append and DuckDB's COPY of the same files.

    ninja -C build/release firn
    bench/compare/ingest.py build/release/firn [CASE...]

The input has lineitem-like rows (14 columns) and is made once in --folder with fixed seeds. Each run
is a fresh process on a fresh table or folder; elapsed and CPU time are the whole process's, start
included. firn and PyIceberg write an Iceberg table, DuckDB only Parquet files. Printed are medians.

Needs the Python packages pyarrow and numpy; PyIceberg and DuckDB are left out where they are missing.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys

from compaction import has_module, measure, source_table

CASES = ("parquet", "csv", "csv, creating")
SOURCE_ROWS = 1_000_000

PYICEBERG_SIDE = """
import sys, glob
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
folder, pattern = sys.argv[1:]
catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
catalog.create_namespace("bench")
rows = pq.read_table(sorted(glob.glob(pattern)))
catalog.create_table("bench.t", rows.schema).append(rows)
"""

DUCKDB_SIDE = """
import duckdb, sys
threads, memory, out, source = sys.argv[1:]
db = duckdb.connect()
db.execute(f"SET threads = {threads}; SET memory_limit = '{memory}MiB'")
db.execute(f"COPY (SELECT * FROM {source}) TO '{out}' (FORMAT parquet, COMPRESSION zstd, "
           f"COMPRESSION_LEVEL 3)")
"""


def make(folder, rows):
    """Parquet files and one CSV file with the same rows."""
    import pyarrow.csv
    import pyarrow.parquet as pq

    done = folder / f"done-{rows}"
    if done.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    writer = None
    for i in range(rows // SOURCE_ROWS):
        table = source_table(SOURCE_ROWS, i)
        pq.write_table(table, folder / f"{i:04}.parquet", compression="zstd")
        if writer is None:
            writer = pyarrow.csv.CSVWriter(folder / "rows.csv", table.schema)
        writer.write_table(table)
    writer.close()
    done.touch()


class Runs:
    """One case: what each engine runs, and what it took."""

    def __init__(self, firn, options):
        self.firn, self.options = firn, options
        self.sources = pathlib.Path(options.folder) / "sources"
        self.place = pathlib.Path(options.folder) / "place"

    def fresh(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)

    def firn_command(self, *arguments):
        (self.place / "firn.toml").write_text(
            f'[catalog.h]\ntype = "sql"\nuri = "sqlite:///{self.place}/catalog.db"\n'
            f'warehouse = "{self.place}/lake"\n')
        return [self.firn, "--config", str(self.place / "firn.toml"), "--quiet", "--threads",
                str(self.options.threads), "--memory", f"{self.options.memory}MiB", *arguments]

    def run_firn(self, kind, creates):
        self.fresh()
        subprocess.run(self.firn_command("namespace", "create", "h.bench"), check=True,
                       stdout=subprocess.DEVNULL)
        source = self.sources / ("rows.csv" if kind == "csv" else "*.parquet")
        if not creates:  # The table is there, with one row group of rows.
            first = str(self.sources / "0000.parquet")
            subprocess.run(self.firn_command("ingest", "parquet", first, "--into", "h.bench.t"),
                           check=True, stdout=subprocess.DEVNULL)
        return measure(self.firn_command("ingest", kind, str(source), "--into", "h.bench.t"))

    def run_pyiceberg(self):
        self.fresh()
        return measure([sys.executable, "-c", PYICEBERG_SIDE, str(self.place),
                        str(self.sources / "*.parquet")])

    def run_duckdb(self):
        self.fresh()
        return measure([sys.executable, "-c", DUCKDB_SIDE, str(self.options.threads),
                        str(self.options.memory), str(self.place / "out.parquet"),
                        f"read_csv('{self.sources}/rows.csv')"])


def compare(runs, name, rounds):
    kind = name.split(",", maxsplit=1)[0]
    engines = {"firn": lambda: runs.run_firn(kind, "creating" in name)}
    if kind == "parquet" and has_module("pyiceberg"):
        engines["PyIceberg"] = runs.run_pyiceberg
    if kind == "csv" and has_module("duckdb"):
        engines["DuckDB COPY"] = runs.run_duckdb
    results = {engine: [] for engine in engines}
    for _ in range(rounds):
        for engine, run in engines.items():
            subprocess.run(["sync"], check=True)
            results[engine].append(run())
    for engine, taken in results.items():
        def median(key):
            return statistics.median(run[key] for run in taken)
        ratio = statistics.median(ours["seconds"] / theirs["seconds"]
                                  for ours, theirs in zip(results["firn"], taken))
        print(f"| {name} | {engine} | {median('seconds'):.2f} s | {median('cpu'):.2f} s "
              f"| {median('peak_mib'):.0f} MiB | {ratio:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="build/release/firn")
    parser.add_argument("cases", nargs="*", help=f"default all: {'; '.join(CASES)}")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", default="/tmp/firn-bench-ingest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1024, help="MiB")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_intermixed_args()
    make(pathlib.Path(options.folder) / "sources", options.rows)
    runs = Runs(str(pathlib.Path(options.program).resolve()), options)
    print(f"{options.rows} rows, {options.threads} threads, {options.memory} MiB, "
          f"{options.rounds} rounds\n\n"
          "| source | engine | elapsed | CPU | peak memory | firn's share of its time |\n"
          + "| --- " * 6 + "|")
    for name in options.cases or CASES:
        compare(runs, name, options.rounds)


if __name__ == "__main__":
    main()
