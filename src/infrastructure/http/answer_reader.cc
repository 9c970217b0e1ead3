#include "infrastructure/http/answer_reader.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "domain/trimmed.h"

namespace awf::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// "HTTP/1.1 200 OK", "HTTP/2 200"
long StatusOf(std::string_view line) {
  long status = 0;
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line = Trimmed(line);
  std::from_chars(line.data(), line.data() + line.size(), status);
  return status;
}

}  // namespace

bool AnswerReader::Stop(Fault fault) {
  fault_ = fault;
  return false;
}

bool AnswerReader::Line(std::string_view line) {
  line_bytes_ += line.size();
  if (line_bytes_ > kLongestLines) return Stop(Fault::kHeadersTooLarge);
  // An interim answer or a redirect has another answer behind it, which begins anew.
  if (part_ != Part::kHeaders && line.starts_with("HTTP/")) {
    response_ = {};
    response_.status = StatusOf(line);
    part_ = Part::kHeaders;
    return true;
  }
  if (Trimmed(line).empty()) {
    if (part_ == Part::kHeaders) part_ = Part::kTrailers;
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.front() == ' ' || line.front() == '\t') return true;
  HttpHeader header{std::string(line.substr(0, colon)), std::string(Trimmed(line.substr(colon + 1)))};
  for (char& c : header.name) c = Lower(c);
  (part_ == Part::kTrailers ? response_.trailers : response_.headers).push_back(std::move(header));
  return true;
}

bool AnswerReader::Piece(std::string_view bytes) {
  if (bytes.size() > limit_ - body_bytes_) {
    if (!cut_) return Stop(Fault::kTooLarge);
    response_.body.append(bytes.substr(0, limit_ - body_bytes_));
    return Stop(Fault::kCut);
  }
  body_bytes_ += bytes.size();
  if (on_data_ && response_.status >= 200 && response_.status <= 299) {
    return on_data_(bytes) || Stop(Fault::kUnwanted);
  }
  response_.body.append(bytes);
  return true;
}

}  // namespace awf::http
