#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

/// Log lines go to standard error (or to a sink that tests install), never to standard output.

namespace firn {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// Lines below `level` are dropped. The default is kWarning.
void SetLogLevel(LogLevel level);
bool IsLogged(LogLevel level);

/// Write one line. Thread-safe.
void WriteLog(LogLevel level, std::string_view message);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
  if (IsLogged(level)) {
    WriteLog(level, fmt::format(text, std::forward<Args>(args)...));
  }
}

}  // namespace firn
