#include "result_text.h"

#include <variant>

#include "json_text.h"

namespace mcp {
namespace {

// Appends one content block.
struct AppendBlock {
  std::string& out;

  void Optional(std::string_view key, std::string_view text) const {
    if (!text.empty()) AppendMember(out.append(","), key, text);
  }
  void Media(std::string_view type, std::string_view data, std::string_view mime_type) const {
    AppendMember(out.append("{"), "type", type);
    AppendMember(out.append(","), "data", data);
    AppendMember(out.append(","), "mimeType", mime_type);
    out.append("}");
  }

  void operator()(const TextContent& block) const {
    AppendMember(out.append(R"({"type":"text",)"), "text", block.text);
    out.append("}");
  }
  void operator()(const ImageContent& block) const { Media("image", block.data, block.mime_type); }
  void operator()(const AudioContent& block) const { Media("audio", block.data, block.mime_type); }
  void operator()(const EmbeddedResource& block) const {
    AppendMember(out.append(R"({"type":"resource","resource":{)"), "uri", block.uri);
    Optional("mimeType", block.mime_type);
    if (block.blob) {
      AppendMember(out.append(","), "blob", *block.blob);
    } else {
      AppendMember(out.append(","), "text", block.text);
    }
    out.append("}}");
  }
  void operator()(const ResourceLink& block) const {
    AppendMember(out.append(R"({"type":"resource_link",)"), "uri", block.uri);
    AppendMember(out.append(","), "name", block.name);
    Optional("description", block.description);
    Optional("mimeType", block.mime_type);
    out.append("}");
  }
};

std::size_t TextSize(const CallResult& result) {
  std::size_t size = 0;
  for (const Content& block : result.content) {
    if (const auto* text = std::get_if<TextContent>(&block)) size += text->text.size();
  }
  return size;
}

void AppendMeta(std::string& out, const json::object& meta, std::string_view extra) {
  if (meta.empty() && extra.empty()) return;
  std::string own;
  if (!meta.empty()) AppendJson(own, meta);
  const std::string_view members = own.empty() ? std::string_view() : std::string_view(own).substr(1, own.size() - 2);
  out.append(R"(,"_meta":{)").append(members);
  if (!members.empty() && !extra.empty()) out.append(",");
  out.append(extra).append("}");
}

}  // namespace

std::string ResultMembers(const CallResult& result, std::string_view extra_meta) {
  std::string out;
  out.reserve(TextSize(result) * 9 / 8 + 256);  // room for the escapes of ordinary text
  out.append(R"("content":[)");
  for (const Content& block : result.content) {
    if (&block != &result.content.front()) out.push_back(',');
    std::visit(AppendBlock{out}, block);
  }
  out.append(result.is_error ? R"(],"isError":true)" : R"(],"isError":false)");
  AppendMeta(out, result.meta, extra_meta);
  return out;
}

}  // namespace mcp
