#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/json/json_tree_test_internal.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;

// One change to a valid file and the message that it must lead to.
struct Damage {
  const char* golden;
  const char* pointer;  // JSON pointer; the value "remove" takes the member away.
  JsonTree value;
  const char* message;
};

void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.golden << damage.pointer << " = " << damage.value.dump();
}

JsonTree Tree(const std::string& golden) { return JsonTree::parse(ReadGoldenMetadata(golden)); }

Result<TableMetadata> Parse(const JsonTree& tree) {
  const std::string text = tree.dump();
  return ParseTableMetadata(AsBytes(text), "f");
}

class DamageTest : public testing::TestWithParam<Damage> {};

TEST_P(DamageTest, IsRefusedByName) {
  JsonTree tree = Tree(GetParam().golden);
  const JsonTree::json_pointer pointer(GetParam().pointer);
  if (GetParam().value == "remove") {
    tree[pointer.parent_pointer()].erase(pointer.back());
  } else {
    tree[pointer] = GetParam().value;
  }
  EXPECT_THAT(Parse(tree), IsError(ErrorCode::kCorrupt, GetParam().message));
}

const JsonTree kRemove = "remove";

INSTANTIATE_TEST_SUITE_P(
    Missing, DamageTest,
    testing::Values(
        Damage{"v1_minimal", "/location", kRemove, "f: required field 'location' is missing"},
        Damage{"v1_minimal", "/schema", kRemove, "required field 'schema' or 'schemas' is missing"},
        Damage{"v1_minimal", "/partition-spec", kRemove, "'partition-spec' or 'partition-specs'"},
        Damage{"v1_minimal", "/last-updated-ms", nullptr, "'last-updated-ms' is missing"},
        Damage{"v1_minimal", "/schema/fields/1/id", kRemove,
               "schema.fields[1]: required field 'id' is missing"},
        Damage{"v1_minimal", "/partition-spec/1/transform", kRemove,
               "partition-spec: [1]: required field 'transform' is missing"},
        Damage{"v2_full", "/table-uuid", kRemove, "'table-uuid' is missing (format version 2)"},
        Damage{"v2_full", "/last-sequence-number", kRemove, "'last-sequence-number' is missing"},
        Damage{"v2_full", "/last-column-id", kRemove, "'last-column-id' is missing"},
        Damage{"v2_full", "/current-schema-id", kRemove, "'current-schema-id' is missing"},
        Damage{"v2_full", "/schemas", kRemove, "'schemas' is missing"},
        Damage{"v2_full", "/partition-specs", nullptr, "'partition-specs' is missing"},
        Damage{"v2_full", "/default-spec-id", kRemove, "'default-spec-id' is missing"},
        Damage{"v2_full", "/last-partition-id", kRemove, "'last-partition-id' is missing"},
        Damage{"v2_full", "/sort-orders", kRemove, "'sort-orders' is missing"},
        Damage{"v2_full", "/default-sort-order-id", kRemove, "'default-sort-order-id' is missing"},
        Damage{"v2_full", "/snapshots/1/manifest-list", kRemove,
               "snapshots[1]: required field 'manifest-list' is missing"},
        Damage{"v2_full", "/snapshots/1/snapshot-id", kRemove,
               "snapshots[1]: required field 'snapshot-id' is missing"},
        Damage{"v2_full", "/schemas/1/fields/4/type/element-required", kRemove,
               "schemas[1].fields[4].type: type 'list' needs the fields 'element-id'"},
        Damage{"v2_full", "/schemas/1/fields/5/type/value", kRemove,
               "schemas[1].fields[5].type: type 'map' needs the fields 'key-id'"},
        Damage{"v2_full", "/statistics/0/blob-metadata/0/fields", kRemove,
               "statistics[0].blob-metadata[0]: required field 'fields' is missing"},
        Damage{"v2_full", "/sort-orders/1/fields/0/direction", kRemove,
               "sort-orders[1].fields[0]: required field 'direction' is missing"},
        Damage{"v2_full", "/partition-specs/1/fields/0/field-id", kRemove,
               "partition-specs[1].fields: some fields have a 'field-id' and some have none"},
        Damage{"v3_full", "/next-row-id", kRemove, "'next-row-id' is missing (format version 3)"},
        Damage{"v3_full", "/encryption-keys/0/encrypted-key-metadata", kRemove,
               "encryption-keys[0]: required field 'encrypted-key-metadata' is missing"}));

INSTANTIATE_TEST_SUITE_P(
    WrongType, DamageTest,
    testing::Values(
        Damage{"v2_full", "/location", 5, "location: found 5, expected a string"},
        Damage{"v2_full", "/snapshots", JsonTree::object(), "snapshots: found an object"},
        Damage{"v2_full", "/refs", JsonTree::array(), "refs: found an array, expected an object"},
        Damage{"v2_full", "/last-column-id", 3.5, "last-column-id: found 3.5"},
        Damage{"v2_full", "/last-column-id", 99999999999, "expected a number of 32 bits"},
        Damage{"v2_full", "/snapshots/0/snapshot-id", "1",
               "snapshots[0].snapshot-id: found \"1\", expected a whole number"},
        Damage{"v2_full", "/snapshots/0/snapshot-id", 18446744073709551615U,
               "expected a number of 64 bits"},
        Damage{"v2_full", "/snapshots/0/summary/added-records", JsonTree::array(),
               "snapshots[0].summary.added-records: found an array, expected a string"},
        Damage{"v2_full", "/properties/comment", nullptr, "properties.comment: found null"},
        Damage{"v2_full", "/snapshots/0/timestamp-ms", 999999999999999999,
               "snapshots[0].timestamp-ms: found 999999999999999999, expected milliseconds"},
        Damage{"v2_full", "/refs/main/type", "trunk", "refs.main.type: found \"trunk\", expected"},
        Damage{"v2_full", "/schemas/1/fields/0/type", "lnog", "schemas[1].fields[0].type: "},
        Damage{"v2_full", "/schemas/1/fields/0/type", 7, "schemas[1].fields[0].type: found 7"},
        Damage{"v2_full", "/schemas/1/fields/4/type/type", "set",
               "schemas[1].fields[4].type: found type 'set', expected 'struct', 'list' or 'map'"},
        Damage{"v2_full", "/schemas/1/type", "list", "schemas[1]: found type 'list'"},
        Damage{"v2_full", "/partition-specs/1/fields/1/transform", "bucket[0]",
               "partition-specs[1].fields[1]: transform: "},
        Damage{"v2_full", "/sort-orders/1/fields/0/null-order", "first",
               "sort-orders[1].fields[0]: null-order: found 'first', expected 'nulls-first'"},
        Damage{"v3_full", "/schemas/0/fields/1/initial-default", "x",
               "schemas[0].fields[1]: initial-default: "}));

INSTANTIATE_TEST_SUITE_P(
    Inconsistent, DamageTest,
    testing::Values(
        Damage{"v2_full", "/table-uuid", "", "table-uuid: found \"\", expected a UUID"},
        Damage{"v2_full", "/location", "", "location: found \"\", expected a URI"},
        Damage{"v2_full", "/current-schema-id", 7, "current-schema-id: found 7"},
        Damage{"v2_full", "/schemas/0/schema-id", 1, "schemas[1].schema-id: 1 stands twice"},
        Damage{"v2_full", "/schemas", JsonTree::array(), "current-schema-id: found 1"},
        Damage{"v2_full", "/schemas/1/fields/1/id", 1, "schemas[1]: "},
        Damage{"v2_full", "/schemas/0/fields/0/type", "variant", "schemas[0]: "},
        Damage{"v2_full", "/default-spec-id", 9, "default-spec-id: found 9"},
        Damage{"v2_full", "/partition-specs", JsonTree::array(), "default-spec-id: found 1"},
        Damage{"v2_full", "/partition-specs/0/spec-id", 1,
               "partition-specs[1].spec-id: 1 stands twice"},
        Damage{"v2_full", "/default-spec-id", 2, "partition-specs: spec 2: "},
        Damage{"v2_full", "/default-sort-order-id", 1, "default-sort-order-id: found 1"},
        Damage{"v2_full", "/sort-orders", JsonTree::array(), "default-sort-order-id: found 2"},
        Damage{"v2_full", "/sort-orders/1/order-id", 0, "sort-orders[1].order-id: 0 stands twice"},
        Damage{"v2_full", "/sort-orders/0/order-id", 3, "sort-orders[0]: order 3 has 0 fields"},
        Damage{"v2_full", "/sort-orders/1/fields/0/source-id", 99, "sort-orders: order 2: "},
        Damage{"v2_full", "/snapshots/1/sequence-number", 9007199254740996,
               "snapshots[1].sequence-number: found 9007199254740996, expected 0 to the "
               "9007199254740995"},
        Damage{"v2_full", "/snapshots/0/sequence-number", -1, "snapshots[0].sequence-number"},
        Damage{"v2_full", "/snapshots/1/snapshot-id", 9007199254740993,
               "snapshots[1].snapshot-id: 9007199254740993 stands twice"},
        Damage{"v2_full", "/current-snapshot-id", 5, "current-snapshot-id: found 5"},
        Damage{"v2_full", "/current-snapshot-id", 9007199254740997,
               "refs.main.snapshot-id: found 9007199254740993, expected the 9007199254740997"},
        Damage{"v2_full", "/current-snapshot-id", nullptr,
               "refs: there is a branch 'main', but no"},
        Damage{"v2_full", "/refs/main", kRemove, "refs: there is no branch 'main', but a"},
        Damage{"v2_full", "/refs/main/type", "tag", "refs.main.type: found \"tag\""},
        Damage{"v2_full", "/refs/audit/snapshot-id", 5, "refs.audit.snapshot-id: found 5"},
        Damage{"v2_full", "/refs/audit/min-snapshots-to-keep", 0,
               "refs.audit.min-snapshots-to-keep: found 0, expected more than 0"},
        Damage{"v2_full", "/refs/audit/max-snapshot-age-ms", -1, "refs.audit.max-snapshot-age-ms"},
        Damage{"v2_full", "/refs/v1.0/max-ref-age-ms", 0, "refs.v1.0.max-ref-age-ms"},
        Damage{"v2_full", "/last-updated-ms", 1700000000000,
               "last-updated-ms: found 2023-11-14T22:13:20.000Z, more than 60 s before the last "
               "entry of 'snapshot-log' (2023-11-14T22:15:00.000Z)"},
        Damage{"v2_full", "/metadata-log/0/timestamp-ms", 1700000360001,
               "before the last entry of 'metadata-log'"},
        Damage{"v3_full", "/next-row-id", -1, "next-row-id: found -1"}));

TEST(TableMetadataValidationTest, AllowsClocksToDifferByAMinute) {
  JsonTree tree = Tree("v2_full");
  const int64_t time = 1700000100000;
  const auto entry = [](int64_t at) {
    return JsonTree{{"timestamp-ms", at}, {"snapshot-id", 9007199254740993}};
  };
  tree["last-updated-ms"] = time - 60'000;
  tree["snapshot-log"] = {entry(time), entry(time - 60'000), entry(time)};
  EXPECT_THAT(Parse(tree), IsOk());
  tree["snapshot-log"] = {entry(time), entry(time - 60'001), entry(time)};
  EXPECT_THAT(Parse(tree), IsError(ErrorCode::kCorrupt, "snapshot-log[1].timestamp-ms: found"));
}

TEST(TableMetadataValidationTest, RefusesSnapshotsThatAreTheirOwnAncestors) {
  JsonTree tree = Tree("v2_full");
  tree["snapshots"][0]["parent-snapshot-id"] = 9007199254740997;
  EXPECT_THAT(Parse(tree), IsError(ErrorCode::kCorrupt, "is its own ancestor"));
  tree["snapshots"][0]["parent-snapshot-id"] = 9007199254740993;
  EXPECT_THAT(Parse(tree), IsError(ErrorCode::kCorrupt, "is its own ancestor"));
}

TEST(TableMetadataValidationTest, LetsOldSpecsAndOrdersNameColumnsThatAreGone) {
  JsonTree tree = Tree("v2_full");
  tree["sort-orders"].push_back({{"order-id", 5},
                                 {"fields",
                                  {{{"transform", "identity"},
                                    {"source-id", 98},
                                    {"direction", "asc"},
                                    {"null-order", "nulls-first"}}}}});
  EXPECT_THAT(Parse(tree), IsOk());
}

// v2_minimal with a column of lists in lists.
std::string NestedLists(int levels) {
  std::string type = "\"int\"";
  for (int level = 0; level < levels; ++level) {
    type = R"({"type":"list","element-id":)" + std::to_string(1000 + level) +
           R"(,"element-required":false,"element":)" + type + "}";
  }
  std::string text = Tree("v2_minimal").dump();
  const std::string empty = R"("fields":[],"schema-id")";
  return text.replace(
      text.find(empty), empty.size(),
      R"("fields":[{"id":1,"name":"a","required":false,"type":)" + type + R"(}],"schema-id")");
}

TEST(TableMetadataValidationTest, StopsAtDeeplyNestedTypes) {
  EXPECT_THAT(ParseTableMetadata(AsBytes(NestedLists(150)), "f"), IsOk());
  EXPECT_THAT(ParseTableMetadata(AsBytes(NestedLists(5000)), "f"),
              IsError(ErrorCode::kCorrupt, "nested deeper than 200 levels"));
}

TEST(TableMetadataValidationTest, RefusesAKeyThatStandsTwice) {
  std::string text = Tree("v2_full").dump();
  text.insert(1, "\"location\":\"s3://other\",");
  EXPECT_THAT(ParseTableMetadata(AsBytes(text), "f"),
              IsError(ErrorCode::kCorrupt, "location: the key stands twice"));
}

}  // namespace
}  // namespace firn
