#include "firn/ingest/adoption/adopt_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/log.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/catalog/other_tables.h"
#include "firn/catalog/staged_table.h"
#include "firn/format/metadata/table_properties.h"
#include "firn/ingest/adoption/adopted_files_internal.h"
#include "firn/ingest/adoption/adopted_sources_internal.h"
#include "firn/ingest/adoption/adoption_claim_internal.h"
#include "firn/ingest/adoption/adoption_place_internal.h"
#include "firn/ingest/adoption/file_owners_internal.h"
#include "firn/ingest/input/row_source_internal.h"
#include "firn/ingest/target/column_fit_internal.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr std::string_view kFormatVersion = "format-version";

SourceFormat SourceFormatOf(FileFormat format) {
  if (format == FileFormat::kOrc) return SourceFormat::kOrc;
  return format == FileFormat::kAvro ? SourceFormat::kAvro : SourceFormat::kParquet;
}

class TableAdoption {
 public:
  TableAdoption(const IngestContext& context, const AdoptTableRequest& request)
      : context_(context),
        request_(request),
        names_(*context.io),
        claimant_(fmt::format("'{}' of catalog {}", FormatTableName(request.table),
                              request.catalog.empty() ? "unknown" : request.catalog)) {}

  Result<AddFilesResult> Run() {
    FIRN_RETURN_IF_ERROR(CheckName());
    FIRN_ASSIGN(auto finished, FinishEarlierRun());
    if (finished) return *std::move(finished);
    FIRN_RETURN_IF_ERROR(CheckPlace());
    FIRN_ASSIGN(sources_, FindSourceFiles(*context_.io, {request_.source}));
    FIRN_RETURN_IF_ERROR(CheckFolder());
    if (had_claim_) LeaveOutManifests();
    if (sources_.empty()) {
      return MakeError(ErrorCode::kNotFound, "source '{}' holds no data file", request_.source);
    }
    LeaveOutFoldersAbove();
    FIRN_RETURN_IF_ERROR(CheckSameFolders(sources_));
    FIRN_ASSIGN(const CreateTableRequest create, MakeLayout());
    FIRN_ASSIGN(StagedTable staged, StageTable(catalog(), request_.table, create));
    table_ = staged.table;
    Result<AddFilesResult> added = Fill(std::move(staged));
    // While nobody knows whether the table was made, the claim says so.
    if (added.ok() || added.error().code() != ErrorCode::kCommitUnknown) CleanUp(added.ok());
    return added;
  }

 private:
  Catalog& catalog() const { return *context_.change.commit.catalog; }

  // The folder of the new table, where it is known before: others may want it at the same time.
  std::string Place() const {
    return std::string(
        StripTrailingSlash(request_.owns_files ? request_.source : request_.location));
  }

  Status CheckName() const {
    const Result<Table> there = catalog().Load(request_.table);
    if (!there.ok()) {
      return there.error().code() == ErrorCode::kNotFound ? Status() : Status(there.error());
    }
    // What a run left that was killed when all was done.
    if (const std::string place = Place(); !place.empty()) {
      const auto claim = FindAdoptionClaim(*context_.io, place);
      const bool is_ours = claim.ok() && *claim && (*claim)->claimant == claimant_;
      if (is_ours) DropAdoptionClaim(*there->io, place);
    }
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists",
                     FormatTableName(request_.table));
  }

  // A run that was killed between writing the whole table and telling the catalog of it.
  Result<std::optional<AddFilesResult>> FinishEarlierRun() {
    std::optional<AddFilesResult> result;
    const std::string place = Place();
    if (place.empty()) return result;
    FIRN_ASSIGN(const auto claim, FindAdoptionClaim(*context_.io, place));
    FIRN_ASSIGN(const std::vector<std::string> metadata, FindMetadata(place));
    if (claim) FIRN_RETURN_IF_ERROR(CheckClaimant(*claim, place, claimant_));
    had_claim_ = claim.has_value();
    if (metadata.empty()) return result;
    if (!claim || metadata.size() > 1) {
      return MakeError(ErrorCode::kAlreadyExists,
                       "'{}' holds an Iceberg table already; name it with 'firn table register'",
                       place);
    }
    FIRN_ASSIGN(Table table, catalog().Register(request_.table, metadata.front()),
                "finishing a run that was killed at {}", claim->time);
    result.emplace();
    if (const Snapshot* snapshot = table.metadata->RefSnapshot(kMainBranch)) {
      result->snapshot_id = snapshot->snapshot_id;
      result->added_files = snapshot->summary.FindNumber("added-data-files").value_or(0);
    }
    DropAdoptionClaim(*table.io, place);
    if (context_.notice) {
      context_.notice(
          fmt::format("an earlier run, of {}, was killed before its last step, which "
                      "is done now: the table has the files as of then",
                      claim->time));
    }
    result->table = std::move(table);
    return result;
  }

  Result<std::vector<std::string>> FindMetadata(const std::string& place) const {
    std::vector<std::string> files;
    const Status listed =
        context_.io->List(JoinUri(place, "metadata"), [&](const FileInfo& info) -> Status {
          if (info.uri.ends_with(".metadata.json")) files.push_back(info.uri);
          return {};
        });
    if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) return listed.error();
    return files;
  }

  Status CheckPlace() const {
    const std::string place = Place();
    if (!request_.owns_files) FIRN_RETURN_IF_ERROR(CheckLocation(place));
    return place.empty() ? Status() : CheckPlaceOfTable(context_, request_.table, place);
  }

  // Those of a run that was killed, or is still at work.
  void LeaveOutManifests() {
    const std::string folder = JoinUri(Place(), "metadata") + "/";
    std::erase_if(sources_, [&](const SourceFile& file) {
      const std::string_view name = UriFileName(file.info.uri);
      const bool is_manifest = name.starts_with("snap-") || name.find("-m") != std::string::npos;
      return file.info.uri.starts_with(folder) && name.ends_with(".avro") && is_manifest;
    });
  }

  // Folders `key=value` within the source are not columns.
  void LeaveOutFoldersAbove() {
    std::ptrdiff_t above = 0;
    for (const std::string_view part : SplitText(request_.source, '/')) {
      const size_t equals = part.find('=');
      const bool is_key = equals != std::string_view::npos && equals > 0;
      if (is_key && part.find_first_of("*?[") == std::string_view::npos) ++above;
    }
    for (SourceFile& file : sources_) {
      const auto begin = file.folders.begin();
      file.folders.erase(begin, begin + std::min(above, std::ssize(file.folders)));
    }
  }

  Status CheckFolder() const {
    if (!request_.owns_files) return {};
    const std::string below = CanonicalUriKey(StripTrailingSlash(request_.source)) + "/";
    const auto outside = std::find_if(
        sources_.begin(), sources_.end(),
        [&](const SourceFile& file) { return !CanonicalUriKey(file.info.uri).starts_with(below); });
    if (outside == sources_.end()) return {};
    return MakeError(ErrorCode::kInvalidInput,
                     "the source is '{}', expected a folder, in which the table is to lie",
                     request_.source);
  }

  // A table that shares files lies elsewhere.
  Status CheckLocation(const std::string& location) const {
    if (location.empty()) return {};
    const size_t glob = request_.source.find_first_of("*?[");
    std::string source = request_.source.substr(0, glob);
    if (glob != std::string::npos) source.resize(source.rfind('/') + 1);
    FIRN_ASSIGN(const auto overlap, FindOverlap(names_, {location}, {source}));
    if (!overlap) return {};
    return MakeError(ErrorCode::kInvalidInput,
                     "the table would lie at '{}' and share that folder with the source '{}', "
                     "expected another place; give --location",
                     location, request_.source);
  }

  // The format that all files have.
  Result<FileFormat> FindFormat() const {
    if (request_.format) return *request_.format;
    std::optional<FileFormat> format;
    for (const SourceFile& file : sources_) {
      FIRN_ASSIGN(const FileFormat own, DetectFormat(*context_.io, file.info));
      if (!format) format = own;
      if (own == *format) continue;
      return MakeError(ErrorCode::kInvalidInput,
                       "'{}' is {} and '{}' is {}, expected files of one format; name those of one "
                       "by a glob",
                       sources_.front().info.uri, FormatFileFormat(*format), file.info.uri,
                       FormatFileFormat(own));
    }
    return *format;
  }

  Result<std::vector<SourceColumn>> ReadColumns() {
    IngestRequest read;
    FIRN_ASSIGN(format_, FindFormat());
    read.format = SourceFormatOf(*format_);
    read.hive_partitions = true;
    FIRN_ASSIGN(const auto source, MakeColumnarSource(context_, read, sources_));
    return source->ReadColumns(true);
  }

  Result<CreateTableRequest> MakeLayout() {
    CreateTableRequest create;
    create.properties = request_.properties;
    if (const auto version = create.properties.find(kFormatVersion);
        version != create.properties.end()) {
      const auto number = ParseInt32(version->second);
      if (!number || *number < 1 || *number > 3) {
        return MakeError(ErrorCode::kInvalidInput,
                         "property 'format-version' is '{}', expected 1, 2 or 3", version->second);
      }
      create.format_version = *number;
      create.properties.erase(version);
    }
    if (request_.owns_files) {
      create.properties["migrated"] = "true";
      create.location = StripTrailingSlash(request_.source);
    } else {
      create.properties["snapshot"] = "true";
      create.properties["gc.enabled"] = "false";
      create.location = request_.location;
    }
    FIRN_RETURN_IF_ERROR(CheckTableProperties(create.properties));
    FIRN_ASSIGN(const auto columns, ReadColumns());
    FIRN_ASSIGN(create.schema, SchemaOfColumns(columns, create.format_version));
    AddPartition(columns, create);
    return create;
  }

  // By the folders above the first file, outermost first.
  void AddPartition(const std::vector<SourceColumn>& columns, CreateTableRequest& create) const {
    for (const auto& [key, value] : sources_.front().folders) {
      const auto column = std::find_if(columns.begin(), columns.end(),
                                       [&key = key](const auto& one) { return one.name == key; });
      if (column == columns.end()) continue;
      const auto place = static_cast<size_t>(column - columns.begin());
      const auto id = static_cast<int32_t>(1000 + create.spec.fields.size());
      create.spec.fields.push_back({.source_ids = {create.schema.fields()[place].id},
                                    .field_id = id,
                                    .name = key,
                                    .transform = {}});
    }
  }

  Result<AddFilesResult> Fill(StagedTable staged) {
    const std::string place = Place();
    if (!place.empty()) {
      FIRN_RETURN_IF_ERROR(
          TakeAdoptionClaim(*table_->io, place, claimant_, context_.change.commit.clock->Now()));
      has_claim_ = true;
      // Of two that claim folders one in the other, one at least sees the other now.
      IngestContext quiet = context_;
      quiet.notice = nullptr;
      FIRN_RETURN_IF_ERROR(CheckPlaceOfTable(quiet, request_.table, place));
    } else {
      FIRN_RETURN_IF_ERROR(CheckLocation(table_->metadata->location));
    }
    if (!request_.owns_files) TellOwners(*context_.io, *table_, sources_, context_.notice);
    AddFilesRequest add;
    add.format = format_;
    add.checks_duplicates = false;  // Nothing is in the table.
    add.ignores_missing = request_.ignores_missing;
    const auto creation = MakeStagedCatalog(catalog(), std::move(staged));
    IngestContext context = context_;
    context.change.commit.catalog = creation.get();
    return AddFoundFiles(context, *table_, sources_, add);
  }

  // The files of the source stay, and so do folders that hold something.
  void CleanUp(bool is_made) const {
    if (has_claim_) DropAdoptionClaim(*table_->io, Place());
    if (is_made) return;
    for (const std::string& folder :
         {table_->metadata->MetadataLocation(), table_->metadata->location}) {
      const Status deleted = table_->io->DeleteFolder(folder);
      if (!deleted.ok()) Log(LogLevel::kInfo, "'{}' stays: {}", folder, deleted.error().Format());
    }
  }

  const IngestContext& context_;
  const AdoptTableRequest& request_;
  const RealNames names_;
  const std::string claimant_;
  std::vector<SourceFile> sources_;
  std::optional<FileFormat> format_;
  std::optional<Table> table_;  // Staged.
  bool had_claim_ = false;      // An earlier run, for the same table.
  bool has_claim_ = false;
};

}  // namespace

Result<AddFilesResult> AdoptTable(const IngestContext& context, const AdoptTableRequest& request) {
  return TableAdoption(context, request).Run();
}

}  // namespace firn
