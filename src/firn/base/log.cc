#include "firn/base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "firn/base/civil_time.h"
#include "firn/base/clock.h"

namespace firn {
namespace {

std::atomic<LogLevel> least_level{LogLevel::kWarning};

struct SinkHolder {
  std::mutex mutex;
  LogSink sink;
};

SinkHolder& Holder() {
  static SinkHolder holder;
  return holder;
}

std::string_view FormatLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
    case LogLevel::kOff:
      break;
  }
  return "error";
}

// One line stays one line, whatever file names it quotes.
std::string EscapeLineBreaks(std::string_view message) {
  std::string text;
  text.reserve(message.size());
  for (const char c : message) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else {
      text.push_back(c);
    }
  }
  return text;
}

}  // namespace

void SetLogLevel(LogLevel level) { least_level = level; }

bool IsLogged(LogLevel level) { return level >= least_level && level != LogLevel::kOff; }

void WriteLog(LogLevel level, std::string_view message) {
  const std::string text = EscapeLineBreaks(message);
  SinkHolder& holder = Holder();
  const std::lock_guard lock(holder.mutex);
  if (holder.sink) {
    holder.sink(level, text);
    return;
  }
  const std::string line =
      fmt::format("{} {}: {}\n", FormatInstant(SystemClock().Now()), FormatLevel(level), text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

LogSink SetLogSink(LogSink sink) {
  SinkHolder& holder = Holder();
  const std::lock_guard lock(holder.mutex);
  holder.sink.swap(sink);
  return sink;
}

}  // namespace firn
