#include "infrastructure/operations/hidden_secret.h"

#include "domain/masker.h"

namespace awf::operations {
namespace {

// Works on std::string and json::string.
template <class Text>
void HideIn(Text& text, std::string_view secret) {
  for (std::size_t at = text.find(secret); at != Text::npos; at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

void HideBelow(json::value& value, std::string_view secret) {
  if (json::string* text = value.if_string()) return HideIn(*text, secret);
  if (json::array* array = value.if_array()) {
    for (json::value& element : *array) HideBelow(element, secret);
  } else if (json::object* object = value.if_object()) {
    for (auto& member : *object) HideBelow(member.value(), secret);
  }
}

}  // namespace

void HideSecret(OperationResult& result, std::string_view secret) {
  if (secret.empty()) return;
  HideIn(result.output, secret);
  HideIn(result.error, secret);
  for (auto& member : result.data) HideBelow(member.value(), secret);
}

std::string WithoutSecret(std::string text, std::string_view secret) {
  if (!secret.empty()) HideIn(text, secret);
  return text;
}

}  // namespace awf::operations
