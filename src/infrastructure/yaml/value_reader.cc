#include "infrastructure/yaml/value_reader.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "application/language/template.h"

namespace awf {
namespace {

// Every value below a key keeps that key in its path: without a limit a long key and many values would fill the memory.
constexpr std::size_t kMaxPath = 1024;

class ValueReader {
 public:
  ValueReader(YamlReader& reader, ReadValues& read, std::string prefix)
      : reader_(reader), read_(read), prefix_(std::move(prefix)) {}

  json::value Value(const YamlNode& node, const std::string& path) {
    if (path.size() > kMaxPath) {
      return Refused(node, "the keys that lead here are longer than 1024 bytes", "use shorter keys");
    }
    read_.positions[path] = reader_.PositionOf(node);
    if (node.kind == YamlNode::Kind::kSequence) {
      json::array list;
      list.reserve(node.items.size());
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        list.push_back(Value(*node.items[i], path + "[" + std::to_string(i) + "]"));
      }
      return list;
    }
    if (node.kind == YamlNode::Kind::kMapping) {
      json::object map;
      for (const YamlEntry& entry : node.entries) {
        map[entry.key->text] = Value(*entry.value, JoinPath(path, entry.key->text));
      }
      return map;
    }
    return Scalar(node, path);
  }

 private:
  json::value Scalar(const YamlNode& node, const std::string& path) {
    const ScalarType type = TypeOf(node);
    if (type == ScalarType::kString) {
      if (HasTemplate(node.text)) read_.templates[path] = reader_.TextOf(node);
      return json::value(node.text);
    }
    read_.sources[path] = node.text;
    if (type == ScalarType::kNull) return nullptr;
    if (type == ScalarType::kBool) return node.text == "true";
    if (const std::optional<long long> integer = ParseInteger(node.text)) return std::int64_t{*integer};
    const bool decimal = !node.text.starts_with("0x") && !node.text.starts_with("0o");
    const double number = std::strtod(node.text.c_str(), nullptr);
    if (decimal && std::isfinite(number)) return number;
    return Refused(node, "the number is too large");
  }

  json::value Refused(const YamlNode& node, const char* message, const char* hint = "") {
    reader_.Invalid(node, message, prefix_, hint);
    read_.complete = false;
    return nullptr;
  }

  YamlReader& reader_;
  ReadValues& read_;
  std::string prefix_;
};

}  // namespace

json::value ReadValue(const YamlNode& node, const std::string& path, const std::string& field, YamlReader& reader,
                      ReadValues& read) {
  return ValueReader(reader, read, field).Value(node, path);
}

json::object ReadEntries(const YamlNode& map, const std::string& field, YamlReader& reader, ReadValues& read) {
  json::object values;
  for (const YamlEntry& entry : map.entries) {
    const std::string& key = entry.key->text;
    read.complete = true;
    json::value value = ReadValue(*entry.value, key, JoinPath(field, key), reader, read);
    if (read.complete) values[key] = std::move(value);
    read.positions[key] = reader.PositionOf(*entry.key);
  }
  return values;
}

}  // namespace awf
