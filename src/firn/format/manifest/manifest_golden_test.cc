#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/text.h"
#include "firn/format/avro/avro_reader.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/puffin/puffin.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

// Manifests of other writers, compared with what those writers say about their tables.

namespace firn {
namespace {

using Json = nlohmann::json;

std::shared_ptr<FileIO> OpenWith(const std::string& prefix_rules) {
  return MakePrefixFileIO(MakeLocalFileIO(), *ParsePrefixRules(prefix_rules));
}

// Text of a number that may be null, as in the answers of Spark.
template <typename T>
std::string Text(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "null";
}
std::string Text(const Json& json, const char* key) {
  if (!json.contains(key) || json[key].is_null()) return "null";
  return json[key].is_string() ? json[key].get<std::string>() : json[key].dump();
}

std::string Describe(const DataFile& file) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(file.content),
                     file.file_path, FormatFileFormat(file.file_format), file.partition_spec_id,
                     file.record_count, file.file_size_in_bytes, Text(file.sort_order_id),
                     Text(file.first_row_id), Text(file.referenced_data_file),
                     Text(file.content_offset), Text(file.content_size_in_bytes));
}
std::string Describe(const Json& file) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", Text(file, "content"),
                     Text(file, "file_path"), Text(file, "file_format"), Text(file, "spec_id"),
                     Text(file, "record_count"), Text(file, "file_size_in_bytes"),
                     Text(file, "sort_order_id"), Text(file, "first_row_id"),
                     Text(file, "referenced_data_file"), Text(file, "content_offset"),
                     Text(file, "content_size_in_bytes"));
}

// The live files of a snapshot.
Result<std::vector<DataFile>> LiveFiles(FileIO& io, const TableMetadata& metadata,
                                        const Snapshot& snapshot) {
  std::vector<DataFile> files;
  FIRN_ASSIGN(const auto manifests, ReadManifests(io, snapshot));
  for (const ManifestFile& manifest : manifests) {
    const auto spec = metadata.FindSpec(manifest.partition_spec_id);
    const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
    FIRN_RETURN_IF_ERROR(
        ReadManifest(io, manifest, *type, {.with_deleted = false}, [&](ManifestEntry& entry) {
          EXPECT_TRUE(entry.sequence_number.has_value());
          files.push_back(std::move(entry.file));
          return Status();
        }));
  }
  return files;
}

class SparkManifestTest : public testing::TestWithParam<std::string> {
 protected:
  Json Oracle() const {
    std::ifstream file(TestDataPath("spark/oracle/" + GetParam() + ".json"));
    return Json::parse(file);
  }
  std::string MetadataUri(const Json& oracle) const {
    return oracle["metadata_file"].get<std::string>();
  }
  std::shared_ptr<FileIO> io_ =
      OpenWith("/tmp/firn-fixtures/warehouse/db=" + TestDataPath("spark"));
};

TEST_P(SparkManifestTest, FilesAreWhatSparkShows) {
  const Json oracle = Oracle();
  const auto metadata = LoadTableMetadata(*io_, MetadataUri(oracle));
  ASSERT_THAT(metadata, IsOk());
  const auto files = LiveFiles(*io_, **metadata, *(*metadata)->current_snapshot());
  ASSERT_THAT(files, IsOk());
  std::multiset<std::string> ours;
  std::multiset<std::string> expected;
  for (const DataFile& file : *files)
    ours.insert(Describe(file));
  for (const Json& file : oracle["files"])
    expected.insert(Describe(file));
  EXPECT_EQ(ours, expected);
}

TEST_P(SparkManifestTest, CountsOfListsAreThoseOfTheirManifests) {
  const auto metadata = LoadTableMetadata(*io_, MetadataUri(Oracle()));
  ASSERT_THAT(metadata, IsOk());
  std::map<std::string, std::array<int64_t, 6>> counted;
  for (const Snapshot& snapshot : (*metadata)->snapshots) {
    const auto manifests = ReadManifests(*io_, snapshot);
    ASSERT_THAT(manifests, IsOk());
    for (const ManifestFile& manifest : *manifests) {
      auto [found, is_new] = counted.try_emplace(manifest.manifest_path);
      std::array<int64_t, 6>& counts = found->second;
      if (is_new) {
        const auto spec = (*metadata)->FindSpec(manifest.partition_spec_id);
        const TypePtr type = PartitionType(*spec, (*metadata)->SchemasNewestFirst());
        ASSERT_THAT(ReadManifest(*io_, manifest, *type, {},
                                 [&](ManifestEntry& entry) {
                                   const auto kind = static_cast<size_t>(entry.status);
                                   ++counts[kind];
                                   counts[3 + kind] += entry.file.record_count;
                                   return Status();
                                 }),
                    IsOk());
      }
      EXPECT_EQ(counts, (std::array<int64_t, 6>{
                            *manifest.existing_files_count, *manifest.added_files_count,
                            *manifest.deleted_files_count, *manifest.existing_rows_count,
                            *manifest.added_rows_count, *manifest.deleted_rows_count}));
    }
  }
  EXPECT_FALSE(counted.empty());
}

INSTANTIATE_TEST_SUITE_P(Tables, SparkManifestTest,
                         testing::Values("avro_table", "branches_tags", "cow_v1", "evolved_schema",
                                         "evolved_spec", "many_types", "many_types_api", "mor_eq",
                                         "mor_pos", "mor_pos_part", "orc_table", "part_day",
                                         "seed_small_files", "v3_dv"),
                         [](const auto& parameter) { return parameter.param; });

TEST(SparkDeletionVectorTest, EveryBlobHoldsWhatItsEntrySays) {
  const auto io = OpenWith("/tmp/firn-fixtures/warehouse/db=" + TestDataPath("spark"));
  const auto metadata =
      LoadTableMetadata(*io, "/tmp/firn-fixtures/warehouse/db/v3_dv/metadata/v10.metadata.json");
  ASSERT_THAT(metadata, IsOk());
  const auto files = LiveFiles(*io, **metadata, *(*metadata)->current_snapshot());
  ASSERT_THAT(files, IsOk());
  int vectors = 0;
  for (const DataFile& file : *files) {
    if (!file.is_deletion_vector()) continue;
    ++vectors;
    auto input = *io->Open(file.file_path);
    const auto footer = ReadPuffinFooter(*input);
    ASSERT_THAT(footer, IsOk());
    EXPECT_EQ(*input->Size(), file.file_size_in_bytes);
    int found = 0;
    for (const PuffinBlob& blob : footer->blobs) {
      if (blob.offset != *file.content_offset) continue;
      ++found;
      EXPECT_EQ(blob.metadata.type, "deletion-vector-v1");
      EXPECT_EQ(blob.length, *file.content_size_in_bytes);
      const auto content = ReadPuffinBlob(*input, blob);
      ASSERT_THAT(content, IsOk());
      const auto positions = ParseDeletionVector(content->span());
      ASSERT_THAT(positions, IsOk());
      EXPECT_EQ(positions->cardinality(), file.record_count);
      EXPECT_EQ(FormatDeletionVector(*positions), content->view());
    }
    EXPECT_EQ(found, 1);
  }
  EXPECT_EQ(vectors, 5);
}

TEST(ReferenceFilesTest, ManifestsOfManyWritersAgreeWithTheirLists) {
  const auto folder = SharedDataPath("duckdb-iceberg");
  if (!folder) GTEST_SKIP() << "no tables of duckdb-iceberg beside the checkout";
  const std::string data = *folder + "/data/persistent";
  const auto io = OpenWith(fmt::format("data/persistent={0},file://data/persistent={0}", data));
  const TypePtr no_partition = Type::Struct({});
  int lists = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(data)) {
    const std::string path = file.path().string();
    if (!path.ends_with(".avro")) continue;
    auto reader = AvroReader::Open(*io->Open(path));
    ASSERT_THAT(reader, IsOk());
    if ((*reader)->schema()->name != "manifest_file") continue;
    ++lists;
    const auto manifests = ReadManifestList(*io, path);
    ASSERT_THAT(manifests, IsOk());
    for (const ManifestFile& manifest : *manifests) {
      if (!*FileExists(*io, manifest.manifest_path)) continue;
      int64_t live = 0;
      EXPECT_THAT(ReadManifest(*io, manifest, *no_partition, {.with_deleted = false},
                               [&](ManifestEntry&) {
                                 ++live;
                                 return Status();
                               }),
                  IsOk());
      if (!manifest.added_files_count || !manifest.existing_files_count) continue;
      EXPECT_EQ(live, *manifest.added_files_count + *manifest.existing_files_count)
          << manifest.manifest_path;
    }
  }
  EXPECT_GT(lists, 20);
}

}  // namespace
}  // namespace firn
