#include "firn/format/manifest/content_file_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

TypePtr PartitionOfTest() {
  return Type::Struct({{.id = 1000, .name = "cat", .type = Type::Primitive(TypeId::kString)},
                       {.id = 1001, .name = "day", .type = Type::Primitive(TypeId::kDate)}});
}

Result<DataFile> Read(std::string_view text) {
  DataFile file;
  const auto find = [](int32_t spec_id) { return spec_id == 3 ? PartitionOfTest() : nullptr; };
  FIRN_RETURN_IF_ERROR(VisitJson(text, "file", [&](JsonValue& json) -> Status {
    FIRN_ASSIGN(file, ReadContentFileJson(json, find));
    return {};
  }));
  return file;
}

std::string Write(const DataFile& file) {
  JsonWriter json;
  WriteContentFileJson(json, file, *PartitionOfTest());
  return std::move(json).Take();
}

DataFile FullFile() {
  return {.content = FileContent::kPositionDeletes,
          .file_path = "s3://b/t/data/day=2026-01-31/\"ä\".puffin",
          .file_format = FileFormat::kPuffin,
          .partition_spec_id = 3,
          .partition = {{Value(std::string("a")), Value()}},
          .record_count = 7,
          .file_size_in_bytes = 1 << 20,
          .metrics = {.column_sizes = {{1, 10}, {2, 20}},
                      .value_counts = {{1, 7}},
                      .null_value_counts = {{1, 0}},
                      .nan_value_counts = {{2, 3}},
                      .lower_bounds = {{1, std::string("\x00\xff", 2)}},
                      .upper_bounds = {{1, ""}}},
          .key_metadata = std::string("\x01\x02"),
          .split_offsets = {4, 134217728},
          .equality_ids = {1, 2},
          .sort_order_id = 1,
          .first_row_id = 100,
          .referenced_data_file = "s3://b/t/data/x.parquet",
          .content_offset = 4,
          .content_size_in_bytes = 40};
}

TEST(ContentFileJsonTest, EveryFieldComesBack) {
  const std::string text = Write(FullFile());
  const auto read = Read(text);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(Write(*read), text);
  const DataFile expected = FullFile();
  EXPECT_EQ(read->content, expected.content);
  EXPECT_EQ(read->file_path, expected.file_path);
  EXPECT_EQ(read->partition.fields, expected.partition.fields);
  EXPECT_EQ(read->metrics.lower_bounds, expected.metrics.lower_bounds);
  EXPECT_EQ(read->metrics.upper_bounds, expected.metrics.upper_bounds);
  EXPECT_EQ(read->key_metadata, expected.key_metadata);
  EXPECT_EQ(read->content_size_in_bytes, expected.content_size_in_bytes);
}

TEST(ContentFileJsonTest, JavasSpellingIsRead) {
  const auto read = Read(
      R"({"spec-id":3,"content":"EQUALITY_DELETES","file-path":"/a","file-format":"PARQUET",)"
      R"("partition":{"1000":"x","1001":"2026-01-31"},"file-size-in-bytes":10,"record-count":1})");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->content, FileContent::kEqualityDeletes);
  EXPECT_EQ(read->file_format, FileFormat::kParquet);
  EXPECT_EQ(read->partition.fields[0], Value(std::string("x")));
}

TEST(ContentFileJsonTest, WhatIsNoContentFileIsRefused) {
  EXPECT_THAT(Read("[]"), IsError(ErrorCode::kCorrupt));
  EXPECT_THAT(Read(R"({"spec-id":3,"content":"data"})"), IsError(ErrorCode::kCorrupt, "file-path"));
  const std::string text = Write(FullFile());
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return Read(changed);
  };
  EXPECT_THAT(with("\"spec-id\":3", "\"spec-id\":4"), IsError(ErrorCode::kCorrupt, "spec-id"));
  EXPECT_THAT(with("00ff", "00f"), IsError(ErrorCode::kCorrupt, "hexadecimal"));
  EXPECT_THAT(with("\"keys\":[1,2]", "\"keys\":[1]"), IsError(ErrorCode::kCorrupt, "1 keys"));
  EXPECT_THAT(with("\"keys\":[1,2]", "\"keys\":[1,1]"), IsError(ErrorCode::kCorrupt, "twice"));
  EXPECT_THAT(with("position-deletes", "positions"), IsError(ErrorCode::kCorrupt, "content"));
  EXPECT_THAT(with("\"record-count\":7", "\"record-count\":-7"), IsError(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace firn
