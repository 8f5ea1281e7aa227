#include <utility>

#include "firn/base/civil_time.h"
#include "firn/base/log.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/ingest/adoption/adoption_claim_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr int64_t kBytesMax = 1 << 20;

Result<AdoptionClaim> ParseClaim(std::string_view text) {
  AdoptionClaim claim;
  FIRN_ASSIGN(JsonDocument document, JsonDocument::Open(PaddedText::CopyOf(text)));
  auto read = [&](std::string_view key, JsonValue& value) -> Status {
    if (key == "claimant") {
      FIRN_ASSIGN(claim.claimant, value.ReadString());
    } else if (key == "time") {
      FIRN_ASSIGN(claim.time, value.ReadString());
    } else {
      FIRN_RETURN_IF_ERROR(value.ReadRaw());
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      document.VisitRoot([&](JsonValue& root) { return root.VisitMembers(read); }));
  return claim;
}

}  // namespace

std::string AdoptionClaimLocation(const std::string& folder) {
  return JoinUri(JoinUri(folder, "metadata"), "_firn_adoption.json");
}

Result<std::optional<AdoptionClaim>> FindAdoptionClaim(FileIO& io, const std::string& folder) {
  const std::string location = AdoptionClaimLocation(folder);
  const auto bytes = ReadFile(io, location, kBytesMax);
  if (!bytes.ok() && bytes.error().code() == ErrorCode::kNotFound) {
    return std::optional<AdoptionClaim>();
  }
  if (!bytes.ok()) return bytes.error();
  FIRN_ASSIGN(AdoptionClaim claim, ParseClaim(bytes->view()), "'{}'", location);
  return std::optional(std::move(claim));
}

Status CheckClaimant(const AdoptionClaim& claim, const std::string& folder,
                     const std::string& claimant) {
  if (claim.claimant == claimant) return {};
  return MakeError(
      ErrorCode::kAlreadyExists,
      "table {} has been being made in '{}' since {}: if that run is at work, wait for "
      "it; if it was killed, run it once more, or delete '{}' to give it up",
      claim.claimant, folder, claim.time, AdoptionClaimLocation(folder));
}

Status TakeAdoptionClaim(FileIO& io, const std::string& folder, const std::string& claimant,
                         Timestamp now) {
  JsonWriter json;
  json.BeginObject();
  json.StringField("claimant", claimant);
  json.StringField("time", FormatInstant(now));
  json.EndObject();
  const Status taken = WriteFile(io, AdoptionClaimLocation(folder),
                                 AsBytes(std::move(json).Take() + "\n"), {.exclusive = true});
  if (taken.ok()) return {};
  if (taken.error().code() != ErrorCode::kAlreadyExists) return taken;
  FIRN_ASSIGN(const auto claim, FindAdoptionClaim(io, folder));
  return claim ? CheckClaimant(*claim, folder, claimant) : taken;
}

void DropAdoptionClaim(FileIO& io, const std::string& folder) {
  const Status deleted = io.Delete(AdoptionClaimLocation(folder));
  if (deleted.ok() || deleted.error().code() == ErrorCode::kNotFound) return;
  Log(LogLevel::kWarning, "'{}' stays: {}", AdoptionClaimLocation(folder),
      deleted.error().Format());
}

}  // namespace firn
