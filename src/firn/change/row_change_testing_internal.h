#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "firn/base/text.h"
#include "firn/change/change.h"
#include "firn/data/data.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/scripted_catalog.h"

/// What tests of changes of rows share.

namespace firn {

inline NestedField Column(int32_t id, std::string name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(type);
  return field;
}

/// A table with real rows over memory files; by default of (id long, kind string).
class RowChangeTest : public testing::Test {
 protected:
  explicit RowChangeTest(int64_t budget_bytes = int64_t{256} << 20)
      : random_(MakeSeededRandom(11)), executor_(MakeThreadPool(2)), budget_(budget_bytes) {}

  /// Replaces the table that was there, its catalog and its files.
  void MakeTable(const CreateTableRequest& create) {
    io_ = MakeMemoryFileIO(clock_);
    auto catalog = OpenCatalog({.name = "test",
                                .type = "memory",
                                .properties = {{"warehouse", "memory:/warehouse"}},
                                .io = io_,
                                .clock = &clock_,
                                .random = random_.get()});
    ASSERT_THAT(catalog, IsOk());
    catalog_ = std::move(*catalog);
    ASSERT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    ASSERT_THAT(catalog_->Create(name_, create), IsOk());
  }

  void MakeTable(int format_version, bool is_partitioned = false, Properties properties = {}) {
    CreateTableRequest create;
    create.schema = Schema(0, {Column(1, "id", TypeId::kLong), Column(2, "kind", TypeId::kString)});
    if (is_partitioned) {
      create.spec.fields.push_back(
          {.source_ids = {2}, .field_id = 1000, .name = "kind", .transform = {}});
    }
    create.properties = std::move(properties);
    create.format_version = format_version;
    MakeTable(create);
  }

  Table Load() { return *catalog_->Load(name_); }

  ChangeContext context() {
    ChangeContext context;
    context.commit = {.catalog = use_catalog_ != nullptr ? use_catalog_ : catalog_.get(),
                      .executor = executor_.get(),
                      .clock = &clock_,
                      .random = random_.get()};
    context.budget = &budget_;
    return context;
  }

  using Pairs = std::vector<std::pair<int64_t, std::string>>;

  /// Rows of the table; an empty kind is null.
  RowStream MakeRows(const Pairs& rows) {
    std::vector<StructValue> values;
    for (const auto& [id, kind] : rows)
      values.push_back({{Value(id), kind.empty() ? Value() : Value(kind)}});
    return *MakeRowStream(Load().metadata->current_schema()->as_struct(), std::move(values));
  }

  void Append(const Pairs& rows) {
    ASSERT_THAT(AppendRows(context(), Load(), MakeRows(rows), {}), IsOk());
  }

  /// Rows with all columns of the table.
  void AppendValues(std::vector<StructValue> rows) {
    const Table table = Load();
    auto stream = MakeRowStream(table.metadata->current_schema()->as_struct(), std::move(rows));
    ASSERT_THAT(stream, IsOk());
    ASSERT_THAT(AppendRows(context(), table, std::move(*stream), {}), IsOk());
  }

  std::vector<std::string> Rows(const std::vector<std::string>& columns = {"id"}) {
    const Table table = Load();
    ScanOptions scan;
    scan.schema = table.metadata->current_schema();
    auto tasks = PlanAllFiles(*io_, *table.metadata, scan, *executor_, {});
    EXPECT_THAT(tasks, IsOk());
    ReadOptions options;
    options.projection = *ProjectColumns(*table.metadata, *scan.schema, columns);
    auto rows = ReadTasks(context().ReadFrom(table), std::move(*tasks), options);
    EXPECT_THAT(rows, IsOk());
    RenderOptions render;
    render.format = RowFormat::kCsv;
    render.type = options.projection->as_struct();
    std::string text;
    EXPECT_THAT(RenderRows(std::move(*rows), render,
                           [&](std::span<const std::byte> bytes) -> Status {
                             text += AsText(bytes);
                             return {};
                           }),
                IsOk());
    std::vector<std::string> lines;
    for (const std::string_view line : SplitText(text, '\n')) {
      if (!line.empty()) lines.emplace_back(line);
    }
    if (!lines.empty()) lines.erase(lines.begin());  // The header.
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // Files below the table's data folder.
  size_t CountDataFiles() {
    size_t count = 0;
    EXPECT_THAT(io_->List("memory:/warehouse/db/" + name_.name + "/data",
                          [&](const FileInfo&) -> Status {
                            ++count;
                            return {};
                          }),
                IsOk());
    return count;
  }

  FakeClock clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<Executor> executor_;
  MemoryBudget budget_;
  std::shared_ptr<FileIO> io_;
  std::unique_ptr<Catalog> catalog_;
  Catalog* use_catalog_ = nullptr;
  TableName name_{{"db"}, "t"};
};

}  // namespace firn
