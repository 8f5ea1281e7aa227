#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The rules of firn's source tree that a program can check. They work on text in memory, so that
/// the test can show each rule a bad example.

namespace firn {

/// A file of the tree; `path` counts from the root of the repository, with `/`.
struct SourceFile {
  std::string path;
  std::string text;
};

/// A broken rule. `line` counts from 1; 0 stands for the whole file.
struct Finding {
  std::string path;
  size_t line = 0;
  std::string message;
};

/// A file that may be longer than the limit of its kind: exactly `lines` long, so that the entry
/// shrinks with the file.
struct SizeAllowance {
  std::string path;
  size_t lines = 0;
};

/// What the rules look at.
struct SourceTree {
  std::vector<SourceFile> files;                         ///< C++, .def, testdata/README.md
  std::map<std::string, std::set<std::string>> modules;  ///< module -> its DEPENDS
  std::vector<std::string> testdata_sets;                ///< folders directly below testdata/
  std::vector<SizeAllowance> size_allowances;
};

/// The path that a line includes, in quotes or brackets; nullopt if it includes nothing.
std::optional<std::string> ParseInclude(const std::string& line);

/// Parse the module graph that CMake writes: a line `name: dependency dependency` for each module.
std::map<std::string, std::set<std::string>> ParseModuleGraph(std::string_view text);

/// Parse lines `path lines`; empty lines and lines that start with `#` are skipped.
std::vector<SizeAllowance> ParseSizeAllowances(std::string_view text);

/// Return `text` with comments, and with the content of literals unless `keeps_literals`, replaced
/// by blanks; lines keep their numbers.
std::string BlankComments(std::string_view text, bool keeps_literals);

/// Check every rule. Shape: findings by file in the order of `tree.files`, then those of the tree.
std::vector<Finding> CheckTree(const SourceTree& tree);

/// Return "path:line: message".
std::string FormatFinding(const Finding& finding);

}  // namespace firn
