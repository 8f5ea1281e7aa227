#include "firn/parquet/chunk_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/chunk_testing_internal.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using R = FieldRepetition;
using Values = ChunkBuilder::Values;

const LeafNode kText = MakeLeaf(PhysicalType::kByteArray, {R::kOptional});
const LeafNode kList = MakeLeaf(PhysicalType::kByteArray, {R::kRepeated});

// Two pages behind a dictionary that begins at byte 100 of its file.
TestChunk MakeStored(const LeafNode& leaf) {
  ChunkBuilder builder(leaf, ParquetCodec::kZstd);
  builder.AddDictionary({"a", "b"});
  builder.AddPage({FlatRow(leaf, "a"), FlatRow(leaf, "b")}, Values::kDictionary);
  builder.AddPage({FlatRow(leaf, "b")}, Values::kDictionary, /*is_version2=*/true);
  TestChunk stored = builder.Finish(3);
  stored.metadata.dictionary_page_offset = 100;
  stored.metadata.data_page_offset = 120;
  stored.metadata.statistics = {.null_count = 0, .min_value = "a", .max_value = "b"};
  return stored;
}

// A ColumnIndex that knows of this many pages, and nothing else.
std::string IndexOf(uint32_t pages) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  out.BeginList(1, ThriftType::kTrue, pages);
  for (uint32_t i = 0; i < pages; ++i)
    out.WriteElement(false);
  out.WriteI32(4, 0);
  out.LeaveStruct(outer);
  return out.Take();
}

Result<EncodedChunk> Copy(const TestChunk& stored, const LeafNode& leaf, std::string index = "") {
  return CopyChunk(stored.Input(leaf), leaf, Buffer::CopyOf(AsBytes(stored.bytes)),
                   std::move(index));
}

TEST(ChunkCopyTest, KeepsBytesAndStatistics) {
  const TestChunk stored = MakeStored(kText);

  const auto copy = Copy(stored, kText, IndexOf(2));

  ASSERT_THAT(copy, IsOk());
  EXPECT_EQ(JoinPieces(*copy), stored.bytes);
  EXPECT_EQ(copy->row_count, 3);
  EXPECT_EQ(copy->min, "a");
  EXPECT_EQ(copy->max, "b");
  EXPECT_EQ(copy->metadata.dictionary_page_offset, 0);
  EXPECT_EQ(copy->metadata.data_page_offset, 20);
  EXPECT_EQ(copy->column_index, IndexOf(2));
  ASSERT_THAT(copy->pages, SizeIs(2));
  EXPECT_EQ(copy->pages[0].first_row, 0);
  EXPECT_EQ(copy->pages[1].first_row, 2);
  EXPECT_EQ(copy->pages[1].offset, copy->pages[0].offset + copy->pages[0].stored_bytes);
  EXPECT_EQ(copy->pages[1].offset + copy->pages[1].stored_bytes,
            static_cast<int64_t>(stored.bytes.size()));
}

TEST(ChunkCopyTest, LeavesOutAnIndexThatCannotBeTold) {
  EXPECT_THAT(Copy(MakeStored(kText), kText)->pages, IsEmpty());
  EXPECT_THAT(Copy(MakeStored(kText), kText, IndexOf(3))->pages, IsEmpty())
      << "of other pages: readers would pass over rows";
  EXPECT_THAT(Copy(MakeStored(kList), kList, IndexOf(2))->pages, IsEmpty())
      << "headers do not tell the rows of lists";
  EXPECT_THAT(Copy(MakeStored(kText), kText, "no index"), IsError(ErrorCode::kCorrupt));
}

TEST(ChunkCopyTest, RefusesDamagedPages) {
  TestChunk stored = MakeStored(kText);
  stored.metadata.num_values = 4;
  EXPECT_THAT(Copy(stored, kText), IsError(ErrorCode::kCorrupt, "the footer tells 4"));
  stored = MakeStored(kText);
  stored.row_count = 4;
  EXPECT_THAT(Copy(stored, kText), IsError(ErrorCode::kCorrupt, "3 values of 4 rows"));
  for (size_t size = 1; size < stored.bytes.size(); ++size) {
    TestChunk cut = MakeStored(kText);
    cut.bytes.resize(size);
    EXPECT_THAT(Copy(cut, kText), IsError(ErrorCode::kCorrupt)) << size;
  }
  ChunkBuilder builder(kText);
  builder.AddRaw(FormatPageHeader({.compressed_size = 1, .num_values = 1, .crc = 5}), "x");
  stored = builder.Finish(1);
  stored.metadata.num_values = 1;
  stored.metadata.statistics.null_count = 1;
  EXPECT_THAT(Copy(stored, kText), IsError(ErrorCode::kCorrupt, "checksum"));
}

TEST(ChunkCopyTest, WantsTheCodecAndStatisticsThatTellEverything) {
  const auto can = [](const auto& change, PhysicalType type = PhysicalType::kByteArray,
                      R from = R::kOptional) {
    TestChunk stored = MakeStored(MakeLeaf(PhysicalType::kByteArray, {R::kOptional}));
    FileFooter footer{.has_column_orders = true};
    stored.metadata.type = type;
    change(stored.metadata, footer);
    return CanCopyChunk(footer, MakeLeaf(type, {from}), stored.metadata,
                        MakeLeaf(type, {R::kOptional}), ParquetCodec::kZstd);
  };
  using C = ColumnChunk;
  using F = FileFooter;
  const auto nothing = [](C&, F&) {};

  EXPECT_TRUE(can(nothing));
  EXPECT_FALSE(can(nothing, PhysicalType::kDouble)) << "no footer counts NaN";
  EXPECT_FALSE(can(nothing, PhysicalType::kByteArray, R::kRequired)) << "other levels";
  EXPECT_FALSE(can([](C& chunk, F&) { chunk.codec = ParquetCodec::kSnappy; }));
  EXPECT_FALSE(can([](C& chunk, F&) { chunk.statistics.null_count.reset(); }));
  EXPECT_FALSE(can([](C& chunk, F&) { chunk.statistics.min_value.reset(); }));
  EXPECT_FALSE(can([](C& chunk, F&) { chunk.statistics.max_value.reset(); }));
  EXPECT_FALSE(can([](C& chunk, F&) { chunk.statistics.is_max_exact = false; }));
  EXPECT_FALSE(can([](C&, F& footer) { footer.has_column_orders = false; }));
  EXPECT_TRUE(can([](C& chunk, F&) { chunk.statistics = {.null_count = 3}; })) << "only nulls";
}

}  // namespace
}  // namespace firn
