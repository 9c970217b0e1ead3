#include "domain/exact_json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>

namespace awf {
namespace {

// Builds the value. The text is parsed in one piece, so every literal comes whole.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  bool on_document_begin(json::error_code& /*ec*/) {
    stack_.reset();
    return true;
  }
  bool on_document_end(json::error_code& /*ec*/) { return true; }
  bool on_object_begin(json::error_code& /*ec*/) { return true; }
  bool on_object_end(std::size_t size, json::error_code& /*ec*/) {
    stack_.push_object(size);
    return true;
  }
  bool on_array_begin(json::error_code& /*ec*/) { return true; }
  bool on_array_end(std::size_t size, json::error_code& /*ec*/) {
    stack_.push_array(size);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t /*total*/, json::error_code& /*ec*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t /*total*/, json::error_code& /*ec*/) {
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t /*total*/, json::error_code& /*ec*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t /*total*/, json::error_code& /*ec*/) {
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }
  bool on_int64(std::int64_t value, json::string_view /*literal*/, json::error_code& /*ec*/) {
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, json::string_view /*literal*/, json::error_code& /*ec*/) {
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double value, json::string_view literal, json::error_code& ec) {
    std::from_chars(literal.data(), literal.data() + literal.size(), value);
    if (!std::isfinite(value)) {
      out_of_range_ = true;
      ec = json::error::syntax;
      return false;
    }
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, json::error_code& /*ec*/) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(json::error_code& /*ec*/) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }
  bool on_comment(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }

  json::value Release() { return stack_.release(); }
  bool out_of_range() const { return out_of_range_; }

 private:
  json::value_stack stack_;
  bool out_of_range_ = false;
};

}  // namespace

std::expected<json::value, JsonFault> ParseExactJson(std::string_view text, ExactJsonOptions options) {
  json::parse_options of_parser;
  of_parser.max_depth = options.max_nesting;
  of_parser.allow_invalid_utf8 = options.any_bytes;
  json::basic_parser<Builder> parser(of_parser);
  json::error_code fault;
  const std::size_t taken = parser.write_some(false, text.data(), text.size(), fault);
  if (!fault && taken < text.size()) fault = json::error::extra_data;
  if (!fault) return parser.handler().Release();
  if (parser.handler().out_of_range()) return std::unexpected(JsonFault{"number out of range", taken});
  if (fault == json::error::too_deep) return std::unexpected(JsonFault{"nested too deeply", taken});
  return std::unexpected(JsonFault{fault.message(), taken});
}

}  // namespace awf
