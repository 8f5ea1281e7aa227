#include "firn/testing/scripted_catalog.h"

#include <utility>

namespace firn {

Result<std::vector<Namespace>> ScriptedCatalog::ListNamespaces(const Namespace& parent) {
  return inner_.ListNamespaces(parent);
}

Status ScriptedCatalog::CreateNamespace(const Namespace& levels, const Properties& properties) {
  return inner_.CreateNamespace(levels, properties);
}

Status ScriptedCatalog::DropNamespace(const Namespace& levels) {
  return inner_.DropNamespace(levels);
}

Result<Properties> ScriptedCatalog::LoadNamespace(const Namespace& levels) {
  return inner_.LoadNamespace(levels);
}

Status ScriptedCatalog::UpdateNamespace(const Namespace& levels, const Properties& updates,
                                        std::span<const std::string> removals) {
  return inner_.UpdateNamespace(levels, updates, removals);
}

Result<std::vector<TableName>> ScriptedCatalog::ListTables(const Namespace& levels) {
  return inner_.ListTables(levels);
}

Result<Table> ScriptedCatalog::Load(const TableName& name) { return inner_.Load(name); }

Result<Table> ScriptedCatalog::Create(const TableName& name, const CreateTableRequest& request) {
  if (before_create) before_create();
  return inner_.Create(name, request);
}

Result<Table> ScriptedCatalog::Commit(const TableName& name,
                                      std::span<const TableRequirement> requirements,
                                      std::span<const TableUpdate> updates) {
  ++commit_count;
  if (before_commit) {
    before_commit();
  }
  if (!lost_answer) {
    return inner_.Commit(name, requirements, updates);
  }
  if (lost_commit_happens) {
    FIRN_RETURN_IF_ERROR(inner_.Commit(name, requirements, updates));
  }
  return *std::exchange(lost_answer, std::nullopt);
}

Result<Table> ScriptedCatalog::Register(const TableName& name,
                                        const std::string& metadata_location) {
  return inner_.Register(name, metadata_location);
}

Status ScriptedCatalog::Rename(const TableName& from, const TableName& to) {
  return inner_.Rename(from, to);
}

Status ScriptedCatalog::Drop(const TableName& name, DropFiles files) {
  return inner_.Drop(name, files);
}

}  // namespace firn
