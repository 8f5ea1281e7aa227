#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

/// Log lines go to standard error (or to a sink that tests install), never to standard output.

namespace firn {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// Lines below `level` are dropped. The default is kWarning.
void SetLogLevel(LogLevel level);
bool IsLogged(LogLevel level);

/// Write one line; line breaks in `message` are shown as "\\n". Thread-safe.
void WriteLog(LogLevel level, std::string_view message);

/// Receives the lines instead of standard error; called by one thread at a time.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// Install `sink` (empty: standard error again) and return the one before it.
LogSink SetLogSink(LogSink sink);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
  if (IsLogged(level)) {
    WriteLog(level, fmt::format(text, std::forward<Args>(args)...));
  }
}

}  // namespace firn
