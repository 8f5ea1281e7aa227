#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/procedure/procedure.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const Timestamp kNow{std::chrono::sys_days{std::chrono::year{2026} / 2 / 1}};

Result<CallStatement> Parse(std::string_view text) { return ParseCall(text, kNow); }

TEST(CallParserTest, ReadsNamedArguments) {
  const auto call = Parse(
      "CALL lake.system.rewrite_data_files(table => 'db.t', options => "
      "map('min-input-files','2', 'k', 'v'), where => 'id = 3 and name = \"x\"')");
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->catalog, "lake");
  EXPECT_EQ(call->procedure->call_name, "rewrite_data_files");
  EXPECT_EQ(call->arguments.Text("table"), "db.t");
  EXPECT_EQ(call->arguments.Text("where"), "id = 3 and name = \"x\"");
  EXPECT_THAT(call->arguments.TextMap("options"),
              ElementsAre(Pair("k", "v"), Pair("min-input-files", "2")));
  EXPECT_FALSE(call->arguments.Has("strategy"));
}

TEST(CallParserTest, ReadsJson) {
  const auto call = Parse(R"( {"procedure": "rewrite_data_files", "catalog": "lake", "arguments": {
      "table": "db.t", "options": {"min-input-files": 2, "rewrite-all": true}, "where": null}})");
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->catalog, "lake");
  EXPECT_EQ(call->procedure->call_name, "rewrite_data_files");
  EXPECT_EQ(call->arguments.Text("table"), "db.t");
  EXPECT_FALSE(call->arguments.Has("where"));
  EXPECT_THAT(call->arguments.TextMap("options"),
              ElementsAre(Pair("min-input-files", "2"), Pair("rewrite-all", "true")));
  const auto expire = Parse(R"({"procedure": "lake.system.expire_snapshots", "arguments": {
      "table": "db.t", "retain_last": 5, "snapshot_ids": [1, 2]}})");
  ASSERT_THAT(expire, IsOk());
  EXPECT_EQ(expire->catalog, "lake");
  EXPECT_EQ(expire->arguments.Integer("retain_last"), 5);
  EXPECT_THAT(expire->arguments.IntegerList("snapshot_ids"), ElementsAre(1, 2));
}

TEST(CallParserTest, ErrorsInJsonSayWhere) {
  const auto error = [](std::string_view text) { return Parse(text).error().message(); };
  EXPECT_THAT(error("{\"procedure\": \"count\""), HasSubstr("call: "));
  EXPECT_THAT(error("{}"), HasSubstr("there is no procedure"));
  EXPECT_THAT(error(R"({"procedure": "cuont"})"), HasSubstr("did you mean 'count'?"));
  EXPECT_THAT(error(R"({"procedure": "count", "args": {}})"),
              HasSubstr("args: unknown member, expected procedure, catalog or arguments"));
  EXPECT_THAT(error(R"({"procedure": "count", "arguments": {"tabel": "t"}})"),
              HasSubstr("arguments.tabel: unknown argument 'tabel' (did you mean 'table'?)"));
  EXPECT_THAT(error(R"({"procedure": "count", "arguments": {"table": ["t"]}})"),
              HasSubstr("arguments.table: argument 'table' must be a single value"));
  EXPECT_THAT(error(R"({"procedure": "count", "arguments": {"table": "a", "table": "b"}})"),
              HasSubstr("given twice"));
  EXPECT_THAT(error(R"({"procedure": "count", "arguments": {}})"),
              HasSubstr("argument 'table' is missing"));
  for (const char* text :
       {"{", "{\"procedure\": 1}", "{\"procedure\": \"\"}", "{\"arguments\": 3}"})
    EXPECT_EQ(Parse(text).error().code(), ErrorCode::kInvalidInput) << text;
}

TEST(CallParserTest, ReadsPositionalArguments) {
  const auto call = Parse("call system.rewrite_data_files('db.t', 'binpack', NULL, map('a', 1))");
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->catalog, "");
  EXPECT_EQ(call->arguments.Text("strategy"), "binpack");
  EXPECT_FALSE(call->arguments.Has("sort_order"));
  EXPECT_THAT(call->arguments.TextMap("options"), ElementsAre(Pair("a", "1")));
}

TEST(CallParserTest, LeavesOutCommentsAndIgnoresCase) {
  const auto call = Parse(
      " -- first line\n/* and\n this */ Call `la ke`.SYSTEM.Count /* here */ ( Table => 'db.t', "
      "AS_OF => Timestamp '2026-01-31 10:00:00', snapshot_id => -12L -- end\n ) ; ");
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->catalog, "la ke");
  EXPECT_EQ(call->procedure->call_name, "count");
  EXPECT_EQ(call->arguments.Time("as_of"), kNow - std::chrono::hours(14));
  EXPECT_EQ(call->arguments.Integer("snapshot_id"), -12);
}

TEST(CallParserTest, ReadsQuotesAndEscapesAsSparkDoes) {
  const auto text = [](std::string_view literal) {
    return Parse("CALL count(table => " + std::string(literal) + ")")
        .value()
        .arguments.Text("table");
  };
  EXPECT_EQ(text("'it''s'"), "it's");
  EXPECT_EQ(text("'it\\'s'"), "it's");
  EXPECT_EQ(text("\"a \"\"b\"\" 'c'\""), "a \"b\" 'c'");
  EXPECT_EQ(text("'tab\\tnew\\nback\\\\'"), "tab\tnew\nback\\");
  EXPECT_EQ(text("'`a.b`.größe -- no comment /* none */'"), "`a.b`.größe -- no comment /* none */");
}

TEST(CallParserTest, ReadsArrays) {
  const auto call =
      Parse("CALL read(table => 't', columns => array('a', 'b,c', 'd.e'), limit => '7')");
  ASSERT_THAT(call, IsOk());
  EXPECT_THAT(call->arguments.TextList("columns"), ElementsAre("a", "b,c", "d.e"));
  EXPECT_EQ(call->arguments.Integer("limit"), 7);
  EXPECT_THAT(Parse("CALL read(table => 't', columns => array())")->arguments.TextList("columns"),
              testing::IsEmpty());
}

TEST(CallParserTest, NamesThePlaceOfAMistake) {
  const auto message = [](std::string_view text) {
    const auto call = Parse(text);
    EXPECT_THAT(call, IsError(ErrorCode::kInvalidInput));
    return call.ok() ? std::string() : call.error().message();
  };
  EXPECT_THAT(message(""), HasSubstr("position 1: expected CALL, found the end"));
  EXPECT_THAT(message("SELECT 1"), HasSubstr("position 1: expected CALL, found 'SELECT'"));
  EXPECT_THAT(message("CALL 'x'()"), HasSubstr("position 6: expected the name of a procedure"));
  EXPECT_THAT(message("CALL count"), HasSubstr("position 11: expected '('"));
  EXPECT_THAT(message("CALL count('t'"), HasSubstr("position 15: expected ',' or ')'"));
  EXPECT_THAT(message("CALL count('t') x"), HasSubstr("position 17: expected the end"));
  EXPECT_THAT(message("CALL count('t"), HasSubstr("position 12: the quote ' is never closed"));
  EXPECT_THAT(message("CALL count(/* 't')"), HasSubstr("position 12: the comment is never closed"));
  EXPECT_THAT(message("CALL count(table => t)"),
              HasSubstr("position 21: expected a text in quotes"));
  EXPECT_THAT(message("CALL count(table = 't')"), HasSubstr("position 18: unexpected '='"));
  EXPECT_THAT(message("CALL count(12abc)"), HasSubstr("position 12: the number has letters"));
  EXPECT_THAT(message("CALL table_set('t', map('a'))"), HasSubstr("the last key of the map"));
  EXPECT_THAT(message("CALL count(table => 't', as_of => TIMESTAMP 5)"),
              HasSubstr("expected a text in quotes, found '5'"));
}

TEST(CallParserTest, ListsWhatIsKnown) {
  EXPECT_THAT(Parse("CALL c.system.rewrite_datafiles('t')"),
              IsError(ErrorCode::kInvalidInput,
                      "unknown procedure 'rewrite_datafiles' (did you mean 'rewrite_data_files'?), "
                      "expected one of add_files, ancestors_of, catalog_list, "));
  EXPECT_THAT(Parse("CALL count(tabel => 't')"),
              IsError(ErrorCode::kInvalidInput,
                      "position 12: unknown argument 'tabel' (did you mean 'table'?), expected "
                      "table, where, snapshot_id, as_of, ref"));
  EXPECT_THAT(Parse("CALL catalog_list('t')"),
              IsError(ErrorCode::kInvalidInput, "position 19: too many arguments"));
  EXPECT_THAT(Parse("CALL a.b.count('t')"), IsError(ErrorCode::kInvalidInput, "CATALOG.system"));
  EXPECT_THAT(Parse("CALL a.b.system.count('t')"), IsError(ErrorCode::kInvalidInput, "4 parts"));
}

TEST(CallParserTest, RefusesArgumentsThatDoNotFit) {
  EXPECT_THAT(Parse("CALL count()"),
              IsError(ErrorCode::kInvalidInput, "CALL count: argument 'table' is missing"));
  EXPECT_THAT(Parse("CALL count(NULL)"), IsError(ErrorCode::kInvalidInput, "'table' is missing"));
  EXPECT_THAT(Parse("CALL count(table => 't', table => 'u')"),
              IsError(ErrorCode::kInvalidInput, "position 26: argument 'table' is given twice"));
  EXPECT_THAT(Parse("CALL count('t', ref => 'x')"),
              IsError(ErrorCode::kInvalidInput, "position 17: named and positional"));
  EXPECT_THAT(Parse("CALL count(table => map('a', 'b'))"),
              IsError(ErrorCode::kInvalidInput, "argument 'table' must be a single value"));
  EXPECT_THAT(Parse("CALL table_set(table => 't', properties => 'a=b')"),
              IsError(ErrorCode::kInvalidInput, "argument 'properties' must be a map: map("));
  EXPECT_THAT(
      Parse("CALL count(table => 't', snapshot_id => 'x')"),
      IsError(ErrorCode::kInvalidInput, "argument 'snapshot_id' is 'x', expected an integer"));
}

}  // namespace
}  // namespace firn
