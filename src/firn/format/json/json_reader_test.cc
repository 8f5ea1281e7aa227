#include "firn/format/json/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/json/json_writer.h"

namespace firn {
namespace {

using testing::HasSubstr;

struct Point {
  int64_t x = 0;
  std::optional<int32_t> y;
  std::string label;
  ExtraFields extra;
};

Status ReadJson(JsonValue& json, Point& out) {
  return ReadMembers(
      json,
      {RequiredMember("x", out.x), OptionalMember("y", out.y), OptionalMember("label", out.label)},
      out.extra);
}

Result<Point> ParsePoint(std::string_view text) {
  Point point;
  FIRN_RETURN_IF_ERROR(
      VisitJson(text, "p", [&](JsonValue& root) { return ReadJson(root, point); }));
  return point;
}

std::string PointError(std::string_view text) {
  const auto point = ParsePoint(text);
  return point.ok() ? "no error" : point.error().Format();
}

TEST(JsonReaderTest, KeepsAll64BitsOfANumber) {
  const auto point = ParsePoint(R"({"x": 9223372036854775807})");
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(point->x, 9223372036854775807);
  EXPECT_EQ(ParsePoint(R"({"x":-9223372036854775808})")->x, INT64_MIN);
}

TEST(JsonReaderTest, RefusesNumbersThatDoNotFit) {
  EXPECT_THAT(PointError(R"({"x": 9223372036854775808})"),
              HasSubstr("corrupt: p: x: found 9223372036854775808, expected a number of 64 bits"));
  EXPECT_THAT(PointError(R"({"x": 1.0})"), HasSubstr("x: found 1.0, expected a number without"));
  EXPECT_THAT(PointError(R"({"x": 1e3})"), HasSubstr("x: found 1e3, expected a number without"));
  EXPECT_THAT(PointError(R"({"x":1,"y": 2147483648})"), HasSubstr("y: found 2147483648"));
  EXPECT_THAT(PointError(R"({"x": 01})"), HasSubstr("x: found 01, expected a whole number"));
  EXPECT_THAT(PointError(R"({"x": "1"})"), HasSubstr(R"(x: found "1", expected a whole number)"));
}

TEST(JsonReaderTest, KeepsUnknownMembersAsTheirText) {
  const auto point = ParsePoint(R"({"u": {"a": [1, 2.50, 1e400]} , "x": 1, "v" : "t\n"})");
  ASSERT_TRUE(point.ok());
  const ExtraFields expected = {{"u", R"({"a": [1, 2.50, 1e400]})"}, {"v", R"("t\n")"}};
  EXPECT_EQ(point->extra, expected);
}

TEST(JsonReaderTest, TakesNullAsAMissingMember) {
  EXPECT_FALSE(ParsePoint(R"({"x":1,"y":null})")->y.has_value());
  EXPECT_THAT(PointError(R"({"x":null})"), HasSubstr("required field 'x' is missing"));
}

TEST(JsonReaderTest, RefusesAKeyThatStandsTwice) {
  EXPECT_THAT(PointError(R"({"x":1,"x":2})"), HasSubstr("x: the key stands twice"));
  EXPECT_THAT(PointError(R"({"x":1,"u":2,"u":3})"), HasSubstr("u: the key stands twice"));
}

TEST(JsonReaderTest, ResolvesEscapesInKeysAndStrings) {
  const auto point = ParsePoint(R"({"\u0078": 1, "label": "a\"\\\u00e9\ud83d\ude00"})");
  ASSERT_TRUE(point.ok());
  EXPECT_EQ(point->x, 1);
  EXPECT_EQ(point->label, "a\"\\\u00e9\U0001F600");
}

TEST(JsonReaderTest, NamesThePathOfAnError) {
  const Status status = VisitJson(R"({"a":[{"b":1},{"b":{"c":true}}]})", "f", [](JsonValue& root) {
    return root.VisitMembers([](std::string_view, JsonValue& a) {
      return a.VisitElements([](JsonValue& element) {
        return element.VisitMembers([](std::string_view, JsonValue& b) -> Status {
          FIRN_ASSIGN([[maybe_unused]] const int64_t value, b.ReadInt64());
          return {};
        });
      });
    });
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(), "f: a[1].b: found an object, expected a whole number");
}

TEST(JsonReaderTest, RefusesWhatIsNotJson) {
  for (const std::string_view text : {"",
                                      " ",
                                      "{",
                                      "}",
                                      "[",
                                      "{]",
                                      "[}",
                                      R"({"x":1)",
                                      R"({"x":1}})",
                                      R"({"x":1} {)",
                                      R"({"x" 1})",
                                      R"({"x":1,})",
                                      R"({x:1})",
                                      R"({"x":})",
                                      R"({,})",
                                      R"({"x":tru})",
                                      R"({"x":1 2})",
                                      R"({"x":1,"u":[1,2})",
                                      R"({"x":1,"u":{"a" 1}})",
                                      R"({"x":1,"u":[1 2]})",
                                      R"({"x":1,"u":[01]})",
                                      "{\"x\":1,\"label\":\"a\nb\"}",
                                      "{\"x\":1,\"label\":\"\xff\"}",
                                      R"({"x":1,"label":"\q"})",
                                      R"({"x":1,"label":"\ud800"})",
                                      R"({"x":1,"label":"a)",
                                      R"({"x":1}"a")",
                                      R"({"x":1,"label":"a"b})",
                                      R"("x)",
                                      "1",
                                      "nul",
                                      R"([{"x":1}])"}) {
    const auto point = ParsePoint(text);
    ASSERT_FALSE(point.ok()) << text;
    EXPECT_EQ(point.error().code(), ErrorCode::kCorrupt) << text;
  }
}

TEST(JsonReaderTest, ReadsAScalarAsTheWholeText) {
  std::string text;
  ASSERT_TRUE(VisitJson(R"( "a\tb" )", "f", [&](JsonValue& v) { return ReadJson(v, text); }).ok());
  EXPECT_EQ(text, "a\tb");
  int64_t number = 0;
  ASSERT_TRUE(VisitJson(" -12 ", "f", [&](JsonValue& v) { return ReadJson(v, number); }).ok());
  EXPECT_EQ(number, -12);
  EXPECT_FALSE(VisitJson("1 2", "f", [&](JsonValue& v) { return ReadJson(v, number); }).ok());
}

TEST(JsonReaderTest, StopsAtDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(PointError(R"({"x":1,"u":)" + deep + "}"),
              HasSubstr("u: not JSON, or nested deeper"));
  std::function<Status(JsonValue&)> descend = [&](JsonValue& v) {
    return v.VisitElements(descend);
  };
  const Status status = VisitJson(deep, "f", descend);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(), HasSubstr("nested deeper than 200 levels"));
}

TEST(JsonReaderTest, FindsARepeatedKeyAmongMany) {
  JsonKeySet keys;
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i)
    names.push_back("key" + std::to_string(i));
  for (const std::string& name : names)
    EXPECT_TRUE(keys.Insert(name));
  for (const std::string& name : names)
    EXPECT_FALSE(keys.Insert(name));
}

TEST(JsonTextTest, RecognisesTheGrammar) {
  for (const std::string_view text :
       {"0", "-0.5e+10", "1E5", "true", "null", R"("")", R"("\u00Fa\/")", "[]", "{}", "[1,[],{}]",
        R"({"a":{"b":[null]}, "c":1} )"}) {
    EXPECT_TRUE(IsJsonText(text)) << text;
  }
  for (const std::string_view text :
       {"", "-", "+1", ".5", "1.", "01", "1e", "truE", "\"", "\"\\x\"", "\"\\u12g4\"", "[", "[,]",
        "[1,]", "{1:2}", "{\"a\"}", "1 1"}) {
    EXPECT_FALSE(IsJsonText(text)) << text;
  }
}

TEST(JsonWriterTest, EscapesWhatMustBeEscaped) {
  std::string out;
  AppendJsonString(out, std::string_view("a\"b\\c\n\t\x01\x1f\0/\u00e9\U0001F600", 17));
  EXPECT_EQ(out, R"("a\"b\\c\n\t\u0001\u001f\u0000/)"
                 "\u00e9\U0001F600\"");
}

TEST(JsonWriterTest, ReplacesBytesThatAreNotUtf8) {
  std::string out;
  AppendJsonString(out,
                   "a\xff"
                   "b\xc3(\xed\xa0\x80");
  EXPECT_EQ(out,
            "\"a\uFFFD"
            "b\uFFFD(\uFFFD\uFFFD\uFFFD\"");
}

TEST(JsonWriterTest, PlacesCommas) {
  JsonWriter json;
  json.BeginObject();
  json.IntField("a", int64_t{-9223372036854775807 - 1});
  json.Key("b");
  json.BeginArray();
  json.Bool(true);
  json.Null();
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  json.RawField("c", "[1]");
  json.EndObject();
  EXPECT_EQ(json.text(), R"({"a":-9223372036854775808,"b":[true,null,{}],"c":[1]})");
}

}  // namespace
}  // namespace firn
