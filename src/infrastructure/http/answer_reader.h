// AnswerReader: puts one answer together from the lines and pieces that libcurl hands over. Belongs to one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "infrastructure/http/http_client.h"

namespace awf::http {

class AnswerReader {
 public:
  enum class Fault { kNone, kTooLarge, kCut, kHeadersTooLarge, kUnwanted };

  // Bytes of headers and trailers, of all answers of a request together.
  static constexpr std::size_t kLongestLines = std::size_t{256} << 10;

  // With `cut` the body above the limit is left out (kCut), else it is a fault (kTooLarge). `on_data` is that of
  // HttpRequest, and outlives the reader.
  AnswerReader(std::size_t limit, bool cut, const std::function<bool(std::string_view)>& on_data)
      : limit_(limit), cut_(cut), on_data_(on_data) {}

  // False ends the transfer; fault() says why.
  bool Line(std::string_view line);    // of status, header or trailer
  bool Piece(std::string_view bytes);  // of the body

  Fault fault() const { return fault_; }
  // Without retry_after, which libcurl works out.
  HttpResponse Take() { return std::move(response_); }

 private:
  enum class Part { kStatus, kHeaders, kTrailers };

  bool Stop(Fault fault);

  const std::size_t limit_;
  const bool cut_;
  const std::function<bool(std::string_view)>& on_data_;
  HttpResponse response_;
  std::size_t body_bytes_ = 0, line_bytes_ = 0;
  Part part_ = Part::kStatus;
  Fault fault_ = Fault::kNone;
};

}  // namespace awf::http
