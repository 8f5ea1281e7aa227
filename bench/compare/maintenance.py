#!/usr/bin/env python3
"""Maintenance of large tables, and of many small commits, by whole processes.

    ninja -C build/release firn maintenance_tables
    bench/compare/maintenance.py build/release/firn build/release/bench/maintenance_tables [CASE...]

A case is a table on local disk, made once in --folder (maintenance_tables makes the large ones, of
empty files; firn's ingest the small ones), copied for each run, and one command of firn on it.
Printed is the least of --rounds runs: elapsed time, CPU time of all threads, peak resident memory.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

COMMITS = 500
ORPHANS = 1000
TEN_DAYS = 864_000


@dataclasses.dataclass(frozen=True)
class Case:
    """A kind of table, what is done to it first, and what is measured."""

    table: str
    command: tuple
    expected: object  # Judges the rows of the command.
    before: tuple = ()
    has_orphans: bool = False


def one_row(**expected):
    return lambda rows: len(rows) == 1 and expected.items() <= rows[0].items()


CASES = {
    "small: expire": Case(
        "small", ("expire-snapshots", "db.t", "--older-than", "now"),
        one_row(deleted_data_files_count=COMMITS), before=("rewrite-data-files", "db.t")),
    "small: orphans": Case(
        "small",
        ("remove-orphan-files", "db.t", "--older-than", "now", "--allow-recent",
         "--max-fraction", "1"),
        lambda rows: len(rows) > ORPHANS, has_orphans=True),
    "small: manifests": Case(
        "small", ("rewrite-manifests", "db.t"), lambda rows: rows[0]["added_manifests_count"] == 1),
    "1,000,000 files and 100,000 orphans": Case(
        "orphans", ("remove-orphan-files", "db.t"), lambda rows: len(rows) == 100_000),
    "the same, deleted": Case(
        "orphans", ("remove-orphan-files", "db.t", "--quarantine=false"),
        lambda rows: len(rows) == 100_000),
    "the same, --dry-run": Case(
        "orphans", ("remove-orphan-files", "db.t", "--dry-run"), lambda rows: len(rows) == 100_000),
    "expire 1,000 snapshots of 1,000 files": Case(
        "expiry", ("expire-snapshots", "db.t", "--older-than", "now"),
        one_row(deleted_data_files_count=100_000)),
    "the same, --dry-run ": Case(
        "expiry", ("expire-snapshots", "db.t", "--older-than", "now", "--dry-run"),
        lambda rows: sum(row["kind"] == "data" for row in rows) == 100_000),
    "rewrite 1,000 manifests of 1,000 entries": Case(
        "manifests", ("rewrite-manifests", "db.t"), one_row(rewritten_manifests_count=1000)),
    "compaction of 100,000 files of the target size": Case(
        "full", ("rewrite-data-files", "db.t"), one_row(rewritten_data_files_count=0)),
}


class Bench:
    def __init__(self, options):
        self.firn = os.path.abspath(options.firn)
        self.maker = os.path.abspath(options.maker)
        self.folder = pathlib.Path(options.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}

    def run(self, folder, *command):
        """Rows, elapsed seconds, CPU seconds, peak bytes."""
        with open(folder / "out.jsonl", "wb") as out:
            began = time.monotonic()
            process = subprocess.Popen([self.firn, *command, "--output", "json", "--quiet"],
                                       cwd=folder, env=self.environment, stdout=out)
            _, status, usage = os.wait4(process.pid, 0)
            elapsed = time.monotonic() - began
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command} ended with {process.returncode}")
        with open(folder / "out.jsonl", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return rows, elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def make(self, kind):
        """The folder of a table, which is made if it is missing. It can be moved: it is named by a
        path that leads to whichever copy is in use."""
        made = self.folder / kind
        if made.exists():
            return made
        place = self.place()
        print(f"making {kind} ...", file=sys.stderr)
        if kind == "small":
            source = place / "row.csv"
            source.write_text("id,text\n1,one\n", encoding="utf-8")
            for _ in range(COMMITS):
                self.run(place, "ingest", "csv", str(source), "--into", "db.t")
        else:
            subprocess.run([self.maker, str(place), kind], check=True, env=self.environment)
        os.rename(place, made)
        return made

    def place(self):
        """Where the table of a run lies: metadata names it by its full path."""
        place = self.folder / "run"
        if place.exists():
            shutil.rmtree(place)
        place.mkdir(parents=True)
        return place

    def prepare(self, case):
        made = self.make(case.table)
        place = self.place()
        # Links for the data files, of which there are very many, and which no command changes.
        subprocess.run(["cp", "-a", "-l", f"{made}/.", str(place)], check=True)
        catalog = place / "warehouse" / "catalog.db"
        catalog.unlink()
        shutil.copy(made / "warehouse" / "catalog.db", catalog)
        if case.before:
            self.run(place, *case.before)
        if case.has_orphans:
            folder = place / "warehouse" / "db" / "t" / "data"
            for number in range(ORPHANS):
                (folder / f"orphan-{number:05}.parquet").write_bytes(b"left behind")
        return place

    def measure(self, name, rounds):
        case = CASES[name]
        runs = []
        for _ in range(rounds):
            place = self.prepare(case)
            rows, *figures = self.run(place, *case.command)
            if not case.expected(rows):
                sys.exit(f"{name}: unexpected rows, such as {rows[:1]}")
            runs.append(figures)
        elapsed, cpu, peak = (min(values) for values in zip(*runs, strict=True))
        print(f"{name:42} {elapsed:7.2f} s {cpu:7.2f} CPU-s {peak / 1e6:6.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("firn")
    parser.add_argument("maker")
    parser.add_argument("case", nargs="*", help=f"of: {', '.join(CASES)}")
    parser.add_argument("--folder", default="/tmp/firn-maintenance")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bench = Bench(options)
    for name in options.case or CASES:
        bench.measure(name, options.rounds)


if __name__ == "__main__":
    main()
