#include "firn/catalog/metered_catalog.h"

#include <utility>

#include "firn/catalog/forwarding_catalog.h"
#include "firn/catalog/staged_table.h"

namespace firn {
namespace {

class MeteredCatalog final : public ForwardingCatalog {
 public:
  MeteredCatalog(std::shared_ptr<Catalog> inner, std::shared_ptr<IoMeter> meter)
      : ForwardingCatalog(std::move(inner)), meter_(std::move(meter)) {}

  Result<Table> Load(const TableName& name) override { return Meter(inner()->Load(name)); }
  Result<Table> Create(const TableName& name, const CreateTableRequest& request) override {
    return Meter(inner()->Create(name, request));
  }
  Result<StagedTable> Stage(const TableName& name, const CreateTableRequest& request) override {
    FIRN_ASSIGN(StagedTable staged, StageTable(*inner(), name, request));
    staged.table.io = MakeMeteredFileIO(std::move(staged.table.io), meter_);
    return staged;
  }
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override {
    return Meter(inner()->Commit(name, requirements, updates));
  }
  Result<Table> Register(const TableName& name, const std::string& metadata_location) override {
    return Meter(inner()->Register(name, metadata_location));
  }

 private:
  Result<Table> Meter(Result<Table> table) const {
    if (table.ok()) table->io = MakeMeteredFileIO(std::move(table->io), meter_);
    return table;
  }

  std::shared_ptr<IoMeter> meter_;
};

}  // namespace

std::shared_ptr<Catalog> MakeMeteredCatalog(std::shared_ptr<Catalog> inner,
                                            std::shared_ptr<IoMeter> meter) {
  return std::make_shared<MeteredCatalog>(std::move(inner), std::move(meter));
}

}  // namespace firn
