#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firn/commit/commit.h"
#include "firn/io/uri.h"
#include "firn/session/session.h"

// usage: maintenance_tables FOLDER expiry|full|manifests|orphans
//
// Makes the table db.t in the catalog that firn has by default in FOLDER, for maintenance.py: with
// the metadata of very many files, which are on disk, but empty.

namespace firn {
namespace {

constexpr int64_t kThousand = 1000;

class TableMaker {
 public:
  explicit TableMaker(const std::string& folder) : folder_(folder) {}

  Status Open() {
    std::error_code failure;
    std::filesystem::create_directories(folder_, failure);
    SessionOptions options{.working_folder = folder_, .home_folder = folder_};
    FIRN_ASSIGN(session_, OpenSession(options, {}));
    FIRN_ASSIGN(catalog_, session_->OpenCatalogNamed("local"));
    FIRN_RETURN_IF_ERROR(catalog_->CreateNamespace({"db"}, {}));
    NestedField id;
    id.id = 1;
    id.name = "id";
    id.type = Type::Primitive(TypeId::kLong);
    FIRN_ASSIGN(table_, catalog_->Create(name_, {.schema = Schema(0, {id})}));
    location_ = table_.metadata->location;
    return {};
  }

  /// `snapshots` appends of `files` each. Errors: those of commits and of the disk.
  Status Append(int64_t snapshots, int64_t files) {
    for (int64_t i = 0; i < snapshots; ++i) {
      AppendFilesRequest request;
      request.is_fast = true;
      for (int64_t j = 0; j < files; ++j)
        request.data_files.push_back(MakeFile(i * files + j));
      FIRN_ASSIGN(const CommitResult result, CommitAppendFiles(context(), table_, request));
      table_ = result.table;
    }
    return {};
  }

  /// One snapshot that takes the first files out again.
  Status Remove(int64_t files) {
    ChangeFilesRequest request;
    request.starting_snapshot_id = table_.metadata->current_snapshot_id;
    for (int64_t i = 0; i < files; ++i)
      request.removed_data_files.push_back(MakeFile(i));
    FIRN_ASSIGN(const CommitResult result, CommitChangeFiles(context(), table_, request));
    table_ = result.table;
    return {};
  }

  /// Empty files on disk, ten days old.
  Status Put(int64_t first, int64_t count) const {
    std::error_code failure;
    for (int64_t i = 0; i < kFolders; ++i)
      std::filesystem::create_directories(fmt::format("{}/data/{:03}", LocalPath(location_), i),
                                          failure);
    timespec now{};
    timespec_get(&now, TIME_UTC);
    constexpr int64_t kTenDays = 864'000;
    now.tv_sec -= kTenDays;
    const timespec times[2] = {now, now};
    for (int64_t i = first; i < first + count; ++i) {
      const std::string path = LocalPath(PathOf(i));
      const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
      if (file < 0 || futimens(file, times) != 0 || close(file) != 0) {
        return MakeError(ErrorCode::kUnavailable, "'{}': error {}", path, errno);
      }
    }
    return {};
  }

  /// What metadata tells of each file's size.
  int64_t file_bytes = 10 * kThousand;

 private:
  static constexpr int64_t kFolders = 256;

  CommitContext context() {
    return {.catalog = catalog_.get(),
            .executor = &session_->executor(),
            .clock = &session_->clock(),
            .random = &session_->random()};
  }
  std::string PathOf(int64_t number) const {
    return fmt::format("{}/data/{:03}/{:08}-5b0b3e9c-6a0f-4b43-8a4a-1f0d53e1a7c1-00001.parquet",
                       location_, number % kFolders, number);
  }
  DataFile MakeFile(int64_t number) const {
    DataFile file;
    file.file_path = PathOf(number);
    file.record_count = 100;
    file.file_size_in_bytes = file_bytes;
    return file;
  }

  const std::string folder_;
  const TableName name_{{"db"}, "t"};
  std::unique_ptr<Session> session_;
  std::shared_ptr<Catalog> catalog_;
  Table table_;
  std::string location_;
};

Status Run(const std::vector<std::string>& arguments) {
  if (arguments.size() != 2) {
    return MakeError(ErrorCode::kInvalidInput,
                     "usage: maintenance_tables FOLDER expiry|full|manifests|orphans");
  }
  TableMaker maker(arguments[0]);
  FIRN_RETURN_IF_ERROR(maker.Open());
  const std::string_view kind = arguments[1];
  if (kind == "orphans") {
    FIRN_RETURN_IF_ERROR(maker.Append(100, 10 * kThousand));
    return maker.Put(0, 1100 * kThousand);
  }
  if (kind == "full") {
    maker.file_bytes = int64_t{512} << 20;
    return maker.Append(100, kThousand);
  }
  FIRN_RETURN_IF_ERROR(maker.Append(kThousand, kThousand));
  if (kind == "manifests") return {};
  FIRN_RETURN_IF_ERROR(maker.Remove(100 * kThousand));
  return maker.Put(0, 100 * kThousand);
}

}  // namespace
}  // namespace firn

int main(int count, char** arguments) {
  const firn::Status status = firn::Run({arguments + 1, arguments + count});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().Format().c_str());
  return 1;
}
