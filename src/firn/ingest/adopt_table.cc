#include "firn/ingest/adopt_table.h"

#include <algorithm>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/format/table_properties.h"
#include "firn/ingest/adopted_files_internal.h"
#include "firn/ingest/column_fit_internal.h"
#include "firn/ingest/made_table_internal.h"
#include "firn/ingest/row_source_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr std::string_view kFormatVersion = "format-version";

bool IsWithin(std::string_view uri, std::string_view folder) {
  const std::string key = CanonicalUriKey(uri) + "/";
  return key.starts_with(CanonicalUriKey(folder) + "/");
}

SourceFormat SourceFormatOf(FileFormat format) {
  if (format == FileFormat::kOrc) return SourceFormat::kOrc;
  return format == FileFormat::kAvro ? SourceFormat::kAvro : SourceFormat::kParquet;
}

class TableAdoption {
 public:
  TableAdoption(const IngestContext& context, const AdoptTableRequest& request)
      : context_(context), request_(request) {}

  Result<AddFilesResult> Run() {
    FIRN_ASSIGN(sources_, FindSourceFiles(*context_.io, {request_.source}));
    FIRN_RETURN_IF_ERROR(CheckFolder());
    LeaveOutFoldersAbove();
    FIRN_ASSIGN(const CreateTableRequest create, MakeLayout());
    FIRN_ASSIGN(table_, catalog().Create(request_.table, create));
    Result<AddFilesResult> added = Fill();
    const bool is_open = added.ok() || added.error().code() == ErrorCode::kCommitUnknown;
    if (!is_open) TakeBack();
    return added;
  }

 private:
  Catalog& catalog() const { return *context_.change.commit.catalog; }

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
    if (!request_.owns_files) return CheckLocation(request_.location);
    const auto outside = std::find_if(
        sources_.begin(), sources_.end(),
        [&](const SourceFile& file) { return !IsWithin(file.info.uri, request_.source); });
    if (outside != sources_.end() || sources_.front().info.uri == request_.source) {
      return MakeError(ErrorCode::kInvalidInput,
                       "the source is '{}', expected a folder, in which the table is to lie",
                       request_.source);
    }
    bool has_metadata = false;
    const Status listed =
        context_.io->List(JoinUri(request_.source, "metadata"), [&](const FileInfo& info) {
          has_metadata |= info.uri.ends_with(".metadata.json");
          return Status();
        });
    if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) return listed.error();
    if (!has_metadata) return {};
    return MakeError(ErrorCode::kAlreadyExists,
                     "'{}' holds an Iceberg table already; name it with 'firn table register'",
                     request_.source);
  }

  // A table that shares files lies elsewhere.
  Status CheckLocation(const std::string& location) const {
    if (location.empty()) return {};
    const bool is_shared =
        IsWithin(location, request_.source) || IsWithin(request_.source, location);
    if (!is_shared) return {};
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

  Result<AddFilesResult> Fill() {
    if (!request_.owns_files) {
      FIRN_RETURN_IF_ERROR(CheckLocation(table_->metadata->location));
    }
    AddFilesRequest add;
    add.format = format_;
    add.checks_duplicates = false;  // Nothing is in the table.
    add.ignores_missing = request_.ignores_missing;
    return AddFoundFiles(context_, *table_, sources_, add);
  }

  // Drop the table, unless somebody uses it by now. The files of the source stay.
  void TakeBack() const {
    const auto gone = TakeBackMadeTable(catalog(), *table_);
    if (!gone) return;
    // Folders that hold something stay.
    for (const std::string& folder :
         {gone->metadata->MetadataLocation(), gone->metadata->location}) {
      const Status deleted = gone->io->DeleteFolder(folder);
      if (!deleted.ok()) Log(LogLevel::kInfo, "'{}' stays: {}", folder, deleted.error().Format());
    }
  }

  const IngestContext& context_;
  const AdoptTableRequest& request_;
  std::vector<SourceFile> sources_;
  std::optional<FileFormat> format_;
  std::optional<Table> table_;
};

}  // namespace

Result<AddFilesResult> AdoptTable(const IngestContext& context, const AdoptTableRequest& request) {
  return TableAdoption(context, request).Run();
}

}  // namespace firn
