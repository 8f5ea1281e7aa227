#pragma once

#include <span>
#include <string>
#include <variant>

#include "firn/format/layout/layout_text.h"
#include "firn/format/metadata/table_metadata.h"

/// Changes of how a table is partitioned. Data that is there stays as it was partitioned.

namespace firn {

struct AddPartitionField {
  PartitionTerm term;
};

/// The field with that name or, if none has it, with that transform of that column.
struct DropPartitionField {
  PartitionTerm term;
};

struct RenamePartitionField {
  std::string field;
  std::string new_name;
};

using PartitionChange = std::variant<AddPartitionField, DropPartitionField, RenamePartitionField>;

/// The default spec of `metadata` after `changes`, with field ids; its own id is to be given by who
/// commits it. A field that any spec had before comes back with its id and, unless one is given,
/// its name; in format version 1 a dropped field becomes void and ids stay in sequence. Adding the
/// field that was just dropped undoes that.
///
/// Errors  kInvalidInput: every rule that a change breaks: no such column or field, a name that is
///         taken, a transform that the column's type does not have, a field that is there already
///         or is redundant.
Result<PartitionSpec> EvolvePartitionSpec(const TableMetadata& metadata,
                                          std::span<const PartitionChange> changes);

/// As `ValidateNewPartitionSpec`, but fields that `previous` has are not looked at, since other
/// writers allow themselves more.
Status ValidateChangedPartitionSpec(const PartitionSpec& spec, const Schema& schema,
                                    const PartitionSpec& previous);

}  // namespace firn
