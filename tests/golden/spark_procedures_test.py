"""firn's procedures against what Spark's did to tables that Spark wrote.

usage: spark_procedures_test.py FIRN FOLDER [ANSWERS]

ANSWERS is a list of calls with the rows they gave and the files by kind before and after; the
default is `procedures.json` in FOLDER. FOLDER holds the tables as `<table>/` or
`warehouse/db/<table>/`; they are copied first. Calls of one namespace and table run in order on one
copy, as they did in Spark.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from firn_program import Firn

RECORDED = "/tmp/firn-fixtures/warehouse/db"
# After a compaction firn has already taken delete files out that Spark leaves live (see
# docs/differences-from-spark.md), so they are deleted when that snapshot is all that is left.
MORE_DELETED = {
    ("db", "mor_pos", "expire_snapshots"): {"deletes_file": 5},
    ("db", "mor_pos_part", "expire_snapshots"): {"deletes_file": 11},
}


def kind_of(folder, name):
    if name.endswith(".metadata.json"):
        return "metadata_json"
    if folder == "metadata" and name.startswith("snap-"):
        return "manifest_list"
    if name.endswith(".puffin"):
        return "puffin"
    if folder == "metadata":
        return "manifest" if name.endswith(".avro") else "metadata_other"
    return "deletes_file" if "deletes" in name else "data_file"


def count_files(location):
    """Files by kind, without Hadoop's checksums."""
    counts = {}
    for folder, _, names in os.walk(location):
        top = os.path.relpath(folder, location).split(os.sep)[0]
        for name in names:
            if not name.endswith(".crc"):
                kind = kind_of(top, name)
                counts[kind] = counts.get(kind, 0) + 1
    return counts


def removed(before, after):
    """How many files of each kind went; those that came are negative."""
    kinds = set(before) | set(after)
    return {kind: before.get(kind, 0) - after.get(kind, 0) for kind in kinds - {"crc"}
            if before.get(kind, 0) != after.get(kind, 0)}


class SparkProceduresTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-procedures-")
        self.addCleanup(shutil.rmtree, self.folder)

    def location(self, namespace, table):
        location = os.path.join(self.folder, namespace, table)
        if not os.path.exists(location):
            os.makedirs(os.path.dirname(location), exist_ok=True)
            # With their times, which tell the age of orphans.
            subprocess.run(["cp", "-a", "--no-preserve=ownership", "-T",
                            os.path.join(self.tables, table), location], check=True)
        return location

    def call(self, answer):
        """Rows, and files by kind before and after."""
        location = self.location(answer["ns"], answer["table"])
        firn = Firn(self.program,
                    [f"io.rewrite-prefix={RECORDED}={os.path.dirname(location)}"])
        sql = answer["sql"].replace("CALL local.system", "CALL system")
        sql = re.sub(r"table => '[^']*'", f"table => '{location}'", sql)
        content = sorted(map(repr, firn.rows("read", location)))
        before = count_files(location)
        rows = firn.rows("call", sql)
        after = count_files(location)
        self.assertEqual(sorted(map(repr, firn.rows("read", location))), content)
        self.live = firn.rows("inspect", location, "files")
        return rows, before, after

    def check_rewrite(self, answer, rows, before, after):
        """The counts of Spark; but firn takes out every delete file that nothing needs any more."""
        del before, after
        [expected] = answer["output"]
        [found] = rows
        for name in ("rewritten_data_files_count", "added_data_files_count",
                     "failed_data_files_count"):
            self.assertEqual(found[name], expected[name], name)
        self.assertGreaterEqual(found["removed_delete_files_count"],
                                expected["removed_delete_files_count"])
        live = [sum(file["content"] == content for file in self.live) for content in (0, 1, 2)]
        spark = answer["after"].get("live")
        if spark is None:  # The small set of answers has the counts alone.
            return
        self.assertEqual(live[0], spark["data"])
        self.assertLessEqual(live[1], spark["pos_deletes"])
        self.assertLessEqual(live[2], spark["eq_deletes"])

    def check_expiry(self, answer, rows, before, after):
        expected = removed(answer["before"]["disk"], answer["after"]["disk"])
        found = removed(before, after)
        key = (answer["ns"], answer["table"], answer["procedure"])
        for kind, more in MORE_DELETED.get(key, {}).items():
            expected[kind] = expected.get(kind, 0) + more
        expected_row = dict(answer["output"][0])
        if answer["ns"] == "db":  # After a compaction, whose manifests are firn's own.
            expected.pop("manifest", None)
            manifests = found.pop("manifest", 0)
            self.assertEqual(rows[0]["deleted_manifest_files_count"], manifests)
            expected_row["deleted_manifest_files_count"] = manifests
        expected_row["deleted_position_delete_files_count"] += sum(
            MORE_DELETED.get(key, {}).values())
        self.assertEqual(rows, [expected_row])
        self.assertEqual(found, expected)

    def check_rows(self, answer, rows, before, after):
        self.assertEqual(rows, answer["output"])
        self.assertEqual(removed(before, after),
                         removed(answer["before"]["disk"], answer["after"]["disk"]))

    def check_delete_rewrite(self, answer, rows, before, after):
        """Bytes are those of other files; how many manifests a commit writes is the engine's."""
        def comparable(row):
            return {key: value > 0 if "bytes" in key else value for key, value in row.items()}
        self.assertEqual([comparable(row) for row in rows],
                         [comparable(row) for row in answer["output"]])
        expected = removed(answer["before"]["disk"], answer["after"]["disk"])
        found = removed(before, after)
        for files in found, expected:
            files.pop("manifest", None)
        self.assertEqual(found, expected)

    def check_orphans(self, answer, rows, before, after):
        here = f"{RECORDED}/{answer['table']}"
        there = f"file:{RECORDED}/{answer['table']}"
        expected = sorted(row["orphan_file_location"].replace(there, "")
                          for row in answer["output"])
        found = sorted(row["orphan_file_location"].removeprefix("file:").replace(here, "")
                       for row in rows)
        self.assertEqual(found, expected)
        self.assertEqual(removed(before, after),
                         removed(answer["before"]["disk"], answer["after"]["disk"]))


CHECKS = {
    "rewrite_data_files": SparkProceduresTest.check_rewrite,
    "expire_snapshots": SparkProceduresTest.check_expiry,
    "remove_orphan_files": SparkProceduresTest.check_orphans,
    "rewrite_manifests": SparkProceduresTest.check_rows,
    "rewrite_position_delete_files": SparkProceduresTest.check_delete_rewrite,
}


def add_test(namespace, table, answers):
    def test(self):
        for answer in answers:
            with self.subTest(sql=answer["sql"]):
                outcome = self.call(answer)
                check = CHECKS.get(answer["procedure"])
                if check is not None:
                    check(self, answer, *outcome)
    setattr(SparkProceduresTest, f"test_{namespace}_{table}", test)


def main():
    folder = sys.argv[2]
    base = os.path.join(folder, "warehouse", "db")
    SparkProceduresTest.program = sys.argv[1]
    SparkProceduresTest.tables = os.path.abspath(base if os.path.isdir(base) else folder)
    with open(sys.argv[3] if len(sys.argv) > 3 else os.path.join(folder, "procedures.json"),
              encoding="utf-8") as file:
        answers = json.load(file)
    for namespace, table in sorted({(a["ns"], a["table"]) for a in answers}):
        calls = [a for a in answers if (a["ns"], a["table"]) == (namespace, table)]
        if any(call["procedure"] in CHECKS for call in calls):
            add_test(namespace, table, [a for a in calls if a["procedure"] in CHECKS])
    unittest.main(argv=sys.argv[:1], warnings="ignore")


if __name__ == "__main__":
    main()
