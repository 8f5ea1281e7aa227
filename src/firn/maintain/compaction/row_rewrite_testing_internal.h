#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/maintain/maintain_context.h"
#include "firn/testing/matchers.h"
#include "firn/testing/test_table.h"

/// Tests of rewrites over real rows.

namespace firn {

class RowRewriteTest : public testing::Test {
 protected:
  using Rows = std::vector<std::string>;

  static NestedField Column(int32_t id, std::string name, TypePtr type) {
    return {.id = id, .name = std::move(name), .type = std::move(type)};
  }
  static TypePtr Primitive(TypeId id) { return Type::Primitive(id); }
  static NestedField Required(NestedField field) {
    field.required = true;
    return field;
  }
  static StructValue Row(std::initializer_list<Value> values) {
    return {std::vector<Value>(values)};
  }

  void Open(const TestTableOptions& options) { table_ = std::make_unique<TestTable>(options); }
  TestTable& table() { return *table_; }

  /// Columns from the third on; the first two are those of TestTable.
  void EvolveTo(std::vector<NestedField> fields) {
    const std::vector<TableUpdate> updates = {
        AddSchema{std::make_shared<const Schema>(-1, std::move(fields))}, SetCurrentSchema{}};
    ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
  }

  /// The id column, and further ones.
  static std::vector<NestedField> WithId(std::vector<NestedField> more) {
    more.insert(more.begin(), Required(Column(1, "id", Primitive(TypeId::kLong))));
    return more;
  }
  static NestedField Category() { return Column(2, "cat", Primitive(TypeId::kString)); }

  DataFile WriteFileOf(const SchemaPtr& schema, std::vector<StructValue> rows,
                       const std::string& partition) {
    const Table loaded = table().Load();
    const PartitionSpecPtr spec = loaded.metadata->default_spec();
    StructValue tuple;
    if (!spec->is_unpartitioned()) tuple.fields = {Value(partition)};
    const WriteContext context{.io = loaded.io,
                               .metadata = loaded.metadata,
                               .executor = &table().executor(),
                               .budget = &budget_,
                               .random = &table().random()};
    auto stream = MakeRowStream(schema->as_struct(), std::move(rows));
    FIRN_CHECK(stream.ok());
    auto files = WriteDataFiles(context, {.schema = schema, .spec = spec, .partition = tuple},
                                *std::move(stream));
    EXPECT_THAT(files, IsOkAnd(testing::SizeIs(1)));
    return files->front();
  }

  DataFile Write(std::vector<StructValue> rows, const std::string& partition = "a") {
    return WriteFileOf(table().Load().metadata->current_schema(), std::move(rows), partition);
  }

  DataFile EqualityDeletes(const std::vector<int64_t>& ids, const std::string& partition = "a") {
    std::vector<StructValue> rows;
    for (const int64_t id : ids)
      rows.push_back({{Value(id)}});
    DataFile file = WriteFileOf(
        std::make_shared<const Schema>(
            0, std::vector<NestedField>{Required(Column(1, "id", Primitive(TypeId::kLong)))}),
        std::move(rows), partition);
    file.content = FileContent::kEqualityDeletes;
    file.equality_ids = {1};
    return file;
  }

  DataFile PositionDeletes(const std::vector<std::pair<std::string, int64_t>>& places,
                           const std::string& partition = "a") {
    std::vector<StructValue> rows;
    for (const auto& [path, position] : places)
      rows.push_back({{Value(path), Value(position)}});
    DataFile file = WriteFileOf(
        std::make_shared<const Schema>(
            0,
            std::vector<NestedField>{
                Required(Column(kDeleteFilePathFieldId, "file_path", Primitive(TypeId::kString))),
                Required(Column(kDeleteFilePosFieldId, "pos", Primitive(TypeId::kLong)))}),
        std::move(rows), partition);
    file.content = FileContent::kPositionDeletes;
    if (places.size() == 1) file.referenced_data_file = places[0].first;
    return file;
  }

  /// Rows as JSON lines, sorted.
  Rows Read(std::optional<SnapshotId> snapshot_id = {}) {
    const Table loaded = table().Load();
    const TableMetadata& metadata = *loaded.metadata;
    auto tasks = PlanAllFiles(*loaded.io, metadata,
                              {.snapshot_id = snapshot_id, .schema = metadata.current_schema()},
                              table().executor(), {});
    EXPECT_THAT(tasks, IsOk());
    const ReadContext context{.io = loaded.io,
                              .metadata = loaded.metadata,
                              .executor = &table().executor(),
                              .budget = &budget_};
    auto rows = ReadTasks(context, *std::move(tasks), {.projection = metadata.current_schema()});
    EXPECT_THAT(rows, IsOk());
    std::string text;
    const auto rendered =
        RenderRows(*std::move(rows), {.type = metadata.current_schema()->as_struct()},
                   [&](std::span<const std::byte> bytes) -> Status {
                     text += AsText(bytes);
                     return {};
                   });
    EXPECT_THAT(rendered, IsOk());
    Rows lines;
    for (const std::string_view line : SplitText(text, '\n'))
      lines.emplace_back(line);
    lines.pop_back();
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  size_t DataFileCount() { return LiveFiles(true).size(); }
  size_t DeleteFileCount(const std::string& partition = "") {
    return LiveFiles(false, partition).size();
  }
  std::vector<ManifestEntry> LiveFiles(bool is_data, const std::string& partition = "") {
    std::vector<ManifestEntry> entries = table().LiveEntries();
    std::erase_if(entries, [&](const ManifestEntry& entry) {
      return (entry.file.content == FileContent::kData) != is_data ||
             (!partition.empty() && entry.file.partition.fields[0] != Value(partition));
    });
    return entries;
  }

  std::vector<std::string> DataOutsideOfTheTable() {
    std::set<std::string> live;
    for (const ManifestEntry& entry : table().LiveEntries())
      live.insert(entry.file.file_path);
    std::vector<std::string> stray;
    for (const std::string& uri : table().AllFiles()) {
      if (uri.find("/data/") != std::string::npos && !live.contains(uri)) stray.push_back(uri);
    }
    return stray;
  }

  MaintainContext context() { return {.commit = table().context(), .budget = &budget_}; }

  std::unique_ptr<TestTable> table_;
  MemoryBudget budget_{int64_t{256} << 20};
};

}  // namespace firn
