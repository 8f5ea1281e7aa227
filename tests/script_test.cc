#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/temporary_folder.h"
#include "firn/testing/testdata.h"

// Runs tests/script/*.test, what a user types and sees; one test for each file. A script is made of
// blocks that end with an empty line:
//
//   # A comment.
//   table part_day                    copy testdata/spark/part_day to $HERE/part_day
//
//   file in/a.csv                     write $HERE/in/a.csv with the lines that follow
//   id,name
//
//   > count $HERE/part_day            run firn with these words (quotes as in a shell)
//   {"count":26}                      its standard output, line by line; `*` stands for any text
//
//   >~ read $HERE/part_day            the same, but rows may come in any order
//
//   > count $HERE/nothing
//   error 3 not-found: *              the exit code, and the last line of standard error
//
//   > rewrite-manifests $HERE/part_day
//   {"rewritten_manifests_count":0,*
//   notice nothing to do: *           one of the lines of standard error; others are not compared
//
// Every script has its own empty folder, $HERE, which is the working folder of the program; what
// Spark's tables name is found there. FIRN_UPDATE_GOLDEN=1 writes the output seen into the script.

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNotice = "notice ";
constexpr std::string_view kRecordedPrefix = "/tmp/firn-fixtures/warehouse/db";

struct Outcome {
  int exit_code = 0;
  std::vector<std::string> output;
  std::vector<std::string> error_lines;
};

struct Block {
  std::vector<std::string> comments;
  std::string command;  // The whole line.
  std::vector<std::string> expected;
};

std::vector<std::string> ReadLines(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<Block> ReadBlocks(const fs::path& path) {
  std::vector<Block> blocks(1);
  for (const std::string& line : ReadLines(path)) {
    Block& block = blocks.back();
    if (line.empty()) {
      if (!block.command.empty() || !block.comments.empty()) {
        blocks.emplace_back();
      }
    } else if (line.front() == '#' && block.command.empty()) {
      block.comments.push_back(line);
    } else if (block.command.empty()) {
      block.command = line;
    } else {
      block.expected.push_back(line);
    }
  }
  return blocks;
}

void WriteBlocks(const fs::path& path, const std::vector<Block>& blocks) {
  std::ofstream file(path);
  std::string_view separator;
  for (const Block& block : blocks) {
    if (block.comments.empty() && block.command.empty()) {
      continue;
    }
    file << std::exchange(separator, "\n");
    for (const std::string& line : block.comments) {
      file << line << '\n';
    }
    if (!block.command.empty()) {
      file << block.command << '\n';
    }
    for (const std::string& line : block.expected) {
      file << line << '\n';
    }
  }
}

// Match `text` against `pattern`, in which `*` stands for any text.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t at = star; at <= text.size(); ++at) {
    if (MatchesPattern(rest, text.substr(at))) return true;
  }
  return false;
}

// Split a command line into words; quotes work as in a shell.
std::vector<std::string> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (const char c : line) {
    const bool is_quote = quote == 0 ? (c == '"' || c == '\'') : c == quote;
    if (!is_in_word && c != ' ') {
      words.emplace_back();
      is_in_word = true;
    }
    if (is_quote) {
      quote = quote == 0 ? c : '\0';
    } else if (c == ' ' && quote == 0) {
      is_in_word = false;
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// One script and its folder.
class Script {
 public:
  explicit Script(fs::path path) : path_(std::move(path)), here_(folder_.path()) {}

  void Run() {
    std::vector<Block> blocks = ReadBlocks(path_);
    for (Block& block : blocks) {
      if (!block.command.empty()) RunBlock(block);
    }
    if (updates_golden_) WriteBlocks(path_, blocks);
  }

 private:
  void RunBlock(Block& block) {
    const std::string_view command = block.command;
    if (command.starts_with("table ")) {
      const fs::path name = command.substr(6);
      fs::copy(fs::path(TestDataPath("spark")) / name, here_ / name, fs::copy_options::recursive);
    } else if (command.starts_with("file ")) {
      const fs::path path = here_ / command.substr(5);
      fs::create_directories(path.parent_path());
      std::ofstream file(path);
      for (const std::string& line : block.expected)
        file << line << '\n';
    } else if (command.starts_with("> ") || command.starts_with(">~ ")) {
      const bool is_sorted = command[1] == '~';
      const Outcome outcome = RunProgram(command.substr(command.find(' ') + 1), is_sorted);
      Check(block, outcome, is_sorted);
    } else {
      ADD_FAILURE() << path_ << ": '" << command
                    << "', expected 'table NAME', 'file NAME', '> …' or '>~ …'";
    }
  }

  void Check(Block& block, const Outcome& outcome, bool is_sorted) {
    std::vector<std::string> seen = outcome.output;
    if (outcome.exit_code != 0) {
      seen.push_back(fmt::format("error {} {}", outcome.exit_code,
                                 outcome.error_lines.empty() ? "" : outcome.error_lines.back()));
    }
    std::vector<std::string> expected = block.expected;
    const std::vector<std::string> notices = TakeNotices(expected);
    for (const std::string& notice : notices) {
      const auto& lines = outcome.error_lines;
      EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                              [&](const std::string& line) {
                                return MatchesPattern(
                                    std::string_view(notice).substr(kNotice.size()), line);
                              }))
          << path_ << ": " << block.command << "\nexpected\n  " << notice << "\nseen\n  "
          << Join(lines);
    }
    if (updates_golden_) {
      if (MatchesAll(expected, seen)) return;
      block.expected = seen;
      block.expected.insert(block.expected.end(), notices.begin(), notices.end());
      return;
    }
    if (is_sorted) std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(MatchesAll(expected, seen)) << path_ << ": " << block.command << "\nexpected\n  "
                                            << Join(expected) << "\nseen\n  " << Join(seen);
  }

  // Take the lines out that are about standard error.
  static std::vector<std::string> TakeNotices(std::vector<std::string>& expected) {
    const auto first =
        std::stable_partition(expected.begin(), expected.end(),
                              [](const std::string& line) { return !line.starts_with(kNotice); });
    std::vector<std::string> notices(first, expected.end());
    expected.erase(first, expected.end());
    return notices;
  }

  static std::string Join(const std::vector<std::string>& lines) {
    return fmt::format("{}", fmt::join(lines, "\n  "));
  }

  static bool MatchesAll(const std::vector<std::string>& patterns,
                         const std::vector<std::string>& lines) {
    return std::equal(patterns.begin(), patterns.end(), lines.begin(), lines.end(), MatchesPattern);
  }

  Outcome RunProgram(std::string_view command_line, bool is_sorted) {
    std::vector<std::string> words =
        SplitWords(ReplaceAll(std::string(command_line), "$HERE", here_.string()));
    words.insert(words.begin(),
                 {FIRN_PROGRAM, "--conf",
                  fmt::format("io.rewrite-prefix={}={}", kRecordedPrefix, here_.string())});
    const fs::path output = fs::path(streams_.Join("output"));
    const fs::path errors = fs::path(streams_.Join("errors"));
    Outcome outcome;
    outcome.exit_code = Spawn(words, output, errors);
    for (const std::string& line : ReadLines(output)) {
      outcome.output.push_back(ReplaceAll(line, here_.string(), "$HERE"));
    }
    if (is_sorted) std::sort(outcome.output.begin(), outcome.output.end());
    for (const std::string& line : ReadLines(errors))
      outcome.error_lines.push_back(ReplaceAll(line, here_.string(), "$HERE"));
    return outcome;
  }

  // Run a program with nothing of the user's environment; returns its exit code, or minus the
  // signal.
  int Spawn(std::vector<std::string>& words, const fs::path& output, const fs::path& errors) const {
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    std::string home = "HOME=" + here_.string();
    std::string path = "PATH=/usr/bin:/bin";
    const std::array<char*, 3> environment = {home.data(), path.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, here_.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t process = 0;
    const int failure = posix_spawn(&process, arguments.front(), &actions, nullptr,
                                    arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(failure, 0) << "cannot start " << arguments.front();
    int status = 0;
    if (failure != 0 || waitpid(process, &status, 0) != process) return -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  fs::path path_;
  TemporaryFolder folder_;
  TemporaryFolder streams_;
  fs::path here_;
  bool updates_golden_ = std::getenv("FIRN_UPDATE_GOLDEN") != nullptr;
};

std::vector<fs::path> ListScripts() {
  std::vector<fs::path> scripts;
  for (const auto& entry : fs::directory_iterator(FIRN_SCRIPTS)) {
    if (entry.path().extension() == ".test") scripts.push_back(entry.path());
  }
  std::sort(scripts.begin(), scripts.end());
  return scripts;
}

class ScriptTest : public testing::TestWithParam<fs::path> {};

TEST_P(ScriptTest, PrintsWhatTheScriptSays) { Script(GetParam()).Run(); }

INSTANTIATE_TEST_SUITE_P(All, ScriptTest, testing::ValuesIn(ListScripts()),
                         [](const auto& run) { return run.param.stem().string(); });

TEST(ScriptPatternTest, AStarStandsForAnyText) {
  EXPECT_TRUE(MatchesPattern("a*c", "abbc"));
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_FALSE(MatchesPattern("a*c", "abd"));
  EXPECT_FALSE(MatchesPattern("abc", "ab"));
}

TEST(ScriptPatternTest, QuotesHoldWordsTogether) {
  EXPECT_THAT(SplitWords("read  t --where \"s = 'a b'\" ''"),
              testing::ElementsAre("read", "t", "--where", "s = 'a b'", ""));
}

}  // namespace
}  // namespace firn
