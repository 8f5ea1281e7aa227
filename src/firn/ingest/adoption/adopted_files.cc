#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/ingest/adoption/adopted_files_internal.h"
#include "firn/ingest/adoption/file_partition_internal.h"

namespace firn {
namespace {

constexpr std::string_view kNameMapping = "schema.name-mapping.default";
constexpr size_t kDifferencesMax = 20;

// Sentences about files, each with the first file that it is about.
class Sentences {
 public:
  void Add(const std::string& sentence, const std::string& uri) {
    const auto [place, is_new] = files_.emplace(sentence, std::pair(uri, size_t{0}));
    if (is_new) order_.push_back(sentence);
    ++place->second.second;
  }
  bool empty() const { return order_.empty(); }
  std::string Format() const {
    std::string text;
    for (size_t i = 0; i < order_.size() && i < kDifferencesMax; ++i) {
      const auto& [uri, count] = files_.at(order_[i]);
      text += fmt::format("{}{} ('{}'{})", text.empty() ? "" : "; ", order_[i], uri,
                          count == 1 ? "" : fmt::format(" and {} more", count - 1));
    }
    if (order_.size() > kDifferencesMax) {
      text += fmt::format("; and {} more differences", order_.size() - kDifferencesMax);
    }
    return text;
  }

 private:
  std::map<std::string, std::pair<std::string, size_t>> files_;
  std::vector<std::string> order_;
};

class Adoption {
 public:
  Adoption(const IngestContext& context, const Table& table, const std::vector<SourceFile>& sources,
           const AddFilesRequest& request)
      : context_(context),
        table_(table),
        sources_(sources),
        request_(request),
        schema_(table.metadata->current_schema()) {}

  Result<AdoptedFiles> Run() {
    FIRN_RETURN_IF_ERROR(Prepare());
    FIRN_RETURN_IF_ERROR(ParallelFor(
        *read_.executor, sources_.size(), [this](size_t i) { return Look(i); }, read_.cancel));
    FIRN_RETURN_IF_ERROR(CheckDifferences());
    FIRN_RETURN_IF_ERROR(ParallelFor(
        *read_.executor, sources_.size(), [this](size_t i) { return Place(i); }, read_.cancel));
    AdoptedFiles adopted;
    for (Found& found : found_) {
      if (!found.is_wanted) continue;
      needs_names_ |= !found.facts.has_field_ids;
      adopted.files.push_back(std::move(found.file));
    }
    if (needs_names_ && has_own_names_) adopted.name_mapping = FormatNameMapping(names_);
    return adopted;
  }

 private:
  struct Found {
    DataFile file;
    FileFacts facts;
    bool is_wanted = true;
  };

  Status Prepare() {
    const TableMetadata& metadata = *table_.metadata;
    const std::string mapping = metadata.Property(kNameMapping, "");
    has_own_names_ = mapping.empty();
    if (has_own_names_) {
      names_ = MakeNameMapping(*schema_);
    } else {
      FIRN_ASSIGN(names_, ParseNameMapping(mapping), "table property '{}'", kNameMapping);
    }
    auto named = std::make_shared<TableMetadata>(metadata);
    named->properties[std::string(kNameMapping)] = FormatNameMapping(names_);
    const CommitContext& commit = context_.change.commit;
    read_ = {.io = context_.io,
             .metadata = std::move(named),
             .executor = commit.executor,
             .budget = context_.change.budget,
             .cancel = commit.cancel};
    spec_ = ChooseSpec(metadata, sources_.front());
    if (spec_->is_unpartitioned() && !request_.partition_filter.empty()) {
      return Error(ErrorCode::kInvalidInput,
                   "a partition filter is given, but the table is not partitioned");
    }
    found_.resize(sources_.size());
    return {};
  }

  Status Look(size_t i) {
    const SourceFile& source = sources_[i];
    Found& found = found_[i];
    FileFactsRequest facts{.path = source.info.uri,
                           .known_size = source.info.size,
                           .schema = schema_,
                           .names = &names_,
                           .is_adoption = true};
    if (request_.format) {
      facts.format = *request_.format;
    } else {
      FIRN_ASSIGN(facts.format, DetectFormat(*context_.io, source.info));
    }
    Result<FileFacts> read = ReadFileFacts(read_, facts);
    if (request_.ignores_missing && !read.ok() && read.error().code() == ErrorCode::kNotFound) {
      found.is_wanted = false;
      return {};
    }
    FIRN_ASSIGN(found.facts, std::move(read));
    AddFolderDifferences(source, found.facts);
    found.file.file_path = source.info.uri;
    found.file.file_format = facts.format;
    found.file.partition_spec_id = spec_->spec_id;
    found.file.record_count = found.facts.record_count;
    found.file.file_size_in_bytes = found.facts.file_size;
    found.file.metrics = std::move(found.facts.metrics);
    found.file.split_offsets = found.facts.split_offsets;
    Tell(sources_.size());
    return {};
  }

  // Values in the names of folders that no column of the table would get.
  void AddFolderDifferences(const SourceFile& source, FileFacts& facts) const {
    std::map<int32_t, std::string> seen;
    for (const auto& [key, value] : source.folders) {
      const auto column = schema_->FindFieldIgnoringCase(key);
      if (!column.ok()) {
        facts.differences.push_back(
            fmt::format("the folder '{}=' can be one of several columns", key));
        continue;
      }
      if (*column == nullptr) continue;
      const auto [other, is_new] = seen.emplace((*column)->id, key);
      if (!is_new) {
        facts.differences.push_back(fmt::format("column '{}' is in two folders, '{}=' and '{}='",
                                                (*column)->name, other->second, key));
      }
      if (facts.found_ids.contains((*column)->id)) continue;
      const bool is_kept =
          std::any_of(spec_->fields.begin(), spec_->fields.end(), [&](const PartitionField& field) {
            return field.transform.kind == TransformKind::kIdentity &&
                   field.source_id() == (*column)->id;
          });
      if (is_kept) {
        // What is required is there.
        std::erase(facts.differences,
                   fmt::format("column '{}' is required, and the file lacks it", (*column)->name));
        continue;
      }
      facts.differences.push_back(
          fmt::format("column '{}' is in the names of folders only, and the table is not "
                      "partitioned by identity of it: its values would be lost",
                      (*column)->name));
    }
  }

  Status CheckDifferences() const {
    Sentences differences;
    Sentences unknown;
    for (size_t i = 0; i < found_.size(); ++i) {
      const std::string& uri = sources_[i].info.uri;
      for (const std::string& sentence : found_[i].facts.differences)
        differences.Add(sentence, uri);
      for (const std::string& column : found_[i].facts.unknown_columns)
        unknown.Add(fmt::format("column '{}'", column), uri);
    }
    if (!unknown.empty() && context_.notice) {
      context_.notice("warning: the table lacks columns of the files, whose values are not read: " +
                      unknown.Format());
    }
    if (differences.empty()) return {};
    return MakeError(ErrorCode::kInvalidInput,
                     "the files do not fit the table: {}; change the table, or load the files with "
                     "'ingest', which writes them anew",
                     differences.Format());
  }

  Status Place(size_t i) {
    const FilePartitioner partitioner(read_, spec_);
    Found& found = found_[i];
    if (!found.is_wanted) return {};
    FIRN_ASSIGN(found.file.partition, partitioner.Find(sources_[i], found.file, found.facts));
    FIRN_ASSIGN(found.is_wanted,
                partitioner.Matches(found.file.partition, request_.partition_filter));
    found.facts.ranges.clear();  // There may be very many files.
    return {};
  }

  void Tell(size_t total) {
    const size_t done = ++done_;
    if (context_.progress) {
      context_.progress(static_cast<int64_t>(done), static_cast<int64_t>(total));
    }
  }

  const IngestContext& context_;
  const Table& table_;
  const std::vector<SourceFile>& sources_;
  const AddFilesRequest& request_;
  SchemaPtr schema_;
  NameMapping names_;
  bool has_own_names_ = false;  // The table has none.
  bool needs_names_ = false;
  ReadContext read_;
  PartitionSpecPtr spec_;
  std::vector<Found> found_;
  std::atomic<size_t> done_ = 0;
};

}  // namespace

Result<FileFormat> DetectFormat(FileIO& io, const FileInfo& file) {
  const std::string name = LowerAscii(file.uri);
  if (name.ends_with(".parquet") || name.ends_with(".parq")) return FileFormat::kParquet;
  if (name.ends_with(".orc")) return FileFormat::kOrc;
  if (name.ends_with(".avro")) return FileFormat::kAvro;
  FIRN_ASSIGN(const auto input, io.Open(file.uri, file.size));
  std::array<std::byte, 4> bytes{};
  FIRN_ASSIGN(const int64_t read, input->ReadAt(0, bytes), "file '{}'", file.uri);
  const std::string_view magic = AsText(std::span(bytes).first(static_cast<size_t>(read)));
  if (magic == "PAR1") return FileFormat::kParquet;
  if (magic.starts_with("ORC")) return FileFormat::kOrc;
  if (magic == "Obj\x01") return FileFormat::kAvro;
  return MakeError(ErrorCode::kInvalidInput,
                   "file '{}' is no Parquet, ORC or Avro file by its name or its first bytes; name "
                   "the files by a glob, such as 'folder/*.parquet'",
                   file.uri);
}

Result<AdoptedFiles> AdoptFiles(const IngestContext& context, const Table& table,
                                const std::vector<SourceFile>& sources,
                                const AddFilesRequest& request) {
  return Adoption(context, table, sources, request).Run();
}

}  // namespace firn
