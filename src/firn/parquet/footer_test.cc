#include "firn/parquet/footer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/random.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using Kind = LeafMeaning::Kind;

// What a schema element says, as it stands in a file.
struct ElementText {
  std::string name;
  std::optional<int32_t> type = {};
  std::optional<int32_t> repetition = {};
  std::optional<int32_t> children = {};
  std::optional<int32_t> converted = {};
  std::optional<int32_t> scale = {};
  std::string logical = {};  // The LogicalType structure.
};

std::string FormatElement(const ElementText& element) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  if (element.type) out.WriteI32(1, *element.type);
  if (element.repetition) out.WriteI32(3, *element.repetition);
  out.WriteBinary(4, element.name);
  if (element.children) out.WriteI32(5, *element.children);
  if (element.converted) out.WriteI32(6, *element.converted);
  if (element.scale) out.WriteI32(7, *element.scale);
  if (!element.logical.empty()) {
    out.BeginStructField(10);
    out.WriteRaw(element.logical);
  }
  out.LeaveStruct(outer);
  return out.Take();
}

template <typename Fill>
std::string Struct(const Fill& fill) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  fill(out);
  out.LeaveStruct(outer);
  return out.Take();
}

// A union with the member `id`, of which `fill` writes the fields.
template <typename Fill>
std::string Union(int16_t id, const Fill& fill) {
  return Struct([&](ThriftWriter& out) {
    out.BeginStructField(id);
    out.WriteRaw(Struct(fill));
  });
}

const auto kNothing = [](ThriftWriter&) {};

std::string FormatSchema(const std::vector<ElementText>& elements) {
  return Struct([&](ThriftWriter& out) {
    out.WriteI32(1, 1);
    out.BeginList(2, ThriftType::kStruct, elements.size());
    for (const ElementText& element : elements)
      out.WriteRaw(FormatElement(element));
    out.WriteI64(3, 0);
    out.BeginList(4, ThriftType::kStruct, 0);
  });
}

Result<FileFooter> Parse(const std::string& bytes) { return ParseFooter(AsBytes(bytes)); }

Result<std::vector<LeafNode>> Leaves(const std::vector<ElementText>& elements) {
  FIRN_ASSIGN(const FileFooter footer, Parse(FormatSchema(elements)));
  return LeavesOf(footer.schema);
}

const std::vector<ElementText> kFlat = {{.name = "root", .children = 2},
                                        {.name = "a", .type = 2, .repetition = 0},
                                        {.name = "b", .type = 6, .repetition = 1}};

ColumnChunk MakeColumn(PhysicalType type, int64_t offset, int64_t size) {
  return {.type = type,
          .encodings = {ParquetEncoding::kPlain, ParquetEncoding::kRle},
          .path_in_schema = {"a"},
          .codec = ParquetCodec::kZstd,
          .num_values = 10,
          .total_uncompressed_size = 1000,
          .total_compressed_size = size,
          .data_page_offset = offset};
}

FileFooter MakeFooter() {
  FileFooter footer = *Parse(FormatSchema(kFlat));
  footer.num_rows = 10;
  footer.created_by = "somebody";
  footer.key_value_metadata = {{"key", "value"}, {"no value", std::nullopt}};
  RowGroup group{.total_byte_size = 2000, .num_rows = 10};
  group.columns.push_back(MakeColumn(PhysicalType::kInt64, 4, 50));
  ColumnChunk b = MakeColumn(PhysicalType::kByteArray, 60, 40);
  b.dictionary_page_offset = 54;
  b.statistics = {.null_count = 3, .min_value = "", .max_value = std::string("\0\xFF", 2)};
  b.encoding_stats = {{2, ParquetEncoding::kPlain, 1}, {0, ParquetEncoding::kRleDictionary, 4}};
  b.column_index = ByteRange{100, 20};
  b.offset_index = ByteRange{120, 10};
  group.columns.push_back(b);
  footer.row_groups.push_back(group);
  return footer;
}

// A file of `data` bytes and this footer.
std::string MakeFile(const std::string& footer, size_t data = 200) {
  std::string file = "PAR1" + std::string(data, 'x') + footer;
  const auto length = static_cast<uint32_t>(footer.size());
  file.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return file + "PAR1";
}

TEST(FooterTest, GivesBackWhatWasWritten) {
  const FileFooter footer = MakeFooter();

  const auto parsed = Parse(FormatFooter(footer));

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(FormatFooter(*parsed), FormatFooter(footer));
  EXPECT_EQ(parsed->num_rows, 10);
  EXPECT_EQ(parsed->created_by, "somebody");
  EXPECT_EQ(parsed->key_value_metadata, footer.key_value_metadata);
  ASSERT_EQ(parsed->row_groups.size(), 1u);
  const ColumnChunk& b = parsed->row_groups[0].columns[1];
  EXPECT_EQ(b.type, PhysicalType::kByteArray);
  EXPECT_EQ(b.codec, ParquetCodec::kZstd);
  EXPECT_THAT(b.encodings, ElementsAre(ParquetEncoding::kPlain, ParquetEncoding::kRle));
  EXPECT_EQ(b.num_values, 10);
  EXPECT_EQ(b.total_uncompressed_size, 1000);
  EXPECT_EQ(b.total_compressed_size, 40);
  EXPECT_EQ(b.start_offset(), 54);
  EXPECT_EQ(b.statistics.null_count, 3);
  EXPECT_EQ(b.statistics.min_value, "");
  EXPECT_EQ(b.statistics.max_value, std::string("\0\xFF", 2));
  EXPECT_EQ(b.encoding_stats.size(), 2u);
  EXPECT_EQ(b.encoding_stats[1].count, 4);
  EXPECT_EQ(b.column_index->offset, 100);
  EXPECT_EQ(b.offset_index->length, 10);
  EXPECT_FALSE(b.is_elsewhere);
  EXPECT_EQ(parsed->row_groups[0].columns[0].column_index, std::nullopt);
}

TEST(FooterTest, KeepsWhatItDoesNotKnowOfTheSchema) {
  std::string element = FormatElement({.name = "a", .type = 1, .repetition = 0});
  element.pop_back();
  element += std::string("\xD8\x03new", 5) + '\0';  // An unknown field.
  const std::string bytes = Struct([&](ThriftWriter& out) {
    out.WriteI32(1, 2);
    out.BeginList(2, ThriftType::kStruct, 2);
    out.WriteRaw(FormatElement({.name = "root", .children = 1}));
    out.WriteRaw(element);
  });

  const auto parsed = Parse(bytes);

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->schema[1].raw, element);
  EXPECT_THAT(FormatFooter(*parsed), testing::HasSubstr(element));
}

TEST(FooterTest, StartsAChunkAtItsDictionaryOnlyWhereThereIsOne) {
  ColumnChunk chunk{.data_page_offset = 100};
  EXPECT_EQ(chunk.start_offset(), 100);
  for (const int64_t offset : {int64_t{0}, int64_t{-1}, int64_t{100}, int64_t{500}}) {
    chunk.dictionary_page_offset = offset;
    EXPECT_EQ(chunk.start_offset(), 100) << offset;
  }
  chunk.dictionary_page_offset = 4;
  EXPECT_EQ(chunk.start_offset(), 4);
}

TEST(FooterTest, KnowsTheMeaningOfLeaves) {
  const auto meaning = [](const ElementText& text) {
    ElementText leaf = text;
    leaf.name = "a";
    leaf.repetition = 0;
    if (!leaf.type) leaf.type = 1;
    return (*Leaves({{.name = "root", .children = 1}, leaf}))[0].element.meaning;
  };
  const auto unit = [](int16_t id) {
    return [id](ThriftWriter& out) {
      out.WriteBool(1, true);
      out.BeginStructField(2);
      out.WriteRaw(Union(id, kNothing));
    };
  };
  const auto integer = [](bool is_signed) {
    return [is_signed](ThriftWriter& out) {
      out.WriteByte(1, 16);
      out.WriteBool(2, is_signed);
    };
  };
  const auto decimal = [](ThriftWriter& out) {
    out.WriteI32(1, 3);
    out.WriteI32(2, 9);
  };

  EXPECT_EQ(meaning({}).kind, Kind::kNone);
  EXPECT_EQ(meaning({.converted = 0}).kind, Kind::kString);
  EXPECT_EQ(meaning({.converted = 5, .scale = 2}), (LeafMeaning{Kind::kDecimal, 2, 0}));
  EXPECT_EQ(meaning({.converted = 6}).kind, Kind::kDate);
  EXPECT_EQ(meaning({.converted = 7}).kind, Kind::kTimeMillis);
  EXPECT_EQ(meaning({.converted = 8}).kind, Kind::kTimeMicros);
  EXPECT_EQ(meaning({.converted = 9}).kind, Kind::kTimestampMillis);
  EXPECT_EQ(meaning({.converted = 10}).kind, Kind::kTimestampMicros);
  EXPECT_EQ(meaning({.converted = 13}), (LeafMeaning{.kind = Kind::kUnsigned, .bits = 32}));
  EXPECT_EQ(meaning({.converted = 17}).kind, Kind::kNone);
  EXPECT_EQ(meaning({.converted = 19}).kind, Kind::kJson);
  EXPECT_EQ(meaning({.logical = Union(1, kNothing)}).kind, Kind::kString);
  EXPECT_EQ(meaning({.logical = Union(6, kNothing)}).kind, Kind::kDate);
  EXPECT_EQ(meaning({.logical = Union(14, kNothing)}).kind, Kind::kUuid);
  EXPECT_EQ(meaning({.logical = Union(12, kNothing)}).kind, Kind::kJson);
  EXPECT_EQ(meaning({.logical = Union(4, kNothing)}).kind, Kind::kBytes);
  EXPECT_EQ(meaning({.logical = Union(15, kNothing)}).kind, Kind::kOther);
  EXPECT_EQ(meaning({.logical = Union(7, unit(1))}).kind, Kind::kTimeMillis);
  EXPECT_EQ(meaning({.logical = Union(7, unit(2))}).kind, Kind::kTimeMicros);
  EXPECT_EQ(meaning({.logical = Union(8, unit(1))}),
            (LeafMeaning{.kind = Kind::kTimestampMillis, .is_utc = true}));
  EXPECT_EQ(meaning({.logical = Union(8, unit(2))}).kind, Kind::kTimestampMicros);
  EXPECT_EQ(meaning({.logical = Union(8, unit(3))}).kind, Kind::kTimestampNanos);
  EXPECT_EQ(meaning({.logical = Union(10, integer(true))}).kind, Kind::kNone);
  EXPECT_EQ(meaning({.logical = Union(10, integer(false))}),
            (LeafMeaning{.kind = Kind::kUnsigned, .bits = 16}));
  EXPECT_EQ(meaning({.converted = 0, .logical = Union(14, kNothing)}).kind, Kind::kUuid)
      << "the logical type counts";
  EXPECT_EQ(meaning({.logical = Union(5, decimal)}), (LeafMeaning{Kind::kDecimal, 3, 9}))
      << "the scale may stand in the logical type alone";
}

TEST(FooterTest, RefusesTwoTypesOfALeafThatMakeOtherValuesOfTheSameBytes) {
  const auto parse = [](const ElementText& element) {
    return Parse(FormatSchema({{.name = "root", .children = 1}, element}));
  };
  const auto time = [](int16_t unit) {
    return Union(8, [=](ThriftWriter& out) {
      out.WriteBool(1, false);
      out.BeginStructField(2);
      out.WriteRaw(Union(unit, kNothing));
    });
  };
  const auto decimal = [](int32_t scale) {
    return Union(5, [=](ThriftWriter& out) {
      out.WriteI32(1, scale);
      out.WriteI32(2, 9);
    });
  };
  const auto refused = IsError(ErrorCode::kCorrupt, "contradicts");
  ElementText element{.name = "a", .type = 2, .repetition = 0, .converted = 10};
  element.logical = time(2);
  EXPECT_THAT(parse(element), IsOk());
  element.logical = time(1);
  EXPECT_THAT(parse(element), refused);
  element.logical = Union(6, kNothing);  // A date.
  EXPECT_THAT(parse(element), refused);
  element.converted = 5;
  element.scale = 2;
  element.logical = decimal(2);
  EXPECT_THAT(parse(element), IsOk());
  element.logical = decimal(3);
  EXPECT_THAT(parse(element), refused);
}

TEST(FooterTest, FindsTheLevelsOfNestedLeaves) {
  const auto leaves = Leaves({{.name = "root", .children = 2},
                              {.name = "id", .type = 1, .repetition = 0},
                              {.name = "l", .repetition = 1, .children = 1},
                              {.name = "list", .repetition = 2, .children = 1},
                              {.name = "element", .repetition = 1, .children = 2},
                              {.name = "x", .type = 5, .repetition = 0},
                              {.name = "y", .type = 6, .repetition = 2}});

  ASSERT_THAT(leaves, IsOk());
  ASSERT_EQ(leaves->size(), 3u);
  EXPECT_EQ((*leaves)[0].max_definition_level, 0);
  EXPECT_EQ((*leaves)[1].max_definition_level, 3);
  EXPECT_EQ((*leaves)[1].max_repetition_level, 1);
  EXPECT_THAT((*leaves)[1].path, ElementsAre("l", "list", "element", "x"));
  EXPECT_EQ((*leaves)[2].max_definition_level, 4);
  EXPECT_EQ((*leaves)[2].max_repetition_level, 2);
}

TEST(FooterTest, RefusesSchemasThatAreNoTree) {
  EXPECT_THAT(Leaves({}), IsError(ErrorCode::kCorrupt, "no root"));
  EXPECT_THAT(Leaves({{.name = "root", .children = -1}}), IsError(ErrorCode::kCorrupt, "no root"));
  EXPECT_THAT(Leaves({{.name = "root", .children = 1}}), IsError(ErrorCode::kCorrupt, "ends"));
  EXPECT_THAT(Leaves({{.name = "root", .children = INT32_MAX}, {.name = "a", .type = 1}}),
              IsError(ErrorCode::kCorrupt, "ends inside"));
  EXPECT_THAT(Leaves({{.name = "root", .children = 0}, {.name = "a", .type = 1}}),
              IsError(ErrorCode::kCorrupt, "2 nodes, its groups tell 1"));
  EXPECT_THAT(Leaves({{.name = "root", .children = 1}, {.name = "a", .type = 8}}),
              IsError(ErrorCode::kCorrupt, "enumeration"));
  EXPECT_THAT(Leaves({{.name = "root", .children = 1}, {.name = "a", .type = 1, .repetition = 3}}),
              IsError(ErrorCode::kCorrupt, "enumeration"));
  std::vector<ElementText> deep(100'000, {.name = "a", .repetition = 1, .children = 1});
  EXPECT_THAT(Leaves(deep), IsError(ErrorCode::kCorrupt, "nested more than"));
}

TEST(FooterTest, RefusesLongNamesAboveManyLeaves) {
  std::vector<ElementText> elements = {{.name = "root", .children = 1},
                                       {.name = std::string(100'000, 'n'), .children = 10'000}};
  for (int i = 0; i < 10'000; ++i)
    elements.push_back({.name = "x", .type = 1, .repetition = 0});

  EXPECT_THAT(Leaves(elements), IsError(ErrorCode::kUnsupported, "the paths of the schema"));
}

TEST(FooterTest, RefusesListsOfStructuresThatTellNothing) {
  const std::string bytes = Struct([](ThriftWriter& out) {
    out.BeginList(4, ThriftType::kStruct, 1'000'000);
    out.WriteRaw(std::string(1'000'000, '\0'));
  });

  EXPECT_THAT(Parse(bytes), IsError(ErrorCode::kCorrupt, "more structures than"));
}

TEST(FooterTest, RefusesSizesAndCountsThatCannotBe) {
  const auto parse = [](const auto& change) {
    FileFooter footer = MakeFooter();
    change(footer, footer.row_groups[0], footer.row_groups[0].columns[1]);
    return Parse(FormatFooter(footer));
  };
  using F = FileFooter;
  using G = RowGroup;
  using C = ColumnChunk;

  EXPECT_THAT(parse([](F&, G&, C&) {}), IsOk());
  EXPECT_THAT(parse([](F&, G& group, C&) { group.columns.pop_back(); }),
              IsError(ErrorCode::kCorrupt, "1 columns, the schema has 2"));
  EXPECT_THAT(parse([](F&, G& group, C&) { group.num_rows = -10; }),
              IsError(ErrorCode::kCorrupt, "claims -10 rows"));
  EXPECT_THAT(parse([](F& footer, G& group, C&) {
                group.num_rows = int64_t{1} << 60;
                footer.row_groups.push_back(footer.row_groups[0]);
              }),
              IsError(ErrorCode::kCorrupt, "row group 1 claims 1152921504606846976 rows"));
  EXPECT_THAT(parse([](F&, G&, C& chunk) { chunk.num_values = -1; }),
              IsError(ErrorCode::kCorrupt, "column 1: a size or an offset is negative"));
  EXPECT_THAT(parse([](F&, G&, C& chunk) { chunk.total_compressed_size = INT64_MIN; }),
              IsError(ErrorCode::kCorrupt, "negative"));
  EXPECT_THAT(parse([](F&, G&, C& chunk) { chunk.data_page_offset = -4; }),
              IsError(ErrorCode::kCorrupt, "negative"));
  EXPECT_THAT(parse([](F&, G&, C& chunk) { chunk.type = PhysicalType::kInt32; }),
              IsError(ErrorCode::kCorrupt, "column 1 has type 1, in the schema 6"));
}

TEST(FooterTest, RefusesFootersThatAreCut) {
  const std::string whole = FormatFooter(MakeFooter());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(Parse(whole.substr(0, size)), IsError(ErrorCode::kCorrupt)) << size;
}

TEST(FooterTest, SurvivesDamage) {
  const auto random = MakeSeededRandom(6);
  const std::string whole = FormatFooter(MakeFooter());
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = whole;
    for (uint64_t changes = 1 + random->Below(3); changes > 0; --changes)
      damaged[random->Below(damaged.size())] = static_cast<char>(random->Next());
    const auto parsed = Parse(damaged);
    if (!parsed.ok()) continue;
    ASSERT_THAT(LeavesOf(parsed->schema), IsOk());
    // Chunks of other files are known as such, and not written.
    const std::vector<RowGroup>& groups = parsed->row_groups;
    const bool is_elsewhere = std::any_of(groups.begin(), groups.end(), [](const RowGroup& group) {
      return group.columns[0].is_elsewhere || group.columns[1].is_elsewhere;
    });
    if (!is_elsewhere) {
      ASSERT_THAT(Parse(FormatFooter(*parsed)), IsOk());
    }
  }
}

TEST(ReadFooterTest, FindsTheFooterAtTheEndOfAFile) {
  FileFooter footer = MakeFooter();
  footer.key_value_metadata[0].second = std::string(200'000, 'v');  // More than one read.
  for (const bool is_large : {false, true}) {
    if (!is_large) footer.key_value_metadata.clear();
    const std::string file = MakeFile(FormatFooter(footer));
    const auto io = MakeMemoryFileIO(SystemClock());
    ASSERT_THAT(WriteFile(*io, "memory:/f", AsBytes(file)), IsOk());

    const auto from_bytes = ReadFooter(AsBytes(file));
    const auto size = static_cast<int64_t>(file.size());
    const auto tail = ReadTail(**io->Open("memory:/f"), size);
    ASSERT_THAT(tail, IsOk());
    const auto from_file = ReadFooter(tail->span(), size);

    ASSERT_THAT(from_bytes, IsOk());
    ASSERT_THAT(from_file, IsOk());
    EXPECT_EQ(FormatFooter(*from_bytes), FormatFooter(footer));
    EXPECT_EQ(FormatFooter(*from_file), FormatFooter(footer));
    footer = MakeFooter();
    footer.key_value_metadata[0].second = std::string(200'000, 'v');
  }
}

TEST(ReadTailTest, GivesWhatTheFooterIsReadFromLater) {
  for (const size_t text : {size_t{1}, size_t{200'000}}) {
    FileFooter footer = MakeFooter();
    footer.key_value_metadata[0].second = std::string(text, 'v');
    const std::string encoded = FormatFooter(footer);
    const std::string file = MakeFile(encoded);
    const auto size = static_cast<int64_t>(file.size());
    const auto io = MakeMemoryFileIO(SystemClock());
    ASSERT_THAT(WriteFile(*io, "memory:/f", AsBytes(file)), IsOk());

    const auto tail = ReadTail(**io->Open("memory:/f"), size);

    ASSERT_THAT(tail, IsOk());
    EXPECT_EQ(tail->size(), encoded.size() + 8);
    const auto parsed = ReadFooter(tail->span(), size);
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(FormatFooter(*parsed), encoded);
    const auto length = static_cast<int64_t>(encoded.size());
    EXPECT_THAT(ReadTail(**io->Open("memory:/f"), size, length), IsOk());
    EXPECT_THAT(ReadTail(**io->Open("memory:/f"), size, length - 1),
                IsError(ErrorCode::kUnsupported, "at most " + std::to_string(length - 1)));
    EXPECT_THAT(ReadFooter(tail->span().subspan(1), size), IsError(ErrorCode::kInvalidInput, ""));
    EXPECT_THAT(ReadFooter(tail->span().last(7), size), IsError(ErrorCode::kCorrupt, ""));
  }
}

TEST(ReadFooterTest, RefusesChunksThatAreNotInTheData) {
  const auto read = [](int64_t offset, int64_t size) {
    FileFooter footer = MakeFooter();
    footer.row_groups[0].columns[0].data_page_offset = offset;
    footer.row_groups[0].columns[0].total_compressed_size = size;
    return ReadFooter(AsBytes(MakeFile(FormatFooter(footer))));
  };

  EXPECT_THAT(read(4, 200), IsOk());
  EXPECT_THAT(read(204, 0), IsOk());
  EXPECT_THAT(read(0, 0), IsOk()) << "nothing may lie anywhere";
  EXPECT_THAT(read(4, 201), IsError(ErrorCode::kCorrupt, "row group 0, column 0: 201 bytes at 4"));
  EXPECT_THAT(read(0, 10), IsError(ErrorCode::kCorrupt, "10 bytes at 0"));
  EXPECT_THAT(read(205, 1), IsError(ErrorCode::kCorrupt, "the data end at 204"));
  EXPECT_THAT(read(100, INT64_MAX), IsError(ErrorCode::kCorrupt, "the data end at 204"));
  EXPECT_THAT(read(INT64_MAX, INT64_MAX), IsError(ErrorCode::kCorrupt, "the data end at 204"));
}

TEST(ReadFooterTest, RefusesWhatIsNoParquetFile) {
  const std::string footer = FormatFooter(MakeFooter());
  const auto read = [](const std::string& file) { return ReadFooter(AsBytes(file)); };
  std::string encrypted = MakeFile(footer);
  encrypted.replace(encrypted.size() - 4, 4, "PARE");
  std::string long_footer = MakeFile(footer);
  long_footer.replace(long_footer.size() - 8, 4, "\xFF\xFF\xFF\xFF");

  EXPECT_THAT(read(""), IsError(ErrorCode::kCorrupt, "0 bytes are too few"));
  EXPECT_THAT(read("PAR1PAR1PAR"), IsError(ErrorCode::kCorrupt, "11 bytes are too few"));
  EXPECT_THAT(read("PAR1 and no footer"), IsError(ErrorCode::kCorrupt, "does not end with 'PAR1'"));
  EXPECT_THAT(read(encrypted), IsError(ErrorCode::kUnsupported, "encrypted"));
  EXPECT_THAT(read(long_footer), IsError(ErrorCode::kCorrupt, "a footer of 4294967295 bytes"));
}

TEST(ReadFooterTest, RefusesFootersWithoutEnd) {
  const std::string file = MakeFile(std::string((size_t{32} << 20) + 1, '\0'));

  EXPECT_THAT(ReadFooter(AsBytes(file)), IsError(ErrorCode::kUnsupported, "at most 33554432"));
}

TEST(ReadFooterTest, RefusesEncryptedColumnsByName) {
  FileFooter footer = MakeFooter();
  std::string bytes = FormatFooter(footer);
  bytes.pop_back();
  bytes += std::string("\x1C\x1C\0\0\0", 5);  // Field 8, the encryption algorithm, in any form.

  EXPECT_THAT(Parse(bytes), IsError(ErrorCode::kUnsupported, "encrypted"));
}

}  // namespace
}  // namespace firn
