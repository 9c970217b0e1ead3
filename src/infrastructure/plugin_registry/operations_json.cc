#include "infrastructure/plugin_registry/operations_json.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace awf::plugin_registry {
namespace {

template <class Named>
std::vector<Named> ByName(std::vector<Named> list) {
  std::ranges::stable_sort(list, {}, &Named::name);
  return list;
}

// Reads values below one; the first fault is kept.
class Reader {
 public:
  std::vector<Operation> Operations(const json::value& value) {
    std::vector<Operation> operations;
    Each(value, [&](const json::object& object) {
      Operation operation;
      operation.name = Text(object, "name");
      operation.description = Text(object, "description");
      Each(object, "inputs", [&](const json::object& input) { operation.inputs.push_back(Input(input)); });
      Each(object, "outputs", [&](const json::object& output) { operation.outputs.push_back(Output(output)); });
      RefuseOthers(object, {"name", "description", "inputs", "outputs"});
      operations.push_back(std::move(operation));
    });
    return operations;
  }

  std::optional<OperationsFault>& fault() { return fault_; }

 private:
  OperationInput Input(const json::object& object) {
    OperationInput input;
    input.name = Text(object, "name");
    input.type = Text(object, "type");
    input.default_value = Text(object, "default");
    input.description = Text(object, "description");
    input.validation = Text(object, "validation");
    if (const json::value* value = Member(object, "required")) {
      if (const bool* required = value->if_bool()) {
        input.required = *required;
      } else {
        Wrong("required", "true or false", *value);
      }
    }
    RefuseOthers(object, {"name", "type", "default", "description", "validation", "required"});
    return input;
  }

  OperationOutput Output(const json::object& object) {
    OperationOutput output{Text(object, "name"), Text(object, "type"), Text(object, "description")};
    RefuseOthers(object, {"name", "type", "description"});
    return output;
  }

  template <class Read>
  void Each(const json::object& object, const char* key, const Read& read) {
    const json::value* value = Member(object, key);
    if (value == nullptr) return;
    path_.emplace_back(key);
    Each(*value, read);
    path_.pop_back();
  }

  // `value` stands at path_.
  template <class Read>
  void Each(const json::value& value, const Read& read) {
    const json::array* list = value.if_array();
    if (list == nullptr) return Report(path_, "must be a list, but is " + std::string(KindOf(value)));
    for (std::size_t i = 0; i < list->size(); ++i) {
      path_.push_back(std::to_string(i));
      const json::object* object = (*list)[i].if_object();
      if (object == nullptr) {
        Report(path_, "must be a map, but is " + std::string(KindOf((*list)[i])));
      } else {
        read(*object);
      }
      path_.pop_back();
    }
  }

  // Told when it is not there.
  const json::value* Member(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr) Report(At(key), "is missing");
    return value;
  }

  std::string Text(const json::object& object, const char* key) {
    const json::value* value = Member(object, key);
    if (value == nullptr) return {};
    const json::string* text = value->if_string();
    if (text == nullptr) return Wrong(key, "a string", *value), std::string();
    return {text->data(), text->size()};
  }

  void RefuseOthers(const json::object& object, std::initializer_list<std::string_view> known) {
    for (const auto& member : object) {
      const std::string key(member.key());
      if (std::ranges::find(known, key) == known.end()) Report(At(key), "is no known key");
    }
  }

  void Wrong(const char* key, const std::string& wanted, const json::value& value) {
    Report(At(key), "must be " + wanted + ", but is " + std::string(KindOf(value)));
  }

  JsonPath At(const std::string& key) const {
    JsonPath path = path_;
    path.push_back(key);
    return path;
  }

  void Report(JsonPath path, std::string message) {
    if (!fault_) fault_ = OperationsFault{std::move(path), std::move(message)};
  }

  JsonPath path_;
  std::optional<OperationsFault> fault_;
};

}  // namespace

json::value OperationsJson(const std::vector<Operation>& operations) {
  json::array list;
  for (const Operation& operation : ByName(operations)) {
    json::array inputs, outputs;
    for (const OperationInput& input : ByName(operation.inputs)) {
      inputs.push_back({{"name", input.name},
                        {"type", input.type},
                        {"required", input.required},
                        {"default", input.default_value},
                        {"description", input.description},
                        {"validation", input.validation}});
    }
    for (const OperationOutput& output : ByName(operation.outputs)) {
      outputs.push_back({{"name", output.name}, {"type", output.type}, {"description", output.description}});
    }
    list.push_back({{"name", operation.name},
                    {"description", operation.description},
                    {"inputs", std::move(inputs)},
                    {"outputs", std::move(outputs)}});
  }
  return list;
}

std::expected<std::vector<Operation>, OperationsFault> OperationsOf(const json::value& value) {
  Reader reader;
  std::vector<Operation> operations = reader.Operations(value);
  if (reader.fault()) return std::unexpected(std::move(*reader.fault()));
  return operations;
}

}  // namespace awf::plugin_registry
