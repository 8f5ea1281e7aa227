"""Deletes go with a table that is copied to another place and whose paths are rewritten.

usage: moved_deletes_test.py FIRN
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


class MovedDeletesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-moved-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder

    def run_firn(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments, "--output", "json"], cwd=self.folder,
                              env=self.environment, capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr.decode()}")
        return [json.loads(line) for line in done.stdout.decode().splitlines() if line]

    def make_table(self, version):
        """Rows 0 to 39, of which every fourth is deleted; a name that bounds would cut."""
        name = f"t{version}" * 30
        self.run_firn("table", "create", f"db.{name}", "--schema", "id bigint, kind bigint",
                      "--format-version", str(version))
        for first in (0, 20):
            path = os.path.join(self.folder, "rows.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("id,kind\n")
                file.writelines(f"{row},{row % 4}\n" for row in range(first, first + 20))
            self.run_firn("ingest", "csv", path, "--into", f"db.{name}")
        self.run_firn("delete", f"db.{name}", "--where", "kind = 1", "--write-mode",
                      "merge-on-read")
        return name

    def copy_table(self, name, target):
        source = os.path.join(self.folder, "warehouse", "db", name)
        row, = self.run_firn("rewrite-table-path", f"db.{name}", "--source-prefix",
                             f"file://{source}",
                             "--target-prefix", f"file://{target}")
        file_list = re.sub("^file:/+", "/", row["file_list_location"])
        with open(file_list, newline="", encoding="utf-8") as lines:
            for path, place in csv.reader(lines):
                place = re.sub("^file:/+", "/", place)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copyfile(re.sub("^file:/+", "/", path), place)
        shutil.rmtree(os.path.join(self.folder, "warehouse"))  # Nothing of it is needed.
        return os.path.join(target, "metadata", row["latest_version"])

    def expect_rows(self, table):
        found = sorted(row["id"] for row in self.run_firn("read", table))
        self.assertEqual(found, [row for row in range(40) if row % 4 != 1])

    def expect_no_old_path(self, name, target):
        old = os.path.join("warehouse", "db", name).encode()
        for root, _, files in os.walk(target):
            for file in files:
                with open(os.path.join(root, file), "rb") as content:
                    self.assertNotIn(old, content.read(), file)

    # B124
    def test_deletes_of_a_moved_table_apply_and_can_be_rewritten(self):
        for version in (2, 3):
            with self.subTest(version=version):
                name = self.make_table(version)
                target = os.path.join(self.folder, f"moved{version}")
                metadata = self.copy_table(name, target)
                self.expect_no_old_path(name, target)
                self.run_firn("table", "register", f"db.moved{version}", metadata)
                self.expect_rows(f"db.moved{version}")
                self.run_firn("rewrite-position-delete-files", f"db.moved{version}", "--option",
                              "rewrite-all=true")
                self.expect_rows(f"db.moved{version}")
                self.run_firn("rewrite-data-files", f"db.moved{version}", "--option",
                              "rewrite-all=true")
                self.expect_rows(f"db.moved{version}")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
