"""Every kind of table, compacted by every strategy in every format version, keeps its rows.

usage: compaction_cases_test.py FIRN DELETE_KEYS [CASE...]

The kinds are those of bench/compare/compaction.py, small: files of one row, many rows, clustered and
random, position and equality deletes, deletion vectors, many partitions, wide tables, long texts,
nested columns. Before each compaction rows are deleted, so that every strategy meets deletes; firn
compares the content itself (--verify content), and the test compares what is read.
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
DELETE_KEYS = None
SEED = 20261130
STRATEGIES = (
    ("--strategy", "binpack"),
    ("--strategy", "sort", "--sort-order", "b DESC NULLS LAST, a"),
    ("--strategy", "sort", "--sort-order", "zorder(a, b)"),
    ("--strategy", "sort", "--sort-order", "hilbert(a, b)"),
)

# How the rows of a case look: `row` makes one of a number, `files` files have `rows` of them each.
Case = collections.namedtuple("Case", "files rows row columns options")


def plain(dice, number):
    return {"a": number, "b": dice.choice((None, dice.randrange(1000))), "c": f"text {number % 7}"}


def clustered(_, number):
    return {"a": number, "b": number // 10, "c": f"{number:012}"}


def wide(dice, number):
    row = {"a": number, "b": dice.randrange(9)}
    for column in range(500):
        row[f"c{column}"] = None if (column + number) % 5 == 0 else dice.random() * column
    return row


def long_texts(dice, number):
    return {"a": number, "b": dice.randrange(50), "c": chr(97 + number % 26) * dice.randrange(300000)}


def nested(dice, number):
    return {
        "a": number, "b": dice.randrange(50),
        "list": dice.choice((None, [], [1, None, number])),
        "rows": [{"x": number, "y": None}, {"x": None, "y": "z" * (number % 9)}][:dice.randrange(3)],
        "s": dice.choice((None, {"p": number, "q": {"r": str(number)}})),
    }


def columns_of(extra=""):
    return f"a bigint, b bigint{extra}"


WIDE = columns_of("".join(f", c{n} double" for n in range(500)))
NESTED = columns_of(
    ", list list<bigint>, rows list<struct<x: bigint, y: string>>, "
    "s struct<p: bigint, q: struct<r: string>>")
TEXT = columns_of(", c string")
CASES = {
    "one_row": Case(20, 1, plain, TEXT, ()),
    "random": Case(6, 800, plain, TEXT, ()),
    "clustered": Case(6, 800, clustered, TEXT, ()),
    "partitions": Case(4, 200, plain, TEXT, ("--partition", "bucket(16, a)")),
    "wide": Case(4, 40, wide, WIDE, ()),
    "long_texts": Case(4, 12, long_texts, TEXT, ()),
    "nested": Case(5, 100, nested, NESTED, ()),
    "small_row_groups": Case(4, 800, plain, TEXT,
                             ("--property", "write.parquet.row-group-size-bytes=4096")),
    "orc": Case(4, 200, plain, TEXT, ("--property", "write.format.default=orc")),
    "avro": Case(4, 200, plain, TEXT, ("--property", "write.format.default=avro")),
}


class CompactionCasesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-cases-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder

    def start(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def firn(self, *arguments):
        done = self.start(PROGRAM, *arguments, "--output", "json")
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr.decode()}")
        return done.stdout.decode().splitlines()

    def rows(self, table):
        return sorted(self.firn("read", table))

    def make_table(self, table, case, version):
        dice = random.Random(SEED)
        source = os.path.join(self.folder, "rows.json")
        for file in range(case.files):
            with open(source, "w", encoding="utf-8") as out:
                for row in range(case.rows):
                    json.dump(case.row(dice, file * case.rows + row), out)
                    out.write("\n")
            made = () if file else ("--schema", case.columns, "--format-version", str(version),
                                    *case.options)
            self.firn("ingest", "json", source, "--into", table, *made)

    def delete_some(self, table, case, version, step):
        """Rows of nearly every file, in the ways that the version has."""
        how = "copy-on-write" if version == 1 else "merge-on-read"
        gone = ", ".join(str(number) for number in range(step, case.files * case.rows, 13))
        self.firn("delete", table, "--where", f"a IN ({gone})", "--write-mode", how)
        if version >= 2:
            done = self.start(DELETE_KEYS, table, "a", str(step + 1), str(10 * step + 5))
            self.assertEqual(done.returncode, 0, done.stderr.decode())

    def compact(self, table, strategy):
        before = self.rows(table)
        [line] = self.firn("rewrite-data-files", table, *strategy, "--verify", "content",
                           "--option", "rewrite-all=true")
        self.assertGreater(json.loads(line)["rewritten_data_files_count"], 0)
        self.assertEqual(self.rows(table), before)
        deletes = [file for file in map(json.loads, self.firn("inspect", table, "files"))
                   if file["content"] != 0]
        self.assertEqual(deletes, [], "a delete file is left")

    def check(self, name, case):
        for version in (1, 2, 3):
            table = f"db.{name}_{version}"
            self.make_table(table, case, version)
            for step, strategy in enumerate(STRATEGIES):
                with self.subTest(version=version, strategy=strategy):
                    self.delete_some(table, case, version, step)
                    self.compact(table, strategy)


def add_test(name, case):
    setattr(CompactionCasesTest, f"test_{name}", lambda self: self.check(name, case))


def main():
    global PROGRAM, DELETE_KEYS
    PROGRAM, DELETE_KEYS = (os.path.abspath(program) for program in sys.argv[1:3])
    for name in sys.argv[3:] or CASES:
        add_test(name, CASES[name])
    unittest.main(argv=sys.argv[:1], verbosity=1)


if __name__ == "__main__":
    main()
