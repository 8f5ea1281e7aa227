#include "firn/format/variant/variant.h"

#include <initializer_list>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/variant/variant_encode.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes)
    text += static_cast<char>(static_cast<unsigned char>(byte));
  return text;
}

const std::string& NoNames() {
  static const std::string kNames = Bytes({0x01, 0x00, 0x00});
  return kNames;
}

std::string Json(std::string_view metadata, std::string_view value) {
  std::string out;
  const Status status = AppendVariantJson(out, metadata, value);
  return status.ok() ? out : status.error().Format();
}

std::string JsonOf(std::initializer_list<int> value) { return Json(NoNames(), Bytes(value)); }

// Through a variant and back.
std::string Again(std::string_view json) {
  const auto variant = VariantFromJson(json);
  return variant.ok() ? Json(variant->metadata, variant->value) : variant.error().Format();
}

std::string ValueOf(std::string_view json) {
  const auto variant = VariantFromJson(json);
  return variant.ok() ? variant->value : variant.error().Format();
}

TEST(VariantTest, PrintsEachPrimitiveTypeOfTheEncoding) {
  EXPECT_EQ(JsonOf({0x00}), "null");
  EXPECT_EQ(JsonOf({1 << 2}), "true");
  EXPECT_EQ(JsonOf({2 << 2}), "false");
  EXPECT_EQ(JsonOf({3 << 2, 0xFF}), "-1");
  EXPECT_EQ(JsonOf({4 << 2, 0x00, 0x80}), "-32768");
  EXPECT_EQ(JsonOf({5 << 2, 0x15, 0xCD, 0x5B, 0x07}), "123456789");
  EXPECT_EQ(JsonOf({6 << 2, 0, 0, 0, 0, 0, 0, 0, 0x80}), "-9223372036854775808");
  EXPECT_EQ(JsonOf({7 << 2, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F}), "1.5");
  EXPECT_EQ(JsonOf({8 << 2, 2, 0xD2, 0x04, 0, 0}), "12.34");
  EXPECT_EQ(JsonOf({9 << 2, 1, 0x9C, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}), "-10");
  EXPECT_EQ(JsonOf({10 << 2, 38, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
            "0.00000000000000000000000000000000000001");
  EXPECT_EQ(JsonOf({11 << 2, 0x64, 0x4D, 0, 0}), "\"2024-03-30\"");
  EXPECT_EQ(JsonOf({14 << 2, 0, 0, 0xC0, 0x3F}), "1.5");
  EXPECT_EQ(JsonOf({15 << 2, 3, 0, 0, 0, 0x03, 0x13, 0x37}), "\"AxM3\"");
  EXPECT_EQ(JsonOf({16 << 2, 2, 0, 0, 0, 'h', '"'}), "\"h\\\"\"");
  EXPECT_EQ(JsonOf({(3 << 2) | 1, 'n', '/', 'a'}), "\"n/a\"");
  EXPECT_EQ(JsonOf({20 << 2, 0xF2, 0x4F, 0x9B, 0x64, 0x81, 0xFA, 0x49, 0xD1, 0xB7, 0x4E, 0x8C, 0x09,
                    0xA6, 0xE3, 0x1C, 0x56}),
            "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\"");
}

TEST(VariantTest, PrintsTimesWithoutZerosAtTheEnd) {
  const auto printed = [](VariantKind kind, int64_t value) {
    std::string bytes;
    AppendVariantNumber(bytes, kind, value);
    return Json(NoNames(), bytes);
  };
  EXPECT_EQ(printed(VariantKind::kTimestamptz, 0), "\"1970-01-01 00:00:00+00:00\"");
  EXPECT_EQ(printed(VariantKind::kTimestamp, -500'000), "\"1969-12-31 23:59:59.5\"");
  EXPECT_EQ(printed(VariantKind::kTimestamptzNanos, 1), "\"1970-01-01 00:00:00.000000001+00:00\"");
  EXPECT_EQ(printed(VariantKind::kTimestampNanos, 1'000'000'000), "\"1970-01-01 00:00:01\"");
  EXPECT_EQ(printed(VariantKind::kTime, 36'000'120'000), "\"10:00:00.12\"");
}

TEST(VariantTest, PrintsFloatsInJavasNotation) {
  const auto printed = [](double value) {
    std::string bytes;
    AppendVariantDouble(bytes, value);
    return Json(NoNames(), bytes);
  };
  EXPECT_EQ(printed(1e7), "1.0E7");
  EXPECT_EQ(printed(-0.0), "-0.0");
  EXPECT_EQ(printed(100), "100.0");
  EXPECT_EQ(printed(std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(printed(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
}

// {"c": 3, "b": 2, "a": 1} of the encoding's text: fields by name, values in any order.
TEST(VariantTest, ReadsAnObjectWhoseValuesAreInAnotherOrderThanItsNames) {
  const std::string metadata = Bytes({0x01, 3, 0, 1, 2, 3, 'c', 'b', 'a'});
  const std::string value = Bytes({0x02, 3, 2, 1, 0, 4, 2, 0, 6, 3 << 2, 3, 3 << 2, 2, 3 << 2, 1});
  EXPECT_EQ(Json(metadata, value), R"({"a":1,"b":2,"c":3})");
}

TEST(VariantTest, WritesTheSmallestForms) {
  EXPECT_EQ(ValueOf("127"), Bytes({3 << 2, 0x7F}));
  EXPECT_EQ(ValueOf("128"), Bytes({4 << 2, 0x80, 0x00}));
  EXPECT_EQ(ValueOf("-32769"), Bytes({5 << 2, 0xFF, 0x7F, 0xFF, 0xFF}));
  EXPECT_EQ(ValueOf("2147483648"), Bytes({6 << 2, 0, 0, 0, 0x80, 0, 0, 0, 0}));
  EXPECT_EQ(ValueOf("1.50"), Bytes({8 << 2, 2, 0x96, 0, 0, 0}));
  EXPECT_EQ(ValueOf("1234567890.5").substr(0, 2), Bytes({9 << 2, 1}));
  EXPECT_EQ(ValueOf("0.0000000001").substr(0, 2), Bytes({9 << 2, 10}));
  EXPECT_EQ(ValueOf("12345678901234567890").substr(0, 2), Bytes({10 << 2, 0}));
  EXPECT_EQ(ValueOf("1e0").substr(0, 1), Bytes({7 << 2}));
  EXPECT_EQ(ValueOf("\"" + std::string(63, 'x') + "\"").size(), 64U);
  EXPECT_EQ(ValueOf("\"" + std::string(64, 'x') + "\"").size(), 69U);
  EXPECT_EQ(ValueOf("[]"), Bytes({3, 0, 0}));
  EXPECT_EQ(ValueOf("[true,null]"), Bytes({3, 2, 0, 1, 2, 4, 0}));
}

TEST(VariantTest, SortsTheDictionaryAndTheFields) {
  const auto variant = VariantFromJson(R"({"b":{"a":1},"a":true})");
  ASSERT_THAT(variant, IsOk());
  EXPECT_EQ(variant->metadata, Bytes({0x11, 2, 0, 1, 2, 'a', 'b'}));
  EXPECT_EQ(variant->value, Bytes({0x02, 2, 0, 1, 7, 0, 8, 0x02, 1, 0, 0, 2, 3 << 2, 1, 1 << 2}));
}

TEST(VariantTest, KeepsWhatJsonSays) {
  for (const std::string_view json :
       {R"({"a":[1,2.5,"x",null,{"b":false}],"ä":"€"})", "\"\"", "{}", "[[],[[]]]",
        "123456789012345678901234567890", "-0.001", "1.0E300"}) {
    EXPECT_EQ(Again(json), json);
  }
  std::string large = "[";
  std::string object = "{";
  for (int i = 0; i < 300; ++i) {
    large += fmt::format("{}{}", i == 0 ? "" : ",", i * 1000);
    object += fmt::format("{}\"k{:03}\":{}", i == 0 ? "" : ",", i, i);
  }
  EXPECT_EQ(Again(large + "]"), large + "]");
  EXPECT_EQ(Again(object + "}"), object + "}");
}

TEST(VariantTest, RefusesWhatIsNoJsonValue) {
  EXPECT_THAT(Again("{\"a\":1"), HasSubstr("invalid-input"));
  EXPECT_THAT(Again("1 2"), HasSubstr("invalid-input"));
  EXPECT_THAT(Again(R"({"a":1,"a":2})"), HasSubstr("key 'a' stands twice in its object"));
  EXPECT_THAT(Again("1e999"), HasSubstr("too large for a double"));
  EXPECT_THAT(Again(std::string(300, '[') + std::string(300, ']')), HasSubstr("200 levels"));
}

TEST(VariantTest, AnyTruncationIsAnError) {
  const auto variant = VariantFromJson(R"({"a":[1,2.5,"text"],"b":1e9,"c":null})");
  ASSERT_THAT(variant, IsOk());
  for (size_t size = 0; size < variant->value.size(); ++size) {
    EXPECT_THAT(Json(variant->metadata, variant->value.substr(0, size)), HasSubstr("corrupt"));
  }
  for (size_t size = 0; size < variant->metadata.size(); ++size) {
    EXPECT_THAT(Json(variant->metadata.substr(0, size), variant->value), HasSubstr("corrupt"));
  }
}

TEST(VariantTest, RefusesBytesThatBreakTheEncoding) {
  EXPECT_THAT(Json(Bytes({0x02, 0, 0}), Bytes({0})), HasSubstr("encoding version 2, expected 1"));
  EXPECT_THAT(JsonOf({21 << 2}), HasSubstr("values of type 21, known are 0 to 20"));
  EXPECT_THAT(JsonOf({8 << 2, 39, 1, 0, 0, 0}), HasSubstr("scale 39"));
  EXPECT_THAT(JsonOf({0x02, 1, 0, 0, 1, 0}), HasSubstr("field 0, its dictionary has 0 names"));
  EXPECT_THAT(JsonOf({3, 1, 9, 1, 0}), HasSubstr("element 0 of a variant lies at 9 of 1 bytes"));
  // Names that end before they begin.
  EXPECT_THAT(Json(Bytes({0x01, 2, 0, 3, 1, 'a'}), Bytes({0x02, 1, 0, 0, 1, 0})),
              HasSubstr("name 0 of a variant's dictionary lies at 0 to 3 of 1 bytes"));
}

// Each of 30 arrays has 2 elements, which are the same bytes: 2^30 values in some 200 bytes.
TEST(VariantTest, RefusesValuesThatOverlap) {
  std::string value = Bytes({0});
  for (int i = 0; i < 30; ++i) {
    const auto size = static_cast<int>(value.size());
    value = Bytes({3, 2, 0, 0, size}) + value;
  }
  EXPECT_THAT(Json(NoNames(), value), HasSubstr("values of a variant overlap"));
}

TEST(VariantTest, RefusesEndlessNesting) {
  std::string value = Bytes({0});
  for (int i = 0; i < 600; ++i) {
    const std::vector<size_t> offsets = {0};
    ASSERT_THAT(FinishVariantArray(value, 0, offsets), IsOk());
  }
  EXPECT_THAT(Json(NoNames(), value), HasSubstr("nested deeper than 500 levels"));
}

TEST(VariantTest, FindsNamesInSortedAndUnsortedDictionaries) {
  const std::string unsorted = Bytes({0x01, 2, 0, 1, 2, 'b', 'a'});
  const auto sorted = VariantFromJson(R"({"a":1,"c":2,"e":3})");
  ASSERT_THAT(sorted, IsOk());
  const auto few = VariantMetadata::Parse(unsorted);
  const auto more = VariantMetadata::Parse(sorted->metadata);
  ASSERT_THAT(few, IsOk());
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(few->Find("a"), IsOkAnd(1U));
  EXPECT_THAT(more->Find("e"), IsOkAnd(2U));
  EXPECT_THAT(more->Find("b"), IsError(ErrorCode::kCorrupt, "field 'b'"));
}

TEST(VariantTest, SplitsWhatItJoined) {
  const auto variant = VariantFromJson(R"({"a":1})");
  ASSERT_THAT(variant, IsOk());
  const std::string joined = JoinVariant(variant->metadata, variant->value);
  const auto parts = SplitVariant(joined);
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(parts->metadata, variant->metadata);
  EXPECT_EQ(parts->value, variant->value);
}

}  // namespace
}  // namespace firn
