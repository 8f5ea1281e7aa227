#include <gmock/gmock.h>

#include "firn/ingest/json/json_records_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// All records of `text`, handed over in pieces of `piece` characters, each as "line:text"; one that
// is no object has a mark of its fault behind: '?' no object, '!' broken, ']' open array.
std::vector<std::string> Split(const std::string& text, size_t piece = std::string::npos) {
  JsonSplitter splitter;
  std::vector<std::string> found;
  std::string rest;
  size_t at = 0;
  while (true) {
    const std::string next = text.substr(at, piece);
    at = std::min(text.size(), at + next.size());
    JsonBlock block;
    size_t used = 0;
    EXPECT_THAT(splitter.Split(rest + next, at == text.size(), block, used), IsOk());
    for (const JsonRecord& record : block.records) {
      found.push_back(std::to_string(record.line) + ":" + std::string(block.RecordText(record)));
      if (record.fault == JsonFault::kNoObject) found.back() += " ?";
      if (record.fault == JsonFault::kBroken) found.back() += " !";
      if (record.fault == JsonFault::kOpenArray) found.back() += " ]";
    }
    rest = block.text.substr(used);
    if (at == text.size()) break;
  }
  EXPECT_EQ(rest, "");
  return found;
}

TEST(JsonSplitterTest, FindsObjectsOnLinesOneAfterTheOtherAndPrettyPrinted) {
  EXPECT_THAT(Split("{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":3}"),
              ElementsAre("1:{\"a\":1}", "2:{\"a\":2}", "4:{\"a\":3}"));
  EXPECT_THAT(Split("{}{} {\n}\n{}"), ElementsAre("1:{}", "1:{}", "1:{\n}", "3:{}"));
  EXPECT_THAT(Split("\n{\n  \"a\": {\"b\": [{}]}\n}\n{\"c\": 1}\n"),
              ElementsAre("2:{\n  \"a\": {\"b\": [{}]}\n}", "5:{\"c\": 1}"));
}

TEST(JsonSplitterTest, FindsTheObjectsOfAnArray) {
  EXPECT_THAT(Split("[{\"a\":1},{\"a\":2}]\n"), ElementsAre("1:{\"a\":1}", "1:{\"a\":2}"));
  EXPECT_THAT(Split(" [\n {\"a\":1}\n, {\"a\":[]}\n ]"),
              ElementsAre("2:{\"a\":1}", "3:{\"a\":[]}"));
  EXPECT_THAT(Split("[]"), IsEmpty());
  EXPECT_THAT(Split(" \n "), IsEmpty());
  EXPECT_THAT(Split(""), IsEmpty());
}

TEST(JsonSplitterTest, TakesBracketsInStringsForText) {
  EXPECT_THAT(Split(R"({"a":"}{\"]\\"}{"[":"\\\""})"),
              ElementsAre(R"(1:{"a":"}{\"]\\"})", R"(1:{"[":"\\\""})"));
}

TEST(JsonSplitterTest, SaysSoWhereAnArrayHasNoEnd) {
  EXPECT_THAT(Split("[{\"a\":1},\n"), ElementsAre("1:{\"a\":1}", "2: ]"));
  EXPECT_THAT(Split("[{\"a\":1},\n{\"a\""), ElementsAre("1:{\"a\":1}", "2:{\"a\" !", "2: ]"));
}

TEST(JsonSplitterTest, GoesOnAtTheNextLineThatBeginsAnObject) {
  EXPECT_THAT(Split("oops {\"x\":1}\n 7\n{\"a\":1}\n"),
              ElementsAre("1:oops {\"x\":1}\n 7 ?", "3:{\"a\":1}"));
  EXPECT_THAT(Split("{\"a\":1} tail\n{\"a\":2}"),
              ElementsAre("1:{\"a\":1}", "1:tail ?", "2:{\"a\":2}"));
  EXPECT_THAT(Split("[1, 2]\n{\"a\":2}\n{\"a\":3}"),
              ElementsAre("1:[1, 2] ?", "2:{\"a\":2}", "3:{\"a\":3}"));
  EXPECT_THAT(Split("[{\"a\":1},\n x,\n{\"a\":2}\n,{\"a\":3}]"),
              ElementsAre("1:{\"a\":1}", "2:x, ?", "3:{\"a\":2}", "4:{\"a\":3}"));
}

// Each of these would swallow the next line if brackets were only counted.
TEST(JsonSplitterTest, SeesAMissingBracketOrQuoteInItsOwnRecord) {
  for (const std::string broken : {R"({"a":1)", R"({"a":1,)", R"({"a":)", R"({"a":{"b":1})",
                                   R"({"a":[1})", R"({"a":"x})", R"({"a":"x\)", R"({"a")", "{"}) {
    EXPECT_THAT(Split(broken + "\n{\"a\":2}\n{\"a\":3}\n"),
                ElementsAre("1:" + broken + " !", "2:{\"a\":2}", "3:{\"a\":3}"))
        << broken;
  }
}

// What lies deeper than the broken record is a part of it, and must not become a row.
TEST(JsonSplitterTest, MakesNoRowOfAPartOfABrokenObject) {
  EXPECT_THAT(
      Split("{\n  \"a\": \"open,\n  \"b\": [\n    {\"x\": 1}\n  ]\n}\n{\"a\": 2}"),
      ElementsAre("1:{\n  \"a\": \"open,\n  \"b\": [\n    {\"x\": 1}\n  ]\n} !", "7:{\"a\": 2}"));
}

TEST(JsonSplitterTest, GivesTheSameRecordsHoweverTheTextArrives) {
  const std::vector<std::string> texts = {
      "{\"a\":\"}\\\"\"}\r\n{\"b\":[{},{\"c\":1}]}\n\n{}{}x\n{\"d\":\n{\n\"e\":1}}\n{\"f\":1",
      " [\n  {\"a\":1},\n  {\"a\":\"open},\n  {\"b\":2}\n  ,{\"c\":3}, 7, {}\n{}\n  ,\n{\"d\":[}\n",
      "[ 1]\n{}\n]\n{\"a\":1}]\n", "[\n]{}", "}\n   {\"a\"\n  {\"b\n {\"c\":}\n{\"d\\\n\":1}"};
  for (const std::string& text : texts) {
    const std::vector<std::string> whole = Split(text);
    for (size_t piece = 1; piece < text.size(); ++piece) {
      EXPECT_EQ(Split(text, piece), whole) << piece << " of " << text;
    }
  }
}

TEST(JsonSplitterTest, RefusesARecordWithoutEnd) {
  JsonSplitter splitter;
  JsonBlock block;
  size_t used = 0;
  ASSERT_THAT(splitter.Split("{}\n\n", false, block, used), IsOk());
  const std::string open = "{\"a\":\"" + std::string(size_t{65} << 20, 'x');
  EXPECT_THAT(splitter.Split(open, false, block, used),
              IsError(ErrorCode::kInvalidInput, "line 3"));
  EXPECT_THAT(JsonSplitter().Split(open + "\"}", true, block, used),
              IsError(ErrorCode::kInvalidInput, "line 1"));
}

}  // namespace
}  // namespace firn
