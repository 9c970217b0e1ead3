#include "infrastructure/http/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace awf::http {

std::expected<CurlLibrary, Error> CurlLibrary::Load(const char* file_name) {
  const auto unavailable = [](const std::string& why) {
    return Fail(
        "EXECUTION.AGENT.FAILED",
        "libcurl (package libcurl4 or libcurl4t64), which HTTP needs, could not be loaded: " + why,
        "Install the package libcurl4 (apt-get install libcurl4; libcurl4t64 from Debian 13 and Ubuntu 24.04 on).");
  };
  void* library = ::dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return unavailable(why != nullptr ? why : file_name);
  }
  CurlLibrary curl;
  std::string missing;
  const auto bind = [&](auto& pointer, const char* name) {
    void* symbol = ::dlsym(library, name);
    if (symbol == nullptr && missing.empty()) missing = name;
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(symbol);
  };
  bind(curl.global_init, "curl_global_init");
  bind(curl.easy_init, "curl_easy_init");
  bind(curl.easy_cleanup, "curl_easy_cleanup");
  bind(curl.easy_reset, "curl_easy_reset");
  bind(curl.easy_setopt, "curl_easy_setopt");
  bind(curl.easy_getinfo, "curl_easy_getinfo");
  bind(curl.easy_strerror, "curl_easy_strerror");
  bind(curl.multi_init, "curl_multi_init");
  bind(curl.multi_cleanup, "curl_multi_cleanup");
  bind(curl.multi_add_handle, "curl_multi_add_handle");
  bind(curl.multi_remove_handle, "curl_multi_remove_handle");
  bind(curl.multi_perform, "curl_multi_perform");
  bind(curl.multi_poll, "curl_multi_poll");
  bind(curl.multi_wakeup, "curl_multi_wakeup");
  bind(curl.multi_info_read, "curl_multi_info_read");
  bind(curl.slist_append, "curl_slist_append");
  bind(curl.slist_free_all, "curl_slist_free_all");
  bind(curl.url, "curl_url");
  bind(curl.url_cleanup, "curl_url_cleanup");
  bind(curl.url_set, "curl_url_set");
  bind(curl.url_get, "curl_url_get");
  bind(curl.free, "curl_free");
  decltype(&curl_version_info) version_info = nullptr;
  bind(version_info, "curl_version_info");
  if (!missing.empty()) {
    ::dlclose(library);
    return unavailable("it has no function " + missing + "; version 7.68 or newer is needed");
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return unavailable("curl_global_init failed");
  const curl_version_info_data& version = *version_info(CURLVERSION_NOW);
  constexpr unsigned kMinor = 8;  // bits of the patch number
  curl.http2 = (version.features & CURL_VERSION_HTTP2) != 0;
  curl.reuses_plain_http2 = version.version_num >> kMinor != 0x0758U;
  return curl;
}

std::expected<const CurlLibrary*, Error> CurlLibrary::Get() {
  static const std::expected<CurlLibrary, Error> library = Load("libcurl.so.4");
  if (!library) return std::unexpected(library.error());
  return &*library;
}

}  // namespace awf::http
