#!/usr/bin/env python3
"""Compaction beside other engines: the same files, threads and memory, each run a fresh process.

    ninja -C build/release firn delete_many_keys
    bench/compare/compaction.py build/release/firn [CASE...]

A case is a table of small Parquet files with lineitem-like columns, made once in --folder with fixed
seeds and by firn's own ingest, and copied for each run. firn compacts the table; DuckDB, if its
Python package is there, copies the rows of the same files to new files (and knows nothing of
deletes, so that it has no column where there are some); Spark with Iceberg, if pyspark is there and
FIRN_SPARK_JARS names the jars, runs rewrite_data_files on the table. Printed are medians: elapsed
time, CPU time of all threads, peak resident memory of the process, and what was written.

Needs the Python packages pyarrow and numpy.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

TARGET = 128 << 20

# name: rows in all, bytes at which firn's ingest ends a file (which it judges before the last pages
# are compressed, so that files get smaller), condition of rows to delete (merge-on-read) or how many
# keys to delete (by equality deletes, most of which meet no row), options
CASES = {
    "400 files of 0.8 MB": (10_000_000, 1_500_000, None, []),
    "400 files of 0.8 MB, 1 % deleted": (10_000_000, 1_500_000, "l_partkey < 20000", []),
    "2,000 files of 1 MB": (68_000_000, 1_900_000, None, []),
    "2,000 files of 1 MB, 1 % deleted": (68_000_000, 1_900_000, "l_partkey < 20000", []),
    "40 files of 11 MB": (16_000_000, 12_000_000, None, []),
    "400 files of 0.8 MB, 1 M keys deleted": (10_000_000, 1_500_000, 1_000_000, []),
    "2,000 files of 1 MB, 10 M keys deleted": (68_000_000, 1_900_000, 10_000_000, []),
}
SOURCE_ROWS = 1_000_000

WORDS = """above accounts across against along asymptotes bold carefully courts daring deposits
dependencies dolphins ideas instructions packages pending pinto quickly realms regular requests
ruthless silent sleep slyly special theodolites unusual warhorses""".split()

# Runs a command and prints what it took, as JSON.
WRAPPER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime,
                  "peak_mib": usage.ru_maxrss / 1024}))
"""

DUCKDB_SIDE = """
import duckdb, sys
threads, memory, out, pattern = sys.argv[1:]
db = duckdb.connect()
db.execute(f"SET threads = {threads}; SET memory_limit = '{memory}MiB'")
db.execute(f"COPY (SELECT * FROM read_parquet('{pattern}')) TO '{out}' (FORMAT parquet, "
           f"COMPRESSION zstd, COMPRESSION_LEVEL 3, FILE_SIZE_BYTES '128MB')")
"""

SPARK_SIDE = """
import os, sys
from pyspark.sql import SparkSession
threads, folder, table = sys.argv[1:]
spark = (SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
         .config("spark.jars", os.environ["FIRN_SPARK_JARS"].replace(":", ","))
         .config("spark.driver.memory", "6g")
         .config("spark.sql.catalog.h", "org.apache.iceberg.spark.SparkCatalog")
         .config("spark.sql.catalog.h.type", "hadoop")
         .config("spark.sql.catalog.h.warehouse", folder).getOrCreate())
spark.sql(f"CALL h.system.rewrite_data_files(table => '{table}', "
          f"options => map('target-file-size-bytes', '134217728'))").show()
"""


def source_table(rows, seed):
    """Lineitem-like rows: keys in order and at random, decimals, dates, flags and comments."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(seed)

    def decimals(unscaled):
        halves = np.stack([unscaled, unscaled >> 63], axis=1)
        return pa.Array.from_buffers(pa.decimal128(15, 2), rows, [None, pa.py_buffer(halves)])

    def pick(words):
        words = np.array(words)
        return words[random.integers(0, len(words), rows)]

    parts = random.integers(1, 2_000_000, rows)
    quantity = random.integers(1, 51, rows)
    shipped = random.integers(8035, 10535, rows).astype("int32")
    phrases = [f"{a} {b}" for a in WORDS for b in WORDS]
    comments = np.char.add(np.char.add(pick(phrases), " "), pick(phrases))
    return pa.table({
        "l_orderkey": np.arange(rows) // 4 + seed * (rows // 4 + 1),
        "l_partkey": parts,
        "l_suppkey": random.integers(1, 100_000, rows),
        "l_linenumber": (np.arange(rows) % 4 + 1).astype("int32"),
        "l_quantity": decimals(quantity * 100),
        "l_extendedprice": decimals(quantity * (90_000 + parts % 200_000)),
        "l_discount": decimals(random.integers(0, 11, rows)),
        "l_tax": decimals(random.integers(0, 9, rows)),
        "l_returnflag": pick(["A", "N", "R"]),
        "l_linestatus": np.where(shipped > 9300, "O", "F"),
        "l_shipdate": pa.array(shipped).cast(pa.date32()),
        "l_commitdate": pa.array(shipped + random.integers(-60, 60, rows).astype("int32")).cast(
            pa.date32()),
        "l_shipmode": pick(["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"]),
        "l_comment": comments,
    })


class Lake:
    """A warehouse with one table, h.bench.t, at a fixed place, and its pristine copy beside it."""

    def __init__(self, firn, folder):
        self.firn = firn
        self.place = folder / "warehouse"
        self.pristine = folder / "pristine"
        self.config = folder / "firn.toml"

    def run(self, *arguments):
        done = subprocess.run([self.firn, "--config", str(self.config), "--quiet", *arguments],
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def make(self, rows, file_bytes, condition):
        import pyarrow.parquet as pq

        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(f'[catalog.h]\ntype = "hadoop"\nwarehouse = "{self.place}"\n')
        if self.pristine.exists():
            return
        shutil.rmtree(self.place, ignore_errors=True)
        self.run("namespace", "create", "h.bench")
        sources = self.config.parent / "sources"
        sources.mkdir(exist_ok=True)
        for i in range(rows // SOURCE_ROWS):
            pq.write_table(source_table(SOURCE_ROWS, i), sources / f"{i:04}.parquet")
        self.run("ingest", "parquet", str(sources), "--into", "h.bench.t", "--property",
                 f"write.target-file-size-bytes={file_bytes}")
        shutil.rmtree(sources)
        if isinstance(condition, int):
            deleter = pathlib.Path(self.firn).parent / "bench" / "delete_many_keys"
            subprocess.run([deleter, self.config, "h.bench.t", "l_orderkey", str(condition), "17"],
                           stdout=subprocess.DEVNULL, check=True)
        elif condition:
            self.run("delete", "h.bench.t", "--where", condition, "--write-mode", "merge-on-read")
        self.place.rename(self.pristine)

    def restore(self):
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.pristine, self.place)

    def count(self):
        return json.loads(self.run("count", "h.bench.t"))["count"]

    def live_files(self):
        lines = self.run("inspect", "h.bench.t", "files", "--output", "json").splitlines()
        sizes = [json.loads(line)["file_size_in_bytes"] for line in lines]
        return len(sizes), sum(sizes)


def measure(command):
    done = subprocess.run([sys.executable, "-c", WRAPPER, *command], stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)


def has_module(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def run_firn(lake, options, extra):
    took = measure([lake.firn, "--config", str(lake.config), "--threads", str(options.threads),
                    "--memory", f"{options.memory}MiB", "rewrite-data-files", "h.bench.t",
                    "--option", f"target-file-size-bytes={TARGET}", *extra])
    took["files"], took["bytes"] = lake.live_files()
    return took


def run_duckdb(lake, options, _):
    out = lake.place.parent / "duckdb"
    shutil.rmtree(out, ignore_errors=True)
    took = measure([sys.executable, "-c", DUCKDB_SIDE, str(options.threads), str(options.memory),
                    str(out), f"{lake.place}/bench/t/data/*.parquet"])
    sizes = [path.stat().st_size for path in out.rglob("*.parquet")]
    shutil.rmtree(out)
    took["files"], took["bytes"] = len(sizes), sum(sizes)
    return took


def run_spark(lake, options, _):
    took = measure([sys.executable, "-c", SPARK_SIDE, str(options.threads), str(lake.place),
                    "bench.t"])
    took["files"], took["bytes"] = lake.live_files()
    return took


def compare(firn, name, options):
    rows, file_bytes, condition, extra = CASES[name]
    label = "".join(c if c.isalnum() else "-" for c in name)
    lake = Lake(firn, pathlib.Path(options.folder) / label)
    lake.make(rows, file_bytes, condition)
    lake.restore()
    files, stored = lake.live_files()
    print(f"| {name} | (before) | | | | {files} | {stored / 1e6:.0f} MB |", flush=True)
    engines = {"firn": run_firn}
    if condition is None and has_module("duckdb"):
        engines["DuckDB COPY"] = run_duckdb
    if os.environ.get("FIRN_SPARK_JARS") and has_module("pyspark"):
        engines["Spark"] = run_spark
    expected = lake.count()
    results = {engine: [] for engine in engines}
    for _ in range(options.rounds):
        for engine, run in engines.items():
            lake.restore()
            subprocess.run(["sync"], check=True)
            results[engine].append(run(lake, options, extra))
            if lake.count() != expected:
                raise SystemExit(f"{name}: {engine} left other rows")
    for engine, runs in results.items():
        def median(key):
            return statistics.median(run[key] for run in runs)
        print(f"| {name} | {engine} | {median('seconds'):.2f} s | {median('cpu'):.2f} s "
              f"| {median('peak_mib'):.0f} MiB | {median('files'):.0f} "
              f"| {median('bytes') / 1e6:.0f} MB |", flush=True)
    shutil.rmtree(lake.place)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="build/release/firn")
    parser.add_argument("cases", nargs="*", help=f"default the first two: {'; '.join(CASES)}")
    parser.add_argument("--folder", default="/tmp/firn-bench-compaction")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1024, help="MiB")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_intermixed_args()
    program = str(pathlib.Path(options.program).resolve())
    print(f"{options.threads} threads, {options.memory} MiB, {options.rounds} rounds\n\n"
          "| table | engine | elapsed | CPU | peak memory | files after | bytes after |\n"
          + "| --- " * 7 + "|")
    for name in options.cases or list(CASES)[:2]:
        compare(program, name, options)


if __name__ == "__main__":
    main()
