"""Values of 8 and 20 MB in 64 MiB of memory: the process stays within what the user allows.

usage: memory_test.py FIRN
"""

import base64
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
MEBIBYTE = 1 << 20
MEMORY = 64
VALUE_BYTES = 8 * 1000 * 1000
ROWS = 8
# Nearly a third of the memory: what compaction passes, sorting must pass, too.
LARGE_BYTES = 20 * 1000 * 1000
# Beyond the program itself: the budget, a tenth of it, and what allocators keep.
PEAK_MAX = (MEMORY + 6 + 16) * MEBIBYTE
# The library that evaluates expressions.
ENGINE_BYTES = 60 * MEBIBYTE
# What thousands of columns take that is not counted: schemas, readers and writers of each, and what
# the allocator keeps of very many small blocks, more or less of it by how threads meet.
WIDE_PEAK_MAX = PEAK_MAX + 10 * MEBIBYTE


def text_of(row, size=VALUE_BYTES):
    """Text that does not compress below three quarters, without quotes and commas."""
    return base64.b64encode(random.Random(row).randbytes(size * 3 // 4)).decode()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


# Runs commands, a line each, and tells exit code and peak. A process begins with the peak of the one
# that starts it, and this one, with the texts that it compares, is large.
LAUNCHER = """
import json, os, subprocess, sys
for line in sys.stdin:
    run = json.loads(line)
    with open(run["output"], "wb") as out, open(run["output"] + ".error", "wb") as error:
        child = subprocess.Popen(run["command"], stdout=out, stderr=error, cwd=run["folder"],
                                 env=run["environment"])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps([child.returncode, usage.ru_maxrss * 1024]), flush=True)
"""


class MemoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @classmethod
    def tearDownClass(cls):
        cls.launcher.communicate()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-memory-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment.update(HOME=self.folder)
        # How much of the program and its libraries is in memory differs by system: how many pages
        # around one that is used are taken with it, and how large pages are.
        self.program_bytes = 0
        self.program_bytes = self.peak_of("namespace", "create", "db", peak_max=60 * MEBIBYTE)

    def run_firn(self, *arguments, code=0, **limits):
        """Run firn and hold its peak memory against the limit. What it prints, by file."""
        self.peak_of(*arguments, code=code, **limits)
        return self.output if code == 0 else self.message

    def peak_of(self, *arguments, memory=MEMORY, code=0, peak_max=PEAK_MAX):
        """Run firn and hold what it takes beyond the program against the limit. The whole peak."""
        self.output = os.path.join(self.folder, "output")
        command = [PROGRAM, "--conf", "catalog.lake.type=hadoop",
                   "--conf", "catalog.lake.warehouse=lake", "--catalog", "lake",
                   "--memory", f"{memory}MiB", *arguments]
        run = {"command": command, "output": self.output, "folder": self.folder,
               "environment": self.environment}
        self.launcher.stdin.write(json.dumps(run) + "\n")
        self.launcher.stdin.flush()
        found, peak = json.loads(self.launcher.stdout.readline())
        with open(self.output + ".error", encoding="utf-8") as error:
            self.message = error.read()
        self.assertEqual(found, code, self.message[-2000:])
        self.assertLess(peak - self.program_bytes, peak_max,
                        f"peak of {arguments}: {peak}, of it {self.program_bytes} the program")
        return peak

    def write_rows(self, name, rows):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            if name.endswith(".csv"):
                file.write("id,kind,body\n")
            for row in rows:
                if name.endswith(".csv"):
                    file.write(f"{row},{row % 3},{text_of(row)}\n")
                else:
                    json.dump({"id": row, "kind": row % 3, "body": text_of(row)}, file)
                    file.write("\n")
        return path

    def make_table(self, rows=range(ROWS)):
        """A table of two files, half of the rows in each."""
        rows = list(rows)
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2:]):
            source = self.write_rows("rows.csv", half)
            self.run_firn("ingest", "csv", source, "--into", "db.t")

    def expect_rows(self, rows, kinds=None):
        output = self.run_firn("read", "db.t", "--output", "json")
        found = {}
        with open(output, encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                found[row["id"]] = (row["kind"], digest(row["body"]))
        expected = {row: (kinds[row] if kinds else row % 3, digest(text_of(row))) for row in rows}
        self.assertEqual(found, expected)

    def test_rows_are_loaded_and_read_in_every_form(self):
        self.make_table()
        self.expect_rows(range(ROWS))
        for form in ("csv", "table"):
            output = self.run_firn("read", "db.t", "--output", form)
            self.assertGreater(os.path.getsize(output), ROWS * VALUE_BYTES)
        self.run_firn("count", "db.t", "--where", "body > 'm'")

    def test_json_is_loaded(self):
        source = self.write_rows("rows.json", range(4))
        self.run_firn("ingest", "json", source, "--into", "db.t", memory=2 * MEMORY,
                      peak_max=PEAK_MAX + MEMORY * MEBIBYTE)
        self.expect_rows(range(4))

    # B128
    def test_files_are_compacted_and_sorted_with_deletes(self):
        self.make_table()
        self.run_firn("rewrite-data-files", "db.t", "--option", "rewrite-all=true")
        self.expect_rows(range(ROWS))
        self.run_firn("delete", "db.t", "--where", "kind = 1", "--write-mode", "merge-on-read")
        self.run_firn("rewrite-data-files", "db.t", "--option", "rewrite-all=true")
        left = [row for row in range(ROWS) if row % 3 != 1]
        self.expect_rows(left)
        self.run_firn("rewrite-data-files", "db.t", "--strategy", "sort", "--sort-order", "id DESC",
                      "--option", "rewrite-all=true")
        self.expect_rows(left)

    def test_rows_of_a_third_of_the_memory_are_sorted(self):
        rows = [3, 0, 5, 1, 4, 2]
        for half in (rows[:3], rows[3:]):
            path = os.path.join(self.folder, "rows.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("id,kind,body\n")
                for row in half:
                    file.write(f"{row},{row % 2},{text_of(row, LARGE_BYTES)}\n")
            self.run_firn("ingest", "csv", path, "--into", "db.t", memory=4 * MEMORY,
                          peak_max=5 * MEMORY * MEBIBYTE)
        expected = {row: digest(text_of(row, LARGE_BYTES)) for row in rows}
        by_text = sorted(rows, key=lambda row: text_of(row, LARGE_BYTES)[:64])
        for order, sorted_rows in ((None, None), ("id DESC", [5, 4, 3, 2, 1, 0]), ("body", by_text),
                                   ("zorder(id, kind)", None), ("hilbert(id, kind)", None)):
            options = ["--strategy", "sort", "--sort-order", order] if order else []
            self.run_firn("rewrite-data-files", "db.t", "--option", "rewrite-all=true", *options)
            output = self.run_firn("read", "db.t", "--output", "json", memory=4 * MEMORY,
                                   peak_max=5 * MEMORY * MEBIBYTE)
            found = {}
            with open(output, encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    found[row["id"]] = digest(row["body"])
            self.assertEqual(found, expected)
            if sorted_rows:
                self.assertEqual(list(found), sorted_rows)

    def test_rows_are_deleted_updated_and_merged(self):
        self.make_table(range(6))
        self.run_firn("delete", "db.t", "--where", "kind = 2", "--write-mode", "copy-on-write")
        self.run_firn("update", "db.t", "--set", "kind = 7", "--where", "id = 1", "--write-mode",
                      "merge-on-read", peak_max=PEAK_MAX + ENGINE_BYTES)
        self.expect_rows((0, 1, 3, 4), kinds={0: 0, 1: 7, 3: 0, 4: 1})
        source = self.write_rows("rows.csv", (1, 9))
        self.run_firn("ingest", "csv", source, "--into", "db.t", "--mode", "merge", "--key", "id")
        self.expect_rows((0, 1, 3, 4, 9), kinds={0: 0, 1: 1, 3: 0, 4: 1, 9: 0})

    def test_a_value_that_cannot_fit_is_told(self):
        source = os.path.join(self.folder, "row.csv")
        with open(source, "w", encoding="utf-8") as file:
            file.write("id,body\n1,")
            for row in range(3):
                file.write(text_of(row))
            file.write("\n")
        self.run_firn("ingest", "csv", source, "--into", "db.t", memory=4 * MEMORY,
                      peak_max=5 * MEMORY * MEBIBYTE)
        message = self.run_firn("read", "db.t", "--output", "json", memory=16, code=8,
                                peak_max=(16 + 30) * MEBIBYTE)
        for part in ("resource-exhausted", "data file", "column 'body'", "--memory"):
            self.assertIn(part, message)

    def write_wide_rows(self, columns, rows, seed):
        path = os.path.join(self.folder, "wide.csv")
        generator = random.Random(seed)
        with open(path, "w", encoding="utf-8") as file:
            file.write(",".join(f"c{i}" for i in range(columns)) + "\n")
            for _ in range(rows):
                file.write(",".join(f"{'' if i % 3 else 'text '}{generator.getrandbits(40)}"
                                    for i in range(columns)))
                file.write("\n")
        return path

    def run_wide(self, *arguments):
        return self.run_firn(*arguments, peak_max=WIDE_PEAK_MAX)

    def test_many_columns_are_sorted_and_deleted_from(self):
        source = self.write_wide_rows(1000, 400, 1)
        self.run_wide("ingest", "csv", source, "--into", "db.wide")
        self.run_wide("rewrite-data-files", "db.wide", "--strategy", "sort", "--sort-order", "c7",
                      "--option", "rewrite-all=true")
        output = self.run_wide("read", "db.wide", "--columns", "c7", "--output", "csv")
        with open(output, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 401)
        self.run_wide("delete", "db.wide", "--where", "c1 > 800000000000", "--write-mode",
                      "copy-on-write")
        self.run_wide("count", "db.wide")

    def test_very_many_columns_are_loaded_rewritten_and_read(self):
        columns = 2000
        for number in range(2):
            source = self.write_wide_rows(columns, 300, number)
            self.run_wide("ingest", "csv", source, "--into", "db.wide")
        self.run_wide("rewrite-data-files", "db.wide", "--option", "rewrite-all=true")
        output = self.run_wide("read", "db.wide", "--output", "csv")
        with open(output, encoding="utf-8") as file:
            lines = file.readlines()
        self.assertEqual(len(lines), 601)
        self.assertEqual({line.count(",") for line in lines}, {columns - 1})
        self.run_wide("rewrite-data-files", "db.wide", "--strategy", "sort", "--sort-order", "c7",
                      "--option", "rewrite-all=true")
        self.run_wide("delete", "db.wide", "--where", "c1 > 800000000000", "--write-mode",
                      "copy-on-write")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
