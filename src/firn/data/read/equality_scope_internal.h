#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "firn/data/arrow/budget_pool.h"
#include "firn/data/read/reader.h"

namespace firn {

/// The columns of a delete file's equality ids, each once, sorted.
std::vector<int32_t> SortedEqualityIds(const DataFile& deletes);

/// Key columns of equality deletes.
struct EqualityFields {
  std::vector<NestedField> paths;        ///< One for each, inside the structs around it.
  std::vector<NestedField> merged;       ///< The same, merged: what delete files are read as.
  std::vector<std::vector<int>> places;  ///< Of each key column within `merged`.
};

/// Errors: kCorrupt: no ids, or such as no schema has.
Result<EqualityFields> FindEqualityFields(const TableMetadata& metadata,
                                          const std::vector<int32_t>& equality_ids);

/// The deleted keys of a delete file (see KeyEncoder). Errors: kCorrupt and others; those of
/// `visit`.
Status VisitEqualityKeys(const ReadContext& context, const std::shared_ptr<BudgetPool>& pool,
                         const EqualityFields& fields, const DataFile& deletes,
                         const std::function<Status(std::string_view key)>& visit);

/// Numbers scopes from 0 on: delete files with the same columns whose deletes reach the same data
/// files, but for their age.
class EqualityScopes {
 public:
  size_t Find(const DataFile& deletes);

 private:
  struct Scope {
    std::vector<int32_t> equality_ids;
    int32_t spec_id = 0;
    StructValue partition;
    size_t number = 0;
  };
  std::unordered_map<uint64_t, std::vector<Scope>> scopes_;  // By hash.
  size_t count_ = 0;
};

}  // namespace firn
