#include "tidy_rooms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace firn {
namespace {

// "data/read" of "firn/data/read/reader.h"; empty where the file is in no room.
std::string RoomOf(const std::string& path) {
  static const std::regex kRoom(R"(^firn/([^/]+/[^/]+)/[^/]+$)");
  std::smatch match;
  return std::regex_match(path, match, kRoom) ? match[1].str() : std::string();
}

std::string ModuleOfRoom(const std::string& room) { return room.substr(0, room.find('/')); }

bool IsTest(const std::string& path) {
  return path.ends_with("_test.cc") || path.ends_with("_fuzz.cc") ||
         path.find("_testing") != std::string::npos;
}

struct RoomInclude {
  std::string path;
  size_t line = 0;
  std::string from;
  std::string to;
};

void AddIncludes(const SourceFile& file, std::vector<RoomInclude>& includes) {
  const std::string from = file.path.starts_with("src/") ? RoomOf(file.path.substr(4)) : "";
  if (from.empty() || IsTest(file.path)) return;
  std::istringstream lines(file.text);
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    const std::optional<std::string> path = ParseInclude(line);
    if (!path) continue;
    const std::string to = RoomOf(*path);
    if (to.empty() || to == from || ModuleOfRoom(to) != ModuleOfRoom(from)) continue;
    includes.push_back({file.path, number, from, to});
  }
}

using RoomGraph = std::map<std::string, std::set<std::string>>;

// All rooms that `from` includes, by way of others too.
std::set<std::string> ReachedFrom(const RoomGraph& graph, const std::string& from) {
  std::set<std::string> reached;
  std::vector<std::string> open = {from};
  while (!open.empty()) {
    const auto next = graph.find(open.back());
    open.pop_back();
    if (next == graph.end()) continue;
    for (const std::string& room : next->second) {
      if (reached.insert(room).second) open.push_back(room);
    }
  }
  return reached;
}

}  // namespace

std::vector<Finding> CheckRooms(const SourceTree& tree) {
  std::vector<RoomInclude> includes;
  for (const SourceFile& file : tree.files)
    AddIncludes(file, includes);
  RoomGraph graph;
  for (const RoomInclude& include : includes)
    graph[include.from].insert(include.to);
  std::map<std::string, std::set<std::string>> reached;
  for (const auto& [room, others] : graph)
    reached[room] = ReachedFrom(graph, room);
  std::vector<Finding> findings;
  for (const RoomInclude& include : includes) {
    if (!reached[include.to].contains(include.from)) continue;
    findings.push_back({include.path, include.line,
                        fmt::format("room '{}' includes '{}', which includes it in turn; move what "
                                    "both need to where neither includes the other",
                                    include.from, include.to)});
  }
  return findings;
}

}  // namespace firn
