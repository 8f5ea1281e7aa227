#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/result.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"

namespace firn {

/// The table properties `write.*` as they hold for one kind of file: those of delete files have
/// names of their own, `write.delete.*`, and fall back to those of data files.
class WriteProperties {
 public:
  /// `metadata` outlives this.
  WriteProperties(const TableMetadata& metadata, FileContent content)
      : metadata_(metadata), is_delete_(content != FileContent::kData) {}

  /// The name of the property that `key`, as in "parquet.page-size-bytes", is taken from.
  std::string NameOf(std::string_view key) const;
  std::string Text(std::string_view key, std::string_view fallback) const;
  /// Errors: kInvalidInput, naming the property: no number, or less than 1.
  Result<int64_t> Positive(std::string_view key, int64_t fallback) const;

  /// `write.format.default`. Errors: kInvalidInput.
  Result<FileFormat> Format() const;

  const TableMetadata& metadata() const { return metadata_; }

 private:
  const TableMetadata& metadata_;
  bool is_delete_;
};

}  // namespace firn
