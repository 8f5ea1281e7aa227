"""The same table made and changed by firn and by PyIceberg: ids, specs and orders are equal.

usage: evolution_test.py FIRN
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import (BucketTransform, DayTransform, IdentityTransform, MonthTransform,
                                  TruncateTransform, VoidTransform, YearTransform)
from pyiceberg.types import (BinaryType, BooleanType, DateType, DecimalType, DoubleType, FixedType,
                             FloatType, IntegerType, ListType, LongType, MapType, NestedField,
                             StringType, StructType, TimestampType, TimestamptzType, TimeType,
                             UUIDType)

FIRN = pathlib.Path()

NESTED = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "name", StringType(), doc="full name"),
    NestedField(3, "ts", TimestamptzType()),
    NestedField(4, "s", StructType(NestedField(5, "a", IntegerType()),
                                   NestedField(6, "b", StructType(
                                       NestedField(7, "c", FloatType()))))),
    NestedField(8, "l", ListType(9, StructType(NestedField(10, "x", IntegerType())),
                                 element_required=False)),
    NestedField(11, "m", MapType(12, StringType(), 13, StructType(
        NestedField(14, "q", IntegerType())), value_required=False)),
    NestedField(15, "d", DecimalType(9, 2)),
)
NESTED_TEXT = ("id bigint not null, name string comment 'full name', ts timestamptz, "
               "s struct<a: int, b: struct<c: float>>, l array<struct<x: int>>, "
               "m map<string, struct<q: int>>, d decimal(9,2)")


class EvolutionTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="firn-interop-"))
        self.uri = f"sqlite:///{self.folder}/catalog.db"
        self.python = SqlCatalog("lake", uri=self.uri, warehouse=f"file://{self.folder}/warehouse")
        self.addCleanup(self.python.close)
        self.python.create_namespace("db")

    def firn(self, *words, error=None):
        result = subprocess.run(
            [FIRN, "--catalog", "lake", "--output", "json", "--conf", "catalog.lake.type=sql",
             "--conf", f"catalog.lake.uri={self.uri}",
             "--conf", f"catalog.lake.warehouse=file://{self.folder}/warehouse", *words],
            capture_output=True, text=True, cwd=self.folder, check=False)
        if error is not None:
            self.assertNotEqual(result.returncode, 0, words)
            self.assertIn(error, result.stderr)
            return []
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def make_both(self, text, schema, partition="", spec=None, sort="", order=None, version=2):
        words = ["--schema", text, "--format-version", str(version)]
        if partition:
            words += ["--partition", partition]
        if sort:
            words += ["--sort", sort]
        self.firn("table", "create", "db.firn", *words)
        self.python.create_table(
            "db.python", schema, partition_spec=spec or PartitionSpec(),
            sort_order=order or SortOrder(order_id=0), properties={"format-version": str(version)})
        self.compare()

    def compare(self):
        """Everything that evolution assigns is the same in both tables."""
        ours = self.python.load_table("db.firn").metadata
        theirs = self.python.load_table("db.python").metadata
        self.assertEqual(ours.format_version, theirs.format_version)
        self.assertEqual(ours.last_column_id, theirs.last_column_id)
        self.assertEqual(ours.current_schema_id, theirs.current_schema_id)
        self.assertEqual(ours.schemas, theirs.schemas)
        for our, their in zip(ours.schemas, theirs.schemas):
            self.assertEqual(our.schema_id, their.schema_id)
            self.assertEqual(sorted(our.identifier_field_ids), sorted(their.identifier_field_ids))
        self.assertEqual(ours.partition_specs, theirs.partition_specs)
        self.assertEqual(ours.default_spec_id, theirs.default_spec_id)
        self.assertEqual(ours.last_partition_id, theirs.last_partition_id)
        self.assertEqual(ours.sort_orders, theirs.sort_orders)
        self.assertEqual(ours.default_sort_order_id, theirs.default_sort_order_id)

    def alter(self, words, schema=None, spec=None, order=None):
        """Do the same with both, and compare."""
        self.firn("table", "alter", "db.firn", *words)
        table = self.python.load_table("db.python")
        for update, change in ((table.update_schema, schema), (table.update_spec, spec),
                               (table.update_sort_order, order)):
            if change is not None:
                with update() as transaction:
                    change(transaction)
        self.compare()

    def test_every_type_is_made_alike(self):
        types = {"boolean": BooleanType(), "int": IntegerType(), "bigint": LongType(),
                 "float": FloatType(), "double": DoubleType(), "decimal(9,2)": DecimalType(9, 2),
                 "date": DateType(), "time": TimeType(), "timestamp": TimestampType(),
                 "timestamptz": TimestamptzType(), "string": StringType(), "uuid": UUIDType(),
                 "fixed[16]": FixedType(16), "binary": BinaryType(),
                 "array<int>": ListType(100, IntegerType(), element_required=False),
                 "map<string, bigint>": MapType(101, StringType(), 102, LongType(),
                                                value_required=False)}
        text = ", ".join(f"c{i} {name}" for i, name in enumerate(types))
        fields = [NestedField(i + 1, f"c{i}", kind) for i, kind in enumerate(types.values())]
        self.make_both(text, Schema(*fields))

    def test_a_new_table_numbers_columns_fields_and_orders_alike(self):
        spec = PartitionSpec(PartitionField(3, 1000, DayTransform(), "ts_day"),
                             PartitionField(1, 1001, BucketTransform(16), "b"))
        order = SortOrder(SortField(1, IdentityTransform(), SortDirection.DESC,
                                    NullOrder.NULLS_LAST),
                          SortField(2, TruncateTransform(4), SortDirection.ASC,
                                    NullOrder.NULLS_FIRST))
        self.make_both(NESTED_TEXT, NESTED, "days(ts), bucket(16, id) as b", spec,
                       "id desc, truncate(4, name)", order)
        properties = self.python.load_table("db.firn").properties
        self.assertEqual(properties["write.parquet.compression-codec"], "zstd")

    def test_schemas_evolve_alike(self):
        self.make_both(NESTED_TEXT, NESTED)
        self.alter(["add-column", "e struct<f: int, g: array<string>>"],
                   lambda t: t.add_column("e", StructType(
                       NestedField(1, "f", IntegerType()),
                       NestedField(2, "g", ListType(3, StringType(), element_required=False)))))
        self.alter(["add-column", "s.b.z bigint", "--doc", "deep", "--first"],
                   lambda t: t.add_column(("s", "b", "z"), LongType(), doc="deep")
                   .move_first(("s", "b", "z")))
        self.alter(["add-column", "l.y int"], lambda t: t.add_column(("l", "y"), IntegerType()))
        self.alter(["add-column", "m.r int"], lambda t: t.add_column(("m", "r"), IntegerType()))
        self.alter(["alter-column", "s.a", "--type", "bigint"],
                   lambda t: t.update_column(("s", "a"), LongType()))
        self.alter(["alter-column", "s.b.c", "--type", "double", "--doc", "wide"],
                   lambda t: t.update_column(("s", "b", "c"), DoubleType(), doc="wide"))
        self.alter(["alter-column", "d", "--type", "decimal(20,2)", "--after", "id"],
                   lambda t: t.update_column("d", DecimalType(20, 2)).move_after("d", "id"))
        self.alter(["rename-column", "s.b.c", "cc"],
                   lambda t: t.rename_column(("s", "b", "c"), "cc"))
        self.alter(["drop-column", "e.f"], lambda t: t.delete_column(("e", "f")))
        self.alter(["add-column", "e.f int"], lambda t: t.add_column(("e", "f"), IntegerType()))
        self.alter(["set-identifier-fields", "id"], lambda t: t.set_identifier_fields("id"))
        self.alter(["set-identifier-fields", ""], lambda t: t.set_identifier_fields())
        self.alter(["alter-column", "id", "--drop-not-null"],
                   lambda t: t.make_column_optional("id"))
        self.alter(["drop-column", "e"], lambda t: t.delete_column("e"))

    def test_specs_evolve_alike_and_old_fields_come_back(self):
        for version in (1, 2):
            with self.subTest(version=version):
                spec = PartitionSpec(PartitionField(3, 1000, DayTransform(), "ts_day"),
                                     PartitionField(2, 1001, IdentityTransform(), "name"))
                self.make_both(NESTED_TEXT, NESTED, "days(ts), name", spec, version=version)
                self.alter(["add-partition-field", "bucket(16, id)"],
                           spec=lambda t: t.add_field("id", BucketTransform(16)))
                self.alter(["drop-partition-field", "name"], spec=lambda t: t.remove_field("name"))
                self.alter(["replace-partition-field", "days(ts)", "months(ts)"],
                           spec=lambda t: t.remove_field("ts_day")
                           .add_field("ts", MonthTransform()))
                self.alter(["add-partition-field", "truncate(4, name)", "--as", "n"],
                           spec=lambda t: t.add_field("name", TruncateTransform(4), "n"))
                if version == 2:
                    self.alter(["add-partition-field", "name"],
                               spec=lambda t: t.add_field("name", IdentityTransform()))
                else:
                    fields = self.python.load_table("db.firn").spec().fields
                    self.assertEqual([field.transform for field in fields[:2]],
                                     [VoidTransform(), VoidTransform()])
                for table in ("db.firn", "db.python"):
                    self.python.drop_table(table)

    def test_sort_orders_evolve_alike(self):
        self.make_both(NESTED_TEXT, NESTED)
        self.alter(["set-sort-order", "id desc nulls first, bucket(4, name) nulls last"],
                   order=lambda t: t.desc("id", IdentityTransform(), NullOrder.NULLS_FIRST)
                   .asc("name", BucketTransform(4), NullOrder.NULLS_LAST))
        self.alter(["set-sort-order", "ts"],
                   order=lambda t: t.asc("ts", IdentityTransform(), NullOrder.NULLS_FIRST))

    def test_tables_are_upgraded_alike(self):
        self.make_both(NESTED_TEXT, NESTED, "years(ts)",
                       PartitionSpec(PartitionField(3, 1000, YearTransform(), "ts_year")),
                       version=1)
        self.firn("table", "alter", "db.firn", "upgrade", "2")
        with self.python.load_table("db.python").transaction() as transaction:
            transaction.upgrade_table_version(2)
        self.compare()
        self.firn("table", "alter", "db.firn", "upgrade", "1", error="cannot be lowered to 1")

    def test_the_name_mapping_follows_alike(self):
        self.make_both(NESTED_TEXT, NESTED)
        mapping = self.python.load_table("db.firn").schema().name_mapping.model_dump_json()
        for table in ("db.firn", "db.python"):
            with self.python.load_table(table).transaction() as transaction:
                transaction.set_properties({"schema.name-mapping.default": mapping})
        self.alter(["add-column", "l.y int"], lambda t: t.add_column(("l", "y"), IntegerType()))
        self.alter(["rename-column", "name", "label"], lambda t: t.rename_column("name", "label"))
        self.assertEqual(self.python.load_table("db.firn").name_mapping(),
                         self.python.load_table("db.python").name_mapping())

    def test_both_change_one_table_in_turn(self):
        self.firn("table", "create", "db.t", "--schema", "id bigint not null, ts timestamp",
                  "--partition", "days(ts)")
        table = self.python.load_table("db.t")
        with table.update_schema() as update:
            update.add_column("python1", IntegerType())
        self.firn("table", "alter", "db.t", "add-column", "firn1 int")
        with table.refresh().update_spec() as update:
            update.add_field("id", BucketTransform(4))
        self.firn("table", "alter", "db.t", "drop-partition-field", "ts_day")
        with table.refresh().update_schema() as update:
            update.delete_column("python1")
        self.firn("table", "alter", "db.t", "add-column", "python1 string")
        metadata = self.python.load_table("db.t").metadata
        self.assertEqual([(field.field_id, field.name) for field in metadata.schema().fields],
                         [(1, "id"), (2, "ts"), (4, "firn1"), (5, "python1")])
        self.assertEqual([(field.field_id, field.name) for field in metadata.spec().fields],
                         [(1001, "id_bucket_4")])

    def test_both_refuse_the_same(self):
        spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
        self.make_both(NESTED_TEXT, NESTED, "name", spec)
        forbidden = [
            (["add-column", "id int"], lambda t: t.add_column("id", IntegerType())),
            (["add-column", "r int not null"],
             lambda t: t.add_column("r", IntegerType(), required=True)),
            (["add-column", "s.a.b int"], lambda t: t.add_column(("s", "a", "b"), IntegerType())),
            (["alter-column", "id", "--type", "int"],
             lambda t: t.update_column("id", IntegerType())),
            (["alter-column", "d", "--type", "decimal(8,2)"],
             lambda t: t.update_column("d", DecimalType(8, 2))),
            (["rename-column", "nothing", "x"], lambda t: t.rename_column("nothing", "x")),
            (["drop-column", "m.key"], lambda t: t.delete_column(("m", "key"))),
            (["drop-column", "l.element"], lambda t: t.delete_column(("l", "element"))),
            (["set-identifier-fields", "name"], lambda t: t.set_identifier_fields("name")),
            (["drop-column", "name"], lambda t: t.delete_column("name")),
        ]
        for words, change in forbidden:
            with self.subTest(words=words):
                self.firn("table", "alter", "db.firn", *words, error="error: invalid-input: ")
                with self.assertRaises(Exception):
                    with self.python.load_table("db.python").update_schema() as update:
                        change(update)
        self.compare()


if __name__ == "__main__":
    FIRN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
