#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/puffin/puffin.h"

// Writes sample manifests, manifest lists and a Puffin file into a folder, for
// manifest_samples_test.py to read with other libraries.

namespace firn {
namespace {

Value MakeUuidValue() {
  UuidBytes uuid{};
  for (size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<std::byte>(i);
  return uuid;
}

// Partition fields of the types that are easy to write wrongly, with ids that leave gaps.
struct Sample {
  std::vector<NestedField> columns;
  PartitionSpec spec{.spec_id = 2, .fields = {}};
  std::vector<NestedField> partition_fields;
  std::vector<Value> values;

  void Add(int32_t id, const std::string& name, const TypePtr& type, Value value) {
    columns.push_back({.id = id, .name = "c" + std::to_string(id), .type = type});
    spec.fields.push_back(
        {.source_ids = {id}, .field_id = 1000 + id, .name = name, .transform = {}});
    partition_fields.push_back({.id = 1000 + id, .name = name, .type = type});
    values.push_back(std::move(value));
  }
};

Sample MakeSample() {
  Sample sample;
  sample.Add(1, "u", Type::Primitive(TypeId::kUuid), MakeUuidValue());
  sample.Add(2, "f", Type::Fixed(4), BinaryValue{std::string("\0\1\2\3", 4)});
  sample.Add(4, "dec", Type::Decimal(9, 2), Int128{-12345});
  sample.Add(5, "day", Type::Primitive(TypeId::kDate), int32_t{20'000});
  sample.Add(6, "tz", Type::Primitive(TypeId::kTimestamptz), int64_t{1'700'000'000'000'000});
  sample.Add(9, "9col", Type::Primitive(TypeId::kInt), int32_t{7});
  sample.Add(10, "a.b", Type::Primitive(TypeId::kString), std::string("x y"));
  return sample;
}

Status WriteSamples(FileIO& io, const std::string& folder, int version) {
  Sample sample = MakeSample();
  const std::string prefix = folder + "/v" + std::to_string(version);
  FIRN_ASSIGN(auto writer,
              MakeManifestWriter(io, prefix + "-m0.avro",
                                 {.format_version = version,
                                  .schema = std::make_shared<Schema>(1, sample.columns),
                                  .spec = std::make_shared<PartitionSpec>(sample.spec),
                                  .partition_type = Type::Struct(sample.partition_fields),
                                  .snapshot_id = 7}));
  ManifestEntry entry;
  entry.snapshot_id = 7;
  for (int i = 0; i < 100; ++i) {
    entry.file.file_path = "s3://bucket/data/" + std::to_string(i) + ".parquet";
    entry.file.record_count = 10 + i;
    entry.file.file_size_in_bytes = 1000 + i;
    entry.file.partition.fields = i == 0 ? std::vector<Value>(sample.values.size()) : sample.values;
    entry.file.metrics.value_counts = {{1, 10}, {2, 10}};
    entry.file.metrics.lower_bounds = {{5, std::string("\x20\x4e\0\0", 4)}};
    entry.file.split_offsets = {4};
    entry.file.sort_order_id = 0;
    FIRN_RETURN_IF_ERROR(writer->Add(entry));
  }
  std::vector<ManifestFile> manifests;
  FIRN_ASSIGN(ManifestFile manifest, writer->Finish());
  manifests.push_back(std::move(manifest));
  ManifestListOptions options{.format_version = version, .snapshot_id = 7, .sequence_number = 3};
  if (version >= 3) options.first_row_id = 500;
  FIRN_RETURN_IF_ERROR(WriteManifestList(io, prefix + "-snap.avro", options, manifests));
  return {};
}

Status WritePuffin(FileIO& io, const std::string& folder) {
  PositionSet positions;
  positions.AddRange(10, 5000);
  positions.Add(100'000);
  FIRN_ASSIGN(auto file, io.Create(folder + "/dv.puffin"));
  PuffinWriter writer(std::move(file), {{"created-by", "firn"}});
  BlobMetadata metadata{.type = "deletion-vector-v1",
                        .snapshot_id = -1,
                        .sequence_number = -1,
                        .fields = {kPosFieldId},
                        .properties = {{"referenced-data-file", "s3://bucket/data/0.parquet"},
                                       {"cardinality", std::to_string(positions.cardinality())}}};
  FIRN_RETURN_IF_ERROR(writer.Add(std::move(metadata), AsBytes(FormatDeletionVector(positions))));
  FIRN_RETURN_IF_ERROR(writer.Finish());
  return {};
}

Status WriteAll(const std::string& folder) {
  const auto io = MakeLocalFileIO();
  for (const int version : {1, 2, 3})
    FIRN_RETURN_IF_ERROR(WriteSamples(*io, folder, version));
  return WritePuffin(*io, folder);
}

}  // namespace
}  // namespace firn

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: manifest_samples FOLDER\n");
    return 2;
  }
  const firn::Status status = firn::WriteAll(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().Format().c_str());
  return 1;
}
