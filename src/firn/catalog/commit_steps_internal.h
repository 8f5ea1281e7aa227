#pragma once

#include <span>
#include <string>
#include <vector>

#include "firn/base/retry.h"
#include "firn/catalog/catalog.h"

/// Steps that every catalog takes which moves its pointer itself.

namespace firn {

/// Errors: kInvalidInput for parts that cannot be folder names.
Status CheckNewName(const TableName& name);

/// What makes a table that does not exist yet; `request.location` is set. The catalog's
/// `table-default.*` and `table-override.*` are applied.
Result<std::vector<TableUpdate>> PlanNewTable(CreateTableRequest request,
                                              const CatalogConfig& config);

/// The table that updates make of nothing. Errors: kInvalidInput.
Result<TableMetadataPtr> MakeOfNothing(std::span<const TableUpdate> updates,
                                       const CatalogConfig& config);

/// Both.
Result<TableMetadataPtr> MakeNewTable(CreateTableRequest request, const CatalogConfig& config);

/// Whether a commit is to make the table: it has the requirement AssertCreate.
bool CreatesTable(std::span<const TableRequirement> requirements);

/// Metadata after `updates`, with `base` in its log; null if nothing changes.
Result<TableMetadataPtr> BuildNextMetadata(const Table& base, std::span<const TableUpdate> updates,
                                           const CatalogConfig& config);

/// Write a metadata file under a name that nobody else uses. An error leaves no table changed.
Status WriteNewMetadata(FileIO& io, const std::string& location, const TableMetadata& metadata);

/// Delete a metadata file that no table ever named; best effort.
void DiscardMetadata(FileIO& io, const std::string& location);

/// Of the table property `commit.retry.*`. Errors: kInvalidInput.
Result<RetryPolicy> CommitRetryPolicy(const TableMetadata& metadata);

/// How to look for the outcome of a commit: `commit.status-check.*`; defaults where these are
/// unreadable, since a commit is under way.
RetryPolicy StatusCheckPolicy(const TableMetadata& metadata);

/// Wait before try number `retry`.
Status WaitBeforeRetry(const RetryPolicy& policy, int retry, const CatalogConfig& config);

}  // namespace firn
