// Any text as a template: parsing and rendering must end, with a text or with a fault inside the template.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "application/language/template.h"
#include "application/language/template_evaluator.h"
#include "domain/utf8.h"

namespace {

const awf::Scope& Values() {
  static const awf::Scope scope = [] {
    awf::Scope made;
    made.Set(
        "inputs",
        awf::json::parse(R"({"a":"x, y","n":3,"e":"","l":[1,"b",null],"o":{"k":2.5,"j":[]},"t":true})").as_object());
    made.states["s"] = std::make_shared<const awf::json::object>(
        awf::json::parse(R"({"Output":"o","Response":{"k":[1,2.5]}})").as_object());
    made.environment = [](const std::string& name) -> std::optional<std::string> {
      return name == "H" ? std::optional<std::string>("/h") : std::nullopt;
    };
    return made;
  }();
  return scope;
}

void CheckFault(const awf::TemplateFault& fault, std::size_t size) {
  if (fault.offset > size || fault.message.empty() || fault.code.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = awf::Template::Parse(text);
  if (!parsed) {
    CheckFault(parsed.error(), size);
    return 0;
  }
  // Fewer steps than in earnest, so that many inputs get their turn.
  constexpr std::int64_t kMaxSteps = 20'000;
  const auto rendered = awf::TemplateEvaluator(Values(), kMaxSteps).Render(parsed->nodes());
  if (!rendered) CheckFault(rendered.error(), size);
  // Nothing but the template itself may bring bytes that are no text.
  if (rendered && awf::IsValidUtf8(text) && !awf::IsValidUtf8(*rendered)) std::abort();
  return 0;
}
