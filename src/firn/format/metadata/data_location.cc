#include "firn/format/metadata/data_location.h"

#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/base/text.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

// Digits of the hash that choose the folders, and how they are split.
constexpr int kHashBits = 20;
constexpr int kFolderBits = 4;
constexpr int kFolders = 3;

std::string HashFolders(std::string_view name) {
  const uint32_t hash = HashMurmur3(AsBytes(name));
  std::string folders;
  for (int bit = kHashBits - 1; bit >= 0; --bit) {
    folders += ((hash >> bit) & 1) != 0 ? '1' : '0';
    const int written = kHashBits - bit;
    if (written % kFolderBits == 0 && written / kFolderBits <= kFolders) folders += '/';
  }
  return folders;
}

std::string DataFolder(const TableMetadata& metadata, bool is_object_storage) {
  std::string folder = metadata.Property("write.data.path", "");
  if (folder.empty() && is_object_storage) {
    folder = metadata.Property("write.object-storage.path", "");
  }
  if (folder.empty()) folder = metadata.Property("write.folder-storage.path", "");
  if (folder.empty()) folder = JoinUri(metadata.location, "data");
  return std::string(StripTrailingSlash(folder));
}

// "<parent>/<table>" of the table's location: tells tables apart that share a data folder.
std::string TableContext(std::string_view location) {
  location = StripTrailingSlash(location);
  const size_t slash = location.rfind('/');
  if (slash == std::string_view::npos) return std::string(location);
  const std::string_view table = location.substr(slash + 1);
  const std::string_view parent = UriFileName(location.substr(0, slash));
  if (parent.empty() || parent.ends_with(':')) return std::string(table);
  return std::string(parent) + "/" + std::string(table);
}

bool IsTrue(const TableMetadata& metadata, std::string_view key, bool fallback) {
  const std::string text = metadata.Property(key, "");
  return text.empty() ? fallback : EqualsIgnoreCase(text, "true");
}

}  // namespace

std::string DataFileLocation(const TableMetadata& metadata, const PartitionSpec& spec,
                             const Type& partition_type, const StructValue& partition,
                             std::string_view file_name) {
  const bool is_object_storage = IsTrue(metadata, "write.object-storage.enabled", false);
  const std::string folder = DataFolder(metadata, is_object_storage);
  std::string name(file_name);
  const bool has_partition = !spec.fields.empty();
  const std::string path =
      has_partition ? PartitionPath(spec, partition_type, partition) + "/" + name : name;
  if (!is_object_storage) return JoinUri(folder, path);
  const bool has_folders = IsTrue(metadata, "write.object-storage.partitioned-paths", true);
  if (has_folders) name = path;
  const std::string hashed = JoinUri(folder, HashFolders(name));
  if (!folder.starts_with(metadata.location)) {
    return hashed + "/" + TableContext(metadata.location) + "/" + name;
  }
  return hashed + (has_folders ? "/" : "-") + name;
}

}  // namespace firn
