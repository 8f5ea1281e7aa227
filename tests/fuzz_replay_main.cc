#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

// main() of a fuzz target where libFuzzer is not there: runs the target on every file of the
// corpus and on a fixed set of damaged copies of each (truncated, flipped, spliced), the same in
// every run. `--mutations=N` sets how many copies of each file; a folder may be named more than
// once.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

// What runs at the moment, for the signal handler.
char current_input[512] = "";

void ReportCrash(int signal_number) {
  const char text[] = "\nfuzz replay: crashed on ";
  ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
  written += write(STDERR_FILENO, current_input, std::strlen(current_input));
  written += write(STDERR_FILENO, "\n", 1);
  if (written < 0) _exit(1);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void Run(const Bytes& input, const std::filesystem::path& path, int mutation) {
  std::snprintf(current_input, sizeof(current_input), "'%s', mutation %d", path.c_str(), mutation);
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

// Damage `input` in one to four places.
Bytes Mutate(Bytes input, std::mt19937& random) {
  const uint32_t changes = 1 + random() % 4;
  for (uint32_t change = 0; change < changes && !input.empty(); ++change) {
    const auto at = static_cast<std::ptrdiff_t>(random() % input.size());
    switch (random() % 5) {
      case 0:
        input.resize(static_cast<size_t>(at));
        break;
      case 1:
        input[static_cast<size_t>(at)] ^= static_cast<uint8_t>(1U << (random() % 8));
        break;
      case 2:
        input[static_cast<size_t>(at)] = static_cast<uint8_t>(random());
        break;
      case 3:
        input.erase(input.begin() + at);
        break;
      default: {
        const auto length = std::min<std::ptrdiff_t>(16, std::ssize(input) - at);
        const Bytes piece(input.begin() + at, input.begin() + at + length);
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(random() % input.size()),
                     piece.begin(), piece.end());
      }
    }
  }
  return input;
}

std::vector<std::filesystem::path> ListFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal_number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) {
    std::signal(signal_number, ReportCrash);
  }
  int mutations = 200;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string option = "--mutations=";
    if (argument.rfind(option, 0) == 0) {
      mutations = std::stoi(argument.substr(option.size()));
      continue;
    }
    const auto found = ListFiles(argument);
    if (found.empty()) {
      std::fprintf(stderr, "fuzz replay: no file in '%s', expected a corpus\n", argument.c_str());
      return 1;
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  for (const auto& path : files) {
    const Bytes input = ReadFile(path);
    Run(input, path, 0);
    std::mt19937 random(static_cast<uint32_t>(input.size()));
    for (int mutation = 1; mutation <= mutations; ++mutation) {
      Run(Mutate(input, random), path, mutation);
    }
  }
  std::printf("fuzz replay: %zu files, %d mutations of each\n", files.size(), mutations);
  return 0;
}
