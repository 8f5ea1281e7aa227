#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/avro/avro_reader.h"
#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/format/manifest/manifest.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr std::string_view kUri = "memory:/snap.avro";

class ManifestListTest : public testing::Test {
 protected:
  static ManifestFile Manifest(const std::string& path, int64_t added_rows = 10,
                               int64_t existing_rows = 0) {
    return {.manifest_path = path,
            .manifest_length = 100,
            .sequence_number = kUnassignedSequenceNumber,
            .min_sequence_number = kUnassignedSequenceNumber,
            .added_snapshot_id = 7,
            .added_files_count = 1,
            .existing_files_count = 2,
            .deleted_files_count = 3,
            .added_rows_count = added_rows,
            .existing_rows_count = existing_rows,
            .deleted_rows_count = 5};
  }
  // One that an earlier snapshot wrote.
  static ManifestFile Committed(const std::string& path, int64_t added_rows = 10,
                                int64_t existing_rows = 0) {
    ManifestFile manifest = Manifest(path, added_rows, existing_rows);
    manifest.added_snapshot_id = 3;
    manifest.sequence_number = 2;
    manifest.min_sequence_number = 1;
    return manifest;
  }

  Result<std::vector<ManifestFile>> WriteAndRead(std::vector<ManifestFile> manifests) {
    FIRN_ASSIGN(next_row_id_, WriteManifestList(*io_, kUri, options_, manifests));
    return ReadManifestList(*io_, kUri);
  }
  std::string Header(std::string_view key) {
    const auto reader = AvroReader::Open(*io_->Open(kUri));
    const std::string* value = (*reader)->FindMetadata(key);
    return value == nullptr ? "(none)" : *value;
  }
  std::vector<int32_t> Columns() {
    std::vector<int32_t> ids;
    const auto reader = AvroReader::Open(*io_->Open(kUri));
    for (const AvroField& field : (*reader)->schema()->fields)
      ids.push_back(field.field_id);
    return ids;
  }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  ManifestListOptions options_{.snapshot_id = 7, .parent_snapshot_id = 3, .sequence_number = 5};
  int64_t next_row_id_ = -1;
};

TEST_F(ManifestListTest, EveryMemberComesBack) {
  ManifestFile manifest = Committed("memory:/m0.avro");
  manifest.partition_spec_id = 4;
  manifest.content = ManifestContent::kDeletes;
  manifest.key_metadata = "key";
  manifest.partitions = {{.contains_null = true,
                          .contains_nan = false,
                          .lower_bound = "a",
                          .upper_bound = std::string("\0z", 2)},
                         {}};
  const auto read = WriteAndRead({manifest});
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->size(), 1U);
  const ManifestFile& copy = read->front();
  EXPECT_EQ(copy.manifest_path, "memory:/m0.avro");
  EXPECT_EQ(copy.manifest_length, 100);
  EXPECT_EQ(copy.partition_spec_id, 4);
  EXPECT_EQ(copy.content, ManifestContent::kDeletes);
  EXPECT_EQ(copy.sequence_number, 2);
  EXPECT_EQ(copy.min_sequence_number, 1);
  EXPECT_EQ(copy.added_snapshot_id, 3);
  EXPECT_EQ(copy.added_files_count, 1);
  EXPECT_EQ(copy.existing_files_count, 2);
  EXPECT_EQ(copy.deleted_files_count, 3);
  EXPECT_EQ(copy.added_rows_count, 10);
  EXPECT_EQ(copy.existing_rows_count, 0);
  EXPECT_EQ(copy.deleted_rows_count, 5);
  EXPECT_EQ(copy.key_metadata, "key");
  ASSERT_EQ(copy.partitions->size(), 2U);
  EXPECT_TRUE(copy.partitions->at(0).contains_null);
  EXPECT_EQ(copy.partitions->at(0).contains_nan, false);
  EXPECT_EQ(copy.partitions->at(0).lower_bound, "a");
  EXPECT_EQ(copy.partitions->at(0).upper_bound, std::string("\0z", 2));
  EXPECT_EQ(copy.partitions->at(1).contains_nan, std::nullopt);
  EXPECT_EQ(copy.partitions->at(1).lower_bound, std::nullopt);
}

TEST_F(ManifestListTest, NewManifestsGetTheNumberOfTheCommit) {
  ManifestFile pinned = Manifest("pinned");
  pinned.min_sequence_number = 3;
  const auto read = WriteAndRead({Manifest("new"), Committed("old"), pinned});
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->at(0).sequence_number, 5);
  EXPECT_EQ(read->at(0).min_sequence_number, 5);
  EXPECT_EQ(read->at(1).sequence_number, 2);
  EXPECT_EQ(read->at(1).min_sequence_number, 1);
  EXPECT_EQ(read->at(2).sequence_number, 5);
  EXPECT_EQ(read->at(2).min_sequence_number, 3);
}

TEST_F(ManifestListTest, AnUnnumberedManifestOfAnotherSnapshotIsRefused) {
  ManifestFile manifest = Manifest("memory:/m0.avro");
  manifest.added_snapshot_id = 6;
  EXPECT_THAT(
      WriteAndRead({manifest}),
      IsError(ErrorCode::kInvalidInput, "manifest memory:/m0.avro: it was written for the"));
}

// B125: the example of the reference, 5.6: a snapshot with next-row-id 1000.
TEST_F(ManifestListTest, RowIdsRunOverTheDataManifestsInOrder) {
  options_.format_version = 3;
  options_.first_row_id = 1000;
  ManifestFile numbered = Committed("existing", 0, 75);
  numbered.first_row_id = 925;
  ManifestFile deletes = Committed("deletes", 50, 50);
  deletes.content = ManifestContent::kDeletes;
  deletes.first_row_id = 77;
  const auto read = WriteAndRead(
      {numbered, Manifest("a", 100, 25), deletes, Committed("b", 0, 100), Manifest("c", 125, 25)});
  ASSERT_THAT(read, IsOk());
  std::vector<std::optional<int64_t>> ids;
  for (const ManifestFile& manifest : *read)
    ids.push_back(manifest.first_row_id);
  EXPECT_THAT(ids, ElementsAre(Optional(925), Optional(1000), std::nullopt, Optional(1125),
                               Optional(1225)));
  EXPECT_EQ(next_row_id_, 1375);
}

TEST_F(ManifestListTest, VersionThreeNeedsAFirstRowIdAndIdsThatFit) {
  options_.format_version = 3;
  EXPECT_THAT(WriteAndRead({}), IsError(ErrorCode::kInvalidInput, "needs a first row id"));
  options_.first_row_id = int64_t{1} << 62;
  EXPECT_THAT(WriteAndRead({Manifest("a", int64_t{1} << 62)}),
              IsError(ErrorCode::kInvalidInput, "do not fit 64 bits"));
}

TEST_F(ManifestListTest, ColumnsStandInTheOrderOfJava) {
  options_.format_version = 1;
  ASSERT_THAT(WriteAndRead({Manifest("a")}), IsOk());
  EXPECT_THAT(Columns(), ElementsAre(500, 501, 502, 503, 504, 505, 506, 507, 512, 513, 514, 519));
  options_.format_version = 2;
  ASSERT_THAT(WriteAndRead({Manifest("a")}), IsOk());
  EXPECT_THAT(Columns(), ElementsAre(500, 501, 502, 517, 515, 516, 503, 504, 505, 506, 512, 513,
                                     514, 507, 519));
  options_.format_version = 3;
  options_.first_row_id = 0;
  ASSERT_THAT(WriteAndRead({Manifest("a")}), IsOk());
  EXPECT_THAT(Columns(), ElementsAre(500, 501, 502, 517, 515, 516, 503, 504, 505, 506, 512, 513,
                                     514, 507, 519, 520));
  EXPECT_THAT(Header("avro.schema"),
              testing::HasSubstr(R"("name":"r508","fields":[{"name":"contains_null")"));
  EXPECT_THAT(Header("avro.schema"), testing::HasSubstr(R"("element-id":508)"));
}

TEST_F(ManifestListTest, TheHeaderNamesTheSnapshot) {
  ASSERT_THAT(WriteAndRead({Manifest("a")}), IsOk());
  EXPECT_EQ(Header("snapshot-id"), "7");
  EXPECT_EQ(Header("parent-snapshot-id"), "3");
  EXPECT_EQ(Header("sequence-number"), "5");
  EXPECT_EQ(Header("format-version"), "2");
  EXPECT_EQ(Header("first-row-id"), "(none)");
  options_ = {.format_version = 1, .snapshot_id = 7};
  ASSERT_THAT(WriteAndRead({Manifest("a")}), IsOk());
  EXPECT_EQ(Header("parent-snapshot-id"), "null");
  EXPECT_EQ(Header("sequence-number"), "(none)");
}

TEST_F(ManifestListTest, VersionOneKeepsUnknownCountsAndVersionTwoCountsThem) {
  auto spec = std::make_shared<PartitionSpec>();
  auto writer = *MakeManifestWriter(*io_, "memory:/m.avro",
                                    {.format_version = 1,
                                     .schema = std::make_shared<Schema>(),
                                     .spec = spec,
                                     .partition_type = Type::Struct({}),
                                     .snapshot_id = 1});
  ManifestEntry entry;
  entry.file.file_path = "f";
  entry.file.record_count = 4;
  ASSERT_THAT(writer->Add(entry), IsOk());
  entry.status = EntryStatus::kDeleted;
  ASSERT_THAT(writer->Add(entry), IsOk());
  ManifestFile old = *writer->Finish();
  old.sequence_number = 0;
  old.min_sequence_number = 0;
  old.added_files_count = old.existing_files_count = old.deleted_files_count = std::nullopt;
  old.added_rows_count = old.existing_rows_count = old.deleted_rows_count = std::nullopt;

  options_.format_version = 1;
  EXPECT_EQ(WriteAndRead({old})->front().added_files_count, std::nullopt);
  EXPECT_TRUE(WriteAndRead({old})->front().has_live_files());
  options_.format_version = 2;
  const auto read = WriteAndRead({old});
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->front().added_files_count, 1);
  EXPECT_EQ(read->front().existing_files_count, 0);
  EXPECT_EQ(read->front().deleted_files_count, 1);
  EXPECT_EQ(read->front().added_rows_count, 4);
}

// The list of an old writer: version 1 columns, old names, no ids at all.
TEST_F(ManifestListTest, ReadsOldNamesWithoutIds) {
  auto writer = *AvroWriter::Make(*io_->Create(kUri), **ParseAvroSchema(R"(
      {"type":"record","name":"manifest_file","fields":[
        {"name":"partition_spec_id","type":"int"},
        {"name":"manifest_path","type":"string"},
        {"name":"manifest_length","type":"long"},
        {"name":"added_snapshot_id","type":["null","long"]},
        {"name":"added_data_files_count","type":["int","null"]},
        {"name":"existing_data_files_count","type":"int"},
        {"name":"deleted_data_files_count","type":["null","int"]},
        {"name":"partitions","type":["null",{"type":"array","items":{"type":"record","name":"r508",
          "fields":[{"name":"upper_bound","type":["bytes","null"]},
                    {"name":"contains_null","type":"boolean"}]}}]}]})",
                                                                        "test"));
  std::string& out = writer->record();
  AppendAvroLong(out, 2);
  AppendAvroBytes(out, "memory:/old.avro");
  for (const int64_t value : {55, 1, 42, 0, 6, 7, 0, 1, 1, 0})
    AppendAvroLong(out, value);
  AppendAvroBytes(out, "u");
  out += '\1';
  AppendAvroLong(out, 0);
  ASSERT_THAT(writer->EndRecord(), IsOk());
  ASSERT_THAT(writer->Finish(), IsOk());
  const auto read = ReadManifestList(*io_, kUri);
  ASSERT_THAT(read, IsOk());
  const ManifestFile& manifest = read->front();
  EXPECT_EQ(manifest.manifest_path, "memory:/old.avro");
  EXPECT_EQ(manifest.manifest_length, 55);
  EXPECT_EQ(manifest.partition_spec_id, 2);
  EXPECT_EQ(manifest.added_snapshot_id, 42);
  EXPECT_EQ(manifest.added_files_count, 6);
  EXPECT_EQ(manifest.existing_files_count, 7);
  EXPECT_EQ(manifest.deleted_files_count, std::nullopt);
  EXPECT_EQ(manifest.added_rows_count, std::nullopt);
  EXPECT_EQ(manifest.content, ManifestContent::kData);
  // B117: a list without sequence numbers.
  EXPECT_EQ(manifest.sequence_number, 0);
  EXPECT_EQ(manifest.min_sequence_number, 0);
  ASSERT_EQ(manifest.partitions->size(), 1U);
  EXPECT_EQ(manifest.partitions->front().upper_bound, "u");
  EXPECT_TRUE(manifest.partitions->front().contains_null);
}

TEST_F(ManifestListTest, AVersionOneSnapshotMayNameItsManifestsItself) {
  auto spec = std::make_shared<PartitionSpec>();
  spec->spec_id = 2;
  auto writer = *MakeManifestWriter(*io_, "memory:/m.avro",
                                    {.format_version = 1,
                                     .schema = std::make_shared<Schema>(),
                                     .spec = spec,
                                     .partition_type = Type::Struct({}),
                                     .snapshot_id = 9});
  ManifestEntry entry;
  entry.file.file_path = "f";
  ASSERT_THAT(writer->Add(entry), IsOk());
  const ManifestFile written = *writer->Finish();

  Snapshot snapshot;
  snapshot.snapshot_id = 12;
  snapshot.manifests = {"memory:/m.avro"};
  const auto manifests = ReadManifests(*io_, snapshot);
  ASSERT_THAT(manifests, IsOk());
  ASSERT_EQ(manifests->size(), 1U);
  const ManifestFile& manifest = manifests->front();
  EXPECT_EQ(manifest.manifest_path, "memory:/m.avro");
  EXPECT_EQ(manifest.manifest_length, written.manifest_length);
  EXPECT_EQ(manifest.partition_spec_id, 2);
  EXPECT_EQ(manifest.added_snapshot_id, 12);
  EXPECT_EQ(manifest.added_files_count, std::nullopt);
  EXPECT_EQ(manifest.sequence_number, 0);

  snapshot.manifests = {"memory:/missing.avro"};
  EXPECT_THAT(ReadManifests(*io_, snapshot), IsError(ErrorCode::kNotFound));
}

TEST_F(ManifestListTest, NamesTheEntryThatIsWrong) {
  ManifestFile manifest = Committed("a");
  manifest.sequence_number = -3;
  EXPECT_THAT(WriteAndRead({Committed("b"), manifest}),
              IsError(ErrorCode::kCorrupt, "manifest list memory:/snap.avro: block 0 at byte"));
  EXPECT_THAT(WriteAndRead({Committed("b"), manifest}),
              IsError(ErrorCode::kCorrupt, "entry 1: its sequence number is negative"));
  // Some writers leave the least number at -1.
  manifest = Committed("a");
  manifest.min_sequence_number = -1;
  EXPECT_EQ(WriteAndRead({manifest})->front().min_sequence_number, -1);
}

}  // namespace
}  // namespace firn
