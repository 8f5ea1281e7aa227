#include <algorithm>
#include <utility>
#include <variant>

#include "firn/catalog/forwarding_catalog.h"

#include "world.h"

namespace firn::simulation {
namespace {

using Call = World::Call;

class WorldStore final : public PointerStore {
 public:
  WorldStore(World& world, std::shared_ptr<PointerStore> inner)
      : world_(world), inner_(std::move(inner)) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return inner_->ListNamespaces(parent);
  }
  Result<bool> HasNamespace(const Namespace& levels) override {
    return inner_->HasNamespace(levels);
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
  Result<std::string> FindTable(const TableName& name) override {
    return world_.Do(Call::kCatalogLoad, "find", World::Unavailable("find"),
                     [&] { return inner_->FindTable(name); });
  }
  Status InsertTable(const TableName& name, const std::string& location) override {
    return world_.Do(
        Call::kSwap, "insert", World::Unknown("insert"),
        [inner = inner_, name, location] { return inner->InsertTable(name, location); });
  }
  Status SwapTable(const TableName& name, const std::string& base,
                   const std::string& next) override {
    return world_.Do(Call::kSwap, "swap", World::Unknown("swap"),
                     [&world = world_, inner = inner_, name, base, next]() -> Status {
                       FIRN_RETURN_IF_ERROR(inner->SwapTable(name, base, next));
                       if (world.witness() != nullptr) world.witness()->SeeTableMove(next);
                       return {};
                     });
  }
  Status RenameTable(const TableName& from, const TableName& to) override {
    return inner_->RenameTable(from, to);
  }
  Status DeleteTable(const TableName& name) override {
    return world_.Do(Call::kSwap, "delete", World::Unknown("delete"),
                     [inner = inner_, name] { return inner->DeleteTable(name); });
  }

 private:
  World& world_;
  std::shared_ptr<PointerStore> inner_;
};

class WorldCatalog final : public ForwardingCatalog {
 public:
  WorldCatalog(World& world, std::shared_ptr<Catalog> inner)
      : ForwardingCatalog(std::move(inner)), world_(world) {}

  Result<Table> Load(const TableName& name) override {
    return world_.Do(Call::kCatalogLoad, "load", World::Unavailable("load"),
                     [&] { return inner()->Load(name); });
  }
  Result<Table> Commit(const TableName& name, std::span<const TableRequirement> requirements,
                       std::span<const TableUpdate> updates) override {
    Process* const process = world_.current_process();
    if (process != nullptr && process->before_commit) std::exchange(process->before_commit, {})();
    // A second request for a snapshot fails because the first has moved the branch, and its writer
    // finds that out. Other changes do not tell whose they are, so that catalogs must not repeat
    // them on their own.
    const bool is_snapshot = std::any_of(updates.begin(), updates.end(), [](const auto& update) {
      return std::holds_alternative<AddSnapshot>(update);
    });
    return world_.Do(
        is_snapshot ? Call::kCatalogCommit : Call::kSwap, "commit", World::Unknown("commit"),
        [&world = world_, catalog = inner(), name,
         needed = std::vector<TableRequirement>(requirements.begin(), requirements.end()),
         changes = std::vector<TableUpdate>(updates.begin(), updates.end())] {
          if (world.witness() != nullptr) world.witness()->SeeRequest(name, needed, changes);
          return catalog->Commit(name, needed, changes);
        });
  }

 private:
  World& world_;
};

}  // namespace

std::unique_ptr<PointerStore> MakeWorldStore(World& world, std::shared_ptr<PointerStore> inner) {
  return std::make_unique<WorldStore>(world, std::move(inner));
}

std::shared_ptr<Catalog> MakeWorldCatalog(World& world, std::shared_ptr<Catalog> inner) {
  return std::make_shared<WorldCatalog>(world, std::move(inner));
}

}  // namespace firn::simulation
