#include "infrastructure/otlp/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace awf::otlp {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;  // zlib's way to say gzip, not its own format

// zlib counts in unsigned int.
bool TooLong(std::string_view bytes) { return bytes.size() > std::numeric_limits<uInt>::max(); }

void SetInput(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(bytes.size());
}

void SetOutput(z_stream& stream, char* to, std::size_t room) {
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(room);
}

}  // namespace

std::optional<std::string> Gzip(std::string_view bytes) {
  constexpr int kMemoryLevel = 8;  // zlib's default
  z_stream stream{};
  if (TooLong(bytes)) return std::nullopt;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  SetInput(stream, bytes);
  SetOutput(stream, out.data(), out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

std::optional<std::string> Gunzip(std::string_view bytes, std::size_t limit) {
  z_stream stream{};
  if (TooLong(bytes) || inflateInit2(&stream, kGzipWindow) != Z_OK) return std::nullopt;
  SetInput(stream, bytes);
  std::string out;
  char piece[4096];
  int result = Z_OK;
  while (result == Z_OK && out.size() <= limit) {
    SetOutput(stream, piece, sizeof piece);
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END || out.size() > limit) return std::nullopt;
  return out;
}

}  // namespace awf::otlp
