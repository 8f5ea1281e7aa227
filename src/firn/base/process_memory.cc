#include "firn/base/process_memory.h"

#include <cstdio>
#include <memory>

#include <unistd.h>

namespace firn {

std::optional<int64_t> ResidentBytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             &std::fclose);
  long long pages = 0;
  if (file == nullptr || std::fscanf(file.get(), "%*s %lld", &pages) != 1) return std::nullopt;
  return static_cast<int64_t>(pages) * sysconf(_SC_PAGESIZE);
}

}  // namespace firn
