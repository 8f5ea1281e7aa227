#include "firn/catalog/metered_catalog.h"

#include <utility>

namespace firn {
namespace {

class MeteredCatalog final : public Catalog {
 public:
  MeteredCatalog(std::shared_ptr<Catalog> inner, std::shared_ptr<IoMeter> meter)
      : inner_(std::move(inner)), meter_(std::move(meter)) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return inner_->ListNamespaces(parent);
  }
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override {
    return inner_->CreateNamespace(levels, properties);
  }
  Status DropNamespace(const Namespace& levels) override { return inner_->DropNamespace(levels); }
  Result<Properties> LoadNamespace(const Namespace& levels) override {
    return inner_->LoadNamespace(levels);
  }
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override {
    return inner_->UpdateNamespace(levels, updates, removals);
  }
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override {
    return inner_->ListTables(levels);
  }
  Result<Table> Load(const TableName& name) override { return Meter(inner_->Load(name)); }
  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override {
    return Meter(inner_->Create(name, request));
  }
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override {
    return Meter(inner_->Commit(name, requirements, updates));
  }
  Result<Table> Register(const TableName& name, const std::string& metadata_location) override {
    return Meter(inner_->Register(name, metadata_location));
  }
  Status Rename(const TableName& from, const TableName& to) override {
    return inner_->Rename(from, to);
  }
  Status Drop(const TableName& name, DropFiles files) override { return inner_->Drop(name, files); }

 private:
  Result<Table> Meter(Result<Table> table) const {
    if (table.ok()) table->io = MakeMeteredFileIO(std::move(table->io), meter_);
    return table;
  }

  std::shared_ptr<Catalog> inner_;
  std::shared_ptr<IoMeter> meter_;
};

}  // namespace

std::shared_ptr<Catalog> MakeMeteredCatalog(std::shared_ptr<Catalog> inner,
                                            std::shared_ptr<IoMeter> meter) {
  return std::make_shared<MeteredCatalog>(std::move(inner), std::move(meter));
}

}  // namespace firn
