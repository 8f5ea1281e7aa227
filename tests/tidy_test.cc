#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidy_rules.h"

namespace firn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Read the tree that this test was built from.
SourceTree ReadTree() {
  const std::filesystem::path root = FIRN_SOURCE_ROOT;
  SourceTree tree;
  for (const char* folder : {"apps", "bench", "src", "tests"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc" && extension != ".def") continue;
      tree.files.push_back(
          {entry.path().lexically_relative(root).generic_string(), ReadFile(entry.path())});
    }
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  tree.files.push_back({"testdata/README.md", ReadFile(root / "testdata/README.md")});
  for (const auto& entry : std::filesystem::directory_iterator(root / "testdata")) {
    if (entry.is_directory()) tree.testdata_sets.push_back(entry.path().filename());
  }
  tree.modules = ParseModuleGraph(ReadFile(FIRN_MODULE_GRAPH));
  tree.size_allowances = ParseSizeAllowances(ReadFile(root / "tests/allowed_sizes.txt"));
  return tree;
}

std::vector<std::string> FormatFindings(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    lines.push_back(FormatFinding(finding));
  }
  return lines;
}

TEST(TidyTest, TheTreeKeepsEveryRule) {
  const SourceTree tree = ReadTree();

  ASSERT_GT(tree.files.size(), 10U);
  ASSERT_TRUE(tree.modules.contains("base"));
  EXPECT_THAT(FormatFindings(CheckTree(tree)), IsEmpty());
}

// Tests in C++, in Python and of what a user types.
std::vector<SourceFile> ReadTests() {
  const std::filesystem::path root = FIRN_SOURCE_ROOT;
  std::vector<SourceFile> tests;
  for (const char* folder : {"src", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().filename();
      if (name.ends_with("_test.cc") || name.ends_with("_test.py") || name.ends_with(".test"))
        tests.push_back({name, ReadFile(entry.path())});
    }
  }
  return tests;
}

bool IsNamedInAComment(const SourceFile& file, std::string_view id) {
  const std::string_view text = file.text;
  const std::string_view mark = file.path.ends_with(".cc") ? "//" : "# ";
  for (size_t at = text.find(id); at != std::string_view::npos; at = text.find(id, at + 1)) {
    const size_t end = at + id.size();
    if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) continue;
    const size_t line = text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find(mark) != std::string_view::npos) return true;
  }
  return false;
}

TEST(TidyTest, EveryCaseOfTheDocumentIsNamedByATest) {
  const std::vector<SourceFile> tests = ReadTests();
  std::istringstream document(
      ReadFile(std::filesystem::path(FIRN_SOURCE_ROOT) / "docs/test-cases.md"));
  int cases = 0;
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("| B")) continue;
    const std::string id = line.substr(2, line.find(' ', 2) - 2);
    ++cases;
    EXPECT_TRUE(std::any_of(tests.begin(), tests.end(),
                            [&](const SourceFile& file) { return IsNamedInAComment(file, id); }))
        << id << ": no test names it";
  }
  EXPECT_GT(cases, 40);
}

// The findings of a tree with modules base, io (on base), scan (on base) and data (on io) that
// keeps every rule but for `path` with `text`.
std::vector<std::string> CheckFile(const std::string& path, const std::string& text) {
  SourceTree tree;
  tree.modules = ParseModuleGraph("base:\nio: base\nscan: base\ndata: base io\n");
  for (const char* header : {"io/io.h", "scan/scan.h", "data/data.h"}) {
    tree.files.push_back({std::string("src/firn/") + header, "#pragma once\n"});
  }
  std::erase_if(tree.files, [&](const SourceFile& file) { return file.path == path; });
  tree.files.push_back({path, text});
  return FormatFindings(CheckTree(tree));
}

TEST(TidyRulesTest, RefusesAnIncludeOutsideDepends) {
  EXPECT_THAT(CheckFile("src/firn/scan/plan.cc", "#include \"firn/io/io.h\"\n"),
              ElementsAre(HasSubstr("src/firn/scan/plan.cc:1: \"firn/io/io.h\": 'io' is not in the "
                                    "DEPENDS of 'scan'")));
  EXPECT_THAT(CheckFile("src/firn/data/read.cc", "#include \"firn/io/io.h\"\n"), IsEmpty());
  EXPECT_THAT(CheckFile("src/firn/scan/plan.cc", "// #include \"firn/io/io.h\"\n"), IsEmpty());
}

TEST(TidyRulesTest, RefusesTheTestingModuleOutsideTests) {
  const std::string text = "#include \"firn/testing/testing.h\"\n";
  EXPECT_THAT(CheckFile("src/firn/scan/plan.cc", text),
              ElementsAre(HasSubstr("'testing' is not in the DEPENDS")));
  EXPECT_THAT(CheckFile("src/firn/scan/plan_test.cc", text), IsEmpty());
  EXPECT_THAT(CheckFile("src/firn/io/file_io_contract.h", text), IsEmpty());
}

TEST(TidyRulesTest, RefusesTheInternalHeaderOfAnotherModule) {
  const std::string text = "#include \"firn/io/registry_internal.h\"\n";
  EXPECT_THAT(CheckFile("src/firn/data/read.cc", text),
              ElementsAre(HasSubstr("is internal to 'io'; include \"firn/io/io.h\"")));
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", text), IsEmpty());
}

TEST(TidyRulesTest, RefusesArrowInAModuleThatPlans) {
  EXPECT_THAT(CheckFile("src/firn/scan/plan.cc", "#include <arrow/array.h>\n"),
              ElementsAre(AllOf(HasSubstr("plan.cc:1: <arrow/array.h>"), HasSubstr("RowStream"))));
  EXPECT_THAT(CheckFile("src/firn/scan/plan.cc", "#include <parquet/types.h>\n"),
              ElementsAre(HasSubstr("<parquet/types.h>")));
  EXPECT_THAT(CheckFile("src/firn/data/read.cc", "#include <arrow/array.h>\n"), IsEmpty());
}

TEST(TidyRulesTest, RefusesCatchOutsideABridge) {
  const std::string text = "void F() {\n  try {\n  } catch (...) {\n  }\n}\n";
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", text),
              ElementsAre("src/firn/io/local.cc:3: catch: call what throws in a *_bridge file"));
  EXPECT_THAT(CheckFile("src/firn/io/curl_bridge.cc", text), IsEmpty());
}

TEST(TidyRulesTest, RefusesThrowEverywhere) {
  for (const char* path : {"src/firn/base/log.cc", "src/firn/io/curl_bridge.cc"}) {
    EXPECT_THAT(CheckFile(path, "void F() { throw 1; }\n"),
                ElementsAre(HasSubstr(":1: throw: return an error (base/result.h)")));
  }
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", "// May throw.\nauto x = \"throw\";\n"), IsEmpty());
}

TEST(TidyRulesTest, RefusesClockRandomThreadsSleepAndOutputOutsideBase) {
  const std::vector<std::pair<std::string, std::string>> examples = {
      {"auto f = [] { std::cout << 1; };", "std::cout: write to the stream"},
      {"auto t = std::chrono::system_clock::now();", "system_clock::now: ask the Clock"},
      {"auto t = std::chrono::steady_clock::now();", "steady_clock::now: ask the Clock"},
      {"auto f = [] { return clock_gettime(0, p); };", "clock_gettime: ask the Clock"},
      {"auto f = [] { return gettimeofday(p, q); };", "gettimeofday: ask the Clock"},
      {"std::random_device source;", "random_device: ask the Random"},
      {"int x = std::rand();", "std::rand: ask the Random"},
      {"std::thread worker(F);", "std::thread: give the work to the Executor"},
      {"std::jthread worker(F);", "std::jthread: give the work to the Executor"},
      {"auto result = std::async(F);", "std::async: give the work to the Executor"},
      {"auto f = [] { std::this_thread::sleep_for(t); };", "sleep_for: wait with the Clock"},
      {"auto f = [] { std::this_thread::sleep_until(t); };", "sleep_until: wait with the Clock"},
      {"auto f = [] { usleep(1); };", "usleep: wait with the Clock"},
  };
  for (const auto& [text, message] : examples) {
    EXPECT_THAT(CheckFile("src/firn/io/local.cc", text + "\n"), ElementsAre(HasSubstr(message)));
    EXPECT_THAT(CheckFile("src/firn/io/local_test.cc", text + "\n"),
                ElementsAre(HasSubstr(message)));
    EXPECT_THAT(CheckFile("src/firn/base/local.cc", text + "\n"), IsEmpty());
  }
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", "auto n = std::thread::hardware_concurrency();\n"),
              IsEmpty());
}

std::string MakeLines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "int x;\n";
  }
  return text;
}

TEST(TidyRulesTest, RefusesAFileOverItsLimit) {
  EXPECT_THAT(
      CheckFile("src/firn/io/local.cc", MakeLines(501)),
      ElementsAre("src/firn/io/local.cc: 501 lines, expected at most 500; split by concept"));
  EXPECT_THAT(CheckFile("src/firn/io/local_test.cc", MakeLines(801)),
              ElementsAre(HasSubstr("801 lines, expected at most 800")));
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", MakeLines(500)), IsEmpty());
  EXPECT_THAT(CheckFile("src/firn/io/local_test.cc", MakeLines(800)), IsEmpty());
}

// The findings about a source of `lines` lines that may have `allowed`.
std::vector<std::string> CheckAllowedFile(int lines, size_t allowed) {
  SourceTree tree;
  tree.files = {{"src/firn/io/local.cc", MakeLines(lines)}};
  tree.size_allowances = {{"src/firn/io/local.cc", allowed}};
  return FormatFindings(CheckTree(tree));
}

TEST(TidyRulesTest, LetsAllowedSizesOnlyShrink) {
  EXPECT_THAT(CheckAllowedFile(510, 510), IsEmpty());
  EXPECT_THAT(CheckAllowedFile(511, 510), ElementsAre(HasSubstr("which may only shrink")));
  EXPECT_THAT(CheckAllowedFile(509, 510), ElementsAre(HasSubstr("509 lines; lower its 510")));
  EXPECT_THAT(CheckAllowedFile(500, 510), ElementsAre(HasSubstr("fits its limit; remove")));
  SourceTree tree;
  tree.size_allowances = ParseSizeAllowances("# why\n\nsrc/firn/io/gone.cc 600\n");
  EXPECT_THAT(FormatFindings(CheckTree(tree)),
              ElementsAre("src/firn/io/gone.cc: named in tests/allowed_sizes.txt, but missing"));
}

TEST(TidyRulesTest, RefusesAVagueFileName) {
  for (const char* name : {"io_util.cc", "helpers.h", "common.h", "misc_test.cc", "io_manager.h"}) {
    EXPECT_THAT(CheckFile(std::string("src/firn/io/") + name, ""),
                ElementsAre(HasSubstr("in a file name; name the concept")))
        << name;
  }
  EXPECT_THAT(CheckFile("src/firn/io/commonality.cc", ""), IsEmpty());
}

TEST(TidyRulesTest, RefusesAVagueTypeName) {
  EXPECT_THAT(CheckFile("src/firn/io/io.h", "\nclass FileManager {};\n"),
              ElementsAre("src/firn/io/io.h:2: 'manager' in 'FileManager'; name the concept"));
  EXPECT_THAT(CheckFile("src/firn/io/io.h", "struct UtilPath {};\n"),
              ElementsAre(HasSubstr("'util' in 'UtilPath'")));
  EXPECT_THAT(CheckFile("src/firn/io/io.h", "// The class FileManager is gone.\n"), IsEmpty());
}

TEST(TidyRulesTest, RefusesAModuleWithoutFrontHeader) {
  SourceTree tree;
  tree.modules = ParseModuleGraph("base:\nio: base\n");
  tree.files = {{"src/firn/io/local.cc", ""}};
  EXPECT_THAT(FormatFindings(CheckTree(tree)),
              ElementsAre("src/firn/io/io.h: module 'io' has no front header"));
}

TEST(TidyRulesTest, RefusesRoomsOfAModuleThatIncludeEachOther) {
  SourceTree tree;
  tree.modules = ParseModuleGraph("io:\n");
  tree.files = {{"src/firn/io/io.h", "#include \"firn/io/read/a.h\"\n"},
                {"src/firn/io/read/a.h", "#include \"firn/io/list/b.h\"\n"},
                {"src/firn/io/list/b.h", "#include \"firn/io/base/c.h\"\n"},
                {"src/firn/io/base/c.h", ""},
                {"src/firn/io/base/c_test.cc", "#include \"firn/io/read/a.h\"\n"}};
  EXPECT_THAT(FormatFindings(CheckTree(tree)), IsEmpty());

  tree.files.push_back({"src/firn/io/base/d.cc", "\n#include \"firn/io/read/a.h\"\n"});
  EXPECT_THAT(FormatFindings(CheckTree(tree)),
              ElementsAre(HasSubstr("read/a.h:1: room 'io/read' includes 'io/list'"),
                          HasSubstr("list/b.h:1: room 'io/list' includes 'io/base'"),
                          HasSubstr("base/d.cc:2: room 'io/base' includes 'io/read'")));
}

TEST(TidyRulesTest, RefusesTheHeaderOfAllModulesInsideFirn) {
  EXPECT_THAT(CheckFile("src/firn/data/read.cc", "#include \"firn/firn.h\"\n"),
              ElementsAre(HasSubstr("is for programs that use firn")));
}

TEST(TidyRulesTest, RefusesAFrontHeaderThatFirnHeaderLeavesOut) {
  EXPECT_THAT(
      CheckFile("src/firn/firn.h", "#include \"firn/io/io.h\"\n#include \"firn/data/data.h\"\n"),
      ElementsAre("src/firn/firn.h: does not include \"firn/scan/scan.h\""));
}

TEST(TidyRulesTest, RefusesAnUnsortedDefinitionList) {
  EXPECT_THAT(CheckFile("src/firn/io/schemes.def", "// Schemes.\nFIRN_X(B)\nFIRN_X(A)\n"),
              ElementsAre("src/firn/io/schemes.def:3: 'FIRN_X(A)' stands after 'FIRN_X(B)'; sort "
                          "the lines"));
  EXPECT_THAT(CheckFile("src/firn/io/schemes.def", "// Schemes.\nFIRN_X(A)\nFIRN_X(B)\n"),
              IsEmpty());
}

TEST(TidyRulesTest, RefusesATodoWithoutIssue) {
  const std::string todo = std::string("// TO") + "DO";
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", todo + ": later\n"),
              ElementsAre(HasSubstr("without issue")));
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", todo + "(me): later\n"),
              ElementsAre(HasSubstr("without issue")));
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", todo + "(#12): later, when there is a server\n"),
              IsEmpty());
}

TEST(TidyRulesTest, RefusesALineOverAHundredColumns) {
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", "//" + std::string(99, 'x') + "\n"),
              ElementsAre("src/firn/io/local.cc:1: 101 columns, expected at most 100"));
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", "//" + std::string(98, 'x') + "\n"), IsEmpty());
  std::string text = "//";
  for (int i = 0; i < 98; ++i) {
    text += "\u00e9";
  }
  EXPECT_THAT(CheckFile("src/firn/io/local.cc", text + "\n"), IsEmpty());
}

TEST(TidyRulesTest, RefusesTestdataThatItsReadmeDoesNotDescribe) {
  SourceTree tree;
  tree.testdata_sets = {"spark"};
  EXPECT_THAT(FormatFindings(CheckTree(tree)),
              ElementsAre(HasSubstr("testdata/README.md: 'testdata/spark/' is not described")));
  tree.files = {{"testdata/README.md", "| `spark/` | Spark |\n"}};
  EXPECT_THAT(FormatFindings(CheckTree(tree)), IsEmpty());
}

TEST(TidyRulesTest, SeesWhereCommentsAndLiteralsEnd) {
  const auto blank = [](const char* text) { return BlankComments(text, false); };
  EXPECT_EQ(blank("a // b\nc"), "a     \nc");
  EXPECT_EQ(blank("a /* b\nc */ d"), "a     \n     d");
  EXPECT_EQ(blank("f(\"\\\"x\", 'y') z"), "f(     ,    ) z");
  EXPECT_EQ(blank("R\"j(\" // )j\" k"), "             k");
  EXPECT_EQ(blank("1'000'000 x"), "1'000'000 x");
  EXPECT_EQ(BlankComments("\"a\" // b", true), "\"a\"     ");
}

}  // namespace
}  // namespace firn
