#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "firn/data/read/row_positions.h"
#include "firn/data/transcode/transcode_chunk_internal.h"

namespace firn {

/// Deals the row groups of the inputs out to row groups and files of the output.
class TranscodePlan {
 public:
  struct Limits {
    int64_t row_group_bytes = 0;
    int64_t file_bytes = 0;  ///< 0: one file.
    ParquetCodec codec = ParquetCodec::kZstd;
  };

  /// All outlive the plan.
  TranscodePlan(const TranscodeContext& context, const std::vector<FileScanTask>& tasks,
                const PositionsByFile& dropped, const Limits& limits);

  /// Look at the footers of all inputs. Errors: kUnsupported, saying why rows must be read instead;
  /// those of the inputs.
  Status Open();

  /// Stored bytes of inputs that the next row group will take, about.
  int64_t NextBytes();

  /// The next row group; null at the end. Errors: those of the inputs.
  Result<std::unique_ptr<OutputRowGroup>> Next();

  /// Tell what became of inputs so far: how large files get is reckoned from that.
  void Learn(int64_t bytes_in, int64_t bytes_out);

 private:
  Status Look(size_t index);
  Status CheckFooters() const;
  Result<std::shared_ptr<TranscodeInput>> TakeInput(size_t index);
  bool IsTooLarge(int64_t row_group_bytes) const;
  int64_t FootersMax() const;
  bool IsWorthCopying(const InputPart& part) const;
  Result<bool> FindPart();
  /// What is next, with the rows and the stored bytes that it adds.
  struct NextPart {
    InputPart part;
    int64_t rows = 0;
    int64_t bytes = 0;
    bool stays_alone = false;
  };
  NextPart PeekPart(int64_t bytes_max);
  void CutPiece(NextPart& next, int64_t bytes_max);
  void TakePart(const NextPart& next);

  const TranscodeContext& context_;
  const std::vector<FileScanTask>& tasks_;
  const PositionsByFile& dropped_;
  const Limits limits_;

  // Bytes of inputs that were looked at, from which they are opened: parsed, they take some times
  // the memory. Empty: they are read again.
  std::vector<Buffer> kept_;
  std::vector<std::shared_ptr<const PositionSet>> deleted_;
  std::atomic<int64_t> kept_bytes_ = 0;
  std::atomic<int64_t> footers_bytes_ = 0;  // Of all inputs, parsed.
  InputPart next_;  // Whose turn it is; without an input: at the next input's begin.
  size_t next_input_ = 0;
  std::shared_ptr<CutRowGroup> cut_;  // Of `next_`, if it is cut.
  int64_t piece_ = 0;                 // The next one,
  int64_t pieces_ = 0;                // of so many.

  // How much goes where, in stored bytes of inputs.
  std::atomic<int64_t> remaining_bytes_ = 0;
  int64_t file_bytes_left_ = 0;
  int64_t bytes_in_ = 0;
  int64_t bytes_out_ = 0;
};

}  // namespace firn
