#!/usr/bin/env python3
"""Compaction beside other engines: the same files, threads and memory, each run a fresh process.

    ninja -C build/release firn delete_many_keys
    bench/compare/compaction.py build/release/firn [CASE...]

A case is a table of small Parquet files (generated_rows.py), made once in --folder with fixed
seeds and by firn's own ingest, and copied for each run. firn compacts the table; DuckDB, if its
Python package is there, copies the rows of the same files to new files (and knows nothing of
deletes, so that it has no column where there are some); PyIceberg, if it is there, which has no
compaction, overwrites the table with what it reads; Spark with Iceberg, if pyspark is there and
FIRN_SPARK_JARS names the jars, runs rewrite_data_files on the table. Cases of chunks that are only
copied stand beside `cp --reflink=never` and `sync`. Printed are medians: elapsed time, CPU time of
all threads, peak resident memory of the process, and what was written.

Needs the Python packages pyarrow and numpy.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import generated_rows

SOURCE_ROWS = 1_000_000


@dataclasses.dataclass(frozen=True)
class Case:
    """A table and what is done to it."""

    rows: int
    # At which firn's ingest ends a file; it judges before the last pages are compressed, so that
    # files get smaller.
    file_bytes: int
    source: object = generated_rows.lineitem
    source_rows: int = SOURCE_ROWS  # Of one source file.
    has_commit_each: bool = False   # Each source file is a commit, and a file of the table.
    deleted: str = ""               # Rows that are deleted, merge-on-read.
    deleted_keys: int = 0           # So many by equality deletes, most of which meet no row.
    partition: str = ""
    version: int = 2
    order: str = ""                 # Rows are sorted by this.
    target: int = 128 << 20         # Bytes of an output.
    is_copy: bool = False           # firn copies chunks as they are: beside `cp`.


LITTLE = Case(10_000_000, 1_500_000)
LARGE = Case(68_000_000, 1_900_000)
CASES = {
    "100 files of one row": Case(100, 1 << 20, generated_rows.one_row, 1, True),
    "400 files of 0.8 MB": LITTLE,
    "400 files of 0.8 MB, 1 % deleted": dataclasses.replace(LITTLE, deleted="l_partkey < 20000"),
    "400 files of 0.8 MB, 1 % deleted, version 3": dataclasses.replace(
        LITTLE, deleted="l_partkey < 20000", version=3),
    "400 files of 0.8 MB, 1 M keys deleted": dataclasses.replace(LITTLE, deleted_keys=1_000_000),
    "400 files of 0.8 MB, sorted": dataclasses.replace(LITTLE, order="l_shipdate, l_partkey"),
    "400 files of 0.8 MB, clustered": dataclasses.replace(LITTLE, source=generated_rows.clustered),
    "1,000 partitions": Case(10_000_000, 1_500_000, source_rows=2_500_000, has_commit_each=True,
                             partition="bucket(1000, l_partkey)"),
    "500 columns": Case(400_000, 4_000_000, generated_rows.wide, 100_000),
    "long texts": Case(200_000, 4_000_000, generated_rows.long_texts, 50_000),
    "nested": Case(4_000_000, 1_500_000, generated_rows.nested),
    "40 files of 11 MB": Case(16_000_000, 12_000_000, target=512 << 20, is_copy=True),
    "2,000 files of 1 MB": LARGE,
    "2,000 files of 1 MB, 1 % deleted": dataclasses.replace(LARGE, deleted="l_partkey < 20000"),
    "2,000 files of 1 MB, 10 M keys deleted": dataclasses.replace(LARGE, deleted_keys=10_000_000),
    "2,000 files of 1 MB, sorted": dataclasses.replace(LARGE, order="l_shipdate, l_partkey"),
    "8,000 files of 1 MB": dataclasses.replace(LARGE, rows=272_000_000),
}

DEFAULT = ["100 files of one row", "400 files of 0.8 MB", "400 files of 0.8 MB, 1 % deleted"]

# Runs a command and prints what it took, as JSON: also of processes that it leaves behind, such as
# the Java side of PySpark, which become children of the wrapper.
WRAPPER = """
import ctypes, json, os, resource, subprocess, sys, time
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime,
                  "peak_mib": usage.ru_maxrss / 1024}))
"""

DUCKDB_SIDE = """
import duckdb, sys
threads, memory, out, pattern, order, target = sys.argv[1:]
db = duckdb.connect()
db.execute(f"SET threads = {threads}; SET memory_limit = '{memory}MiB'")
sort = f" ORDER BY {order}" if order else ""
db.execute(f"COPY (SELECT * FROM read_parquet('{pattern}'){sort}) TO '{out}' (FORMAT parquet, "
           f"COMPRESSION zstd, COMPRESSION_LEVEL 3, FILE_SIZE_BYTES {target})")
"""

PYICEBERG_SIDE = """
import sys
from pyiceberg.catalog.memory import InMemoryCatalog
metadata, threads, target = sys.argv[1:]
import pyarrow
pyarrow.set_cpu_count(int(threads))
catalog = InMemoryCatalog("memory")
catalog.create_namespace("bench")
table = catalog.register_table("bench.t", metadata)
with table.transaction() as change:
    change.set_properties({"write.target-file-size-bytes": target})
    change.overwrite(table.scan().to_arrow())
"""

SPARK_SIDE = """
import os, sys
from pyspark.sql import SparkSession
threads, folder, table, order, target = sys.argv[1:]
sort = f"strategy => 'sort', sort_order => '{order}', " if order else ""
every = ", 'rewrite-all', 'true'" if order else ""
spark = (SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
         .config("spark.jars", os.environ["FIRN_SPARK_JARS"].replace(":", ","))
         .config("spark.driver.memory", "6g")
         .config("spark.sql.extensions",  # Which knows sort orders.
                 "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
         .config("spark.sql.catalog.h", "org.apache.iceberg.spark.SparkCatalog")
         .config("spark.sql.catalog.h.type", "hadoop")
         .config("spark.sql.catalog.h.warehouse", folder).getOrCreate())
spark.sql(f"CALL h.system.rewrite_data_files(table => '{table}', {sort}"
          f"options => map('target-file-size-bytes', '{target}'{every}))").show()
"""


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

    def make(self, case):
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(f'[catalog.h]\ntype = "hadoop"\nwarehouse = "{self.place}"\n')
        if self.pristine.exists():
            return
        shutil.rmtree(self.place, ignore_errors=True)
        self.run("namespace", "create", "h.bench")
        self.ingest(case)
        if case.deleted_keys:
            deleter = pathlib.Path(self.firn).parent / "bench" / "delete_many_keys"
            subprocess.run([deleter, self.config, "h.bench.t", "l_orderkey",
                            str(case.deleted_keys), "17"], stdout=subprocess.DEVNULL, check=True)
        elif case.deleted:
            self.run("delete", "h.bench.t", "--where", case.deleted, "--write-mode", "merge-on-read")
        self.place.rename(self.pristine)

    def ingest(self, case):
        import pyarrow.parquet as pq

        sources = self.config.parent / "sources"
        sources.mkdir(exist_ok=True)
        layout = ["--format-version", str(case.version),
                  "--property", f"write.target-file-size-bytes={case.file_bytes}"]
        if case.partition:
            layout += ["--partition", case.partition]
        for i in range(case.rows // case.source_rows):
            path = sources / f"{i:04}.parquet"
            pq.write_table(case.source(case.source_rows, i), path)
            if case.has_commit_each:
                self.run("ingest", "parquet", str(path), "--into", "h.bench.t",
                         *(layout if i == 0 else []))
        if not case.has_commit_each:
            self.run("ingest", "parquet", str(sources), "--into", "h.bench.t", *layout)
        shutil.rmtree(sources)

    def restore(self):
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.pristine, self.place)

    def count(self):
        return json.loads(self.run("count", "h.bench.t"))["count"]

    def data_files(self):
        return set((self.place / "bench" / "t" / "data").rglob("*.parquet"))

    def newest_metadata(self):
        folder = self.place / "bench" / "t" / "metadata"
        version = (folder / "version-hint.text").read_text(encoding="ascii").strip()
        return next(folder.glob(f"v{version}.*metadata.json"))

    def live_files(self):
        lines = self.run("inspect", "h.bench.t", "files", "--output", "json").splitlines()
        sizes = [json.loads(line)["file_size_in_bytes"] for line in lines]
        return len(sizes), sum(sizes)


class EngineFailed(Exception):
    """Some engines do not do all cases within the memory."""


def measure(command):
    done = subprocess.run([sys.executable, "-c", WRAPPER, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise EngineFailed(done.stderr.decode())
    return json.loads(done.stdout)


def has_module(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def run_firn(lake, options, case):
    extra = []
    if case.order:
        extra = ["--strategy", "sort", "--sort-order", case.order, "--option", "rewrite-all=true"]
    took = measure([lake.firn, "--config", str(lake.config), "--threads", str(options.threads),
                    "--memory", f"{options.memory}MiB", "rewrite-data-files", "h.bench.t",
                    "--option", f"target-file-size-bytes={case.target}", *extra])
    took["files"], took["bytes"] = lake.live_files()
    return took


def run_duckdb(lake, options, case):
    out = lake.place.parent / "duckdb"
    shutil.rmtree(out, ignore_errors=True)
    took = measure([sys.executable, "-c", DUCKDB_SIDE, str(options.threads), str(options.memory),
                    str(out), f"{lake.place}/bench/t/data/**/*.parquet", case.order,
                    str(case.target)])
    sizes = [path.stat().st_size for path in out.rglob("*.parquet")]
    shutil.rmtree(out)
    took["files"], took["bytes"] = len(sizes), sum(sizes)
    return took


def run_spark(lake, options, case):
    took = measure([sys.executable, "-c", SPARK_SIDE, str(options.threads), str(lake.place),
                    "bench.t", case.order, str(case.target)])
    took["files"], took["bytes"] = lake.live_files()
    return took


def run_pyiceberg(lake, options, case):
    """Its table moves on in a catalog of its own: what it wrote is looked at on the disk."""
    import pyarrow.parquet as pq

    before = lake.data_files()
    took = measure([sys.executable, "-c", PYICEBERG_SIDE, str(lake.newest_metadata()),
                    str(options.threads), str(case.target)])
    written = lake.data_files() - before
    rows = sum(pq.read_metadata(path).num_rows for path in written)
    if rows != lake.count():
        raise SystemExit(f"PyIceberg wrote {rows} rows, expected {lake.count()}")
    took["files"], took["bytes"] = len(written), sum(path.stat().st_size for path in written)
    return took


def run_copy(lake, _options, _case):
    out = lake.place.parent / "copied"
    out.mkdir()
    took = measure(["sh", "-c", 'cp --reflink=never "$1"/*.parquet "$2" && sync', "sh",
                    str(lake.place / "bench" / "t" / "data"), str(out)])
    sizes = [path.stat().st_size for path in out.iterdir()]
    shutil.rmtree(out)
    took["files"], took["bytes"] = len(sizes), sum(sizes)
    return took


def compare(firn, name, options):
    case = CASES[name]
    label = "".join(c if c.isalnum() else "-" for c in name)
    lake = Lake(firn, pathlib.Path(options.folder) / label)
    lake.make(case)
    lake.restore()
    files, stored = lake.live_files()
    print(f"| {name} | (before) | | | | {files} | {stored / 1e6:.0f} MB |", flush=True)
    engines = {"firn": run_firn}
    has_deletes = case.deleted or case.deleted_keys
    if not has_deletes and has_module("duckdb"):
        engines["DuckDB COPY"] = run_duckdb
    if case.is_copy:
        engines["cp and sync"] = run_copy
    if not case.order and has_module("pyiceberg"):
        engines["PyIceberg"] = run_pyiceberg
    if os.environ.get("FIRN_SPARK_JARS") and has_module("pyspark"):
        engines["Spark"] = run_spark
    if options.engines:
        engines = {engine: run for engine, run in engines.items()
                   if engine == "firn" or engine.lower() in options.engines}
    expected = lake.count()
    results = {engine: [] for engine in engines}
    for _ in range(options.rounds):
        for engine, run in list(engines.items()):
            lake.restore()
            subprocess.run(["sync"], check=True)
            try:
                results[engine].append(run(lake, options, case))
            except EngineFailed:
                if engine == "firn":
                    raise
                del engines[engine], results[engine]
                print(f"| {name} | {engine} | failed | | | | |", flush=True)
                continue
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
    parser.add_argument("cases", nargs="*", help=f"default {'; '.join(DEFAULT)}; all: "
                        f"{'; '.join(CASES)}".replace("%", "%%"))
    parser.add_argument("--engines", type=lambda names: names.lower().split(","),
                        help="beside firn, with commas; default all that are installed")
    parser.add_argument("--folder", default="/tmp/firn-bench-compaction")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1024, help="MiB")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_intermixed_args()
    program = str(pathlib.Path(options.program).resolve())
    print(f"{options.threads} threads, {options.memory} MiB, {options.rounds} rounds\n\n"
          "| table | engine | elapsed | CPU | peak memory | files after | bytes after |\n"
          + "| --- " * 7 + "|")
    for name in options.cases or DEFAULT:
        compare(program, name, options)


if __name__ == "__main__":
    main()
