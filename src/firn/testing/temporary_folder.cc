#include "firn/testing/temporary_folder.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include "firn/base/check.h"
#include "firn/io/uri.h"

namespace firn {
namespace fs = std::filesystem;

namespace {

// Tests write many small files and every one is synced, so memory is much faster than a disk, if
// there is enough. TMPDIR, where set, decides.
fs::path ChooseParent() {
  constexpr std::uintmax_t kFreeBytesMin = std::uintmax_t{512} << 20;
  const fs::path memory = "/dev/shm";
  std::error_code error;
  const fs::space_info space = fs::space(memory, error);
  const bool is_usable =
      !error && space.available >= kFreeBytesMin && access(memory.c_str(), W_OK | X_OK) == 0;
  const bool is_set = std::getenv("TMPDIR") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  return is_usable && !is_set ? memory : fs::temp_directory_path();
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  path_ = (ChooseParent() / "firn-test-XXXXXX").string();
  FIRN_CHECK(mkdtemp(path_.data()) != nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  // A test may have taken away its own right to look into a folder.
  for (auto entry = fs::recursive_directory_iterator(
           path_, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_directory(error) && !entry->is_symlink(error)) {
      fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, error);
    }
  }
  fs::remove_all(path_, error);
}

std::string TemporaryFolder::Join(std::string_view name) const { return JoinUri(path_, name); }

}  // namespace firn
