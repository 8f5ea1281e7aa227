#include "firn/testing/faulty_file_io.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "firn/base/random.h"

namespace firn {

// What fails, asked before each call.
class FaultyFileIO::Script {
 public:
  struct Verdict {
    std::optional<Error> error;
    bool happens = true;
  };

  void Add(Fault fault) {
    const std::lock_guard lock(mutex_);
    faults_.push_back({.fault = std::move(fault), .calls = 0});
  }

  void SetRandom(RandomFaults faults) {
    const std::lock_guard lock(mutex_);
    random_ = MakeSeededRandom(faults.seed);
    random_faults_ = std::move(faults);
  }

  void Clear() {
    const std::lock_guard lock(mutex_);
    faults_.clear();
    random_.reset();
  }

  int64_t injected_count() const {
    const std::lock_guard lock(mutex_);
    return injected_count_;
  }

  Verdict Ask(FileOperation operation, std::string_view uri) {
    const std::lock_guard lock(mutex_);
    Verdict verdict;
    for (Counted& counted : faults_) {
      const Fault& fault = counted.fault;
      if (fault.operation != operation || uri.find(fault.uri_part) == std::string_view::npos) {
        continue;
      }
      ++counted.calls;
      const bool is_due =
          counted.calls >= fault.first_call && counted.calls - fault.first_call < fault.call_count;
      if (is_due && !verdict.error) {
        verdict = {.error = fault.error.Within(fmt::format("'{}'", uri)), .happens = fault.happens};
      }
    }
    if (!verdict.error) verdict = AskRandom(operation, uri);
    if (verdict.error) ++injected_count_;
    return verdict;
  }

  // Run `call` unless it shall fail without effect.
  template <typename Call>
  auto Run(FileOperation operation, std::string_view uri, const Call& call) -> decltype(call()) {
    const Verdict verdict = Ask(operation, uri);
    if (!verdict.error) return call();
    if (verdict.happens) {
      const auto lost = call();
      if (!lost.ok()) return lost.error();
    }
    return *verdict.error;
  }

 private:
  struct Counted {
    Fault fault;
    int64_t calls = 0;
  };

  Verdict AskRandom(FileOperation operation, std::string_view uri) {
    const auto& operations = random_faults_.operations;
    if (!random_ ||
        std::find(operations.begin(), operations.end(), operation) == operations.end()) {
      return {};
    }
    constexpr uint64_t kScale = 1'000'000;
    if (static_cast<double>(random_->Below(kScale)) >= random_faults_.share * kScale) return {};
    const bool may_happen =
        operation == FileOperation::kPublish || operation == FileOperation::kDelete;
    const bool happens = may_happen && random_->Below(2) == 0;
    const ErrorCode code = happens && operation == FileOperation::kPublish
                               ? ErrorCode::kCommitUnknown
                               : ErrorCode::kUnavailable;
    return {.error = MakeError(code, "'{}': injected fault", uri), .happens = happens};
  }

  mutable std::mutex mutex_;
  std::vector<Counted> faults_;
  std::unique_ptr<Random> random_;
  RandomFaults random_faults_;
  int64_t injected_count_ = 0;
};

namespace {

class FaultyInputFile final : public InputFile {
 public:
  FaultyInputFile(std::shared_ptr<InputFile> file, std::shared_ptr<FaultyFileIO::Script> script)
      : file_(std::move(file)), script_(std::move(script)) {}

  const std::string& uri() const override { return file_->uri(); }

  Result<int64_t> Size() override {
    return script_->Run(FileOperation::kSize, uri(), [&] { return file_->Size(); });
  }

  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    return script_->Run(FileOperation::kRead, uri(), [&] { return file_->ReadAt(offset, out); });
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<FaultyFileIO::Script> script_;
};

class FaultyOutputFile final : public OutputFile {
 public:
  FaultyOutputFile(std::unique_ptr<OutputFile> file, std::shared_ptr<FaultyFileIO::Script> script)
      : file_(std::move(file)), script_(std::move(script)) {}

  const std::string& uri() const override { return file_->uri(); }
  int64_t bytes_written() const override { return file_->bytes_written(); }

  Status Append(std::span<const std::byte> bytes) override {
    return script_->Run(FileOperation::kAppend, uri(), [&] { return file_->Append(bytes); });
  }

  Status Publish() override {
    return script_->Run(FileOperation::kPublish, uri(), [&] { return file_->Publish(); });
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::shared_ptr<FaultyFileIO::Script> script_;
};

}  // namespace

FaultyFileIO::FaultyFileIO(std::shared_ptr<FileIO> io)
    : io_(std::move(io)), script_(std::make_shared<Script>()) {}

FaultyFileIO::~FaultyFileIO() = default;

void FaultyFileIO::Add(Fault fault) { script_->Add(std::move(fault)); }
void FaultyFileIO::FailAtRandom(RandomFaults faults) { script_->SetRandom(std::move(faults)); }
void FaultyFileIO::Clear() { script_->Clear(); }
int64_t FaultyFileIO::injected_count() const { return script_->injected_count(); }

Result<std::shared_ptr<InputFile>> FaultyFileIO::Open(std::string_view uri,
                                                      std::optional<int64_t> known_size) {
  return script_->Run(FileOperation::kOpen, uri, [&]() -> Result<std::shared_ptr<InputFile>> {
    FIRN_ASSIGN(std::shared_ptr<InputFile> file, io_->Open(uri, known_size));
    return std::make_shared<FaultyInputFile>(std::move(file), script_);
  });
}

Result<std::unique_ptr<OutputFile>> FaultyFileIO::Create(std::string_view uri,
                                                         const CreateOptions& options) {
  return script_->Run(FileOperation::kCreate, uri, [&]() -> Result<std::unique_ptr<OutputFile>> {
    FIRN_ASSIGN(std::unique_ptr<OutputFile> file, io_->Create(uri, options));
    return std::make_unique<FaultyOutputFile>(std::move(file), script_);
  });
}

Status FaultyFileIO::List(std::string_view uri,
                          const std::function<Status(const FileInfo&)>& visit) {
  return script_->Run(FileOperation::kList, uri, [&] { return io_->List(uri, visit); });
}

Result<FileInfo> FaultyFileIO::Stat(std::string_view uri) {
  return script_->Run(FileOperation::kStat, uri, [&] { return io_->Stat(uri); });
}

Status FaultyFileIO::Delete(std::string_view uri) {
  return script_->Run(FileOperation::kDelete, uri, [&] { return io_->Delete(uri); });
}

Result<std::vector<std::string>> FaultyFileIO::ListFolders(std::string_view uri) {
  return script_->Run(FileOperation::kList, uri, [&] { return io_->ListFolders(uri); });
}

Status FaultyFileIO::CreateFolder(std::string_view uri) {
  return script_->Run(FileOperation::kCreate, uri, [&] { return io_->CreateFolder(uri); });
}

Status FaultyFileIO::DeleteFolder(std::string_view uri) {
  return script_->Run(FileOperation::kDelete, uri, [&] { return io_->DeleteFolder(uri); });
}

}  // namespace firn
