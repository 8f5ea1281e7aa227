#!/usr/bin/env python3
"""Variants: Spark and DuckDB read what firn wrote, and firn what Spark wrote, before and after firn's
compaction.

usage: variants_test.py FIRN
"""

import json
import sys
import unittest

import duckdb
import pyarrow.parquet
from written_lake import Lake

# Each is one value of a variant column: as JSON, or as an expression of Spark's SQL.
JSON_VALUES = [
    '{"a":{"k":-5},"b":[1,2.5,"x",null,true]}', '"ä \\" \\u0001"', "[]", "{}", "0", "-129", "70000",
    "12345678901", "12345678901234567890123", "0.00000000001", "1.0E10", "false",
    '{"a":{"k":[[],[[1]]]},"z":"' + "long " * 30 + '"}', "[" + ",".join(map(str, range(300))) + "]",
]
SPARK_VALUES = [
    "parse_json('null')", "CAST(NULL AS variant)", "CAST(DATE'2024-03-30' AS variant)",
    "CAST(TIMESTAMP'1969-12-31 23:59:59.5' AS variant)",
    "CAST(TIMESTAMP_NTZ'2024-03-30 01:02:00' AS variant)", "CAST(X'00ff10' AS variant)",
    "CAST(CAST(100.10 AS decimal(10,2)) AS variant)", "CAST(CAST(1.5 AS float) AS variant)",
    "CAST(double('NaN') AS variant)", "CAST(CAST(-3 AS tinyint) AS variant)",
] + [f"parse_json('{text}')" for text in JSON_VALUES if "\\" not in text]
# The first rows decide how a file is shredded; Iceberg 1.11 cannot shred decimals of 128 bits.
SHREDDED_VALUES = [f"parse_json('{text}')" for text in (
    '{"a":1,"b":"x","c":{"d":[1.5,2],"e":true}}', '{"a":2,"b":null,"c":{"d":[],"e":1}}',
    '{"a":"no number","z":[1],"c":7}', "[1]", "{}", "null", '{"b":"y"}')] + [
    "CAST(NULL AS variant)"]


class VariantsTest(unittest.TestCase):
    lake = None

    @classmethod
    def setUpClass(cls):
        cls.lake = Lake(sys.argv[1])

    @classmethod
    def tearDownClass(cls):
        cls.lake.close()

    def spark_texts(self, table, column="v"):
        rows = self.lake.sql(f"SELECT id, to_json({column}) AS text FROM {table}")
        return {row["id"]: row["text"] for row in rows}

    def firn_texts(self, table):
        """The text of each value as it stands in a row of JSON; a null reads as a JSON null."""
        texts = {}
        output = self.lake.firn.run("read", table, "--columns", "id,v", "--output", "json")
        for line in output.splitlines():
            start = len(f'{{"id":{json.loads(line)["id"]},"v":')
            texts[json.loads(line)["id"]] = line[start:-1]
        return texts

    def check_both(self, table, expected):
        """Same texts in both engines; `expected` has None for no value."""
        self.assertEqual(self.spark_texts(table), expected)
        self.assertEqual(self.firn_texts(table),
                         {key: "null" if text is None else text for key, text in expected.items()})

    def load(self, table, rows):
        path = f"{self.lake.folder}/rows.json"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f'{{"id":{key},"v":{text}}}\n' for key, text in rows.items())
        self.lake.firn.run("ingest", "json", path, "--into", table)

    def compact(self, table, *options):
        result, = self.lake.firn.rows("rewrite-data-files", table, "--option", "rewrite-all=true",
                                      "--verify", "content", *options)
        self.assertGreater(result["rewritten_data_files_count"], 0)

    def make_firn_table(self, name, *options):
        table = f"db.{name}"
        self.lake.firn.run("table", "create", table, "--schema", "id bigint, v variant",
                           "--format-version", "3", *options)
        expected = dict(enumerate(JSON_VALUES))
        self.load(table, dict(list(expected.items())[:7]))
        self.load(table, dict(list(expected.items())[7:] + [(1000, "null")]))
        expected[1000] = None
        return table, expected

    def test_spark_reads_what_firn_wrote_before_and_after_compaction(self):
        for file_format in ("parquet", "avro"):
            with self.subTest(file_format):
                table, expected = self.make_firn_table(
                    f"written_{file_format}", "--property", f"write.format.default={file_format}")
                self.check_both(table, expected)
                self.compact(table)
                self.check_both(table, expected)

    def test_spark_takes_parts_of_what_firn_wrote(self):
        table, _ = self.make_firn_table("parts")
        row, = self.lake.sql("SELECT variant_get(v, '$.a.k', 'int') AS k, "
                             "variant_get(v, '$.b[1]', 'double') AS b, schema_of_variant(v) AS kind "
                             f"FROM {table} WHERE id = 0")
        self.assertEqual((row["k"], row["b"]), (-5, 2.5))
        self.assertIn("OBJECT<a: OBJECT<k: BIGINT>", row["kind"])

    def test_duckdb_reads_what_firn_wrote(self):
        table, expected = self.make_firn_table("duck")
        self.compact(table)
        path, = self.lake.files(table)
        # As text it makes no JSON of decimals below 1: ".00000000001".
        rows = duckdb.sql(f"SELECT id, regexp_replace(v::JSON::VARCHAR, '^[.]', '0.') "
                          f"FROM '{path}'").fetchall()
        self.assertEqual({key: json.loads(text or "null") for key, text in rows},
                         {key: json.loads(text or "null") for key, text in expected.items()})

    def make_spark_table(self, name, values, properties=""):
        """Two files."""
        table = f"db.{name}"
        self.lake.sql(f"CREATE TABLE {table} (id bigint, v variant) USING iceberg "
                      f"TBLPROPERTIES ('format-version'='3'{properties})")
        half = len(values) // 2
        for first, part in ((0, values[:half]), (half, values[half:])):
            rows = " UNION ALL ".join(f"SELECT {first + i} AS id, {value} AS v"
                                      for i, value in enumerate(part))
            self.lake.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM ({rows})")
        return table

    def check_spark_table(self, table):
        expected = self.spark_texts(table)
        self.check_both(table, expected)
        nulls = self.lake.firn.count(table, "--where", "v IS NULL")
        self.assertEqual(nulls, sum(text is None for text in expected.values()))
        self.compact(table)
        self.check_both(table, expected)

    def test_firn_reads_what_spark_wrote_before_and_after_compaction(self):
        for name, properties in (("parquet", ""), ("avro", ", 'write.format.default'='avro'")):
            with self.subTest(name):
                self.check_spark_table(
                    self.make_spark_table(f"spark_{name}", SPARK_VALUES, properties))

    def test_firn_reads_shredded_files(self):
        table = self.make_spark_table(
            "shredded", SHREDDED_VALUES, ", 'write.parquet.shred-variants'='true'")
        groups = {str(pyarrow.parquet.ParquetFile(path).schema) for path in self.lake.files(table)}
        self.assertEqual(len(groups), 2)
        self.assertTrue(any("typed_value" in group for group in groups), groups)
        self.check_spark_table(table)

    def test_changed_rows_keep_the_values_of_the_others(self):
        for mode in ("copy-on-write", "merge-on-read"):
            with self.subTest(mode):
                table = self.make_spark_table(f"changed_{mode.replace('-', '_')}", SPARK_VALUES)
                expected = self.spark_texts(table)
                self.lake.firn.run("delete", table, "--where", "id = 3", "--write-mode", mode)
                del expected[3]
                self.lake.firn.run("update", table, "--set", "id=100", "--where", "id = 4",
                                   "--write-mode", mode)
                expected[100] = expected.pop(4)
                self.lake.sql(f"DELETE FROM {table} WHERE id = 5")
                del expected[5]
                self.check_both(table, expected)
                self.compact(table)
                self.check_both(table, expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
