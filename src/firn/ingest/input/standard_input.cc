#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "firn/base/log.h"
#include "firn/ingest/input/standard_input_internal.h"

namespace firn {

Result<std::unique_ptr<StandardInput>> StandardInput::Copy(FileIO& io, Random& random,
                                                           const CancelToken& cancel) {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure) {
    return MakeError(
        ErrorCode::kNotFound,
        "no folder for temporary files ({}); set TMPDIR to one with room for the input",
        failure.message());
  }
  const std::string path = (folder / ("firn-input-" + FormatUuid(MakeUuid(random)))).string();
  FIRN_ASSIGN(const auto output, io.Create(path, {.exclusive = true}));
  std::array<std::byte, size_t{256} << 10> buffer{};
  while (true) {
    FIRN_RETURN_IF_ERROR(cancel.Check());
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return MakeError(ErrorCode::kUnavailable, "standard input: {}", std::strerror(errno));
    }
    FIRN_RETURN_IF_ERROR(output->Append(std::span(buffer).first(static_cast<size_t>(count))),
                         "copying standard input to '{}'", path);
  }
  FIRN_RETURN_IF_ERROR(output->Publish(), "copying standard input to '{}'", path);
  FIRN_ASSIGN(FileInfo file, io.Stat(path));
  return std::unique_ptr<StandardInput>(new StandardInput(io, std::move(file)));
}

StandardInput::~StandardInput() {
  const Status deleted = io_.Delete(file_.uri);
  if (!deleted.ok()) {
    Log(LogLevel::kWarning, "the copy of standard input stays: {}", deleted.error().Format());
  }
}

}  // namespace firn
