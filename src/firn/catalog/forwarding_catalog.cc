#include "firn/catalog/forwarding_catalog.h"

#include <utility>

namespace firn {

ForwardingCatalog::ForwardingCatalog(std::shared_ptr<Catalog> inner) : inner_(std::move(inner)) {}

Result<std::vector<Namespace>> ForwardingCatalog::ListNamespaces(const Namespace& parent) {
  return inner_->ListNamespaces(parent);
}

Status ForwardingCatalog::CreateNamespace(const Namespace& levels, const Properties& properties) {
  return inner_->CreateNamespace(levels, properties);
}

Status ForwardingCatalog::DropNamespace(const Namespace& levels) {
  return inner_->DropNamespace(levels);
}

Result<Properties> ForwardingCatalog::LoadNamespace(const Namespace& levels) {
  return inner_->LoadNamespace(levels);
}

Status ForwardingCatalog::UpdateNamespace(const Namespace& levels, const Properties& updates,
                                          std::span<const std::string> removals) {
  return inner_->UpdateNamespace(levels, updates, removals);
}

Result<std::vector<TableName>> ForwardingCatalog::ListTables(const Namespace& levels) {
  return inner_->ListTables(levels);
}

Result<Table> ForwardingCatalog::Load(const TableName& name) { return inner_->Load(name); }

Result<Table> ForwardingCatalog::Create(const TableName& name, const CreateTableRequest& request) {
  return inner_->Create(name, request);
}

Result<StagedTable> ForwardingCatalog::Stage(const TableName& name,
                                             const CreateTableRequest& request) {
  return StageTable(*inner_, name, request);
}

Result<Table> ForwardingCatalog::Commit(const TableName& name,
                                        std::span<const TableRequirement> requirements,
                                        std::span<const TableUpdate> updates) {
  return inner_->Commit(name, requirements, updates);
}

Status ForwardingCatalog::CheckCanCommit(const Table& table) {
  return firn::CheckCanCommit(*inner_, table);
}

Result<Table> ForwardingCatalog::Register(const TableName& name,
                                          const std::string& metadata_location) {
  return inner_->Register(name, metadata_location);
}

Status ForwardingCatalog::Rename(const TableName& from, const TableName& to) {
  return inner_->Rename(from, to);
}

Status ForwardingCatalog::Drop(const TableName& name, DropFiles files) {
  return inner_->Drop(name, files);
}

}  // namespace firn
