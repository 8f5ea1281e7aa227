#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "firn/base/result.h"
#include "firn/io/io.h"

/// One file of local disk can have many names, by way of symbolic links: what decides about
/// deletion compares files by where their names lead.

namespace firn {

/// What a FileIO is besides if its names may be those of files on local disk.
class LocalPlaces {
 public:
  virtual ~LocalPlaces() = default;
  /// The path on local disk behind `uri`, not looked at; empty: it is elsewhere, or nowhere.
  virtual std::string FindLocalPlace(std::string_view uri) const = 0;
};

/// That of `io`; empty if it has none.
std::string FindLocalPlace(const FileIO& io, std::string_view uri);

/// Where names really lead. Remembers what it has seen of folders, so that it is to live as long as
/// one operation. Thread-safe; `io` outlives it.
///
/// All results are keys like those of CanonicalUriKey, which they are for names that are not local.
/// What does not exist (any more) is named by its folders as far as these exist. Two mounts of one
/// folder are one.
/// Errors  kPermissionDenied and others: a folder on the way cannot be looked at, so that nobody
///         knows what it holds.
class RealNames {
 public:
  explicit RealNames(const FileIO& io);
  ~RealNames();

  /// The entry that deleting `uri` removes: links above it are followed, one that it is itself is
  /// not.
  Result<std::string> Entry(std::string_view uri) const;

  /// Both names by which a recorded file may be known.
  struct Names {
    std::string entry;
    std::string target;  ///< Where the entry leads if it is a link; else empty.
    const std::string& file() const { return target.empty() ? entry : target; }
  };
  Result<Names> Find(std::string_view uri) const;

  /// Of a folder, all links followed.
  Result<std::string> Folder(std::string_view uri) const;

  /// Whether `uri` is `folder` or lies below it.
  Result<bool> IsWithin(std::string_view uri, std::string_view folder) const;

 private:
  class Folders;
  std::unique_ptr<Folders> folders_;
};

}  // namespace firn
