#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/maintain_context.h"

/// Where the files of tables are, whatever their properties say by now.

namespace firn {

/// Finds out in which folders tables have files besides those that their metadata names today: a
/// table that was moved, or whose folder for data was another once, says nothing of it. Reads all
/// manifests of a table, but each only once, however often it is asked: to be shared by operations
/// that look at the tables of one catalog. Thread-safe.
class ContentFolders {
 public:
  ContentFolders();
  ~ContentFolders();

  struct Found {
    /// Keys (see RealNames) of a few folders that hold all files outside of the table's own.
    std::vector<std::string> keys;
    /// Not all could be read: there may be more.
    std::optional<Error> failure;
  };
  Found Find(const MaintainContext& context, const Table& table);

 private:
  class OfTable;
  std::shared_ptr<OfTable> Take(const Table& table, const std::vector<std::string>& own_keys);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<OfTable>> tables_;
};

}  // namespace firn
