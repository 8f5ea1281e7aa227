#include <fmt/format.h>

#include "firn/data/deletes/delete_paths.h"
#include "firn/format/puffin/puffin.h"
#include "firn/maintain/copy/copied_deletes_internal.h"

namespace firn {
namespace {

constexpr std::string_view kReferencedDataFile = "referenced-data-file";

Result<CopiedDeletes> CopyVectors(FileIO& io, const DataFile& file, const std::string& to,
                                  const PathPrefix& prefix) {
  FIRN_ASSIGN(const auto input, io.Open(file.file_path, file.file_size_in_bytes));
  FIRN_ASSIGN(const PuffinFile puffin, ReadPuffinFooter(*input));
  FIRN_ASSIGN(auto output, io.Create(to, {.exclusive = true}));
  OutputFile& written = *output;
  PuffinWriter writer(std::move(output), puffin.properties);
  CopiedDeletes copied;
  for (const PuffinBlob& blob : puffin.blobs) {
    FIRN_ASSIGN(const Buffer content, ReadPuffinBlob(*input, blob));
    BlobMetadata metadata = blob.metadata;
    for (auto& [key, value] : metadata.properties) {
      if (key != kReferencedDataFile) continue;
      FIRN_ASSIGN(value, prefix.Rename(value));
    }
    const std::string_view codec = blob.compression_codec.empty() ? "" : "zstd";
    FIRN_ASSIGN(const PuffinBlob place, writer.Add(std::move(metadata), content.span(), codec));
    copied.vectors[blob.offset] = {place.offset, place.length};
  }
  FIRN_RETURN_IF_ERROR(writer.Finish());
  copied.file_size = written.bytes_written();
  return copied;
}

}  // namespace

Result<CopiedDeletes> CopyDeleteFile(const WriteContext& context, const DataFile& file,
                                     const std::string& to, const PathPrefix& prefix) {
  if (file.file_format == FileFormat::kPuffin) {
    Result<CopiedDeletes> copied = CopyVectors(*context.io, file, to, prefix);
    if (!copied.ok()) return copied.error().Within("delete file '" + file.file_path + "'");
    return copied;
  }
  CopiedDeletes copied;
  FIRN_ASSIGN(copied.file_size, WriteRenamedDeletes(context, file, to, [&](std::string_view path) {
                return prefix.Rename(path);
              }));
  return copied;
}

}  // namespace firn
