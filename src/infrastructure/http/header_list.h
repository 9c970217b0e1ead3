// HeaderList: the headers of a request as libcurl takes them. Belongs to one thread.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "infrastructure/http/curl_library.h"
#include "infrastructure/http/http_client.h"

namespace awf::http {

class HeaderList {
 public:
  // Says which header is malformed; never its value.
  static std::expected<HeaderList, std::string> Of(const CurlLibrary& curl, const HttpRequest& request);

  curl_slist* get() const { return list_.get(); }

 private:
  explicit HeaderList(const CurlLibrary& curl) : curl_(&curl), list_(nullptr, curl.slist_free_all) {}

  // False when the name is no token or the value has a control character.
  bool Add(const std::string& name, const std::string& value);
  // libcurl's own header of that name is left out.
  void Without(const std::string& name) { Append(name + ":"); }
  void Append(const std::string& line);

  const CurlLibrary* curl_;
  std::unique_ptr<curl_slist, decltype(CurlLibrary::slist_free_all)> list_;
};

}  // namespace awf::http
