#include "firn/scan/metadata_table.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/civil_time.h"
#include "firn/scan/manifest_table.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// A value as the oracle files write it (testdata/README.md).
Json ToOracleJson(const Value& value, const Type& type) {
  if (value.is_null()) return nullptr;
  const TypeId id = type.id();
  if (id == TypeId::kBoolean) return value.get<bool>();
  if (id == TypeId::kInt) return value.get<int32_t>();
  if (id == TypeId::kLong) return value.get<int64_t>();
  if (id == TypeId::kString) return value.get<std::string>();
  if (id == TypeId::kDate) return FormatDate(value.get<int32_t>());
  if (id == TypeId::kTimestamptz) {
    return FormatTimestamp(value.get<int64_t>(), TimeUnit::kMicros) + "Z";
  }
  if (id == TypeId::kFixed || id == TypeId::kBinary) {
    return {{"hex", FormatHex(AsBytes(value.get<BinaryValue>().bytes))}};
  }
  if (id == TypeId::kStruct) {
    Json object = Json::object();
    for (size_t i = 0; i < type.fields().size(); ++i) {
      object[type.fields()[i].name] =
          ToOracleJson(value.as_struct().fields[i], *type.fields()[i].type);
    }
    return object;
  }
  if (id == TypeId::kList) {
    Json list = Json::array();
    for (const Value& element : value.as_list().elements)
      list.push_back(ToOracleJson(element, *type.element().type));
    return list;
  }
  if (id == TypeId::kMap) {
    Json map = Json::object();
    for (const auto& [key, entry] : value.as_map().entries) {
      const Json key_json = ToOracleJson(key, *type.key().type);
      map[key_json.is_string() ? key_json.get<std::string>() : key_json.dump()] =
          ToOracleJson(entry, *type.value().type);
    }
    return map;
  }
  return FormatValue(value, type);
}

class Tables {
 public:
  explicit Tables(std::string folder) : folder_(std::move(folder)) {
    io_ = MakePrefixFileIO(MakeLocalFileIO(),
                           {{.from = "/tmp/firn-fixtures/warehouse/db", .to = folder_}});
  }

  Json Load(const std::string& table, const std::string& view, SnapshotSelector selector = {}) {
    const std::string location = FindMetadata(table);
    const auto metadata = LoadTableMetadata(*io_, location);
    if (!metadata.ok()) return metadata.error().Format();
    return Rows({.io = io_.get(),
                 .metadata = metadata->get(),
                 .metadata_location = location,
                 .selector = std::move(selector),
                 .executor = executor_.get()},
                view);
  }

  static Json Rows(const MetadataTableRequest& request, const std::string& view) {
    const auto found = FindMetadataTable(view);
    if (!found.ok()) return found.error().Format();
    const auto type = (*found)->type(request);
    if (!type.ok()) return type.error().Format();
    Json rows = Json::array();
    const Status status = (*found)->scan(request, [&](StructValue&& row) -> Status {
      EXPECT_EQ(row.fields.size(), (*type)->fields().size());
      rows.push_back(ToOracleJson(Value::Struct(std::move(row.fields)), **type));
      return {};
    });
    return status.ok() ? rows : Json(status.error().Format());
  }

 private:
  // The newest of vN.metadata.json.
  std::string FindMetadata(const std::string& table) const {
    int newest = 0;
    for (const auto& file :
         std::filesystem::directory_iterator(folder_ + "/" + table + "/metadata")) {
      const std::string name = file.path().filename();
      if (name.starts_with('v') && name.ends_with(".metadata.json")) {
        newest = std::max(newest, std::atoi(name.c_str() + 1));
      }
    }
    return "/tmp/firn-fixtures/warehouse/db/" + table + "/metadata/v" + std::to_string(newest) +
           ".metadata.json";
  }

  std::string folder_;
  std::shared_ptr<FileIO> io_;
  std::unique_ptr<Executor> executor_ = MakeThreadPool(2);
};

// Only the columns that the oracle has, in an order of no meaning.
Json Comparable(const Json& rows, const Json& oracle_row) {
  Json result = Json::array();
  for (const Json& row : rows) {
    Json chosen = Json::object();
    for (const auto& [key, value] : oracle_row.items()) {
      chosen[key] = row.contains(key) ? row[key] : Json("no such column");
    }
    result.push_back(std::move(chosen));
  }
  std::sort(result.begin(), result.end(),
            [](const Json& a, const Json& b) { return a.dump() < b.dump(); });
  return result;
}

Json ReadOracle(const std::string& folder, const std::string& table) {
  std::ifstream file(folder + "/" + table + ".json");
  return Json::parse(file, nullptr, false);
}

void CompareWithOracle(Tables& tables, const std::string& oracle_folder, const std::string& table) {
  SCOPED_TRACE(table);
  const Json oracle = ReadOracle(oracle_folder, table);
  ASSERT_TRUE(oracle.is_object());
  for (const char* view : {"files", "snapshots", "history", "refs", "manifests", "partitions"}) {
    SCOPED_TRACE(view);
    const Json rows = tables.Load(table, view);
    ASSERT_TRUE(rows.is_array()) << rows;
    ASSERT_FALSE(oracle[view].empty());
    const Json expected = Comparable(oracle[view], oracle[view][0]);
    EXPECT_EQ(Comparable(rows, oracle[view][0]).dump(1), expected.dump(1));
    for (const auto& [key, value] : rows[0].items()) {
      const bool is_optional = key == "partition" || key == "spec_id";
      EXPECT_TRUE(!is_optional || oracle[view][0].contains(key)) << key;
    }
  }
  const auto count_distinct = [&](const std::string& view, const std::string& column) {
    std::set<std::string> distinct;
    for (const Json& row : tables.Load(table, view))
      distinct.insert(row[column].get<std::string>());
    return static_cast<int64_t>(distinct.size());
  };
  const Json& reachable = oracle["all_reachable_counts"];
  EXPECT_EQ(count_distinct("all_data_files", "file_path"), reachable["all_data_files_distinct"]);
  EXPECT_EQ(count_distinct("all_delete_files", "file_path"),
            reachable["all_delete_files_distinct"]);
  EXPECT_EQ(count_distinct("all_manifests", "path"), reachable["all_manifests_distinct"]);
  EXPECT_EQ(tables.Load(table, "data_files").size(), oracle["file_counts"]["data"]);
}

std::vector<std::string> ListOracles(const std::string& folder) {
  std::vector<std::string> tables;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string stem = file.path().stem();
    if (file.path().extension() == ".json" && stem.find('.') == std::string::npos) {
      tables.push_back(stem);
    }
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

TEST(MetadataTableTest, ShowsWhatSparkShowsForItsTables) {
  const std::string folder = TestDataPath("spark");
  const std::vector<std::string> names = ListOracles(folder + "/oracle");
  ASSERT_GE(names.size(), 10);
  Tables tables(folder);
  for (const std::string& name : names)
    CompareWithOracle(tables, folder + "/oracle", name);
}

TEST(MetadataTableTest, ShowsEarlierSnapshots) {
  Tables tables(TestDataPath("spark"));
  const Json history = tables.Load("part_day", "history");
  const SnapshotSelector first{.snapshot_id = history[0]["snapshot_id"].get<int64_t>()};
  EXPECT_EQ(tables.Load("part_day", "files", first).size(), 1);
  EXPECT_EQ(tables.Load("part_day", "manifests", first).size(), 1);
  EXPECT_EQ(tables.Load("part_day", "snapshots", first).size(), history.size());
  EXPECT_THAT(tables.Load("part_day", "all_files", first).dump(),
              HasSubstr("'all_files' shows all snapshots"));
}

std::vector<std::string> ColumnNames(const Type& type) {
  std::vector<std::string> names;
  for (const NestedField& field : type.fields())
    names.push_back(field.name);
  return names;
}

class SmallTableTest : public testing::Test {
 protected:
  SmallTableTest() {
    const SchemaPtr schema = std::make_shared<const Schema>(
        0, std::vector<NestedField>{
               {.id = 1, .name = "z", .type = Type::Primitive(TypeId::kLong)},
               {.id = 2,
                .name = "a",
                .type = Type::Struct(
                    {{.id = 3, .name = "b", .type = Type::Primitive(TypeId::kString)}})}});
    table_ = std::make_unique<ManifestTable>(
        *io_, schema,
        std::vector<PartitionSpec>{
            {.spec_id = 0,
             .fields = {{.source_ids = {1},
                         .field_id = 1000,
                         .name = "z_bucket",
                         .transform = {.kind = TransformKind::kBucket, .width = 4}}}}});
  }

  MetadataTableRequest Request() {
    return {.io = io_.get(),
            .metadata = &table_->metadata(),
            .metadata_location = "memory:/t/metadata/v9.metadata.json",
            .executor = executor_.get()};
  }
  TypePtr TypeOf(const std::string& view) {
    return FindMetadataTable(view).value()->type(Request()).value();
  }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  std::unique_ptr<Executor> executor_ = MakeThreadPool(2);
  std::unique_ptr<ManifestTable> table_;
};

TEST_F(SmallTableTest, HasTheColumnsOfSpark) {
  const std::vector<std::string> file_columns = {"content",
                                                 "file_path",
                                                 "file_format",
                                                 "spec_id",
                                                 "partition",
                                                 "record_count",
                                                 "file_size_in_bytes",
                                                 "column_sizes",
                                                 "value_counts",
                                                 "null_value_counts",
                                                 "nan_value_counts",
                                                 "lower_bounds",
                                                 "upper_bounds",
                                                 "key_metadata",
                                                 "split_offsets",
                                                 "equality_ids",
                                                 "sort_order_id",
                                                 "first_row_id",
                                                 "referenced_data_file",
                                                 "content_offset",
                                                 "content_size_in_bytes"};
  std::vector<std::string> with_metrics = file_columns;
  with_metrics.push_back("readable_metrics");
  EXPECT_EQ(ColumnNames(*TypeOf("files")), with_metrics);
  EXPECT_EQ(ColumnNames(*TypeOf("all-delete-files")), with_metrics);
  EXPECT_THAT(ColumnNames(*TypeOf("entries")),
              ElementsAre("status", "snapshot_id", "sequence_number", "file_sequence_number",
                          "data_file", "readable_metrics"));
  EXPECT_EQ(ColumnNames(*TypeOf("entries")->fields()[4].type), file_columns);
  EXPECT_THAT(ColumnNames(*TypeOf("metadata_log_entries")),
              ElementsAre("timestamp", "file", "latest_snapshot_id", "latest_schema_id",
                          "latest_sequence_number"));
  EXPECT_THAT(
      ColumnNames(*TypeOf("partitions")),
      ElementsAre("partition", "spec_id", "record_count", "file_count",
                  "total_data_file_size_in_bytes", "position_delete_record_count",
                  "position_delete_file_count", "equality_delete_record_count",
                  "equality_delete_file_count", "last_updated_at", "last_updated_snapshot_id"));
}

TEST_F(SmallTableTest, ShowsReadableMetricsOfPrimitiveColumnsByName) {
  ManifestEntry entry = ManifestTable::Added("f", {Value(int32_t{3})});
  entry.file.metrics.value_counts = {{1, 10}};
  entry.file.metrics.null_value_counts = {{1, 2}};
  entry.file.metrics.lower_bounds = {
      {1, ToBoundBytes(int32_t{-3}, *Type::Primitive(TypeId::kInt)).value()}};  // B92
  entry.file.metrics.upper_bounds = {{3, "zz"}};
  entry.file.metrics.stored_empty = FileMetrics::kNanValueCounts;
  table_->CommitData({entry});
  EXPECT_THAT(ColumnNames(*TypeOf("files")->fields().back().type), ElementsAre("a.b", "z"));
  const Json row = Tables::Rows(Request(), "files")[0];
  EXPECT_EQ(row["readable_metrics"]["z"],
            Json::parse(R"({"column_size":null,"value_count":10,"null_value_count":2,)"
                        R"("nan_value_count":null,"lower_bound":-3,"upper_bound":null})"));
  EXPECT_EQ(row["readable_metrics"]["a.b"]["upper_bound"], "zz");
  EXPECT_EQ(row["partition"], Json::parse(R"({"z_bucket":3})"));
  EXPECT_EQ(row["column_sizes"], nullptr);
  EXPECT_EQ(row["nan_value_counts"], Json::object());
  const Json summaries = Tables::Rows(Request(), "manifests")[0]["partition_summaries"];
  EXPECT_EQ(summaries, Json::parse(R"([{"contains_null":false,"contains_nan":false,)"
                                   R"("lower_bound":"3","upper_bound":"3"}])"));
}

TEST_F(SmallTableTest, ShowsEntriesOfEveryStatus) {
  ManifestEntry existing = ManifestTable::Added("old", {Value(int32_t{1})});
  existing.status = EntryStatus::kExisting;
  existing.snapshot_id = 1;
  existing.sequence_number = 1;
  existing.file_sequence_number = 1;
  ManifestEntry deleted = existing;
  deleted.status = EntryStatus::kDeleted;
  deleted.file.file_path = "gone";
  table_->CommitData({ManifestTable::Added("first", {Value(int32_t{1})})});
  table_->CommitData({existing, deleted});
  EXPECT_EQ(Tables::Rows(Request(), "files").size(), 2);
  const Json entries = Tables::Rows(Request(), "entries");
  ASSERT_EQ(entries.size(), 3);
  EXPECT_EQ(entries[2]["status"], 2);
  EXPECT_EQ(entries[2]["data_file"]["file_path"], "gone");
  EXPECT_EQ(entries[0]["sequence_number"], 1);
  // Manifests that several snapshots share are shown once.
  EXPECT_EQ(Tables::Rows(Request(), "all_entries").size(), 3);
  EXPECT_EQ(Tables::Rows(Request(), "all_manifests").size(), 3);
}

TEST_F(SmallTableTest, EndsTheMetadataLogWithTheCurrentFile) {
  table_->CommitData({ManifestTable::Added("f", {Value(int32_t{3})})});
  TableMetadata& metadata = table_->mutable_metadata();
  metadata.metadata_log = {{Timestamp{}, "memory:/t/metadata/v8.metadata.json"}};
  metadata.last_updated = metadata.snapshots[0].timestamp;
  const Json rows = Tables::Rows(Request(), "metadata_log_entries");
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0]["latest_snapshot_id"], nullptr);
  EXPECT_EQ(rows[1]["file"], "memory:/t/metadata/v9.metadata.json");
  EXPECT_EQ(rows[1]["latest_snapshot_id"], 1);
  EXPECT_EQ(rows[1]["latest_sequence_number"], 1);
}

TEST_F(SmallTableTest, ShowsWhatStatisticsFilesHold) {
  table_->CommitData({ManifestTable::Added("f", {Value(int32_t{3})})});
  TableMetadata& metadata = table_->mutable_metadata();
  const int32_t id = metadata.schemas[0]->fields()[0].id;
  const std::string name = metadata.schemas[0]->fields()[0].name;
  metadata.statistics = {
      {.snapshot_id = 1,
       .path = "memory:/t/metadata/1.stats",
       .file_size_in_bytes = 900,
       .file_footer_size_in_bytes = 300,
       .blobs = {{.type = "apache-datasketches-theta-v1",
                  .snapshot_id = 1,
                  .sequence_number = 1,
                  .fields = {id},
                  .properties = {{"ndv", "42"}}},
                 {.type = "of-another-engine", .snapshot_id = 1, .fields = {id, 999}}}},
      {.snapshot_id = 2, .path = "memory:/t/metadata/2.stats"}};
  metadata.partition_statistics = {
      {.snapshot_id = 1, .path = "memory:/t/metadata/p.parquet", .file_size_in_bytes = 70}};
  const Json rows = Tables::Rows(Request(), "statistics");
  ASSERT_EQ(rows.size(), 3) << "one for each blob, and one for a file without";
  EXPECT_EQ(rows[0], (Json{{"snapshot_id", 1},
                           {"statistics_path", "memory:/t/metadata/1.stats"},
                           {"file_size_in_bytes", 900},
                           {"file_footer_size_in_bytes", 300},
                           {"blob_type", "apache-datasketches-theta-v1"},
                           {"blob_snapshot_id", 1},
                           {"blob_sequence_number", 1},
                           {"fields", {id}},
                           {"columns", {name}},
                           {"ndv", 42},
                           {"properties", {{"ndv", "42"}}}}));
  EXPECT_EQ(rows[1]["ndv"], nullptr);
  EXPECT_EQ(rows[1]["columns"], (Json{name, nullptr}));
  EXPECT_EQ(rows[2]["statistics_path"], "memory:/t/metadata/2.stats");
  EXPECT_EQ(rows[2]["blob_type"], nullptr);
  EXPECT_EQ(Tables::Rows(Request(), "partition_statistics_files"),
            (Json{{{"snapshot_id", 1},
                   {"statistics_path", "memory:/t/metadata/p.parquet"},
                   {"file_size_in_bytes", 70}}}));
}

TEST_F(SmallTableTest, ShowsNoRowsForATableWithoutSnapshots) {
  for (const MetadataTable& table : MetadataTables()) {
    const Json rows = Tables::Rows(Request(), table.name);
    ASSERT_TRUE(rows.is_array()) << table.name << rows;
    EXPECT_EQ(rows.size(), table.name == "metadata_log_entries" ? 1 : 0) << table.name;
  }
}

TEST(MetadataTableTest, ListsTheTablesForAnUnknownName) {
  EXPECT_THAT(
      FindMetadataTable("filez"),
      IsError(ErrorCode::kInvalidInput, "expected one of all_data_files, all_delete_files"));
}

}  // namespace
}  // namespace firn
