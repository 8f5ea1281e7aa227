#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "firn/format/evolution/schema_change.h"
#include "firn/format/layout/layout_text.h"
#include "firn/format/metadata/metadata_builder.h"
#include "firn/format/metadata/partition_change.h"
#include "firn/format/schema/schema_text.h"

/// Tables and changes for tests of evolution.

namespace firn {

struct EvolvingTable {
  std::string_view schema;
  int format_version = 2;
  std::string_view partition;
  std::string_view sort;
};

/// The builder must be able to do all of it.
inline TableMetadata FinishBuilding(MetadataBuilder builder) {
  auto metadata = std::move(builder).Build(Timestamp(std::chrono::milliseconds(1)));
  EXPECT_TRUE(metadata.ok());
  return metadata.ok() ? *std::move(metadata) : TableMetadata();
}

inline TableMetadata MakeEvolvingTable(const EvolvingTable& table) {
  const auto schema = ParseSchemaText(table.schema);
  const auto spec = MakePartitionSpec(*ParsePartitionText(table.partition), *schema);
  const auto order = MakeSortOrder(*ParseSortOrderText(table.sort), *schema);
  MetadataBuilder builder;
  EXPECT_TRUE(builder.AssignUuid("00000000-0000-4000-8000-000000000001").ok());
  EXPECT_TRUE(builder.UpgradeFormatVersion(table.format_version).ok());
  EXPECT_TRUE(builder.AddSchema(std::make_shared<const Schema>(*schema)).ok());
  EXPECT_TRUE(builder.SetCurrentSchema(-1).ok());
  EXPECT_TRUE(builder.AddSpec(*spec).ok());
  EXPECT_TRUE(builder.SetDefaultSpec(-1).ok());
  EXPECT_TRUE(builder.AddSortOrder(*order).ok());
  EXPECT_TRUE(builder.SetDefaultSortOrder(-1).ok());
  EXPECT_TRUE(builder.SetLocation("memory:///t").ok());
  return FinishBuilding(std::move(builder));
}

/// The table with its schema, or its default spec, changed.
inline TableMetadata WithSchema(const TableMetadata& metadata, const Schema& schema) {
  MetadataBuilder builder(metadata, "");
  EXPECT_TRUE(builder.AddSchema(std::make_shared<const Schema>(schema)).ok());
  EXPECT_TRUE(builder.SetCurrentSchema(-1).ok());
  return FinishBuilding(std::move(builder));
}
inline TableMetadata WithSpec(const TableMetadata& metadata, const PartitionSpec& spec) {
  MetadataBuilder builder(metadata, "");
  EXPECT_TRUE(builder.AddSpec(spec).ok());
  EXPECT_TRUE(builder.SetDefaultSpec(-1).ok());
  return FinishBuilding(std::move(builder));
}

/// "a.b int": a column to be added.
inline AddColumn MakeAddColumn(std::string_view text) {
  const auto column = ParseColumnText(text);
  EXPECT_TRUE(column.ok());
  AddColumn change;
  if (!column.ok()) return change;
  change.path = column->path;
  change.type = column->column.type;
  change.is_required = column->column.required;
  change.doc = column->column.doc;
  return change;
}

/// The columns after `changes`, or the error.
inline std::string EvolveToText(const TableMetadata& metadata, std::vector<SchemaChange> changes) {
  const auto schema = EvolveSchema(metadata, changes);
  return schema.ok() ? FormatType(*schema->as_struct()) : schema.error().Format();
}

/// "1000 ts_day day 3" for each field, or the error.
inline std::vector<std::string> SpecToText(const Result<PartitionSpec>& spec) {
  if (!spec.ok()) return {spec.error().Format()};
  std::vector<std::string> fields;
  for (const PartitionField& field : spec->fields) {
    fields.push_back(fmt::format("{} {} {} {}", field.field_id, field.name,
                                 FormatTransform(field.transform), field.source_id()));
  }
  return fields;
}

}  // namespace firn
