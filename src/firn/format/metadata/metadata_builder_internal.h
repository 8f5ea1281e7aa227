#pragma once

#include <utility>

#include "firn/format/metadata/metadata_builder.h"

namespace firn {

template <typename... Args>
Error InvalidUpdate(fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kInvalidInput, text, std::forward<Args>(args)...);
}

template <typename... Args>
Error Stale(fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kCommitConflict, text, std::forward<Args>(args)...);
}

}  // namespace firn
