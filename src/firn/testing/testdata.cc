#include "firn/testing/testdata.h"

#include <cstdlib>
#include <filesystem>

#include "firn/io/uri.h"

namespace firn {

std::string TestDataPath(std::string_view name) { return JoinUri(FIRN_TESTDATA, name); }

std::optional<std::string> SharedDataPath(std::string_view name) {
  const char* folder = std::getenv("FIRN_SHARED");
  std::string path =
      folder != nullptr ? JoinUri(folder, "data") : JoinUri(FIRN_TESTDATA, "../../shared/data");
  path = JoinUri(path, name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return path;
}

}  // namespace firn
