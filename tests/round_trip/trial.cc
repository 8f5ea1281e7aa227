#include "trial.h"

#include <algorithm>
#include <utility>

#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/format/layout/layout_text.h"
#include "firn/format/layout/transform.h"

#include "random_rows.h"

namespace firn::round_trip {
namespace {

std::string Describe(const Schema& schema) {
  std::string text;
  for (const NestedField& field : schema.fields())
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", field.name, FormatType(*field.type),
                        field.required ? " not null" : "");
  return text;
}

Result<std::vector<std::string>> Render(RowStream rows, const TypePtr& type) {
  std::string text;
  FIRN_RETURN_IF_ERROR(RenderRows(std::move(rows), {.format = RowFormat::kJson, .type = type},
                                  [&](std::span<const std::byte> bytes) -> Status {
                                    text += AsText(bytes);
                                    return {};
                                  }));
  std::vector<std::string> lines;
  for (const std::string_view line : SplitText(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

PartitionSpec DrawSpec(Random& random, const Schema& schema) {
  std::vector<PartitionTerm> terms;
  for (const NestedField& field : schema.fields()) {
    if (!field.type->is_primitive() || random.Below(4) != 0) continue;
    const Transform kTransforms[] = {
        {},
        {TransformKind::kBucket, static_cast<int32_t>(1 + random.Below(5)), {}},
        {TransformKind::kTruncate, static_cast<int32_t>(1 + random.Below(10)), {}},
        {TransformKind::kYear, 0, {}},
        {TransformKind::kMonth, 0, {}},
        {TransformKind::kDay, 0, {}},
        {TransformKind::kHour, 0, {}}};
    const Transform& transform = kTransforms[random.Below(std::size(kTransforms))];
    if (!CanTransform(transform, *field.type)) continue;
    terms.push_back({.column = field.name, .transform = transform, .name = {}});
  }
  const auto spec = MakePartitionSpec(terms, schema);
  return spec.ok() ? *spec : PartitionSpec();
}

}  // namespace

Trial::Trial(Executor& threads, uint64_t seed, bool is_traced)
    : random_(MakeSeededRandom(seed)),
      is_traced_(is_traced),
      threads_(threads),
      io_(MakeMemoryFileIO(clock_)),
      budget_(int64_t{256} << 20) {}

ChangeContext Trial::context() {
  ChangeContext context;
  context.commit = {
      .catalog = catalog_.get(), .executor = &threads_, .clock = &clock_, .random = random_.get()};
  context.budget = &budget_;
  return context;
}

MaintainContext Trial::maintain_context() {
  MaintainContext maintain;
  maintain.commit = context().commit;
  maintain.budget = &budget_;
  return maintain;
}

void Trial::Violate(std::string message) {
  if (!result_.violation) result_.violation = std::move(message);
}

void Trial::Begin() {
  auto catalog = OpenCatalog({.name = "test",
                              .type = "memory",
                              .properties = {{"warehouse", "memory:/warehouse"}},
                              .io = io_,
                              .clock = &clock_,
                              .random = random_.get()});
  if (!Expect(catalog, "opening the catalog")) return;
  catalog_ = *std::move(catalog);
  if (!Expect(catalog_->CreateNamespace({"db"}, {}), "making the namespace")) return;
  CreateTableRequest request;
  request.format_version = 1 + static_cast<int>(random_->Below(3));
  request.schema = Schema(0, DrawFields(*random_, request.format_version));
  request.spec = DrawSpec(*random_, request.schema);
  request.properties["commit.manifest.min-count-to-merge"] = Chance(50) ? "2" : "100";
  const char* const kModes[] = {"none", "counts", "truncate(4)", "truncate(16)", "full"};
  request.properties["write.metadata.metrics.default"] = kModes[random_->Below(5)];
  const char* const kCodecs[] = {"zstd", "snappy", "gzip", "uncompressed", "lz4"};
  request.properties["write.parquet.compression-codec"] = kCodecs[random_->Below(5)];
  auto table = catalog_->Create(name_, request);
  if (!Expect(table, "making the table")) return;
  table_ = *std::move(table);
  result_.setting =
      fmt::format("version {}, {}; partitioned by {}", request.format_version, Describe(schema()),
                  FormatPartitionFieldsJson(*metadata().default_spec()));
}

std::string Trial::ChooseBranch() {
  std::vector<std::string> others;
  for (const auto& [name, rows] : branches_) {
    if (name != kMainBranch) others.push_back(name);
  }
  if (others.empty() || Chance(75)) return std::string(kMainBranch);
  return others[random_->Below(others.size())];
}

RowStream Trial::NewRows(size_t count_max, ModelRows& rows) {
  const SchemaPtr current = metadata().current_schema();
  std::vector<StructValue> values;
  const size_t count = random_->Below(count_max + 1);
  for (size_t i = 0; i < count; ++i) {
    values.push_back(DrawRow(*random_, *current->as_struct()));
    rows.push_back(std::make_shared<const ModelRow>(ModelRow{current, values.back()}));
  }
  auto stream = MakeRowStream(current->as_struct(), std::move(values));
  FIRN_CHECK(stream.ok());
  return *std::move(stream);
}

const NestedField* Trial::ChooseColumn() {
  std::vector<const NestedField*> columns;
  for (const NestedField& field : schema().fields()) {
    if (field.type->is_primitive()) columns.push_back(&field);
  }
  return columns.empty() ? nullptr : columns[random_->Below(columns.size())];
}

ModelCondition Trial::ChooseCondition(const ModelRows& rows) {
  const NestedField* column = ChooseColumn();
  ModelCondition condition;
  if (column == nullptr || Chance(5)) return condition;
  condition.column = column->name;
  constexpr ExpressionKind kKinds[] = {ExpressionKind::kEqual,        ExpressionKind::kEqual,
                                       ExpressionKind::kNotEqual,     ExpressionKind::kLess,
                                       ExpressionKind::kGreaterEqual, ExpressionKind::kIsNull,
                                       ExpressionKind::kNotNull};
  condition.kind = kKinds[random_->Below(std::size(kKinds))];
  const bool needs_literal =
      condition.kind != ExpressionKind::kIsNull && condition.kind != ExpressionKind::kNotNull;
  if (!needs_literal) return condition;
  condition.literal = DrawValue(*random_, *column->type);
  if (rows.empty() || Chance(30)) return condition;
  const StructValue row = ViewAs(*rows[random_->Below(rows.size())], schema());
  for (size_t i = 0; i < schema().fields().size(); ++i) {
    const bool is_it = schema().fields()[i].id == column->id && !row.fields[i].is_null();
    if (is_it) condition.literal = row.fields[i];
  }
  return condition;
}

void Trial::MakeBranch(const std::string& name) {
  branches_[name] = branches_[std::string(kMainBranch)];
}

Result<std::vector<std::string>> Trial::Read(const ScanOptions& scan, const SchemaPtr& projection) {
  FIRN_ASSIGN(auto tasks, PlanAllFiles(*io_, metadata(), scan, threads_, {}));
  ReadOptions options;
  options.projection = projection;
  if (scan.filter != nullptr) {
    FIRN_ASSIGN(options.filter, Bind(scan.filter, *scan.schema));
  }
  FIRN_ASSIGN(RowStream rows, ReadTasks(context().ReadFrom(table_), std::move(tasks), options));
  return Render(std::move(rows), projection->as_struct());
}

void Trial::CheckScan(const ScanOptions& scan, const SchemaPtr& schema, const ModelRows& rows,
                      const ModelCondition& condition, std::string_view what) {
  SchemaPtr projection = schema;
  if (Chance(30)) {
    std::vector<NestedField> fields;
    for (const NestedField& field : schema->fields()) {
      if (Chance(50)) fields.push_back(field);
    }
    if (!fields.empty()) projection = std::make_shared<const Schema>(0, std::move(fields));
  }
  std::vector<StructValue> values;
  for (const auto& row : rows) {
    if (Matches(condition, *row, *schema)) values.push_back(ViewAs(*row, *projection));
  }
  auto stream = MakeRowStream(projection->as_struct(), std::move(values));
  if (!Expect(stream, "rows of the model")) return;
  const auto expected = Render(*std::move(stream), projection->as_struct());
  const auto found = Read(scan, projection);
  if (!Expect(expected, "rows of the model") || !Expect(found, what)) return;
  Count("reads");
  if (*found == *expected) return;
  std::string message =
      fmt::format("{} gives {} rows, expected {}", what, found->size(), expected->size());
  for (const std::string& line : *found) {
    if (!std::binary_search(expected->begin(), expected->end(), line))
      message += "\n  found    " + line;
  }
  for (const std::string& line : *expected) {
    if (!std::binary_search(found->begin(), found->end(), line)) message += "\n  expected " + line;
  }
  Violate(std::move(message));
}

void Trial::CheckCount(const ScanOptions& scan, const ModelRows& rows, std::string_view what) {
  const auto count = CountFromMetadata(*io_, metadata(), scan, threads_, {});
  if (!Expect(count, what) || !*count) return;
  Count("counts");
  if (**count == static_cast<int64_t>(rows.size())) return;
  Violate(fmt::format("{}: metadata count {} rows, expected {}", what, **count, rows.size()));
}

void Trial::Check() {
  clock_.Advance(std::chrono::seconds(1));
  auto loaded = catalog_->Load(name_);
  if (!Expect(loaded, "loading the table")) return;
  table_ = *std::move(loaded);
  for (const auto& [branch, rows] : branches_) {
    ScanOptions scan;
    scan.snapshot_id = metadata().RefSnapshotId(branch);
    if (!scan.snapshot_id) {
      if (!rows.empty()) Violate(fmt::format("branch '{}' is missing", branch));
      continue;
    }
    scan.schema = metadata().current_schema();
    CheckScan(scan, scan.schema, rows, {}, fmt::format("reading '{}'", branch));
    CheckCount(scan, rows, fmt::format("counting '{}'", branch));
    const ModelCondition condition = ChooseCondition(rows);
    const NestedField* column = schema().FindField(condition.column);
    if (column != nullptr) {
      scan.filter = condition.ToExpression(*column->type);
      CheckScan(scan, scan.schema, rows, condition,
                fmt::format("reading '{}' where {}", branch, condition.Format(*column->type)));
    }
    const Snapshot* snapshot = metadata().FindSnapshot(*scan.snapshot_id);
    if (snapshot == nullptr || !snapshot->schema_id) continue;
    kept_.push_back({snapshot->snapshot_id, metadata().FindSchema(*snapshot->schema_id), rows});
  }
  if (kept_.empty()) return;
  const Kept& past = kept_[random_->Below(kept_.size())];
  ScanOptions scan;
  scan.snapshot_id = past.id;
  scan.schema = past.schema;
  CheckScan(scan, past.schema, past.rows, {}, fmt::format("reading snapshot {}", past.id));
}

}  // namespace firn::round_trip
