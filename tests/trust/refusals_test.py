"""What the commit would refuse whatever it holds is told before any data is read or written.

usage: refusals_test.py FIRN
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
INVALID = 2  # Exit codes.
UNSUPPORTED = 5
REWRITES = (
    ("rewrite-data-files", "TABLE", "--option", "rewrite-all=true"),
    ("rewrite-data-files", "TABLE", "--sort-order", "id DESC", "--option", "rewrite-all=true"),
    ("rewrite-data-files", "TABLE", "--sort-order", "zorder(id, kind)"),
    ("rewrite-position-delete-files", "TABLE", "--option", "rewrite-all=true"),
    ("rewrite-manifests", "TABLE"),
    ("convert-equality-deletes", "TABLE"),
    ("repair-metrics", "TABLE", "--read-rows"),
)
ROW_CHANGES = (
    ("delete", "TABLE", "--where", "id = 1", "--write-mode", "copy-on-write"),
    ("delete", "TABLE", "--where", "id = 1", "--write-mode", "merge-on-read"),
    ("update", "TABLE", "--set", "kind = 9", "--where", "id = 1"),
    ("overwrite", "TABLE", "--where", "kind = 1", "--from", "rows.csv"),
    ("ingest", "csv", "rows.csv", "--into", "TABLE"),
    ("ingest", "csv", "rows.csv", "--into", "TABLE", "--mode", "overwrite"),
    ("ingest", "csv", "rows.csv", "--into", "TABLE", "--mode", "merge", "--key", "id"),
)
# Without a snapshot of their own, or without rows.
OTHERS = (
    ("remove-dangling-deletes", "TABLE"),
    ("compute-table-stats", "TABLE"),
    ("compute-partition-stats", "TABLE"),
    ("expire-snapshots", "TABLE", "--older-than", "now"),
    ("remove-orphan-files", "TABLE", "--older-than", "3d"),
    ("table", "drop", "TABLE", "--purge"),
    ("table", "alter", "TABLE", "add-column", "more int"),
    ("create-tag", "TABLE", "v1"),
)


class RefusalTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-refusals-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder
        self.write("rows.csv", "id,kind\n1,1\n2,2\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_firn(self, *arguments, code=0):
        command = [PROGRAM, "--conf", "catalog.lake.type=hadoop",
                   "--conf", "catalog.lake.warehouse=lake",
                   "--conf", "catalog.copy.type=hadoop", "--conf", "catalog.copy.warehouse=copy",
                   *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True,
                              timeout=300, check=False)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{arguments}: {message}")
        return message

    def tree(self):
        found = {}
        for root, folders, names in os.walk(self.folder):
            found[root] = sorted(folders)
            for name in names:
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    found[path] = hashlib.sha256(file.read()).hexdigest()
        return found

    def make_table(self, table):
        os.makedirs(os.path.join(self.folder, "lake", "db"), exist_ok=True)
        self.run_firn("table", "create", table, "--schema", "id bigint, kind bigint",
                      "--format-version", "2")
        for _ in range(3):
            self.run_firn("ingest", "csv", "rows.csv", "--into", table)
        self.run_firn("delete", table, "--where", "id = 2", "--write-mode", "merge-on-read")

    def lose_data(self, table):
        """Whoever reads a row fails by that, and not as the test expects."""
        data = os.path.join(self.folder, table, "data")
        self.assertTrue(os.listdir(data))
        shutil.rmtree(data)
        os.mkdir(data)

    def expect_refused(self, table, commands, code, *parts):
        before = self.tree()
        for command in commands:
            arguments = [table if word == "TABLE" else word for word in command]
            for options in ((), ("--dry-run",)):
                with self.subTest(command=command, options=options):
                    message = self.run_firn(*arguments, *options, code=code)
                    for part in parts:
                        self.assertIn(part, message)
                    self.assertEqual(self.tree(), before)

    def test_a_copied_table_is_not_changed_as_if_it_were_the_original(self):
        self.make_table("lake.db.t")
        shutil.copytree(os.path.join(self.folder, "lake"), os.path.join(self.folder, "copy"))
        self.lose_data("lake/db/t")
        for table in ("copy.db.t", "./copy/db/t"):
            commands = REWRITES + ROW_CHANGES + OTHERS
            if table.startswith("."):
                commands = REWRITES + ROW_CHANGES
            self.expect_refused(table, commands, INVALID, "is recorded at", "lake/db/t' but lies in",
                                "copy/db/t'; if it was copied, set io.rewrite-prefix")
        self.run_firn("health", "copy.db.t")

    def test_a_table_with_a_folder_of_metadata_of_its_own_is_not_changed_in_hadoop_layout(self):
        self.make_table("lake.db.t")
        self.edit_properties("lake/db/t", "write.metadata.path", "/elsewhere")
        self.lose_data("lake/db/t")
        self.expect_refused("lake.db.t", REWRITES + ROW_CHANGES, UNSUPPORTED,
                            "write.metadata.path")

    def test_properties_that_no_commit_understands_are_told_first(self):
        for number, (key, value) in enumerate((
                ("write.metadata.compression-codec", "lzma"),
                ("write.manifest.compression-codec", "lzma"),
                ("commit.manifest.target-size-bytes", "8 MB"),
                ("commit.manifest.min-count-to-merge", "many"),
                ("write.metadata.previous-versions-max", "all"))):
            table = f"db.t{number}"
            path = "lake/" + table.replace(".", "/")
            self.make_table("lake." + table)
            self.edit_properties(path, key, value)
            self.lose_data(path)
            self.expect_refused("lake." + table, REWRITES + ROW_CHANGES, INVALID, key, value)

    def edit_properties(self, table, key, value):
        """As another engine may have set them."""
        folder = os.path.join(self.folder, table, "metadata")
        newest = max((name for name in os.listdir(folder) if name.endswith(".metadata.json")),
                     key=lambda name: int(name[1:].split(".")[0]))
        path = os.path.join(folder, newest)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count('"properties":{'), 1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"properties":{', f'"properties":{{"{key}":"{value}",'))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
