#include "tool_list.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "json_text.h"
#include "schema_rules.h"

namespace mcp {
namespace {

constexpr std::size_t kMaxDescription = 2048;

void AppendHint(std::string& out, std::string_view name, std::optional<bool> hint) {
  if (!hint) return;
  if (out.back() != '{') out.push_back(',');
  AppendQuoted(out, name);
  out.append(*hint ? ":true" : ":false");
}

std::string ToJson(const Tool& tool) {
  std::string out = "{";
  AppendMember(out, "name", tool.name);
  if (!tool.title.empty()) AppendMember(out.append(","), "title", tool.title);
  if (!tool.description.empty()) AppendMember(out.append(","), "description", tool.description);
  AppendJson(out.append(R"(,"inputSchema":)"), tool.input_schema);
  std::string hints = "{";
  AppendHint(hints, "readOnlyHint", tool.annotations.read_only);
  AppendHint(hints, "destructiveHint", tool.annotations.destructive);
  AppendHint(hints, "idempotentHint", tool.annotations.idempotent);
  AppendHint(hints, "openWorldHint", tool.annotations.open_world);
  if (hints != "{") out.append(R"(,"annotations":)").append(hints).append("}");
  if (!tool.meta.empty()) AppendJson(out.append(R"(,"_meta":)"), tool.meta);
  out.append("}");
  return out;
}

// FNV-1a: the cursor must not be one that belongs to another list, nothing more.
std::uint64_t Hash(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

std::expected<void, Error> ToolList::Add(const Tool& tool) {
  if (auto fault = CheckToolName(tool.name)) return std::unexpected(Error{*fault});
  if (names_.contains(tool.name)) return std::unexpected(Error{"tool name \"" + tool.name + "\" is taken"});
  if (tool.description.size() >= kMaxDescription) {
    return std::unexpected(Error{"tool \"" + tool.name + "\": the description must be under 2048 bytes"});
  }
  if (check_schemas_) {
    if (auto fault = CheckInputSchema(tool.input_schema)) {
      return std::unexpected(Error{"tool \"" + tool.name + "\": " + *fault});
    }
  }
  names_.insert(tool.name);
  tools_.push_back(ToJson(tool));
  return {};
}

std::string ToolList::CursorTo(std::size_t index) const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::string& name : names_) hash = Hash(name, Hash(",", hash));
  const std::string position = std::to_string(index);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, Hash(position, hash), 16).ptr;
  return "p" + position + "-" + std::string(digits, end);
}

ToolList::Page ToolList::PageAt(std::size_t index) const {
  const std::size_t end = tools_.size() - index <= page_size_ ? tools_.size() : index + page_size_;
  Page page{R"("tools":[)", end - index};
  for (std::size_t i = index; i < end; ++i) {
    if (i > index) page.json.push_back(',');
    page.json.append(tools_[i]);
  }
  page.json.push_back(']');
  if (end < tools_.size()) AppendMember(page.json.append(","), "nextCursor", CursorTo(end));
  return page;
}

std::optional<ToolList::Page> ToolList::After(std::string_view cursor) const {
  if (!cursor.starts_with('p')) return std::nullopt;
  std::size_t index = 0;
  std::from_chars(cursor.data() + 1, cursor.data() + cursor.size(), index);
  const bool issued = index > 0 && index < tools_.size() && index % page_size_ == 0 && cursor == CursorTo(index);
  if (!issued) return std::nullopt;
  return PageAt(index);
}

}  // namespace mcp
