// StrictReader: the members of an object of a configuration file in which nothing is optional.
//
// The first fault is kept in `fault`, with the position of the member that is at fault; what could not be read is empty
// then. Refers to everything that it is made of. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/time.h"

namespace awf {

class StrictReader {
 public:
  // `object` was parsed from `text` and stands at `path` in it; `file` is only named in errors.
  StrictReader(const json::object& object, std::string_view text, const std::string& file,
               std::vector<std::string> path, std::optional<Error>& fault)
      : object_(object), text_(text), file_(file), path_(std::move(path)), fault_(fault) {}

  std::string Text(const char* key);
  bool Bool(const char* key);
  std::int64_t Number(const char* key);  // 0 or more
  Deadline Time(const char* key);        // milliseconds of the monotonic clock, or null
  std::vector<std::string> TextList(const char* key);
  std::vector<std::filesystem::path> PathList(const char* key);
  StrictReader Object(const char* key);
  std::vector<StrictReader> Objects(const char* key);  // of a list
  json::object AnyObject(const char* key);             // as it is

  // The value of the key, which was read, is none that is taken.
  void Wrong(const char* key, std::string_view wanted);
  // To be called last: what was not asked for does not exist.
  void RefuseOthers();

 private:
  const json::value* Take(const char* key);
  std::vector<std::string> PathTo(const std::string& key) const;
  std::string Dotted(const std::string& key) const;
  void Report(const std::string& key, std::string message, std::string hint);

  const json::object& object_;
  std::string_view text_;
  const std::string& file_;
  std::vector<std::string> path_;
  std::optional<Error>& fault_;
  std::vector<std::string> known_;
};

}  // namespace awf
