#!/usr/bin/env python3
"""Time and memory of merging 200,000 rows into 10 million: firn against PyIceberg.

180,000 rows replace rows that are spread over all 400 files of the table, 20,000 are new. The table
has 14 columns like TPC-H's lineitem; its key is `l_orderkey`. Inputs are made in --folder once, with
fixed seeds; every run merges into a copy of the same table and checks the number of rows after it.
Printed are, for each side, the wall time, the CPU time of all threads and the peak memory of the
whole process, as medians over the rounds. Times of firn are those of the whole program, times of
PyIceberg leave out the start of Python.

    ninja -C build/release firn
    bench/compare/merge.py build/release/firn [--rows N] [--rounds N] [--sides pyiceberg,...]

Needs the Python packages pyarrow, numpy and pyiceberg with its SQL catalog.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

FILES = 400
WORDS = ("carefully", "final", "deposits", "sleep", "quickly", "about", "furiously", "pending",
         "ideas", "blithely", "regular", "accounts")


def lineitem(keys, seed):
    """Rows like TPC-H's lineitem with these keys."""
    import numpy
    import pyarrow

    random = numpy.random.default_rng(seed)
    count = len(keys)
    first_day = numpy.datetime64("1992-01-01")

    def words():
        return numpy.array(WORDS)[random.integers(0, len(WORDS), count)]

    def hundredths(low, high):
        return pyarrow.array(random.integers(low, high, count) / 100.0)

    def days():
        return pyarrow.array(first_day + random.integers(0, 2500, count).astype("timedelta64[D]"))

    def any_of(*values):
        return pyarrow.array(numpy.array(values)[random.integers(0, len(values), count)])

    comment = numpy.char.add(numpy.char.add(numpy.char.add(words(), " "),
                                            numpy.char.add(words(), " ")), words())
    return pyarrow.table({
        "l_orderkey": pyarrow.array(keys),
        "l_partkey": pyarrow.array(random.integers(1, 2000000, count)),
        "l_suppkey": pyarrow.array(random.integers(1, 100000, count)),
        "l_linenumber": pyarrow.array(random.integers(1, 8, count)),
        "l_quantity": hundredths(100, 5000),
        "l_extendedprice": hundredths(90000, 10500000),
        "l_discount": hundredths(0, 11),
        "l_returnflag": any_of("A", "N", "R"),
        "l_linestatus": any_of("O", "F"),
        "l_shipdate": days(),
        "l_commitdate": days(),
        "l_shipinstruct": any_of("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"),
        "l_shipmode": any_of("AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB", "REG AIR"),
        "l_comment": pyarrow.array(comment.tolist()),
    })


def make_inputs(folder, rows):
    """One source file for each data file of the table, and one to merge."""
    import numpy
    from pyarrow import parquet

    ready = f"{folder}/ready-{rows}"
    if os.path.exists(ready):
        return
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(f"{folder}/source")
    per_file = rows // FILES
    for number in range(FILES):
        keys = numpy.arange(number * per_file, (number + 1) * per_file)
        parquet.write_table(lineitem(keys, number), f"{folder}/source/{number:03}.parquet",
                            compression="zstd")
    random = numpy.random.default_rng(7)
    updated = random.choice(rows, rows * 18 // 1000, replace=False)
    added = numpy.arange(rows, rows + rows * 2 // 1000)
    keys = random.permutation(numpy.concatenate([updated, added]))
    parquet.write_table(lineitem(keys, 1000), f"{folder}/merge.parquet", compression="zstd")
    with open(ready, "w", encoding="utf-8"):
        pass


def firn_settings(folder):
    return ["--conf", "default-catalog=lake", "--conf", "catalog.lake.type=sql",
            "--conf", f"catalog.lake.uri=sqlite:///{folder}/catalog.db",
            "--conf", f"catalog.lake.warehouse=file://{folder}/warehouse"]


def make_table(firn, folder, version):
    """A table of 400 files at `folder`/lake; its catalog knows it by that place."""
    lake = f"{folder}/lake"
    shutil.rmtree(lake, ignore_errors=True)
    os.makedirs(lake)
    settings = firn_settings(lake)
    subprocess.run([firn, *settings, "namespace", "create", "db"], check=True,
                   stdout=subprocess.DEVNULL)
    for number in range(FILES):
        subprocess.run([firn, *settings, "--quiet", "ingest", "parquet",
                        f"{folder}/source/{number:03}.parquet", "--into", "db.t",
                        "--format-version", str(version)], check=True, stdout=subprocess.DEVNULL)


def run_firn(options, mode):
    """Wall and CPU seconds and peak MiB of one merge, by the program itself."""
    lake = f"{options.folder}/lake"
    command = [options.firn, *firn_settings(lake), "--quiet", "--threads", str(options.threads),
               "ingest", "parquet", f"{options.folder}/merge.parquet", "--into", "db.t", "--mode",
               "merge", "--key", "l_orderkey", "--write-mode", mode]
    return timed(command)


def timed(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime,
            "mib": usage.ru_maxrss / 1024}


PYICEBERG_SIDE = """
import json, resource, sys, time
import pyarrow, pyarrow.parquet
from pyiceberg.catalog.sql import SqlCatalog
lake, source, threads = sys.argv[1:]
pyarrow.set_cpu_count(int(threads))
catalog = SqlCatalog("lake", uri=f"sqlite:///{lake}/catalog.db", warehouse=f"file://{lake}/warehouse")
table = catalog.load_table("db.t")
start, cpu = time.perf_counter(), time.process_time()
table.upsert(pyarrow.parquet.read_table(source), join_cols=["l_orderkey"])
print(json.dumps({"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu,
                  "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def run_python(options, side):
    done = subprocess.run(
        [sys.executable, "-c", side, f"{options.folder}/lake", f"{options.folder}/merge.parquet",
         str(options.threads)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def check_rows(options, expected):
    done = subprocess.run([options.firn, *firn_settings(f"{options.folder}/lake"), "--output",
                           "json", "count", "db.t"], stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)["count"]
    if found != expected:
        sys.exit(f"{found} rows after the merge, expected {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("firn")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--version", type=int, default=2)
    parser.add_argument("--folder", default="/tmp/firn-merge")
    parser.add_argument("--sides", default="merge-on-read,copy-on-write,pyiceberg")
    options = parser.parse_args()
    options.firn = os.path.abspath(options.firn)
    make_inputs(options.folder, options.rows)
    made = f"{options.folder}/made-{options.version}"
    if not os.path.exists(made):
        make_table(options.firn, options.folder, options.version)
        shutil.rmtree(made, ignore_errors=True)
        os.rename(f"{options.folder}/lake", made)
    sides = {"merge-on-read": lambda: run_firn(options, "merge-on-read"),
             "copy-on-write": lambda: run_firn(options, "copy-on-write"),
             "pyiceberg": lambda: run_python(options, PYICEBERG_SIDE)}
    expected = options.rows + options.rows * 2 // 1000
    for name in options.sides.split(","):
        results = []
        for _ in range(options.rounds):
            # Recorded paths are absolute, so that every copy stands at the same place.
            shutil.rmtree(f"{options.folder}/lake", ignore_errors=True)
            shutil.copytree(made, f"{options.folder}/lake")
            os.sync()  # The copy's own writing must not fall into the time measured.
            results.append(sides[name]())
            check_rows(options, expected)
        medians = {key: statistics.median(result[key] for result in results)
                   for key in ("seconds", "cpu", "mib")}
        print(f"{name:14} {medians['seconds']:7.2f} s  {medians['cpu']:7.2f} s CPU  "
              f"{medians['mib']:7.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
