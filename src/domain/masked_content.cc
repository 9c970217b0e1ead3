#include "domain/masked_content.h"

#include <string_view>
#include <utility>

#include "domain/parse_json.h"
#include "domain/utf8.h"

namespace awf {
namespace {

std::string Shortened(std::string text, std::size_t limit) {
  text.resize(Utf8Prefix(text, limit).size());
  return text;
}

}  // namespace

json::value MaskArguments(const Masker& masker, const json::value& arguments) { return masker.MaskJson(arguments); }

std::string MaskedArguments(const Masker& masker, const CallRecord& call, std::size_t limit) {
  const auto arguments = ParseJson(call.arguments);
  if (!arguments) return Shortened(masker.MaskText(call.arguments), limit);
  return Shortened(json::serialize(MaskArguments(masker, *arguments)), limit);
}

std::string MaskedResult(const Masker& masker, const CallEnd& end, std::size_t limit) {
  return Shortened(masker.MaskText(end.result), limit);
}

}  // namespace awf
