#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/bytes.h"
#include "firn/base/clock.h"
#include "firn/base/random.h"
#include "firn/base/result.h"

/// Bytes by URI. A recorded URI is an opaque key: it is never decoded, encoded or normalised before
/// it is compared; only the file system behind it decides what it names (decision 0005 says
/// how local paths read `file:` forms).

namespace firn {

/// What a listing or a stat knows of a file.
struct FileInfo {
  std::string uri;  ///< In the style of the request: a listing of `file:/a` gives `file:/a/b`.
  int64_t size = 0;
  std::optional<Timestamp> modified;  ///< Empty where the store does not tell.
  std::string etag;                   ///< Empty where the store has none.
};

struct ByteRange {
  int64_t offset = 0;
  int64_t length = 0;
};

/// One readable file. Thread-safe; reads may run in parallel.
class InputFile {
 public:
  virtual ~InputFile() = default;

  virtual const std::string& uri() const = 0;

  /// Size in bytes; the first call may cost a request. Errors: kNotFound, kUnavailable.
  virtual Result<int64_t> Size() = 0;

  /// Fill `out` from `offset`. Returns the bytes read; fewer than asked only at the end of the
  /// file.
  virtual Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) = 0;

  /// Read several ranges with as few requests as sensible; result k belongs to range k.
  /// Errors: kCorrupt if a range ends beyond the file.
  virtual Result<std::vector<Buffer>> ReadRanges(std::span<const ByteRange> ranges);
};

/// One file being written. Nothing is visible under its name before `Publish`.
class OutputFile {
 public:
  /// Discards the bytes unless they were published.
  virtual ~OutputFile() = default;
  virtual const std::string& uri() const = 0;
  virtual Status Append(std::span<const std::byte> bytes) = 0;
  virtual int64_t bytes_written() const = 0;

  /// Make the file durable and visible under its name. Errors: kAlreadyExists if it was created
  /// exclusively and another writer came first; kCommitUnknown if the store gave no clear answer.
  virtual Status Publish() = 0;
};

struct CreateOptions {
  bool exclusive = false;  ///< Fail with kAlreadyExists rather than replace an existing file.
};

/// How the deletion of one file of many ended; a missing file counts as deleted.
struct DeleteOutcome {
  std::string uri;
  Status status;
  bool was_missing = false;
};

/// A file system by URI. Thread-safe.
class FileIO {
 public:
  virtual ~FileIO() = default;

  /// Open without reading; a missing file may only show at the first read. `known_size` spares a
  /// request where metadata tells the size; a file system that knows better ignores it.
  /// Errors: kInvalidInput for an unknown scheme.
  virtual Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                                  std::optional<int64_t> known_size = {}) = 0;

  /// Start a file; folders above it come into being. Without `exclusive` an existing file is
  /// replaced in one step by Publish.
  virtual Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                                     const CreateOptions& options = {}) = 0;

  /// Call `visit` for every file below the folder `uri`, recursively, in no order; folders are not
  /// reported, and links to folders not followed (a file must not be seen under two names).
  /// `visit` stops the listing by returning an error. An incomplete listing is always an error.
  /// Errors: kNotFound if a local folder is missing (object stores report nothing).
  virtual Status List(std::string_view uri,
                      const std::function<Status(const FileInfo&)>& visit) = 0;

  /// Errors: kNotFound.
  virtual Result<FileInfo> Stat(std::string_view uri) = 0;

  /// Delete one file. Errors: kNotFound.
  virtual Status Delete(std::string_view uri) = 0;

  /// Delete many; one outcome per URI in the same order. The default calls Delete for each.
  virtual std::vector<DeleteOutcome> DeleteMany(std::span<const std::string> uris);

  /// Names of the folders directly below the folder `uri`, sorted. The default lists all files
  /// below. Errors: kNotFound if there is no such folder.
  virtual Result<std::vector<std::string>> ListFolders(std::string_view uri);

  /// Make a folder and those above it; it may exist. The default, for stores that have no folders,
  /// keeps an empty file `.folder` in it.
  virtual Status CreateFolder(std::string_view uri);

  /// Delete a folder that holds nothing. Errors: kNotFound; kInvalidInput if something is in it.
  virtual Status DeleteFolder(std::string_view uri);
};

/// Whole file as bytes. `size_max` guards against absurd files. Errors: kResourceExhausted beyond.
Result<Buffer> ReadFile(FileIO& io, std::string_view uri, int64_t size_max = int64_t{1} << 32);

/// Create, write and publish in one step.
Status WriteFile(FileIO& io, std::string_view uri, std::span<const std::byte> bytes,
                 const CreateOptions& options = {});

/// True or false; other errors than kNotFound are returned.
Result<bool> FileExists(FileIO& io, std::string_view uri);

/// Local disk: every form that `LocalPath` knows. A local URI is taken literally: `%20` in it is
/// three characters. Files appear whole, synced with their folder; until then they have no name, or
/// are temporary siblings `firn-<uuid>.tmp`, named by `random`.
std::unique_ptr<FileIO> MakeLocalFileIO(Random& random = SystemRandom());

/// Files in memory, scheme `memory:` (used directly it takes any text as a key). Behaves like an
/// object store: no folders, every key verbatim. For tests and catalogs without files.
std::unique_ptr<FileIO> MakeMemoryFileIO(Clock& clock);

/// Chooses by scheme among registered file systems; `s3`, `s3a` and `s3n` are one scheme. A URI
/// without scheme is local. Errors name the known schemes.
class SchemeRegistry {
 public:
  virtual ~SchemeRegistry() = default;
  virtual void Register(std::string scheme, std::shared_ptr<FileIO> io) = 0;
  virtual std::shared_ptr<FileIO> Make() const = 0;  ///< A FileIO over what is registered so far.
};
std::unique_ptr<SchemeRegistry> MakeSchemeRegistry();

/// `io.rewrite-prefix`: bytes are read and written at `to`, metadata keeps recording `from`.
struct PrefixRule {
  std::string from;
  std::string to;
};

/// Parse `old=new[,old=new]`. Errors: kInvalidInput.
Result<std::vector<PrefixRule>> ParsePrefixRules(std::string_view text);

/// Map `from` to `to` on the way down and back in listings and stats; longest `from` first,
/// compared with the recorded text at path boundaries. A folder of which a longer rule keeps some
/// part elsewhere is listed from all its places. A relative URI that no rule maps is refused with
/// kInvalidInput, since recorded paths do not tell its base folder.
std::shared_ptr<FileIO> MakePrefixFileIO(std::shared_ptr<FileIO> io, std::vector<PrefixRule> rules);

}  // namespace firn
