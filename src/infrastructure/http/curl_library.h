// CurlLibrary: libcurl, loaded with dlopen when it is first needed.
//
// Linking it would cost every start of awf milliseconds and some thirty shared libraries, for a thing that few runs
// use. The headers give types and constants only. Loaded once per process, never unloaded (its TLS library registers
// exit handlers); the functions behind the pointers are thread-safe as long as each handle stays on one thread.
#pragma once

#include <curl/curl.h>

#include <expected>

#include "domain/error.h"

namespace awf::http {

struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_url) url = nullptr;
  decltype(&curl_url_cleanup) url_cleanup = nullptr;
  decltype(&curl_url_set) url_set = nullptr;
  decltype(&curl_url_get) url_get = nullptr;
  decltype(&curl_free) free = nullptr;
  bool http2 = false;  // built with it
  // False of 7.88: its second request over one HTTP/2 connection without TLS fails in the framing layer.
  bool reuses_plain_http2 = true;

  // The process's one copy of "libcurl.so.4", or an error that names the package to install.
  static std::expected<const CurlLibrary*, Error> Get();
  // A library under another file name, loaded anew with every call.
  static std::expected<CurlLibrary, Error> Load(const char* file_name);
};

}  // namespace awf::http
