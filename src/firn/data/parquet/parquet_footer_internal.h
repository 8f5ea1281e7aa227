#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/properties.h>
#include <parquet/type_fwd.h>

#include "firn/base/result.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/columns/file_schema_internal.h"
#include "firn/io/io.h"

namespace firn {

/// What the parsed footer of a file takes, which no pool allocates, counted while the file is open.
class FooterMemory {
 public:
  FooterMemory() = default;
  FooterMemory(FooterMemory&& other) noexcept;
  FooterMemory& operator=(FooterMemory&& other) noexcept;
  ~FooterMemory();

  /// Of a footer of `footer_bytes`; that of a small one is not counted. Errors: kResourceExhausted.
  static Result<FooterMemory> Take(const std::shared_ptr<BudgetPool>& pool, int64_t footer_bytes);

 private:
  std::shared_ptr<BudgetPool> pool_;
  int64_t bytes_ = 0;
};

/// What Arrow tells of a Parquet file before its rows are read.
struct ParquetFooter {
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::vector<FileField> fields;  ///< With the ids that the file carries, leaves numbered.
  FooterMemory memory;
};

/// How Arrow reads Parquet columns for firn.
parquet::ArrowReaderProperties ArrowReadOptions(int64_t batch_rows);

/// Read the footer of `file` and check it (see FindCheckedFooter): Arrow takes a column that has
/// another type than its values for granted. Errors: kCorrupt; kUnsupported: an encrypted file, a
/// very large footer; kResourceExhausted; those of the file.
Result<ParquetFooter> ReadParquetFooter(InputFile& file, const std::shared_ptr<BudgetPool>& pool);

/// Arrow takes an encrypted file for a damaged one: kUnsupported where its error says so.
Error TellEncryption(const Error& error);

}  // namespace firn
