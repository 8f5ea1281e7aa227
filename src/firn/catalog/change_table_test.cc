#include "firn/catalog/change_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/catalog/table_evolution.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"
#include "firn/testing/test_table.h"

namespace firn {
namespace {

PlanUpdates PlanAdd(const std::string& name) {
  return [name](const TableMetadata& metadata) {
    AddColumn change;
    change.path = {name};
    change.type = Type::Primitive(TypeId::kInt);
    return PlanSchemaChange(metadata, std::vector<SchemaChange>{change});
  };
}

class ChangeTableTest : public testing::Test {
 protected:
  TableChangeContext Context() { return {&catalog_, &table_.clock(), &table_.random(), {}}; }

  // Another writer adds a column before the first `count` commits.
  void InterfereWith(int count, const std::string& prefix) {
    catalog_.before_commit = [this, count, prefix] {
      if (++interferences_ > count) return;
      const TableChangeContext direct{&table_.catalog(), &table_.clock(), &table_.random(), {}};
      EXPECT_THAT(
          ChangeTable(direct, table_.Load(), PlanAdd(prefix + std::to_string(interferences_))),
          IsOk());
    };
  }

  TestTable table_;
  ScriptedCatalog catalog_{table_.catalog()};
  int interferences_ = 0;
};

TEST_F(ChangeTableTest, AChangeIsPlannedAgainForWhatAnotherWriterLeft) {
  InterfereWith(2, "other");
  const auto changed = ChangeTable(Context(), table_.Load(), PlanAdd("mine"));
  ASSERT_THAT(changed, IsOk());
  const Schema& schema = *changed->metadata->current_schema();
  EXPECT_EQ(schema.FindField("other1")->id, 3);
  EXPECT_EQ(schema.FindField("other2")->id, 4);
  EXPECT_EQ(schema.FindField("mine")->id, 5);
  EXPECT_EQ(catalog_.commit_count, 3);
  EXPECT_GT(table_.clock().slept().count(), 0);
}

TEST_F(ChangeTableTest, WhatTheOtherWriterMadeImpossibleIsRefused) {
  InterfereWith(1, "mine");
  EXPECT_THAT(ChangeTable(Context(), table_.Load(), PlanAdd("mine1")),
              IsError(ErrorCode::kInvalidInput, "there is a column 'mine1' already"));
}

TEST_F(ChangeTableTest, GivesUpAfterTheTriesOfTheTable) {
  InterfereWith(100, "other");
  EXPECT_THAT(ChangeTable(Context(), table_.Load(), PlanAdd("mine")),
              IsError(ErrorCode::kCommitConflict, "assert-last-assigned-field-id"));
  EXPECT_EQ(catalog_.commit_count, 5);
}

TEST_F(ChangeTableTest, AnotherTableOfThatNameIsLeftAlone) {
  const Table before = table_.Load();
  ASSERT_THAT(table_.catalog().Drop(table_.name(), DropFiles::kKeep), IsOk());
  ASSERT_THAT(table_.catalog().Create(table_.name(), {.schema = *before.metadata->current_schema(),
                                                      .location = "memory:/elsewhere"}),
              IsOk());
  EXPECT_THAT(ChangeTable(Context(), before, PlanAdd("mine")),
              IsError(ErrorCode::kInvalidInput, "was replaced by another one"));
  EXPECT_EQ(table_.Load().metadata->current_schema()->FindField("mine"), nullptr);
}

TEST_F(ChangeTableTest, NoUpdatesAreNoCommit) {
  const auto changed = ChangeTable(Context(), table_.Load(), [](const TableMetadata&) {
    return Result(std::vector<TableUpdate>());
  });
  ASSERT_THAT(changed, IsOk());
  EXPECT_EQ(changed->metadata_location, table_.Load().metadata_location);
  EXPECT_EQ(catalog_.commit_count, 0);
}

TEST_F(ChangeTableTest, AnUnknownOutcomeIsToldAndNotTriedAgain) {
  catalog_.lost_answer = Error(ErrorCode::kCommitUnknown, "no answer");
  EXPECT_THAT(ChangeTable(Context(), table_.Load(), PlanAdd("mine")),
              IsError(ErrorCode::kCommitUnknown, "no answer"));
  EXPECT_EQ(catalog_.commit_count, 1);
}

}  // namespace
}  // namespace firn
