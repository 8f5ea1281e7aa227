#include <memory>
#include <utility>

#include "world.h"

namespace firn::simulation {
namespace {

using Call = World::Call;

class WorldInputFile final : public InputFile {
 public:
  WorldInputFile(World& world, std::shared_ptr<InputFile> file)
      : world_(world), file_(std::move(file)) {}

  const std::string& uri() const override { return file_->uri(); }
  Result<int64_t> Size() override { return file_->Size(); }
  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    const Process* process = world_.current_process();
    if (process != nullptr && process->is_dead) return World::DeadError();
    return file_->ReadAt(offset, out);
  }

 private:
  World& world_;
  std::shared_ptr<InputFile> file_;
};

/// Keeps the bytes, so that publishing can happen late or twice.
struct Pending {
  std::string uri;
  CreateOptions options;
  std::string bytes;
  std::shared_ptr<FileIO> io;

  Status Publish(World& world) const {
    const bool is_dead = world.options().takes_owners_for_dead && uri.ends_with("/owner.json");
    const std::string text = is_dead ? AsDeadOwner(bytes) : bytes;
    FIRN_RETURN_IF_ERROR(WriteFile(*io, uri, AsBytes(text), options));
    if (world.witness() != nullptr) world.witness()->SeePublish(uri);
    return {};
  }
};

class WorldOutputFile final : public OutputFile {
 public:
  WorldOutputFile(World& world, Pending pending)
      : world_(world), pending_(std::make_shared<Pending>(std::move(pending))) {}

  const std::string& uri() const override { return pending_->uri; }
  int64_t bytes_written() const override { return static_cast<int64_t>(pending_->bytes.size()); }
  Status Append(std::span<const std::byte> bytes) override {
    pending_->bytes += AsText(bytes);
    return {};
  }
  Status Publish() override {
    return world_.Do(Call::kPublish, pending_->uri, World::Unknown(pending_->uri),
                     [&world = world_, pending = pending_] { return pending->Publish(world); });
  }

 private:
  World& world_;
  std::shared_ptr<Pending> pending_;
};

class WorldFileIO final : public FileIO {
 public:
  WorldFileIO(World& world, std::shared_ptr<FileIO> io) : world_(world), io_(std::move(io)) {}

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    return world_.Do(Call::kFileRead, uri, World::Unavailable(uri),
                     [this, uri, known_size]() -> Result<std::shared_ptr<InputFile>> {
                       FIRN_ASSIGN(auto file, io_->Open(uri, known_size));
                       return std::make_shared<WorldInputFile>(world_, std::move(file));
                     });
  }
  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    return world_.Do(Call::kFileWrite, uri, World::Unavailable(uri),
                     [this, uri, options]() -> Result<std::unique_ptr<OutputFile>> {
                       return std::make_unique<WorldOutputFile>(
                           world_, Pending{std::string(uri), options, {}, io_});
                     });
  }
  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    return world_.Do(Call::kFileRead, uri, World::Unavailable(uri),
                     [this, uri, &visit] { return io_->List(uri, visit); });
  }
  Result<FileInfo> Stat(std::string_view uri) override {
    return world_.Do(Call::kFileRead, uri, World::Unavailable(uri),
                     [this, uri] { return io_->Stat(uri); });
  }
  Status Delete(std::string_view uri) override {
    return world_.Do(Call::kDelete, uri, World::Unavailable(uri),
                     [this, name = std::string(uri)]() -> Status {
                       FIRN_RETURN_IF_ERROR(io_->Delete(name));
                       if (world_.witness() != nullptr) world_.witness()->SeeDelete(name);
                       return {};
                     });
  }

 private:
  World& world_;
  std::shared_ptr<FileIO> io_;
};

}  // namespace

std::string AsDeadOwner(std::string text) {
  constexpr std::string_view kKey = "\"started\":";
  const size_t at = text.find(kKey);
  if (at != std::string::npos) text.insert(at + kKey.size(), "9");
  return text;
}

std::shared_ptr<FileIO> MakeWorldFileIO(World& world, std::shared_ptr<FileIO> io) {
  return std::make_shared<WorldFileIO>(world, std::move(io));
}

}  // namespace firn::simulation
