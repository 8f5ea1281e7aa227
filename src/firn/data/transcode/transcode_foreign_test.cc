#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/clock.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/transcode/transcode_files.h"
#include "firn/parquet/parquet.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

// Files that Arrow and others wrote, put together anew below rows, are read by Arrow as before.

namespace firn {
namespace {

namespace fs = std::filesystem;
using TablePtr = std::shared_ptr<arrow::Table>;

struct RewriteOptions {
  ChunkOptions chunks;
  bool copies = false;       // Whole chunks where that can be; else all row groups become one.
  int64_t drops_one_in = 0;  // Rows that are left out of each row group; 0: none.
};

struct Rewritten {
  std::string bytes;
  std::vector<int> leaves;  // Those of the input that are there.
  int64_t copied_chunks = 0;
};

// The schema element of a group with this many children, as a file has it.
SchemaElement MakeRoot(size_t children) {
  SchemaElement root{.name = "schema", .num_children = static_cast<int32_t>(children)};
  root.raw = "\x48\x06schema\x15";
  for (uint64_t number = children * 2; true; number >>= 7) {
    root.raw.push_back(static_cast<char>(number < 0x80 ? number : (number & 0x7F) | 0x80));
    if (number < 0x80) break;
  }
  root.raw.push_back('\0');
  return root;
}

std::vector<RowSpan> SpansWithout(int64_t rows, int64_t one_in) {
  std::vector<RowSpan> spans;
  for (int64_t row = 0; row < rows; row += one_in)
    spans.push_back({row, std::min(rows, row + one_in - 1)});
  std::erase_if(spans, [](const RowSpan& span) { return span.begin == span.end; });
  return spans;
}

class Rewriter {
 public:
  Rewriter(const std::string& bytes, const RewriteOptions& options)
      : bytes_(bytes), options_(options) {}

  Result<Rewritten> Run() {
    FIRN_ASSIGN(footer_, ReadFooter(AsBytes(bytes_)));
    FIRN_ASSIGN(leaves_, LeavesOf(footer_.schema));
    for (const RowGroup& group : footer_.row_groups)
      kept_.push_back(SpansWithout(group.num_rows, std::max<int64_t>(options_.drops_one_in, 1)));
    FIRN_RETURN_IF_ERROR(MakeOutputs());
    return Write();
  }

 private:
  // Chunks of all top-level columns that can be made; those of others are left out.
  Status MakeOutputs() {
    const size_t groups = options_.copies ? footer_.row_groups.size() : 1;
    chunks_.resize(groups);
    schema_ = {MakeRoot(0)};
    size_t element = 1;
    size_t leaf = 0;
    size_t columns = 0;
    while (element < footer_.schema.size()) {
      const size_t element_begin = element;
      const size_t leaf_begin = leaf;
      for (int32_t open = 1; open > 0; ++element) {
        open += footer_.schema[element].num_children - 1;
        if (footer_.schema[element].type) ++leaf;
      }
      FIRN_ASSIGN(const bool is_made, MakeColumn(leaf_begin, leaf));
      if (!is_made) continue;
      ++columns;
      for (size_t i = element_begin; i < element; ++i)
        schema_.push_back(footer_.schema[i]);
    }
    schema_[0] = MakeRoot(columns);
    return {};
  }

  Result<bool> MakeColumn(size_t begin, size_t end) {
    std::vector<std::vector<EncodedChunk>> made(chunks_.size());
    for (size_t leaf = begin; leaf < end; ++leaf) {
      for (const RowGroup& group : footer_.row_groups) {
        if (!CanTranscode(leaves_[leaf], group.columns[leaf], leaves_[leaf])) return false;
      }
      for (size_t i = 0; i < chunks_.size(); ++i) {
        auto chunk = options_.copies ? CopyOrMake(leaf, i) : Make(leaf);
        if (!chunk.ok() && chunk.error().code() == ErrorCode::kUnsupported) return false;
        if (!chunk.ok()) return chunk.error();
        made[i].push_back(std::move(*chunk));
      }
    }
    for (size_t i = 0; i < chunks_.size(); ++i)
      std::move(made[i].begin(), made[i].end(), std::back_inserter(chunks_[i]));
    for (size_t leaf = begin; leaf < end; ++leaf)
      result_.leaves.push_back(static_cast<int>(leaf));
    return begin < end;
  }

  ChunkInput Input(size_t leaf, size_t group) const {
    const ColumnChunk& chunk = footer_.row_groups[group].columns[leaf];
    ChunkInput input{
        .leaf = &leaves_[leaf],
        .chunk = &chunk,
        .bytes = AsBytes(bytes_).subspan(static_cast<size_t>(chunk.start_offset()),
                                         static_cast<size_t>(chunk.total_compressed_size)),
        .row_count = footer_.row_groups[group].num_rows};
    if (options_.drops_one_in > 0) input.kept = &kept_[group];
    return input;
  }

  Result<EncodedChunk> Make(size_t leaf) const {
    std::vector<ChunkInput> inputs;
    for (size_t i = 0; i < footer_.row_groups.size(); ++i)
      inputs.push_back(Input(leaf, i));
    return TranscodeChunk(leaves_[leaf], inputs, options_.chunks);
  }

  Result<EncodedChunk> CopyOrMake(size_t leaf, size_t group) {
    const ChunkInput input = Input(leaf, group);
    const ColumnChunk& chunk = *input.chunk;
    if (!CanCopyChunk(footer_, leaves_[leaf], chunk, leaves_[leaf], chunk.codec)) {
      return TranscodeChunk(leaves_[leaf], std::vector{input}, options_.chunks);
    }
    ++result_.copied_chunks;
    std::string index;
    if (chunk.column_index) {
      index = bytes_.substr(static_cast<size_t>(chunk.column_index->offset),
                            static_cast<size_t>(chunk.column_index->length));
    }
    return CopyChunk(input, leaves_[leaf], Buffer::CopyOf(input.bytes), std::move(index));
  }

  Result<Rewritten> Write() {
    const auto io = MakeMemoryFileIO(SystemClock());
    FIRN_ASSIGN(const auto file, io->Create("memory:/out"));
    footer_.schema = schema_;
    ParquetFileOutput output(
        footer_, [&file](std::span<const std::byte> bytes) { return file->Append(bytes); });
    for (std::vector<EncodedChunk>& group : chunks_) {
      if (group.empty()) continue;
      output.BeginRowGroup(group[0].row_count);
      for (EncodedChunk& chunk : group)
        FIRN_RETURN_IF_ERROR(output.Append(std::move(chunk)));
    }
    FIRN_RETURN_IF_ERROR(output.Finish());
    FIRN_RETURN_IF_ERROR(file->Publish());
    FIRN_ASSIGN(const Buffer bytes, ReadFile(*io, "memory:/out"));
    result_.bytes = bytes.view();
    return std::move(result_);
  }

  const std::string& bytes_;
  const RewriteOptions& options_;
  FileFooter footer_;
  std::vector<LeafNode> leaves_;
  std::vector<std::vector<RowSpan>> kept_;
  std::vector<SchemaElement> schema_;
  std::vector<std::vector<EncodedChunk>> chunks_;  // By row group of the output.
  Rewritten result_;
};

Result<std::unique_ptr<parquet::arrow::FileReader>> OpenWithArrow(const std::string& bytes) {
  using Reader = std::unique_ptr<parquet::arrow::FileReader>;
  return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<Reader> {
    parquet::ReaderProperties properties;
    properties.set_page_checksum_verification(true);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(
        std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)), properties));
    return builder.Build();
  });
}

Result<TablePtr> ReadWithArrow(const std::string& bytes, const std::vector<int>* leaves) {
  FIRN_ASSIGN(const auto reader, OpenWithArrow(bytes));
  return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<TablePtr> {
    ARROW_ASSIGN_OR_RAISE(const TablePtr table,
                          leaves == nullptr ? reader->ReadTable() : reader->ReadTable(*leaves));
    ARROW_RETURN_NOT_OK(table->ValidateFull());
    return table->CombineChunks();
  });
}

// The rows that `drops_one_in` keeps of row groups of these sizes.
TablePtr WithoutRows(const TablePtr& table, const parquet::FileMetaData& metadata, int64_t one_in) {
  if (one_in == 0) return table;
  arrow::Int64Builder indices;
  int64_t begin = 0;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    const int64_t rows = metadata.RowGroup(i)->num_rows();
    for (const RowSpan& span : SpansWithout(rows, one_in)) {
      for (int64_t row = span.begin; row < span.end; ++row)
        EXPECT_TRUE(indices.Append(begin + row).ok());
    }
    begin += rows;
  }
  return arrow::compute::Take(table, *indices.Finish())->table();
}

void ExpectSameTable(const arrow::Table& actual, const arrow::Table& expected) {
  ASSERT_EQ(actual.num_rows(), expected.num_rows());
  ASSERT_EQ(actual.num_columns(), expected.num_columns());
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  for (int i = 0; i < actual.num_columns(); ++i) {
    std::shared_ptr<arrow::ChunkedArray> wanted = expected.column(i);
    if (!wanted->type()->Equals(actual.column(i)->type())) {
      wanted = arrow::compute::Cast(wanted, actual.column(i)->type())->chunked_array();
    }
    EXPECT_TRUE(actual.column(i)->Equals(*wanted, options)) << expected.field(i)->ToString();
  }
}

// Whether Arrow finds pages where the index tells them, with the rows that are told.
void CheckPageIndex(const std::string& bytes) {
  const auto file = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
  for (int i = 0; i < file->metadata()->num_row_groups(); ++i) {
    const auto group = file->metadata()->RowGroup(i);
    const auto indexes = file->GetPageIndexReader()->RowGroup(i);
    for (int j = 0; indexes != nullptr && j < group->num_columns(); ++j) {
      const auto offsets = indexes->GetOffsetIndex(j);
      if (offsets == nullptr) continue;
      const auto& pages = offsets->page_locations();
      const auto chunk = group->ColumnChunk(j);
      const auto bounds = indexes->GetColumnIndex(j);
      if (bounds != nullptr) {
        EXPECT_EQ(bounds->null_pages().size(), pages.size());
        int64_t nulls = 0;
        for (const int64_t count : bounds->null_counts())
          nulls += count;
        const auto statistics = chunk->statistics();
        if (bounds->has_null_counts() && statistics != nullptr) {
          EXPECT_EQ(nulls, statistics->null_count());
        }
      }
      const int64_t start = chunk->has_dictionary_page() ? chunk->dictionary_page_offset()
                                                         : chunk->data_page_offset();
      EXPECT_EQ(pages.back().offset + pages.back().compressed_page_size,
                start + chunk->total_compressed_size());
      EXPECT_GE(pages.front().offset, chunk->data_page_offset());
      for (size_t k = 1; k < pages.size(); ++k) {
        EXPECT_EQ(pages[k].offset, pages[k - 1].offset + pages[k - 1].compressed_page_size);
        EXPECT_GE(pages[k].first_row_index, pages[k - 1].first_row_index);
        EXPECT_LT(pages[k].first_row_index, group->num_rows());
      }
    }
  }
}

constexpr int kRefused = -1;         // By both.
constexpr int kRefusedByFirn = -2;   // Arrow reads it.
constexpr int kRefusedByArrow = -3;  // What came out of it is no matter.

// Rewrite and compare. Returns how many leaves were taken over.
int CheckRewrite(const std::string& bytes, const RewriteOptions& options) {
  const auto rewritten = Rewriter(bytes, options).Run();
  if (!rewritten.ok()) {
    EXPECT_THAT(rewritten.error().code(),
                testing::AnyOf(ErrorCode::kCorrupt, ErrorCode::kUnsupported));
    return ReadWithArrow(bytes, nullptr).ok() ? kRefusedByFirn : kRefused;
  }
  if (rewritten->leaves.empty()) return 0;
  const auto expected = ReadWithArrow(bytes, &rewritten->leaves);
  if (!expected.ok()) return kRefusedByArrow;
  const auto actual = ReadWithArrow(rewritten->bytes, nullptr);
  EXPECT_THAT(actual, IsOk());
  if (!actual.ok()) return kRefused;
  const auto reader = OpenWithArrow(bytes);
  ExpectSameTable(**actual, *WithoutRows(*expected, *(*reader)->parquet_reader()->metadata(),
                                         options.drops_one_in));
  CheckPageIndex(rewritten->bytes);
  return static_cast<int>(rewritten->leaves.size());
}

// Columns of every shape: unique and repeated values, runs of nulls, NaN, lists of strings.
TablePtr MakeTable(int64_t rows) {
  arrow::Int64Builder ids;
  arrow::Int32Builder numbers;
  arrow::StringBuilder texts;
  arrow::DoubleBuilder reals;
  arrow::BooleanBuilder flags;
  arrow::FixedSizeBinaryBuilder fixed(arrow::fixed_size_binary(3));
  const auto strings = std::make_shared<arrow::StringBuilder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), strings);
  for (int64_t i = 0; i < rows; ++i) {
    const bool is_null = i % 11 == 3 || (i > 1000 && i < 1500);
    EXPECT_TRUE(ids.Append(i * 7919 % 100'003).ok());
    EXPECT_TRUE(
        (is_null ? numbers.AppendNull() : numbers.Append(static_cast<int32_t>(i % 40))).ok());
    const std::string text =
        (i < rows / 2 ? "few " : "many ") + std::to_string(i < rows / 2 ? i % 9 : i);
    EXPECT_TRUE((is_null ? texts.AppendNull() : texts.Append(text)).ok());
    EXPECT_TRUE(
        reals.Append(i % 5 == 0 ? std::nan("") : (i % 7 == 0 ? -0.0 : 0.5 * static_cast<double>(i)))
            .ok());
    EXPECT_TRUE((is_null ? flags.AppendNull() : flags.Append(i % 3 == 0)).ok());
    EXPECT_TRUE(fixed.Append(std::string(3, static_cast<char>(i % 251))).ok());
    EXPECT_TRUE((i % 13 == 0 ? lists.AppendNull() : lists.Append()).ok());
    for (int64_t k = 0; i % 13 != 0 && k < i % 5; ++k)
      EXPECT_TRUE(
          (k == 2 ? strings->AppendNull() : strings->Append(std::to_string(i % 30 + k))).ok());
  }
  const auto id = arrow::field("id", arrow::int64(), false);
  std::vector<std::shared_ptr<arrow::Field>> fields = {
      id,
      arrow::field("number", arrow::int32()),
      arrow::field("text", arrow::utf8()),
      arrow::field("real", arrow::float64()),
      arrow::field("flag", arrow::boolean()),
      arrow::field("fixed", arrow::fixed_size_binary(3), false),
      arrow::field("list", arrow::list(arrow::utf8()))};
  return arrow::Table::Make(arrow::schema(fields),
                            {*ids.Finish(), *numbers.Finish(), *texts.Finish(), *reals.Finish(),
                             *flags.Finish(), *fixed.Finish(), *lists.Finish()});
}

std::string WriteWithArrow(const arrow::Table& table, parquet::WriterProperties::Builder& builder,
                           int64_t row_group_rows) {
  builder.enable_write_page_index()->enable_page_checksum()->write_batch_size(50);
  const auto sink = *arrow::io::BufferOutputStream::Create();
  EXPECT_TRUE(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, row_group_rows,
                                         builder.build())
                  .ok());
  return (*sink->Finish())->ToString();
}

constexpr parquet::Compression::type kArrowCodecs[] = {
    parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY, parquet::Compression::GZIP,
    parquet::Compression::ZSTD, parquet::Compression::LZ4};

TEST(TranscodeForeignTest, GivesWhatArrowReadsOfFilesThatArrowWroteInAnyWay) {
  const TablePtr table = MakeTable(3000);
  for (const auto codec : kArrowCodecs) {
    for (const auto version :
         {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
      // No dictionary; one for all; one that gets too large in the middle of a chunk.
      for (const int64_t dictionary_bytes : {0, 1 << 20, 500}) {
        SCOPED_TRACE(testing::Message() << "codec " << codec << " dictionary " << dictionary_bytes);
        parquet::WriterProperties::Builder builder;
        builder.compression(codec)->data_page_version(version)->data_pagesize(2000);
        builder.dictionary_pagesize_limit(dictionary_bytes);
        if (dictionary_bytes == 0) builder.disable_dictionary();
        const std::string bytes = WriteWithArrow(*table, builder, 1300);
        const ChunkOptions chunks{.page_bytes = 3000, .page_rows = 170};

        EXPECT_EQ(CheckRewrite(bytes, {.chunks = chunks}), 7);
        EXPECT_EQ(CheckRewrite(bytes, {.chunks = chunks, .drops_one_in = 7}), 7);
        EXPECT_EQ(CheckRewrite(bytes, {.chunks = {.dictionary_bytes_max = 0}, .drops_one_in = 2}),
                  7);
        EXPECT_EQ(CheckRewrite(bytes, {.chunks = chunks, .copies = true}), 7);
      }
    }
  }
}

TEST(TranscodeForeignTest, WritesEveryCodecSoThatArrowReadsIt) {
  parquet::WriterProperties::Builder builder;
  const std::string bytes = WriteWithArrow(*MakeTable(3000), builder, 1000);
  for (const auto codec : {ParquetCodec::kUncompressed, ParquetCodec::kSnappy, ParquetCodec::kGzip,
                           ParquetCodec::kZstd, ParquetCodec::kLz4Raw}) {
    EXPECT_EQ(CheckRewrite(bytes, {.chunks = {.codec = codec, .page_rows = 100}}), 7);
  }
}

TEST(TranscodeForeignTest, TakesDeltasAndSplitStreams) {
  using parquet::Encoding;
  const TablePtr table = MakeTable(3000);
  for (const auto& [column, encoding] : std::vector<std::pair<std::string, Encoding::type>>{
           {"id", Encoding::DELTA_BINARY_PACKED},
           {"number", Encoding::DELTA_BINARY_PACKED},
           {"number", Encoding::BYTE_STREAM_SPLIT},
           {"text", Encoding::DELTA_LENGTH_BYTE_ARRAY},
           {"text", Encoding::DELTA_BYTE_ARRAY},
           {"real", Encoding::BYTE_STREAM_SPLIT},
           {"flag", Encoding::RLE},
           {"fixed", Encoding::DELTA_BYTE_ARRAY},
           {"list.list.element", Encoding::DELTA_BYTE_ARRAY}}) {
    for (const auto version :
         {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
      SCOPED_TRACE(column);
      parquet::WriterProperties::Builder builder;
      builder.disable_dictionary(column)->encoding(column, encoding)->data_page_version(version);
      builder.data_pagesize(2000);
      const std::string bytes = WriteWithArrow(*table, builder, 1300);

      EXPECT_EQ(CheckRewrite(bytes, {}), 7);
      EXPECT_EQ(CheckRewrite(bytes, {.drops_one_in = 3}), 7);
      EXPECT_EQ(CheckRewrite(bytes, {.copies = true}), 7);
    }
  }
}

TEST(TranscodeForeignTest, TakesPagesOfBrotliAndOfHadoop) {
  const TablePtr table = MakeTable(3000);
  for (const auto codec : {parquet::Compression::BROTLI, parquet::Compression::LZ4_HADOOP}) {
    parquet::WriterProperties::Builder builder;
    builder.compression(codec);
    EXPECT_EQ(CheckRewrite(WriteWithArrow(*table, builder, 1000), {}), 7);
  }
}

TEST(TranscodeForeignTest, RefusesPagesWhoseChecksumIsWrong) {
  const TablePtr table = MakeTable(3000);
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::UNCOMPRESSED)->disable_dictionary();
  std::string bytes = WriteWithArrow(*table, builder, 3000);
  ASSERT_EQ(CheckRewrite(bytes, {}), 7);
  bytes[5000] = static_cast<char>(bytes[5000] ^ 1);  // A value of the first column.

  for (const bool copies : {false, true}) {
    const RewriteOptions options{.copies = copies};
    EXPECT_THAT(Rewriter(bytes, options).Run(), IsError(ErrorCode::kCorrupt, "checksum"));
  }
}

// Else a compaction would give damaged values a checksum that is right.
TEST(TranscodeForeignTest, LeavesAFileWithAWrongChecksumToAReaderThatSeesItToo) {
  arrow::Int64Builder numbers;
  for (int64_t i = 0; i < 3000; ++i)
    ASSERT_TRUE(numbers.Append(i).ok());
  const auto field = arrow::field("a", arrow::int64(), true,
                                  arrow::key_value_metadata({std::string(kFieldIdKey)}, {"1"}));
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::UNCOMPRESSED)->disable_dictionary();
  std::string bytes = WriteWithArrow(
      *arrow::Table::Make(arrow::schema({field}), {*numbers.Finish()}), builder, 3000);
  RowTable table({Optional(1, "a", Primitive(TypeId::kLong))});
  const DataWriteOptions options{.schema = table.metadata().current_schema(),
                                 .spec = table.metadata().default_spec(),
                                 .partition = StructValue{}};
  const WriteContext context = table.write_context();
  FileScanTask task = table.AddFile("good", bytes);
  task.file.record_count = 3000;
  const auto good = TranscodeDataFiles(context, options, {task});
  ASSERT_THAT(good, IsOk());
  ASSERT_TRUE(good->has_value());
  bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
  task = table.AddFile("bad", bytes);
  task.file.record_count = 3000;

  const auto bad = TranscodeDataFiles(context, options, {task});

  ASSERT_THAT(bad, IsOk());
  EXPECT_FALSE(bad->has_value());
  ReadOptions read{.projection = options.schema, .verifies_checksums = true};
  EXPECT_THAT(table.ReadWith({task}, read), IsError(ErrorCode::kCorrupt, "bad"));
  read.verifies_checksums = false;
  EXPECT_THAT(table.ReadWith({task}, read), IsOkAnd(testing::SizeIs(3000)));
}

// The statistics of Arrow's own writer are the oracle.
TEST(TranscodeForeignTest, TellsTheStatisticsThatArrowTells) {
  parquet::WriterProperties::Builder builder;
  const std::string bytes = WriteWithArrow(*MakeTable(3000), builder, 3000);
  const RewriteOptions options;
  const auto rewritten = Rewriter(bytes, options).Run();
  ASSERT_THAT(rewritten, IsOk());
  const auto before = OpenWithArrow(bytes);
  const auto after = OpenWithArrow(rewritten->bytes);
  ASSERT_THAT(after, IsOk());
  const auto group_before = (*before)->parquet_reader()->metadata()->RowGroup(0);
  const auto group_after = (*after)->parquet_reader()->metadata()->RowGroup(0);
  ASSERT_EQ(group_after->num_columns(), group_before->num_columns());
  for (int i = 0; i < group_before->num_columns(); ++i) {
    const auto a = group_before->ColumnChunk(i)->encoded_statistics();
    const auto b = group_after->ColumnChunk(i)->encoded_statistics();
    EXPECT_EQ(a->min(), b->min()) << i;
    EXPECT_EQ(a->max(), b->max()) << i;
    EXPECT_EQ(a->null_count, b->null_count) << i;
  }
}

std::vector<fs::path> FilesBelow(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".parquet") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(TranscodeParquetTestingTest, GivesWhatArrowReadsOfFilesOfOtherWritersOrRefusesThem) {
  const auto folder = SharedDataPath("parquet-testing");
  if (!folder) GTEST_SKIP() << "apache/parquet-testing is not beside the checkout";
  ASSERT_THAT(InitializeArrowCompute(), IsOk());
  int leaves = 0;
  std::set<std::string> refused;
  for (const fs::path& path : FilesBelow(*folder)) {
    SCOPED_TRACE(path.filename().string());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (const RewriteOptions& options :
         {RewriteOptions{.chunks = {.page_rows = 3}}, RewriteOptions{.copies = true},
          RewriteOptions{.chunks = {.dictionary_bytes_max = 0}, .drops_one_in = 3}}) {
      const int taken = CheckRewrite(bytes, options);
      leaves += std::max(taken, 0);
      if (taken == kRefusedByFirn) refused.insert(path.filename().string());
    }
  }
  EXPECT_GT(leaves, 600);
  // A chunk that begins at byte 0, and one that is longer than its footer tells.
  EXPECT_THAT(refused, testing::ElementsAre("column_chunk_key_value_metadata.parquet",
                                            "nation.dict-malformed.parquet"));
}

}  // namespace
}  // namespace firn
