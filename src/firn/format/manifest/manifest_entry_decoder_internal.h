#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/manifest/manifest_program_internal.h"

namespace firn {

/// Reads the entries of one manifest by a program compiled from its schema. The entry that is
/// passed in again and again keeps the memory of its strings and maps.
class ManifestEntryDecoder {
 public:
  /// `partition_type` must outlive the decoder. Errors: kCorrupt, kUnsupported.
  static Result<ManifestEntryDecoder> Make(AvroNodePtr schema, const Type& partition_type,
                                           const ManifestReadOptions& options,
                                           std::string_view where);

  /// Read one entry as stored, without inheritance. False: `problem()` tells what is wrong.
  bool Decode(AvroCursor& cursor, ManifestEntry& entry);
  std::string problem() const;

 private:
  ManifestEntryDecoder(ReadProgram program, size_t partition_size,
                       const ManifestReadOptions& options);

  void Reset(ManifestEntry& entry) const;
  void ReadMember(AvroCursor& cursor, const ReadStep& step, ManifestEntry& entry);
  void ReadFileMember(AvroCursor& cursor, const ReadStep& step, DataFile& file);
  void ReadMetrics(AvroCursor& cursor, const ReadStep& step, FileMetrics& metrics);
  void CountColumns(DataFile& file);
  void SettleMetrics(FileMetrics& metrics) const;

  ReadProgram program_;
  size_t partition_size_;
  FieldIdFilter filter_;
  FieldIdFilter count_filter_;  // Of sizes, value and null counts.
  uint64_t kept_slots_;
  bool counts_columns_;
  std::vector<int32_t> counted_;
  std::shared_ptr<const std::vector<int32_t>> last_counted_;
  uint64_t seen_ = 0;  // Slots that the entry has a value for.
  const char* failure_ = nullptr;
  std::string found_;  // The text that could not be understood, for the message.
};

}  // namespace firn
