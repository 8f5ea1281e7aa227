"""Tables that Spark wrote, moved to another folder by firn, hold the same rows in every snapshot.

usage: moved_tables_test.py FIRN FOLDER     (as spark_tables_test.py)

What manifests tell of the files is compared with the files, too: Spark's tell nothing wrong.
"""

import csv
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from firn_program import Firn

RECORDED = "/tmp/firn-fixtures/warehouse/db"
# Delete files are written anew, so their sizes and the texts of their bounds are others.
OTHER = re.compile(r'"(length|file_size_in_bytes|content_offset|content_size_in_bytes)":\d+'
                   r'|"key":2147483546,"value":"[0-9a-f]*"')


class MovedTablesTest(unittest.TestCase):

    def rows(self, firn, *arguments):
        return sorted(firn.run(*arguments, "--output", "json").splitlines())

    def copy(self, file_list):
        with open(file_list, newline="", encoding="utf-8") as lines:
            for source, target in csv.reader(lines):
                path = re.sub("^file:/+", "/", source).replace(RECORDED, f"{self.work}/tables")
                pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)

    def test_a_moved_table_is_the_same(self):
        for table in self.tables:
            with self.subTest(table=table):
                self.check(table)

    def check(self, table):
        original, moved = f"{self.work}/tables/{table}", f"{self.work}/moved/{table}"
        row = self.firn.rows(
            "rewrite-table-path", original, "--source-prefix", f"{RECORDED}/{table}",
            "--target-prefix", moved, "--staging-location", f"{self.work}/staged/{table}")[0]
        self.copy(re.sub("^file:/+", "/", row["file_list_location"]))
        away = f"{self.work}/away"
        snapshots = [str(one["snapshot_id"])
                     for one in self.firn.rows("inspect", original, "snapshots")]
        states = [[]] + [["--snapshot-id", snapshot] for snapshot in snapshots[-3:]]
        expected = [self.rows(self.firn, "read", original, *state) for state in states]
        views = ("entries", "manifests", "position-deletes", "refs", "snapshots")
        seen = {view: self.rows(self.firn, "inspect", original, view) for view in views}
        os.rename(f"{self.work}/tables", away)  # The copy needs nothing of the original.
        try:
            for state, rows in zip(states, expected):
                self.assertEqual(self.rows(self.moved, "read", moved, *state), rows)
            for view in views:
                text = "\n".join(self.rows(self.moved, "inspect", moved, view))
                found = text.replace(moved, f"{RECORDED}/{table}").splitlines()
                self.assertEqual([OTHER.sub("", line) for line in sorted(found)],
                                 [OTHER.sub("", line) for line in seen[view]], view)
        finally:
            os.rename(away, f"{self.work}/tables")

    def test_manifests_tell_nothing_wrong(self):
        for table in self.tables:
            with self.subTest(table=table):
                found = self.firn.rows("repair-metrics", f"{self.work}/tables/{table}", "--dry-run")
                self.assertEqual(found, [])


def main():
    with tempfile.TemporaryDirectory(prefix="firn-golden-") as folder:
        source = pathlib.Path(sys.argv[2])
        base = source / "warehouse" / "db"
        test = MovedTablesTest
        test.work = folder
        test.tables = []
        for table in sorted((base if base.is_dir() else source).iterdir()):
            if (table / "metadata").is_dir():
                shutil.copytree(table, f"{folder}/tables/{table.name}")
                test.tables.append(table.name)
        test.firn = Firn(sys.argv[1], [f"io.rewrite-prefix={RECORDED}={folder}/tables"])
        test.moved = Firn(sys.argv[1])
        unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
