#include "awf/plugin.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plugin_definition.h"
#include "serve.h"
#include "utf8.h"

namespace awf::sdk {

Result Ok() { return {}; }

Result Failed(std::string_view text) {
  Result result;
  result.success_ = false;
  result.error_ = RepairedUtf8(text);
  return result;
}

Result& Result::Output(std::string_view text) & {
  output_ = RepairedUtf8(text);
  return *this;
}

Result& Result::Set(std::string name, Value value) & {
  data_.insert_or_assign(std::move(name), std::move(value));
  return *this;
}

const RegisteredOperation* PluginDefinition::Find(std::string_view operation) const {
  const auto found = std::ranges::find(operations, operation, [](const auto& entry) { return entry.schema.name; });
  return found == operations.end() ? nullptr : &*found;
}

Plugin::Plugin(std::string name, std::string version, std::string description)
    : definition_(std::make_unique<PluginDefinition>()) {
  definition_->name = std::move(name);
  definition_->version = std::move(version);
  definition_->description = std::move(description);
}

Plugin::~Plugin() = default;

void Plugin::OnInit(std::function<std::expected<void, std::string>(const Config&)> init) {
  definition_->init = std::move(init);
}

void Plugin::OnShutdown(std::function<void()> shutdown) { definition_->shutdown = std::move(shutdown); }

void Plugin::Add(Operation operation, Handler handler) {
  definition_->operations.push_back({std::move(operation), std::move(handler)});
}

int Plugin::Serve() { return sdk::Serve(*definition_); }

}  // namespace awf::sdk
