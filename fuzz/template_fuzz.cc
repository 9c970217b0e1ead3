// Any text as a template: parsing and rendering must end, with a text or with a fault inside the template.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "application/template.h"

namespace {

const awf::json::object& Scope() {
  static const awf::json::object scope =
      awf::json::parse(R"({"inputs":{"a":"x, y","n":3,"e":""},"states":{"s":{"Output":"o","Response":{"k":[1,2.5]}}}})")
          .as_object();
  return scope;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = awf::Template::Parse(text);
  if (!parsed) {
    if (parsed.error().offset > size || parsed.error().message.empty()) std::abort();
    return 0;
  }
  const auto rendered = parsed->Render(Scope());
  if (!rendered && (rendered.error().offset > size || rendered.error().message.empty())) std::abort();
  const auto is_text = [](const awf::TemplateNode& node) { return std::holds_alternative<awf::TextNode>(node); };
  if (std::ranges::all_of(parsed->nodes(), is_text) && !rendered) std::abort();
  return 0;
}
