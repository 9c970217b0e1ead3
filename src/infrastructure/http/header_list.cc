#include "infrastructure/http/header_list.h"

#include <algorithm>
#include <string_view>

#include "domain/trimmed.h"

namespace awf::http {
namespace {

// As RFC 9110 has it.
bool IsToken(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kMarks.contains(c);
  });
}

bool HasControl(std::string_view value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

}  // namespace

void HeaderList::Append(const std::string& line) {
  curl_slist* longer = curl_->slist_append(list_.get(), line.c_str());
  if (longer == nullptr) return;  // out of memory
  // Unless the list was empty it is the same one, with an element more.
  curl_slist* former = list_.release();
  list_.reset(former != nullptr ? former : longer);
}

bool HeaderList::Add(const std::string& name, const std::string& value) {
  if (!IsToken(name) || HasControl(value)) return false;
  // To libcurl "name:" means no such header, and "name;" one without a value.
  Append(Trimmed(value).empty() ? name + ";" : name + ": " + value);
  return true;
}

std::expected<HeaderList, std::string> HeaderList::Of(const CurlLibrary& curl, const HttpRequest& request) {
  HeaderList list(curl);
  list.Without("Expect");  // no round trip for 100-continue
  if (request.content_type.empty()) {
    list.Without("Content-Type");
  } else if (!list.Add("Content-Type", request.content_type)) {
    return std::unexpected("the content type has a control character");
  }
  if (request.accept.empty()) {
    list.Without("Accept");
  } else if (!list.Add("Accept", request.accept)) {
    return std::unexpected("the Accept header has a control character");
  }
  if (!request.bearer_token.empty() && !list.Add("Authorization", "Bearer " + request.bearer_token)) {
    return std::unexpected("the key has a control character, maybe a line feed at its end");
  }
  for (const HttpHeader& header : request.headers) {
    if (list.Add(header.name, header.value)) continue;
    if (!IsToken(header.name)) return std::unexpected("a header has a name that HTTP does not allow");
    return std::unexpected("the value of header " + header.name + " has a control character");
  }
  return list;
}

}  // namespace awf::http
