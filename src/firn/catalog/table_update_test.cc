#include "firn/catalog/table_update.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using Tree = nlohmann::json;
using testing::HasSubstr;

// The text of one update or requirement, and nothing of it may get lost or change.
class UpdateTextTest : public testing::TestWithParam<const char*> {};

TEST_P(UpdateTextTest, ReadsAndWritesTheSame) {
  const auto update = ParseTableUpdate(GetParam(), "body");
  ASSERT_THAT(update, IsOk());
  EXPECT_EQ(Tree::parse(FormatTableUpdate(*update)), Tree::parse(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    AllActions, UpdateTextTest,
    testing::Values(
        R"({"action":"assign-uuid","uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1"})",
        R"({"action":"upgrade-format-version","format-version":3})",
        R"({"action":"add-schema","last-column-id":2,"schema":{"type":"struct","schema-id":4,
            "fields":[
            {"id":1,"name":"a","required":true,"type":"long"},
            {"id":2,"name":"b","required":false,"type":"string","doc":"x"}]}})",
        R"({"action":"set-current-schema","schema-id":-1})",
        R"({"action":"add-spec","spec":{"spec-id":0,"fields":[
            {"name":"a","transform":"bucket[4]","source-id":1}]}})",
        R"({"action":"add-spec","spec":{"spec-id":0,"fields":[
            {"name":"a","transform":"identity","source-id":1,"field-id":1000}]}})",
        R"({"action":"set-default-spec","spec-id":2})",
        R"({"action":"add-sort-order","sort-order":{"order-id":1,"fields":[
            {"transform":"identity","source-id":1,"direction":"desc",
             "null-order":"nulls-last"}]}})",
        R"({"action":"set-default-sort-order","sort-order-id":-1})",
        R"({"action":"add-snapshot","snapshot":{"snapshot-id":9007199254740993,
            "parent-snapshot-id":9007199254740995,"sequence-number":7,"timestamp-ms":1700000000000,
            "summary":{"operation":"append","added-records":"1"},"manifest-list":"s3://m",
            "schema-id":0,"first-row-id":5,"added-rows":6,"key-id":"k"}})",
        R"({"action":"add-snapshot","snapshot":)"
        R"({"snapshot-id":1,"timestamp-ms":1,"manifest-list":"m"}})",
        R"({"action":"set-snapshot-ref","ref-name":"audit","type":"branch","snapshot-id":5,
            "min-snapshots-to-keep":2,"max-snapshot-age-ms":3,"max-ref-age-ms":4})",
        R"({"action":"set-snapshot-ref","ref-name":"t","type":"tag","snapshot-id":5})",
        R"({"action":"remove-snapshots","snapshot-ids":[9007199254740993,2]})",
        R"({"action":"remove-snapshot-ref","ref-name":"audit"})",
        R"({"action":"set-location","location":"s3://b/t"})",
        R"({"action":"set-properties","updates":{"a":"b","c":"d"}})",
        R"({"action":"remove-properties","removals":["a"]})",
        R"({"action":"set-statistics","snapshot-id":5,"statistics":{"snapshot-id":5,
            "statistics-path":"p","file-size-in-bytes":1,"file-footer-size-in-bytes":2,
            "blob-metadata":[{"type":"t","snapshot-id":5,"sequence-number":1,"fields":[1],
            "properties":{"ndv":"3"}}]}})",
        R"({"action":"remove-statistics","snapshot-id":5})",
        R"({"action":"set-partition-statistics","partition-statistics":{"snapshot-id":5,
            "statistics-path":"p","file-size-in-bytes":1}})",
        R"({"action":"remove-partition-statistics","snapshot-id":5})",
        R"({"action":"remove-partition-specs","spec-ids":[1,2]})",
        R"({"action":"remove-schemas","schema-ids":[0]})",
        R"({"action":"add-encryption-key","encryption-key":{"key-id":"k",
            "encrypted-key-metadata":"AA==","encrypted-by-id":"m","properties":{"a":"b"}}})",
        R"({"action":"remove-encryption-key","key-id":"k"})"));

class RequirementTextTest : public testing::TestWithParam<const char*> {};

TEST_P(RequirementTextTest, ReadsAndWritesTheSame) {
  const auto requirement = ParseTableRequirement(GetParam(), "body");
  ASSERT_THAT(requirement, IsOk());
  EXPECT_EQ(Tree::parse(FormatTableRequirement(*requirement)), Tree::parse(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    AllTypes, RequirementTextTest,
    testing::Values(
        R"({"type":"assert-create"})", R"({"type":"assert-table-uuid","uuid":"u"})",
        R"({"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":9007199254740993})",
        R"({"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null})",
        R"({"type":"assert-last-assigned-field-id","last-assigned-field-id":3})",
        R"({"type":"assert-current-schema-id","current-schema-id":1})",
        R"({"type":"assert-last-assigned-partition-id","last-assigned-partition-id":1000})",
        R"({"type":"assert-default-spec-id","default-spec-id":0})",
        R"({"type":"assert-default-sort-order-id","default-sort-order-id":0})"));

TEST(TableUpdateTest, ReadsTheNamesOfOlderClients) {
  const auto set = ParseTableUpdate(R"({"action":"set-properties","updated":{"a":"b"}})", "body");
  ASSERT_THAT(set, IsOk());
  EXPECT_EQ(std::get<SetProperties>(*set).updates, (Properties{{"a", "b"}}));
  const auto removal =
      ParseTableUpdate(R"({"removed":["a"],"action":"remove-properties"})", "body");
  ASSERT_THAT(removal, IsOk());
  EXPECT_EQ(std::get<RemoveProperties>(*removal).removals, std::vector<std::string>{"a"});
  EXPECT_THAT(ParseTableRequirement(R"({"type":"assert-ref-snapshot-id","ref":"b"})", "body"),
              IsOk());
}

TEST(TableUpdateTest, NamesWhatIsWrongWithAText) {
  EXPECT_THAT(ParseTableUpdate(R"({"action":"add-colour"})", "body"),
              IsError(ErrorCode::kUnsupported,
                      "body: action is 'add-colour', expected one of assign-uuid, upgrade-"));
  EXPECT_THAT(ParseTableUpdate(R"({"uuid":"u"})", "body"),
              IsError(ErrorCode::kCorrupt, "body: required field 'action' is missing"));
  EXPECT_THAT(
      ParseTableUpdate(R"({"action":"add-snapshot","snapshot":{"snapshot-id":"x"}})", "body"),
      IsError(ErrorCode::kCorrupt, "body: add-snapshot: snapshot.snapshot-id: found \"x\""));
  EXPECT_THAT(ParseTableUpdate(R"({"action":"set-properties"})", "body"),
              IsError(ErrorCode::kCorrupt, "required field 'updates' is missing"));
  EXPECT_THAT(
      ParseTableRequirement(R"({"type":"assert-luck"})", "body"),
      IsError(ErrorCode::kUnsupported, "type is 'assert-luck', expected one of assert-create"));
  EXPECT_THAT(ParseTableRequirement("[]", "body"), IsError(ErrorCode::kCorrupt));
}

std::vector<TableUpdate> NewTable() {
  NestedField id;
  id.id = 1;
  id.name = "id";
  id.type = Type::Primitive(TypeId::kLong);
  return {AssignUuid{"9c12d441-03fe-4693-9a96-a0705ddf69c1"},
          UpgradeFormatVersion{2},
          AddSchema{std::make_shared<const Schema>(0, std::vector<NestedField>{id})},
          SetCurrentSchema{},
          AddPartitionSpec{},
          SetDefaultSpec{},
          AddSortOrder{},
          SetDefaultSortOrder{},
          SetLocation{"s3://t"},
          SetProperties{{{"a", "b"}}}};
}

Timestamp At(int64_t ms) { return Timestamp(std::chrono::milliseconds(ms)); }

TEST(TableUpdateTest, AppliesUpdatesToNothing) {
  const auto table = ApplyUpdates(nullptr, "", NewTable(), At(5));
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->location, "s3://t");
  EXPECT_EQ(table->last_updated, At(5));
  EXPECT_THAT(table->metadata_log, testing::IsEmpty());
}

TEST(TableUpdateTest, AppliesUpdatesToATableAndLogsItsFile) {
  const TableMetadata base = *ApplyUpdates(nullptr, "", NewTable(), At(5));
  Snapshot snapshot;
  snapshot.snapshot_id = 7;
  snapshot.sequence_number = 1;
  snapshot.timestamp = At(10);
  snapshot.manifest_list = "s3://t/m";
  const std::vector<TableUpdate> updates = {AddSnapshot{snapshot},
                                            SetSnapshotRef{"main", {.snapshot_id = 7}}};
  const auto table = ApplyUpdates(&base, "s3://t/v1.metadata.json", updates, At(12));
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->current_snapshot_id, 7);
  ASSERT_EQ(table->metadata_log.size(), 1U);
  EXPECT_EQ(table->metadata_log[0].metadata_file, "s3://t/v1.metadata.json");
  EXPECT_THAT(ApplyUpdates(&*table, "f", updates, At(13)),
              IsError(ErrorCode::kInvalidInput, "update add-snapshot: snapshot 7 is in the table"));
}

class CheckRequirementsTest : public testing::Test {
 protected:
  CheckRequirementsTest() {
    base_ = *ApplyUpdates(nullptr, "", NewTable(), At(5));
    base_.refs["main"].snapshot_id = 7;
  }
  Status Check(TableRequirement requirement) {
    return CheckRequirements(&base_, std::vector<TableRequirement>{std::move(requirement)});
  }
  TableMetadata base_;
};

TEST_F(CheckRequirementsTest, HoldForTheTableTheyWereMadeFor) {
  for (const TableRequirement& requirement : std::vector<TableRequirement>{
           AssertTableUuid{"9C12D441-03FE-4693-9A96-A0705DDF69C1"}, AssertRefSnapshotId{"main", 7},
           AssertRefSnapshotId{"audit", std::nullopt}, AssertLastAssignedFieldId{1},
           AssertCurrentSchemaId{0}, AssertLastAssignedPartitionId{999}, AssertDefaultSpecId{0},
           AssertDefaultSortOrderId{0}}) {
    EXPECT_THAT(Check(requirement), IsOk()) << RequirementType(requirement);
  }
}

TEST_F(CheckRequirementsTest, SayWhichOneFailedAndWhatWasFound) {
  const auto fails = [](std::string_view part) {
    return IsError(ErrorCode::kCommitConflict, std::string(part));
  };
  EXPECT_THAT(Check(AssertCreate{}), fails("assert-create does not hold: the table exists"));
  EXPECT_THAT(Check(AssertTableUuid{"x"}), fails("has the UUID '9c12d441-"));
  EXPECT_THAT(Check(AssertRefSnapshotId{"main", 8}),
              fails("assert-ref-snapshot-id does not hold: 'main' is at snapshot 7, expected 8"));
  EXPECT_THAT(Check(AssertRefSnapshotId{"main", std::nullopt}),
              fails("'main' is at snapshot 7, expected no such branch or tag"));
  EXPECT_THAT(Check(AssertRefSnapshotId{"b", 8}), fails("there is no branch or tag 'b'"));
  EXPECT_THAT(Check(AssertLastAssignedFieldId{2}), fails("the last column id is 1, expected 2"));
  EXPECT_THAT(Check(AssertCurrentSchemaId{2}), fails("the current schema is 0, expected 2"));
  EXPECT_THAT(Check(AssertLastAssignedPartitionId{1}), fails("is 999, expected 1"));
  EXPECT_THAT(Check(AssertDefaultSpecId{2}), fails("the default partition spec is 0, expected 2"));
  EXPECT_THAT(Check(AssertDefaultSortOrderId{2}), fails("the default sort order is 0, expected 2"));
}

TEST_F(CheckRequirementsTest, OnlyAssertCreateHoldsWithoutATable) {
  const std::vector<TableRequirement> create = {AssertCreate{}};
  EXPECT_THAT(CheckRequirements(nullptr, create), IsOk());
  const std::vector<TableRequirement> uuid = {AssertCreate{}, AssertTableUuid{"u"}};
  EXPECT_THAT(CheckRequirements(nullptr, uuid),
              IsError(ErrorCode::kCommitConflict,
                      "requirement assert-table-uuid does not hold: there is no such table"));
}

}  // namespace
}  // namespace firn
