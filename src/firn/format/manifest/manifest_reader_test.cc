#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/format/manifest/manifest.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

// A manifest in a schema of another writer, made record by record.
class ForeignManifest {
 public:
  explicit ForeignManifest(FileIO& io, std::string_view schema, std::string_view version = "2")
      : writer_(*AvroWriter::Make(*io.Create(kUri), **ParseAvroSchema(schema, "test"),
                                  {.metadata = {{"format-version", std::string(version)}}})) {}

  static constexpr std::string_view kUri = "memory:/m.avro";

  ForeignManifest& Long(int64_t value) {
    AppendAvroLong(writer_->record(), value);
    return *this;
  }
  ForeignManifest& Text(std::string_view value) {
    AppendAvroBytes(writer_->record(), value);
    return *this;
  }
  ForeignManifest& Raw(std::string_view bytes) {
    writer_->record() += bytes;
    return *this;
  }
  void End() { EXPECT_THAT(writer_->EndRecord(), IsOk()); }
  void Finish() { EXPECT_THAT(writer_->Finish(), IsOk()); }

 private:
  std::unique_ptr<AvroWriter> writer_;
};

// The least that an entry of version 2 needs, in the order of Java.
constexpr std::string_view kSmallSchema = R"({"type":"record","name":"manifest_entry","fields":[
  {"name":"status","type":"int","field-id":0},
  {"name":"snapshot_id","type":["null","long"],"field-id":1},
  {"name":"sequence_number","type":["null","long"],"field-id":3},
  {"name":"file_sequence_number","type":["null","long"],"field-id":4},
  {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
    {"name":"content","type":"int","field-id":134},
    {"name":"file_path","type":"string","field-id":100},
    {"name":"file_format","type":"string","field-id":101},
    {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[
      {"name":"p","type":["null","int"],"field-id":1000}]}},
    {"name":"record_count","type":"long","field-id":103},
    {"name":"file_size_in_bytes","type":"long","field-id":104},
    {"name":"first_row_id","type":["null","long"],"field-id":142}]}}]})";

struct SmallEntry {
  int status = 1;
  std::optional<int64_t> snapshot_id;
  std::optional<int64_t> sequence_number;
  std::optional<int64_t> file_sequence_number;
  int64_t record_count = 10;
  std::optional<int64_t> first_row_id;
};

class ManifestReaderTest : public testing::Test {
 protected:
  void WriteSmall(const std::vector<SmallEntry>& entries, int content = 0) {
    ForeignManifest file(*io_, kSmallSchema);
    const auto add = [&](const std::optional<int64_t>& value) {
      file.Long(value ? 1 : 0);
      if (value) file.Long(*value);
    };
    for (const SmallEntry& entry : entries) {
      file.Long(entry.status);
      add(entry.snapshot_id);
      add(entry.sequence_number);
      add(entry.file_sequence_number);
      file.Long(content).Text("memory:/f.parquet").Text("PARQUET").Long(1).Long(7);
      file.Long(entry.record_count).Long(99);
      add(entry.first_row_id);
      file.End();
    }
    file.Finish();
  }

  Result<std::vector<ManifestEntry>> Read(ManifestFile manifest,
                                          const ManifestReadOptions& options = {}) {
    manifest.manifest_path = ForeignManifest::kUri;
    std::vector<ManifestEntry> entries;
    FIRN_RETURN_IF_ERROR(
        ReadManifest(*io_, manifest, *partition_type_, options, [&](ManifestEntry& entry) {
          entries.push_back(entry);
          return Status();
        }));
    return entries;
  }

  std::vector<std::optional<int64_t>> FirstRowIds(const ManifestFile& manifest) {
    std::vector<std::optional<int64_t>> ids;
    const auto entries = Read(manifest);
    EXPECT_THAT(entries, IsOk());
    for (const ManifestEntry& entry : *entries)
      ids.push_back(entry.file.first_row_id);
    return ids;
  }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  TypePtr partition_type_ = Type::Struct({
      {.id = 1000, .name = "p", .type = Type::Primitive(TypeId::kInt)},
  });
};

TEST_F(ManifestReaderTest, AnAddedEntryInheritsWhatItDoesNotSay) {
  WriteSmall({{.status = 1}});
  const auto entries =
      Read({.partition_spec_id = 3, .sequence_number = 5, .added_snapshot_id = 77});
  ASSERT_THAT(entries, IsOk());
  const ManifestEntry& entry = entries->front();
  EXPECT_EQ(entry.status, EntryStatus::kAdded);
  EXPECT_EQ(entry.snapshot_id, 77);
  EXPECT_EQ(entry.sequence_number, 5);
  EXPECT_EQ(entry.file_sequence_number, 5);
  EXPECT_EQ(entry.file.partition_spec_id, 3);
  EXPECT_EQ(entry.file.file_path, "memory:/f.parquet");
  EXPECT_EQ(entry.file.record_count, 10);
  EXPECT_EQ(entry.file.file_size_in_bytes, 99);
  ASSERT_EQ(entry.file.partition.fields.size(), 1U);
  EXPECT_EQ(entry.file.partition.fields[0], Value(int32_t{7}));
}

// B27
TEST_F(ManifestReaderTest, AnAddedEntryKeepsAnOlderSequenceNumber) {
  WriteSmall({{.status = 1, .snapshot_id = 3, .sequence_number = 1}});
  const auto entries = Read({.sequence_number = 3, .added_snapshot_id = 3});
  ASSERT_THAT(entries, IsOk());
  EXPECT_EQ(entries->front().sequence_number, 1);
  EXPECT_EQ(entries->front().file_sequence_number, 3);
}

// B117
TEST_F(ManifestReaderTest, AnExistingEntryWithoutSequenceNumberIsAnError) {
  WriteSmall({{.status = 1}, {.status = 0, .snapshot_id = 1}});
  EXPECT_THAT(Read({.sequence_number = 5}),
              IsError(ErrorCode::kCorrupt, "entry 1: it has no sequence number"));
  WriteSmall({{.status = 2, .snapshot_id = 1}});
  EXPECT_THAT(Read({.sequence_number = 5}),
              IsError(ErrorCode::kCorrupt, "manifest memory:/m.avro: block 0"));
}

// B117
TEST_F(ManifestReaderTest, EverythingInAManifestOfSequenceZeroIsZero) {
  WriteSmall({{.status = 0, .snapshot_id = 1}, {.status = 2, .snapshot_id = 2}, {.status = 1}});
  const auto entries = Read({.sequence_number = 0, .added_snapshot_id = 9});
  ASSERT_THAT(entries, IsOk());
  for (const ManifestEntry& entry : *entries) {
    EXPECT_EQ(entry.sequence_number, 0);
    EXPECT_EQ(entry.file_sequence_number, 0);
  }
}

TEST_F(ManifestReaderTest, OldWritersLeaveTheFileSequenceNumberOut) {
  WriteSmall({{.status = 0, .snapshot_id = 1, .sequence_number = 4}});
  const auto entries = Read({.sequence_number = 5});
  ASSERT_THAT(entries, IsOk());
  EXPECT_EQ(entries->front().sequence_number, 4);
  EXPECT_EQ(entries->front().file_sequence_number, std::nullopt);
}

TEST_F(ManifestReaderTest, AManifestWithoutCommitInheritsNothingButTheSnapshot) {
  WriteSmall({{.status = 1, .first_row_id = 8}});
  const auto entries =
      Read({.sequence_number = kUnassignedSequenceNumber, .added_snapshot_id = 77});
  ASSERT_THAT(entries, IsOk());
  EXPECT_EQ(entries->front().snapshot_id, 77);
  EXPECT_EQ(entries->front().sequence_number, std::nullopt);
  EXPECT_EQ(entries->front().file_sequence_number, std::nullopt);
  EXPECT_EQ(entries->front().file.first_row_id, 8);
}

// B125: the example of the spec, with its EXISTING file of 25 rows at 800.
TEST_F(ManifestReaderTest, RowIdsAreInheritedInFileOrder) {
  WriteSmall({{.status = 0,
               .snapshot_id = 1,
               .sequence_number = 1,
               .record_count = 25,
               .first_row_id = 800},
              {.status = 1, .record_count = 50},
              {.status = 1, .record_count = 50}});
  EXPECT_THAT(FirstRowIds({.sequence_number = 2, .first_row_id = 1000}),
              ElementsAre(Optional(800), Optional(1000), Optional(1050)));
}

// B125
TEST_F(ManifestReaderTest, DeletedEntriesTakeNoRowIds) {
  WriteSmall({{.status = 2, .snapshot_id = 1, .sequence_number = 1, .record_count = 1000},
              {.status = 1, .record_count = 5},
              {.status = 0, .snapshot_id = 1, .sequence_number = 1, .record_count = 3},
              {.status = 1, .record_count = 2}});
  EXPECT_THAT(FirstRowIds({.sequence_number = 2, .first_row_id = 100}),
              ElementsAre(std::nullopt, Optional(100), Optional(105), Optional(108)));
  // The counter runs on over entries that are not shown.
  const auto live = Read({.sequence_number = 2, .first_row_id = 100}, {.with_deleted = false});
  ASSERT_EQ(live->size(), 3U);
  EXPECT_EQ(live->back().file.first_row_id, 108);
}

TEST_F(ManifestReaderTest, NoRowIdsWithoutOneForTheManifest) {
  WriteSmall({{.status = 1, .first_row_id = 8}});
  EXPECT_THAT(FirstRowIds({.sequence_number = 2}), ElementsAre(std::nullopt));
}

// B126
TEST_F(ManifestReaderTest, DeleteManifestsNumberNoRows) {
  WriteSmall({{.status = 1}}, 1);
  EXPECT_THAT(
      FirstRowIds(
          {.content = ManifestContent::kDeletes, .sequence_number = 2, .first_row_id = 100}),
      ElementsAre(std::nullopt));
}

TEST_F(ManifestReaderTest, RowIdsThatOverflowAreAnError) {
  WriteSmall({{.status = 1, .record_count = int64_t{1} << 62}, {.status = 1}});
  EXPECT_THAT(Read({.sequence_number = 2, .first_row_id = int64_t{1} << 62}),
              IsError(ErrorCode::kCorrupt, "do not fit 64 bits"));
}

TEST_F(ManifestReaderTest, DataAndDeletesDoNotMix) {
  WriteSmall({{.status = 1}}, 2);
  EXPECT_THAT(Read({}), IsError(ErrorCode::kCorrupt, "a delete file in a manifest of data"));
  WriteSmall({{.status = 1}}, 0);
  EXPECT_THAT(Read({.content = ManifestContent::kDeletes}),
              IsError(ErrorCode::kCorrupt, "a data file in a manifest of deletes"));
}

TEST_F(ManifestReaderTest, RefusesValuesOutsideTheSpec) {
  WriteSmall({{.status = 3}});
  EXPECT_THAT(Read({}), IsError(ErrorCode::kCorrupt, "its status is not 0, 1 or 2"));
  WriteSmall({{.status = 1}}, 3);
  EXPECT_THAT(Read({}), IsError(ErrorCode::kCorrupt, "content of its file is not 0, 1 or 2"));
  WriteSmall({{.status = 1, .record_count = -1}});
  EXPECT_THAT(Read({}), IsError(ErrorCode::kCorrupt, "record count of its file is negative"));
}

TEST_F(ManifestReaderTest, AnErrorOfTheVisitorEndsTheReading) {
  WriteSmall({{}, {}, {}});
  int seen = 0;
  const Status status = ReadManifest(*io_, {.manifest_path = std::string(ForeignManifest::kUri)},
                                     *partition_type_, {}, [&](ManifestEntry&) -> Status {
                                       if (++seen < 2) return {};
                                       return MakeError(ErrorCode::kCancelled, "enough");
                                     });
  EXPECT_THAT(status, IsError(ErrorCode::kCancelled, "enough"));
  EXPECT_EQ(seen, 2);
}

TEST_F(ManifestReaderTest, EncryptedManifestsAreRefusedClearly) {
  EXPECT_THAT(Read({.key_metadata = "k"}), IsError(ErrorCode::kUnsupported, "it is encrypted"));
}

// A version 1 manifest: other order, required snapshot id, deprecated columns, no sequence numbers.
TEST_F(ManifestReaderTest, ReadsVersionOneWithItsDeprecatedColumns) {
  ForeignManifest file(*io_, R"({"type":"record","name":"manifest_entry","fields":[
      {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
        {"name":"file_format","type":"string","field-id":101},
        {"name":"file_path","type":"string","field-id":100},
        {"name":"record_count","type":"long","field-id":103},
        {"name":"file_size_in_bytes","type":"long","field-id":104},
        {"name":"block_size_in_bytes","type":"long","field-id":105},
        {"name":"file_ordinal","type":["null","int"],"field-id":106},
        {"name":"sort_columns","type":["null",{"type":"array","items":"int","element-id":112}],
         "field-id":107},
        {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[]}}]}},
      {"name":"snapshot_id","type":"long","field-id":1},
      {"name":"status","type":"int","field-id":0}]})",
                       "1");
  file.Text("parquet").Text("memory:/a").Long(4).Long(5).Long(64 << 20);
  file.Long(1).Long(3).Long(1).Long(2).Long(8).Long(9).Long(0).Long(42).Long(0).End();
  file.Finish();
  // Even if a later list gives the manifest a number.
  for (const int64_t number : {0, 6}) {
    const auto entries = Read({.sequence_number = number, .added_snapshot_id = 1});
    ASSERT_THAT(entries, IsOk());
    EXPECT_EQ(entries->front().status, EntryStatus::kExisting);
    EXPECT_EQ(entries->front().snapshot_id, 42);
    EXPECT_EQ(entries->front().sequence_number, 0);
    EXPECT_EQ(entries->front().file.file_format, FileFormat::kParquet);
    EXPECT_TRUE(entries->front().file.partition.fields[0].is_null());
  }
}

// Fields without ids, in another order, T before null, an unknown nested field, plain Avro maps and
// records with reversed key and value.
TEST_F(ManifestReaderTest, ReadsUnusualSchemasOfOtherWriters) {
  ForeignManifest file(*io_, R"({"type":"record","name":"manifest_entry","fields":[
      {"name":"status","type":"int"},
      {"name":"extra","type":{"type":"map","values":["string","long","null"]}},
      {"name":"snapshot_id","type":["long","null"]},
      {"name":"sequence_number","type":["long","null"]},
      {"name":"data_file","type":["null",{"type":"record","name":"data_file","fields":[
        {"name":"file_path","type":"bytes"},{"name":"file_format","type":"string"},
        {"name":"partition","type":{"type":"record","name":"part","fields":[
          {"name":"p","type":["int","null"]},{"name":"gone","type":"string"}]}},
        {"name":"record_count","type":"int"},
        {"name":"file_size_in_bytes","type":["null","long"]},
        {"name":"value_counts","type":{"type":"map","values":"long"}},
        {"name":"null_value_counts","type":[{"type":"array","items":{"type":"record","name":"kv",
          "fields":[{"name":"value","type":["null","long"]},{"name":"note","type":"string"},
                    {"name":"key","type":"int"}]}},"null"]},
        {"name":"lower_bounds","type":{"type":"array","items":{"type":"record","name":"kb",
          "fields":[{"name":"key","type":"int"},{"name":"value","type":"bytes"}]}}},
        {"name":"equality_ids","type":{"type":"array","items":"long"}}]}]}]})");
  file.Long(1);
  file.Long(2).Text("a").Long(0).Text("x").Text("b").Long(2).Long(0);  // extra
  file.Long(0).Long(11).Long(1);                                       // snapshot_id, no sequence
  file.Long(1).Text("memory:/f").Text("OrC").Long(0).Long(-7).Text("gone");
  file.Long(33).Long(1).Long(44);
  file.Long(-2).Long(99).Text("20").Long(1).Text("10").Long(2).Long(0);
  file.Long(0).Long(2).Long(1).Long(5).Text("n").Long(3).Long(0).Text("n").Long(4).Long(0);
  file.Long(3).Long(9).Text("i").Long(2).Text("b").Long(9).Text("j").Long(0);
  file.Long(1).Long(6).Long(0);
  file.End();
  file.Finish();

  const auto entries = Read({.content = ManifestContent::kData, .sequence_number = 2});
  ASSERT_THAT(entries, IsOk());
  const ManifestEntry& entry = entries->front();
  EXPECT_EQ(entry.snapshot_id, 11);
  EXPECT_EQ(entry.sequence_number, 2);
  EXPECT_EQ(entry.file.file_path, "memory:/f");
  EXPECT_EQ(entry.file.file_format, FileFormat::kOrc);
  EXPECT_EQ(entry.file.partition.fields[0], Value(int32_t{-7}));
  EXPECT_EQ(entry.file.record_count, 33);
  EXPECT_EQ(entry.file.file_size_in_bytes, 44);
  EXPECT_THAT(entry.file.metrics.value_counts, ElementsAre(Pair(10, 2), Pair(20, 1)));
  EXPECT_THAT(entry.file.metrics.null_value_counts, ElementsAre(Pair(3, 5)));
  EXPECT_THAT(entry.file.metrics.lower_bounds, ElementsAre(Pair(2, "b"), Pair(9, "j")));
  EXPECT_THAT(entry.file.equality_ids, ElementsAre(6));
}

// B120: names may even be swapped; ids decide.
TEST_F(ManifestReaderTest, BindsPartitionValuesByIdNotByName) {
  partition_type_ = Type::Struct({
      {.id = 1000, .name = "a.b", .type = Type::Primitive(TypeId::kInt)},
      {.id = 1001, .name = "a_x2Eb", .type = Type::Primitive(TypeId::kLong)},
      {.id = 1002, .name = "absent", .type = Type::Primitive(TypeId::kLong)},
  });
  ForeignManifest file(*io_, R"({"type":"record","name":"manifest_entry","fields":[
      {"name":"status","type":"int","field-id":0},
      {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
        {"name":"file_path","type":"string","field-id":100},
        {"name":"file_format","type":"string","field-id":101},
        {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[
          {"name":"a_x2Eb","type":"int","field-id":1001},
          {"name":"other","iceberg-field-name":"a.b","type":"int","field-id":1000},
          {"name":"absent","type":"int","field-id":1009}]}},
        {"name":"record_count","type":"long","field-id":103},
        {"name":"file_size_in_bytes","type":"long","field-id":104}]}}]})");
  file.Long(1).Text("f").Text("avro").Long(1).Long(2).Long(3).Long(4).Long(5).End();
  file.Finish();
  const auto entries = Read({});
  ASSERT_THAT(entries, IsOk());
  EXPECT_THAT(entries->front().file.partition.fields,
              ElementsAre(Value(int32_t{2}), Value(int64_t{1}), Value()));
}

TEST_F(ManifestReaderTest, NamesAColumnOfImpossibleType) {
  ForeignManifest(*io_, R"({"type":"record","name":"manifest_entry","fields":[
      {"name":"status","type":"string","field-id":0}]})")
      .Finish();
  EXPECT_THAT(Read({}),
              IsError(ErrorCode::kCorrupt,
                      "manifest memory:/m.avro: field 'status' (id 0) is an Avro string"));
  ForeignManifest(*io_, R"({"type":"record","name":"manifest_entry","fields":[
      {"name":"status","type":"int","field-id":0}]})")
      .Finish();
  EXPECT_THAT(Read({}), IsError(ErrorCode::kCorrupt, "not a manifest"));
  ForeignManifest(*io_, "\"string\"").Finish();
  EXPECT_THAT(Read({}), IsError(ErrorCode::kCorrupt, "is a string, expected a record"));
}

}  // namespace
}  // namespace firn
