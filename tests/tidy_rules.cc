#include "tidy_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidy_rooms.h"

namespace firn {
namespace {

constexpr size_t kMaxSourceLines = 500;
constexpr size_t kMaxTestLines = 800;
constexpr size_t kMaxColumns = 100;

// Modules whose sources may include Arrow and Parquet headers. In `maintain` only its row path may:
// the sources whose name starts with `row_`.
const std::set<std::string> kArrowModules = {"data", "engine", "change", "ingest", "sql"};

struct BannedName {
  std::string_view name;
  std::string_view instead;
  bool allowed_in_base;
};

// What firn's code does in one place only, and what to say instead.
constexpr std::array kBannedNames = {
    BannedName{"throw", "return an error (base/result.h)", false},
    BannedName{"std::cout", "write to the stream that the caller passes", true},
    BannedName{"system_clock::now", "ask the Clock that the caller passes", true},
    BannedName{"steady_clock::now", "ask the Clock that the caller passes", true},
    BannedName{"clock_gettime", "ask the Clock that the caller passes", true},
    BannedName{"gettimeofday", "ask the Clock that the caller passes", true},
    BannedName{"random_device", "ask the Random that the caller passes", true},
    BannedName{"std::rand", "ask the Random that the caller passes", true},
    BannedName{"std::thread", "give the work to the Executor that the caller passes", true},
    BannedName{"std::jthread", "give the work to the Executor that the caller passes", true},
    BannedName{"std::async", "give the work to the Executor that the caller passes", true},
    BannedName{"sleep_for", "wait with the Clock that the caller passes", true},
    BannedName{"sleep_until", "wait with the Clock that the caller passes", true},
    BannedName{"usleep", "wait with the Clock that the caller passes", true},
};

const std::set<std::string> kVagueWords = {"util",   "utils", "helper", "helpers",
                                           "common", "misc",  "manager"};

// A file with what several rules ask about it.
struct File {
  const SourceFile* source = nullptr;
  std::string module;    // Empty outside src/firn/<module>/.
  std::string name;      // Without folders.
  bool is_cpp = false;   // .h or .cc
  bool is_test = false;  // Test or fuzz program, or what tests of a module share.
  std::vector<std::string> raw_lines;
  std::vector<std::string> lines_with_literals;  // Without comments.
  std::vector<std::string> code_lines;           // Without comments and literals.
};

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string ModuleOf(const std::string& path) {
  static constexpr std::string_view kRoot = "src/firn/";
  if (!path.starts_with(kRoot)) return "";
  const size_t end = path.find('/', kRoot.size());
  return end == std::string::npos ? "" : path.substr(kRoot.size(), end - kRoot.size());
}

File ReadSource(const SourceFile& source) {
  File file;
  file.source = &source;
  file.module = ModuleOf(source.path);
  file.name = source.path.substr(source.path.rfind('/') + 1);
  file.is_cpp = file.name.ends_with(".h") || file.name.ends_with(".cc");
  file.is_test = file.name.ends_with("_test.cc") || file.name.ends_with("_fuzz.cc") ||
                 file.name.ends_with("_contract.h") || source.path.starts_with("tests/") ||
                 file.name.ends_with("_testing_internal.h");
  file.raw_lines = SplitLines(source.text);
  if (file.is_cpp) {
    file.lines_with_literals = SplitLines(BlankComments(source.text, true));
    file.code_lines = SplitLines(BlankComments(source.text, false));
  }
  return file;
}

// Return where `name` stands as a whole name in `line`; a name that goes on with `::` is another.
bool HasName(std::string_view line, std::string_view name) {
  for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool starts = at == 0 || !IsWordCharacter(line[at - 1]);
    const bool ends = end >= line.size() || !IsWordCharacter(line[end]);
    if (starts && ends && line.substr(end, 2) != "::") return true;
  }
  return false;
}

using Findings = std::vector<Finding>;

void Add(Findings& findings, const File& file, size_t line, std::string message) {
  findings.push_back({file.source->path, line, std::move(message)});
}

void CheckInclude(const SourceTree& tree, const File& file, size_t line, const std::string& path,
                  Findings& findings) {
  if (path.starts_with("arrow/") || path.starts_with("parquet/")) {
    const bool is_row_path = file.module == "maintain" && file.name.starts_with("row_");
    if (!kArrowModules.contains(file.module) && !is_row_path) {
      Add(findings, file, line,
          fmt::format("<{}>: Arrow may be included only in {} and in maintain/row_*; pass rows as "
                      "RowStream (base/row_stream.h)",
                      path, fmt::join(kArrowModules, ", ")));
    }
    return;
  }
  if (path == "firn/firn.h") {
    Add(findings, file, line,
        "\"firn/firn.h\" is for programs that use firn; include the headers that are meant");
    return;
  }
  const std::string included = ModuleOf("src/" + path);
  if (included.empty() || included == file.module) return;
  if (path.ends_with("_internal.h")) {
    Add(findings, file, line,
        fmt::format("\"{}\" is internal to '{}'; include \"firn/{}/{}.h\"", path, included,
                    included, included));
    return;
  }
  const auto depends = tree.modules.find(file.module);
  const bool is_known = depends != tree.modules.end() && depends->second.contains(included);
  if (is_known || (file.is_test && included == "testing")) return;
  Add(findings, file, line,
      fmt::format("\"{}\": '{}' is not in the DEPENDS of '{}' (src/firn/{}/CMakeLists.txt)", path,
                  included, file.module, file.module));
}

void CheckIncludes(const SourceTree& tree, const File& file, Findings& findings) {
  if (!file.is_cpp || file.module.empty()) return;
  for (size_t i = 0; i < file.lines_with_literals.size(); ++i) {
    const std::optional<std::string> path = ParseInclude(file.lines_with_literals[i]);
    if (path) CheckInclude(tree, file, i + 1, *path, findings);
  }
}

void CheckBannedNames(const SourceTree&, const File& file, Findings& findings) {
  if (!file.is_cpp || file.module.empty()) return;
  const bool is_bridge = file.name.find("_bridge") != std::string::npos && !file.is_test;
  for (size_t i = 0; i < file.code_lines.size(); ++i) {
    const std::string& line = file.code_lines[i];
    if (!is_bridge && HasName(line, "catch")) {
      Add(findings, file, i + 1, "catch: call what throws in a *_bridge file");
    }
    for (const BannedName& banned : kBannedNames) {
      if (banned.allowed_in_base && file.module == "base") continue;
      if (HasName(line, banned.name)) {
        Add(findings, file, i + 1, fmt::format("{}: {}", banned.name, banned.instead));
      }
    }
  }
}

void CheckSize(const SourceTree& tree, const File& file, Findings& findings) {
  if (!file.is_cpp) return;
  const size_t lines = file.raw_lines.size();
  const size_t limit = file.is_test ? kMaxTestLines : kMaxSourceLines;
  const auto allowance =
      std::find_if(tree.size_allowances.begin(), tree.size_allowances.end(),
                   [&](const SizeAllowance& entry) { return entry.path == file.source->path; });
  if (allowance == tree.size_allowances.end()) {
    if (lines > limit) {
      Add(findings, file, 0,
          fmt::format("{} lines, expected at most {}; split by concept", lines, limit));
    }
    return;
  }
  if (lines <= limit) {
    Add(findings, file, 0, "fits its limit; remove its line from tests/allowed_sizes.txt");
  } else if (lines > allowance->lines) {
    Add(findings, file, 0,
        fmt::format("{} lines, expected at most the {} of tests/allowed_sizes.txt, which may only "
                    "shrink",
                    lines, allowance->lines));
  } else if (lines < allowance->lines) {
    Add(findings, file, 0,
        fmt::format("{} lines; lower its {} in tests/allowed_sizes.txt", lines, allowance->lines));
  }
}

// Split "CatalogManager" to catalog, manager and "catalog_manager" likewise.
std::vector<std::string> SplitWords(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if ((is_upper || c == '_') && !words.back().empty()) words.emplace_back();
    if (c != '_') words.back() += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

std::optional<std::string> FindVagueWord(std::string_view name) {
  for (const std::string& word : SplitWords(name)) {
    if (kVagueWords.contains(word)) return word;
  }
  return std::nullopt;
}

void CheckNames(const SourceTree&, const File& file, Findings& findings) {
  if (!file.is_cpp) return;
  if (const auto word = FindVagueWord(file.name.substr(0, file.name.rfind('.')))) {
    Add(findings, file, 0, fmt::format("'{}' in a file name; name the concept", *word));
  }
  static const std::regex kType(R"(\b(?:class|struct|enum|concept)\s+(\w+))");
  for (size_t i = 0; i < file.code_lines.size(); ++i) {
    std::smatch match;
    const std::string& line = file.code_lines[i];
    if (line.find("class") == std::string::npos && line.find("struct") == std::string::npos &&
        line.find("enum") == std::string::npos && line.find("concept") == std::string::npos) {
      continue;
    }
    if (!std::regex_search(line, match, kType)) continue;
    if (const auto word = FindVagueWord(match[1].str())) {
      Add(findings, file, i + 1,
          fmt::format("'{}' in '{}'; name the concept", *word, match[1].str()));
    }
  }
}

void CheckSortedDefinitions(const SourceTree&, const File& file, Findings& findings) {
  if (!file.name.ends_with(".def")) return;
  std::string previous;
  for (size_t i = 0; i < file.raw_lines.size(); ++i) {
    const std::string& line = file.raw_lines[i];
    if (!line.starts_with("FIRN_")) continue;
    if (line < previous) {
      Add(findings, file, i + 1,
          fmt::format("'{}' stands after '{}'; sort the lines", line, previous));
    }
    previous = line;
  }
}

void CheckTodos(const SourceTree&, const File& file, Findings& findings) {
  static const std::regex kIssue(R"(^\(#\d+\): \S)");
  static const std::string kTodo =
      "TO"
      "DO";
  if (!file.is_cpp) return;
  for (size_t i = 0; i < file.raw_lines.size(); ++i) {
    const std::string& line = file.raw_lines[i];
    const size_t at = line.find(kTodo);
    if (at == std::string::npos || (at > 0 && IsWordCharacter(line[at - 1]))) continue;
    if (!std::regex_search(line.substr(at + kTodo.size()), kIssue)) {
      Add(findings, file, i + 1,
          fmt::format("{} without issue; write {}(#12): what and why", kTodo, kTodo));
    }
  }
}

size_t CountColumns(std::string_view line) {
  return static_cast<size_t>(std::count_if(
      line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

void CheckColumns(const SourceTree&, const File& file, Findings& findings) {
  if (!file.is_cpp) return;
  for (size_t i = 0; i < file.raw_lines.size(); ++i) {
    const size_t columns = CountColumns(file.raw_lines[i]);
    if (columns > kMaxColumns) {
      Add(findings, file, i + 1,
          fmt::format("{} columns, expected at most {}", columns, kMaxColumns));
    }
  }
}

const SourceFile* FindFile(const SourceTree& tree, std::string_view path) {
  const auto found = std::find_if(tree.files.begin(), tree.files.end(),
                                  [&](const SourceFile& file) { return file.path == path; });
  return found == tree.files.end() ? nullptr : &*found;
}

// Every module but base, which has one header for each concept, has a front header of its name.
void CheckFrontHeaders(const SourceTree& tree, Findings& findings) {
  for (const auto& [module, depends] : tree.modules) {
    const std::string path = fmt::format("src/firn/{}/{}.h", module, module);
    const bool has_files = std::any_of(tree.files.begin(), tree.files.end(), [&](const auto& file) {
      return ModuleOf(file.path) == module;
    });
    if (module == "base" || !has_files || FindFile(tree, path) != nullptr) continue;
    findings.push_back({path, 0, fmt::format("module '{}' has no front header", module)});
  }
}

// firn/firn.h offers the front header of every module but `testing`.
void CheckUmbrella(const SourceTree& tree, Findings& findings) {
  const std::string path = "src/firn/firn.h";
  const SourceFile* umbrella = FindFile(tree, path);
  if (umbrella == nullptr) return;
  for (const auto& [module, depends] : tree.modules) {
    const std::string header = fmt::format("firn/{}/{}.h", module, module);
    if (module == "testing" || FindFile(tree, "src/" + header) == nullptr) continue;
    if (umbrella->text.find("\"" + header + "\"") != std::string::npos) continue;
    findings.push_back({path, 0, fmt::format("does not include \"{}\"", header)});
  }
}

void CheckTestdata(const SourceTree& tree, Findings& findings) {
  const std::string readme = "testdata/README.md";
  const SourceFile* file = FindFile(tree, readme);
  for (const std::string& set : tree.testdata_sets) {
    if (file != nullptr && file->text.find("`" + set + "/`") != std::string::npos) continue;
    findings.push_back({readme, 0,
                        fmt::format("'testdata/{}/' is not described; add `{}/` with writer, "
                                    "version, command and licence",
                                    set, set)});
  }
}

void CheckAllowances(const SourceTree& tree, Findings& findings) {
  for (const SizeAllowance& allowance : tree.size_allowances) {
    if (FindFile(tree, allowance.path) != nullptr) continue;
    findings.push_back({allowance.path, 0, "named in tests/allowed_sizes.txt, but missing"});
  }
}

// If a raw string literal starts at `at`, return where it ends, else 0.
size_t FindRawStringEnd(std::string_view text, size_t at) {
  if (!text.substr(at).starts_with("R\"") || (at > 0 && IsWordCharacter(text[at - 1]))) return 0;
  const size_t open = text.find('(', at);
  if (open == std::string_view::npos) return 0;
  const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
  const size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

// Return where the comment or literal that starts at `at` ends, or 0 if none starts there.
size_t FindBlankEnd(std::string_view text, size_t at, bool* is_literal) {
  *is_literal = false;
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") {
    const size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  *is_literal = true;
  if (const size_t end = FindRawStringEnd(text, at)) return end;
  const char quote = text[at];
  // A quote after a digit separates digits: 1'000.
  const bool is_separator = quote == '\'' && at > 0 && IsWordCharacter(text[at - 1]);
  if ((quote != '"' && quote != '\'') || is_separator) return 0;
  size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n') {
    end += text[end] == '\\' ? 2U : 1U;
  }
  return std::min(end + 1, text.size());
}

}  // namespace

std::optional<std::string> ParseInclude(const std::string& line) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  if (line.find("include") == std::string::npos) return std::nullopt;
  std::smatch match;
  if (!std::regex_search(line, match, kInclude)) return std::nullopt;
  return match[1].str();
}

std::map<std::string, std::set<std::string>> ParseModuleGraph(std::string_view text) {
  std::map<std::string, std::set<std::string>> modules;
  for (const std::string& line : SplitLines(std::string(text))) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::set<std::string>& depends = modules[line.substr(0, colon)];
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) {
      depends.insert(word);
    }
  }
  return modules;
}

std::vector<SizeAllowance> ParseSizeAllowances(std::string_view text) {
  std::vector<SizeAllowance> allowances;
  for (const std::string& line : SplitLines(std::string(text))) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    SizeAllowance allowance;
    words >> allowance.path >> allowance.lines;
    allowances.push_back(allowance);
  }
  return allowances;
}

std::string BlankComments(std::string_view text, bool keeps_literals) {
  std::string result(text);
  size_t at = 0;
  while (at < text.size()) {
    bool is_literal = false;
    const size_t end = FindBlankEnd(text, at, &is_literal);
    if (end == 0) {
      ++at;
      continue;
    }
    for (size_t i = at; i < end && !(is_literal && keeps_literals); ++i) {
      if (result[i] != '\n') result[i] = ' ';
    }
    at = end;
  }
  return result;
}

std::vector<Finding> CheckTree(const SourceTree& tree) {
  static constexpr std::array kRules = {CheckIncludes, CheckBannedNames,       CheckSize,
                                        CheckNames,    CheckSortedDefinitions, CheckTodos,
                                        CheckColumns};
  Findings findings;
  for (const SourceFile& source : tree.files) {
    const File file = ReadSource(source);
    for (const auto rule : kRules) {
      rule(tree, file, findings);
    }
  }
  CheckFrontHeaders(tree, findings);
  CheckUmbrella(tree, findings);
  CheckTestdata(tree, findings);
  CheckAllowances(tree, findings);
  std::ranges::move(CheckRooms(tree), std::back_inserter(findings));
  return findings;
}

std::string FormatFinding(const Finding& finding) {
  if (finding.line == 0) return fmt::format("{}: {}", finding.path, finding.message);
  return fmt::format("{}:{}: {}", finding.path, finding.line, finding.message);
}

}  // namespace firn
