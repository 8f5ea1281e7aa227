#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "firn/catalog/pointer_store.h"

namespace firn {
namespace {

bool IsWithin(const Namespace& levels, const Namespace& parent) {
  return levels.size() >= parent.size() && std::equal(parent.begin(), parent.end(), levels.begin());
}

class MemoryStore final : public PointerStore {
 public:
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Check(parent));
    std::set<Namespace> children;
    for (const auto& [levels, properties] : namespaces_) {
      if (levels.size() <= parent.size() || !IsWithin(levels, parent)) continue;
      Namespace child = levels;
      child.resize(parent.size() + 1);
      children.insert(std::move(child));
    }
    return std::vector<Namespace>(children.begin(), children.end());
  }

  Result<bool> HasNamespace(const Namespace& levels) override {
    const std::lock_guard lock(mutex_);
    return Has(levels);
  }

  Status CreateNamespace(const Namespace& levels, const Properties& properties) override {
    const std::lock_guard lock(mutex_);
    if (levels.empty() || !namespaces_.emplace(levels, properties).second) {
      return MakeError(ErrorCode::kAlreadyExists, "namespace '{}' already exists",
                       FormatNamespace(levels));
    }
    return {};
  }

  Status DropNamespace(const Namespace& levels) override {
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Check(levels));
    std::string content;
    for (const auto& [other, properties] : namespaces_) {
      if (other.size() > levels.size() && IsWithin(other, levels)) content = FormatNamespace(other);
    }
    for (const auto& [name, location] : tables_) {
      if (name.levels == levels) content = name.name;
    }
    if (levels.empty() || !content.empty()) {
      return MakeError(ErrorCode::kInvalidInput, "namespace '{}' is not empty: it holds '{}'",
                       FormatNamespace(levels), content);
    }
    namespaces_.erase(levels);
    return {};
  }

  Result<Properties> LoadNamespace(const Namespace& levels) override {
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Check(levels));
    const auto found = namespaces_.find(levels);
    return found == namespaces_.end() ? Properties{} : found->second;
  }

  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override {
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Check(levels));
    Properties& properties = namespaces_[levels];
    for (const auto& [key, value] : updates)
      properties[key] = value;
    for (const std::string& key : removals)
      properties.erase(key);
    return {};
  }

  Result<std::vector<TableName>> ListTables(const Namespace& levels) override {
    const std::lock_guard lock(mutex_);
    FIRN_RETURN_IF_ERROR(Check(levels));
    std::vector<TableName> names;
    for (const auto& [name, location] : tables_) {
      if (name.levels == levels) names.push_back(name);
    }
    return names;
  }

  Result<std::string> FindTable(const TableName& name) override {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(name);
    if (found == tables_.end()) return Missing(name);
    return found->second;
  }

  Status InsertTable(const TableName& name, const std::string& location) override {
    const std::lock_guard lock(mutex_);
    if (!tables_.emplace(name, location).second) return Taken(name);
    return {};
  }

  Status SwapTable(const TableName& name, const std::string& base,
                   const std::string& next) override {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(name);
    if (found == tables_.end() || found->second != base) {
      return MakeError(ErrorCode::kCommitConflict,
                       "table '{}' moved on: its metadata is no longer '{}'", FormatTableName(name),
                       base);
    }
    found->second = next;
    return {};
  }

  Status RenameTable(const TableName& from, const TableName& to) override {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(from);
    if (found == tables_.end()) return Missing(from);
    if (!tables_.emplace(to, found->second).second) return Taken(to);
    tables_.erase(from);
    return {};
  }

  Status DeleteTable(const TableName& name) override {
    const std::lock_guard lock(mutex_);
    if (tables_.erase(name) == 0) return Missing(name);
    return {};
  }

 private:
  static Error Missing(const TableName& name) {
    return MakeError(ErrorCode::kNotFound, "table '{}' does not exist", FormatTableName(name));
  }
  static Error Taken(const TableName& name) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists", FormatTableName(name));
  }
  bool Has(const Namespace& levels) const {
    return levels.empty() ||
           std::any_of(namespaces_.begin(), namespaces_.end(),
                       [&](const auto& entry) { return IsWithin(entry.first, levels); });
  }
  Status Check(const Namespace& levels) const {
    if (Has(levels)) return {};
    return MakeError(ErrorCode::kNotFound, "namespace '{}' does not exist",
                     FormatNamespace(levels));
  }

  std::mutex mutex_;
  std::map<Namespace, Properties> namespaces_;
  std::map<TableName, std::string> tables_;
};

}  // namespace

std::unique_ptr<PointerStore> MakeMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace firn
