#include <csignal>

#include "firn/cli/interrupt_internal.h"

namespace firn {
namespace {

CancelSource& InterruptSource() {
  static CancelSource source;
  return source;
}

extern "C" void HandleInterrupt(int) { InterruptSource().Cancel(); }

}  // namespace

CancelToken CatchInterrupts() {
  CancelToken token = InterruptSource().token();  // Made before a handler can run.
  struct sigaction action{};
  action.sa_handler = HandleInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // Not SA_RESTART: waiting calls wake up.
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal was closed; but `nohup` has the signal ignored, and that stays.
  struct sigaction before{};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    sigaction(SIGHUP, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);  // A file that grows too large is an error of its writer.
  std::signal(SIGPIPE, SIG_IGN);
  return token;
}

}  // namespace firn
