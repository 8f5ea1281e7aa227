"""Maintenance of many tables of which one is broken: the others are maintained, and it is told.

usage: maintenance_test.py FIRN [TABLES]
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

FILES = 6  # Of each table.
CORRUPT = 6  # The exit code.
PROGRAM = None
TABLES = 50


class MaintenanceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-trust-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder

    def run_firn(self, *arguments, exit_code=0):
        done = subprocess.run(
            [PROGRAM, *arguments, "--output", "json"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            timeout=300,
            check=False,
        )
        errors = done.stderr.decode()
        self.assertEqual(done.returncode, exit_code, f"{arguments}: {errors}")
        return [json.loads(line) for line in done.stdout.decode().splitlines() if line], errors

    def make_tables(self):
        """Copies of one table, each with files of its own."""
        source = os.path.join(self.folder, "rows.csv")
        names = [f"db.t{number:02}" for number in range(TABLES)]
        for file in range(FILES):
            with open(source, "w", encoding="utf-8") as rows:
                rows.write("id,text\n")
                rows.writelines(f"{file * 10 + row},text {row}\n" for row in range(10))
            for name in names:
                self.run_firn("ingest", "csv", source, "--into", name)
        return names

    def break_table(self, name):
        """Its newest metadata file loses its end."""
        row, = self.run_firn("table", "describe", name)[0]
        path = row["metadata_location"].removeprefix("file://")
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) // 2)

    def data_files(self, name):
        folder = name.removeprefix("db.")
        return glob.glob(f"{self.folder}/warehouse/**/{folder}/data/**/*.parquet", recursive=True)

    def check_estimates(self, rows):
        """What a step took is near what was said before."""
        for row in rows:
            for figure in ("bytes_read", "bytes_written", "requests"):
                ratio = row[figure] / row["estimated_" + figure]
                self.assertTrue(0.5 < ratio < 2, f"{figure} of {row}")

    def test_one_broken_table_of_many_does_not_stop_the_others(self):
        names = self.make_tables()
        broken = names[TABLES // 3]
        self.break_table(broken)
        files_of_the_broken_one = sorted(self.data_files(broken))
        for is_dry_run in (True, False):
            options = ["--dry-run"] if is_dry_run else []
            rows, errors = self.run_firn("maintain", "local", *options, exit_code=CORRUPT)
            self.assertIn(broken, errors.splitlines()[-1])
            self.assertEqual([row["table"] for row in rows if row["outcome"] == "failed"],
                             ["local." + broken])
            compacted = [row["table"] for row in rows if row["step"] == "compact"
                         and row["outcome"] == ("planned" if is_dry_run else "done")]
            self.assertEqual(sorted(compacted),
                             sorted("local." + name for name in names if name != broken))
        self.check_estimates([row for row in rows if row["step"] == "compact"])
        for name in names:
            if name == broken:
                continue
            row, = self.run_firn("health", name)[0]
            self.assertEqual((row["data_files"], row["small_files"]), (1, 0), name)
            self.assertEqual(self.run_firn("count", name)[0], [{"count": FILES * 10}], name)
        self.assertEqual(sorted(self.data_files(broken)), files_of_the_broken_one)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        TABLES = int(sys.argv.pop(1))
    unittest.main()
