#include "cli/run_collection.h"

#include <utility>

namespace awf::cli {
namespace {

constexpr const char* kVariable = "AWF_AUDIT_LOG";
constexpr std::string_view kHomeStart = "~/";

}  // namespace

CollectionTarget ChooseCollection(const Config& config, const GetVariable& get) {
  const auto variable = get(kVariable);
  const std::string path = variable ? *variable : config.audit_path;
  if (path.empty() || path == "off") return {};
  CollectionTarget target{path, variable ? kVariable : "audit.path of the configuration"};
  if (const auto home = get("HOME"); home && path.starts_with(kHomeStart))
    target.path = std::filesystem::path(*home) / path.substr(kHomeStart.size());
  return target;
}

std::expected<RunCollection, Error> RunCollection::Open(const CollectionTarget& target, const Masker& masker) {
  RunCollection collection;
  if (target.path.empty()) return collection;
  auto file = telemetry::AuditCollection::Open(target.path, target.origin, masker);
  if (!file) return std::unexpected(file.error());
  collection.file_ = std::move(*file);
  return collection;
}

std::expected<void, Error> RunCollection::Started(telemetry::CollectedRun run) {
  run_ = std::move(run);
  if (!file_) return {};
  return file_->Started(run_);
}

std::expected<void, Error> RunCollection::Completed(const telemetry::CollectedEnd& end) const {
  if (!file_) return {};
  return file_->Completed(run_, end);
}

}  // namespace awf::cli
