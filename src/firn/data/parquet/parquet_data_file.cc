#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/pool_store_internal.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/parquet/parquet_bloom_internal.h"
#include "firn/data/parquet/parquet_footer_internal.h"
#include "firn/data/parquet/parquet_pages_internal.h"
#include "firn/data/parquet/parquet_pruning_internal.h"
#include "firn/data/parquet/part_source_internal.h"
#include "firn/data/parquet/row_group_run_internal.h"
#include "firn/data/render/arrow_file.h"

// Parquet data files through Arrow's reader, a run of row groups at a time. Arrow assembles nested
// columns, legacy lists and maps; which leaves are read, and what they mean, is the ReadPlan's.

namespace firn {
namespace {

// Row groups smaller than this are read together: opening a part costs as much as some 10,000 rows.
constexpr int64_t kPartRowsMin = 65536;
// Columns decoded in parallel are dealt out to more readers than run at one time, since their sizes
// do not tell how long they take.
constexpr size_t kSharesPerThread = 3;
// Decoding takes memory besides that for values, which is not spent for each of very many columns.
constexpr size_t kDecodedAtOnceMax = 32;
// A column of unexpectedly large texts may take such a share of a batch.
constexpr size_t kTextSharesMax = 8;
// Row positions stay far from overflow, whatever a footer claims.
constexpr int64_t kFileRowsMax = int64_t{1} << 48;

class ParquetSource final : public BatchSource {
 public:
  ParquetSource(std::unique_ptr<parquet::arrow::FileReader> file,
                std::unique_ptr<arrow::RecordBatchReader> batches, const FilePart& part)
      : file_(std::move(file)),
        batches_(std::move(batches)),
        position_(part.first_row),
        end_(part.first_row + part.row_count) {}

  Result<std::optional<FileBatch>> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    FIRN_RETURN_IF_ERROR(
        GuardArrow(ErrorCode::kCorrupt, [&] { return batches_->ReadNext(&batch); }));
    if (batch == nullptr) {
      if (position_ == end_) return std::optional<FileBatch>();
      return MakeError(ErrorCode::kCorrupt, "the rows end at {}, the footer says {}", position_,
                       end_);
    }
    FIRN_ASSIGN(const auto rows,
                GuardArrowResult(ErrorCode::kCorrupt, [&] { return batch->ToStructArray(); }));
    FileBatch result{.first_position = position_, .rows = rows->data()};
    position_ += batch->num_rows();
    return std::optional<FileBatch>(std::move(result));
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;  // `batches_` reads through it.
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  int64_t position_;
  int64_t end_;
};

class ParquetReader final : public DataFileReader {
 public:
  ParquetReader(std::shared_ptr<arrow::io::RandomAccessFile> input, ParquetFooter footer,
                const DataFileRequest& request)
      : memory_(std::move(footer.memory)),
        file_(request.file),
        input_(std::move(input)),
        metadata_(std::move(footer.metadata)),
        fields_(std::move(footer.fields)),
        pool_(request.pool) {}

  Status Plan(const DataFileRequest& request) {
    FIRN_ASSIGN(plan_, PlanColumns(request, fields_, /*prunes_nested=*/true));
    const Status planned = GuardArrow(ErrorCode::kCorrupt, [&] { return PlanParts(request); });
    if (!planned.ok()) return TellEncryption(planned.error());
    return {};
  }

  const ReadPlan& plan() const override { return plan_; }
  const std::vector<FileField>& fields() const override { return fields_; }
  std::optional<int64_t> row_count() const override { return metadata_->num_rows(); }
  const std::vector<FilePart>& parts() const override { return parts_; }

  Result<std::unique_ptr<BatchSource>> OpenPart(size_t part, Executor* executor,
                                                const RowChooser* chooser) const override {
    const FilePart& rows = parts_[part];
    const RowGroupRun& run = runs_[part];
    if (plan_.leaves.empty()) {
      return MakeEmptyColumnSource(rows.first_row, rows.row_count, run.batch_rows);
    }
    return GuardArrowResult(
        ErrorCode::kCorrupt, [&]() -> arrow::Result<std::unique_ptr<BatchSource>> {
          const bool is_parallel =
              executor != nullptr && executor->concurrency() > 1 && CountColumns() > 1;
          auto decoded = OpenDecoded(part, is_parallel ? executor : nullptr, chooser);
          if (!decoded.ok() || *decoded != nullptr) return decoded;
          if (run.pages == nullptr && is_parallel) return OpenInParallel(run, rows, *executor);
          return OpenWithArrow(run, rows);
        });
  }

 private:
  arrow::Result<std::unique_ptr<BatchSource>> OpenWithArrow(const RowGroupRun& run,
                                                            const FilePart& part) const {
    return run.pages != nullptr ? OpenPages(run, part) : OpenRun(run, part);
  }

  // Columns that firn decodes itself, and beside them those that Arrow has to. Null if there are
  // none of the first kind.
  arrow::Result<std::unique_ptr<BatchSource>> OpenDecoded(size_t index, Executor* executor,
                                                          const RowChooser* chooser) const {
    const RowGroupRun& run = runs_[index];
    const FilePart& rows = parts_[index];
    ARROW_ASSIGN_OR_RAISE(const int64_t file_size, input_->GetSize());
    FlatReadOptions options{
        .file = file_.get(),
        .make_store = [pool = pool_.get()] { return std::make_unique<PoolStore>(pool); },
        .verifies_checksums = run.verifies_checksums};
    if (run.stream_buffer_bytes > 0) {
      options.read_bytes = static_cast<size_t>(run.stream_buffer_bytes);
    }
    PartColumns columns{.first_row = rows.first_row,
                        .batch_rows = run.batch_rows,
                        .executor = executor,
                        .chooser = chooser,
                        .pool = pool_.get()};
    columns.rows =
        run.pages != nullptr ? run.pages->rows : std::vector<RowRange>{{0, rows.row_count}};
    const auto is_tested = [chooser](int leaf) {
      return chooser != nullptr && chooser->leaves().contains(leaf);
    };
    std::vector<std::shared_ptr<FlatScratch>> scratches(executor == nullptr ? 1
                                                                            : kDecodedAtOnceMax);
    arrow::FieldVector types;
    std::map<bool, LeftColumns> left;  // By whether they are tested.
    for (const FileField& field : fields_) {
      const std::vector<int> leaves = LeavesOf(field);
      if (leaves.empty()) continue;
      const size_t place = types.size();
      types.push_back(arrow::field(field.name, field.type));
      const bool tests_field = std::any_of(leaves.begin(), leaves.end(), is_tested);
      const auto leaf = FlatLeafOf(field, *metadata_, run, file_size);
      if (!leaf) {
        LeftColumns& others = left[tests_field];
        others.places.push_back(place);
        others.leaves.insert(others.leaves.end(), leaves.begin(), leaves.end());
        continue;
      }
      const size_t group = columns.sets.size() % scratches.size();
      if (scratches[group] == nullptr) scratches[group] = std::make_shared<FlatScratch>();
      auto set = MakeFlatColumnSet(field, *leaf, *metadata_, run, options, scratches[group],
                                   pool_.get(), TextBytesMax(run, rows, field.first_leaf));
      columns.sets.push_back({{place}, std::move(set), tests_field, group});
    }
    if (columns.sets.empty()) return nullptr;
    for (const auto& [tests_left, others] : left) {
      ARROW_ASSIGN_OR_RAISE(PlacedColumns set, OpenLeftColumns(run, others, types));
      set.is_tested = tests_left;
      set.group = scratches.size() + columns.sets.size();
      columns.sets.push_back(std::move(set));
    }
    columns.type = arrow::struct_(std::move(types));
    columns.open_with_arrow = [this, &run, &rows] {
      return GuardArrowResult(ErrorCode::kCorrupt, [&] { return OpenWithArrow(run, rows); });
    };
    return MakePartSource(std::move(columns));
  }

  // Texts of a column that come at one time: twice as many as are expected, and a share of a batch.
  size_t TextBytesMax(const RowGroupRun& run, const FilePart& part, int leaf) const {
    double bytes = 0;
    for (const int row_group : run.row_groups)
      bytes += static_cast<double>(DecodedBytesOf(*metadata_, row_group, leaf));
    const double batch = bytes / static_cast<double>(part.row_count) *
                         static_cast<double>(std::min(run.batch_rows, part.row_count));
    const auto most = static_cast<double>(run.batch_bytes_max);
    const size_t shares = std::clamp<size_t>(CountColumns(), 1, kTextSharesMax);
    return static_cast<size_t>(2 * std::min(batch, most) + most / static_cast<double>(shares));
  }

  // Columns that are left to Arrow: their places among those that are read, and all their leaves.
  struct LeftColumns {
    std::vector<size_t> places;
    std::vector<int> leaves;
  };

  arrow::Result<PlacedColumns> OpenLeftColumns(const RowGroupRun& run, const LeftColumns& left,
                                               arrow::FieldVector& types) const {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<parquet::arrow::FileReader> file, MakeFileReader(run));
    ARROW_ASSIGN_OR_RAISE(auto batches, file->GetRecordBatchReader(run.row_groups, left.leaves));
    const auto schema = batches->schema();
    for (size_t i = 0; i < left.places.size(); ++i)
      types[left.places[i]] = schema->field(static_cast<int>(i));
    return PlacedColumns{left.places,
                         MakeArrowColumnSet(std::move(batches), std::move(file), pool_.get())};
  }

  arrow::Result<std::unique_ptr<parquet::arrow::FileReader>> MakeFileReader(
      const RowGroupRun& run) const {
    return parquet::arrow::FileReader::Make(
        pool_.get(),
        parquet::ParquetFileReader::Open(input_, run.ReadProperties(pool_.get()), metadata_),
        ArrowReadOptions(run.batch_rows));
  }

  arrow::Result<std::unique_ptr<BatchSource>> OpenRun(const RowGroupRun& run,
                                                      const FilePart& part) const {
    ARROW_ASSIGN_OR_RAISE(auto file, MakeFileReader(run));
    const std::vector<int> leaves(plan_.leaves.begin(), plan_.leaves.end());
    ARROW_ASSIGN_OR_RAISE(auto batches, file->GetRecordBatchReader(run.row_groups, leaves));
    return std::make_unique<ParquetSource>(std::move(file), std::move(batches), part);
  }

  // Columns read one by one, since each may skip other pages.
  arrow::Result<std::unique_ptr<BatchSource>> OpenPages(const RowGroupRun& run,
                                                        const FilePart& part) const {
    const parquet::ReaderProperties properties = run.ReadProperties(pool_.get());
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<parquet::arrow::FileReader> file,
        parquet::arrow::FileReader::Make(
            pool_.get(), OpenSkippingPages(input_, properties, metadata_, *run.pages),
            ArrowReadOptions(run.batch_rows)));
    ColumnGroups groups{.rows = run.pages->rows,
                        .first_row = part.first_row,
                        .batch_rows = run.batch_rows,
                        .selection = run.pages,
                        .owner = file};
    for (const FileField& field : fields_) {
      const std::vector<int> leaves = LeavesOf(field);
      if (leaves.empty()) continue;
      ColumnGroup group{.places = {groups.groups.size()}};
      ARROW_ASSIGN_OR_RAISE(group.batches, file->GetRecordBatchReader(run.row_groups, leaves));
      const auto pages = run.pages->leaves.find(leaves[0]);
      const int64_t rows = metadata_->RowGroup(run.row_groups[0])->num_rows();
      group.kept =
          pages == run.pages->leaves.end() ? std::vector<RowRange>{{0, rows}} : pages->second.kept;
      groups.groups.push_back(std::move(group));
    }
    return MakeColumnGroupSource(std::move(groups));
  }

  // Columns dealt out to as many readers as can run at one time, the large ones first.
  arrow::Result<std::unique_ptr<BatchSource>> OpenInParallel(const RowGroupRun& run,
                                                             const FilePart& part,
                                                             Executor& executor) const {
    struct Share {
      int64_t bytes = 0;
      std::vector<size_t> places;
      std::vector<int> leaves;
    };
    std::vector<std::pair<int64_t, std::vector<int>>> columns;  // Size and leaves, by place.
    for (const FileField& field : fields_) {
      const std::vector<int> leaves = LeavesOf(field);
      if (!leaves.empty()) columns.emplace_back(StoredBytes(run, leaves), leaves);
    }
    std::vector<size_t> order(columns.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&columns](size_t a, size_t b) {
      return columns[a].first > columns[b].first;
    });
    std::vector<Share> shares(std::min(columns.size(), kSharesPerThread * executor.concurrency()));
    for (const size_t place : order) {
      Share& least =
          *std::min_element(shares.begin(), shares.end(),
                            [](const Share& a, const Share& b) { return a.bytes < b.bytes; });
      least.bytes += columns[place].first + 1;
      least.places.push_back(place);
    }
    const RowRange all{0, part.row_count};
    ColumnGroups groups{.rows = {all},
                        .first_row = part.first_row,
                        .batch_rows = run.batch_rows,
                        .executor = &executor};
    auto files = std::make_shared<std::vector<std::unique_ptr<parquet::arrow::FileReader>>>();
    for (Share& share : shares) {
      std::sort(share.places.begin(), share.places.end());  // Readers deliver in file order.
      for (const size_t place : share.places) {
        share.leaves.insert(share.leaves.end(), columns[place].second.begin(),
                            columns[place].second.end());
      }
      ARROW_ASSIGN_OR_RAISE(auto file, MakeFileReader(run));
      ColumnGroup group{.places = share.places, .kept = {all}};
      ARROW_ASSIGN_OR_RAISE(group.batches,
                            file->GetRecordBatchReader(run.row_groups, share.leaves));
      groups.groups.push_back(std::move(group));
      files->push_back(std::move(file));
    }
    groups.owner = std::move(files);
    return MakeColumnGroupSource(std::move(groups));
  }

  // Leaves of a top-level column that are read.
  std::vector<int> LeavesOf(const FileField& field) const {
    return {plan_.leaves.lower_bound(field.first_leaf), plan_.leaves.lower_bound(field.leaf_end)};
  }

  size_t CountColumns() const {
    return static_cast<size_t>(
        std::count_if(fields_.begin(), fields_.end(),
                      [this](const FileField& field) { return !LeavesOf(field).empty(); }));
  }

  int64_t StoredBytes(const RowGroupRun& run, const std::vector<int>& leaves) const {
    int64_t bytes = 0;
    for (const int row_group : run.row_groups) {
      for (const int leaf : leaves) {
        bytes += metadata_->RowGroup(row_group)->ColumnChunk(leaf)->total_uncompressed_size();
      }
    }
    return bytes;
  }

  // Leaves that are all that is read of a column without lists: rows and values are the same.
  std::set<int> FlatLeaves() const {
    std::set<int> flat;
    for (const FileField& field : fields_) {
      const std::vector<int> leaves = LeavesOf(field);
      if (leaves.size() != 1) continue;
      if (metadata_->schema()->Column(leaves[0])->max_repetition_level() == 0)
        flat.insert(leaves[0]);
    }
    return flat;
  }

  arrow::Status PlanParts(const DataFileRequest& request) {
    const RowGroupFilter filter(request.prune_filter, request.wanted, plan_);
    const std::set<int> flat_leaves = FlatLeaves();
    std::unique_ptr<parquet::ParquetFileReader> page_index_file;
    if (!filter.leaves().empty()) {
      page_index_file = parquet::ParquetFileReader::Open(
          input_, parquet::ReaderProperties(pool_.get()), metadata_);
    }
    int64_t row = 0;
    bool is_adjacent = false;
    for (int i = 0; i < metadata_->num_row_groups(); ++i) {
      const std::unique_ptr<parquet::RowGroupMetaData> row_group = metadata_->RowGroup(i);
      const int64_t rows = row_group->num_rows();
      if (rows < 0 || rows > kFileRowsMax - row) {
        return arrow::Status::Invalid("row group ", i, " claims ", rows, " rows");
      }
      bool is_kept =
          rows > 0 && filter.MightMatch(*row_group) &&
          (page_index_file == nullptr ||
           MightMatchBloomFilters(*page_index_file, i, *request.prune_filter, filter.leaves()));
      std::optional<PageSelection> pages;
      if (is_kept && page_index_file != nullptr) {
        pages = SelectPages(*page_index_file, i, filter, flat_leaves);
        is_kept = !pages || !pages->rows.empty();
      }
      if (is_kept) {
        if (!is_adjacent || pages || parts_.back().row_count + rows > kPartRowsMin) {
          parts_.push_back({.first_row = row});
          runs_.emplace_back();
        }
        AddRowGroup(*metadata_, i, plan_.leaves, request, runs_.back(), parts_.back());
        if (pages) runs_.back().pages = std::make_shared<PageSelection>(std::move(*pages));
      }
      is_adjacent = is_kept && !pages;
      row += rows;
    }
    return arrow::Status::OK();
  }

  FooterMemory memory_;
  std::shared_ptr<InputFile> file_;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;  // The same, for Arrow.
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::vector<FileField> fields_;
  std::shared_ptr<BudgetPool> pool_;
  ReadPlan plan_;
  std::vector<FilePart> parts_;
  std::vector<RowGroupRun> runs_;  // One for each part.
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenParquetFile(const DataFileRequest& request) {
  FIRN_ASSIGN(ParquetFooter footer, ReadParquetFooter(*request.file, request.pool));
  FIRN_ASSIGN(auto input, MakeArrowInput(request.file, request.pool.get()));
  auto reader = std::make_unique<ParquetReader>(std::move(input), std::move(footer), request);
  FIRN_RETURN_IF_ERROR(reader->Plan(request));
  return reader;
}

}  // namespace firn
