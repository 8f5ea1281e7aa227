#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/procedure/adopted_source_internal.h"
#include "firn/procedure/ingest_context_internal.h"

namespace firn {
namespace {

struct FormatName {
  std::string_view name;
  FileFormat format;
};
constexpr FormatName kFormats[] = {
    {"parquet", FileFormat::kParquet}, {"orc", FileFormat::kOrc}, {"avro", FileFormat::kAvro}};

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '`' && text.back() == '`';
}

std::string Unquote(std::string_view text) {
  if (!IsQuoted(text)) return std::string(text);
  return ReplaceText(text.substr(1, text.size() - 2), "``", "`");
}

}  // namespace

Result<AdoptedSource> ParseAdoptedSource(const Session& session, const std::string& text) {
  AdoptedSource source;
  std::string location = Unquote(text);
  const size_t dot = text.find('.');
  for (const FormatName& format : kFormats) {
    if (dot == std::string::npos) break;
    const std::string_view rest = std::string_view(text).substr(dot + 1);
    const bool is_path = IsQuoted(rest) || rest.find('/') != std::string_view::npos;
    if (!is_path || !EqualsIgnoreCase(Unquote(text.substr(0, dot)), format.name)) continue;
    source.format = format.format;
    location = Unquote(rest);
  }
  if (location.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the source is '{}', expected a folder, a file, a glob or `parquet`.`path`",
                     text);
  }
  source.location = session.AbsoluteLocation(location);
  return source;
}

Error ExplainMissingSource(const Error& error, const std::string& text) {
  if (error.code() != ErrorCode::kNotFound || text.find('/') != std::string::npos) return error;
  return MakeError(ErrorCode::kNotFound,
                   "{}; if '{}' is a table of Hive or Spark, give the folder of its files, such as "
                   "`parquet`.`/warehouse/t`",
                   error.message(), text);
}

IngestContext MakeAdoptionContext(ProcedureContext& context, const TableReference& reference) {
  return MakeIngestContext(context, reference, "reading footers", "files");
}

Argument ParallelismArgument() {
  return {.name = "parallelism",
          .type = ArgumentType::kInteger,
          .help = "Accepted for Spark's sake: as many files are read at once as there are threads.",
          .default_text = "1"};
}

Status CheckParallelism(const Arguments& arguments) {
  const int64_t parallelism = arguments.Integer("parallelism").value_or(1);
  if (parallelism >= 1) return {};
  return MakeError(ErrorCode::kInvalidInput, "parallelism is {}, expected 1 or more", parallelism);
}

}  // namespace firn
