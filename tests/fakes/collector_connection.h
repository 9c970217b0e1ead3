// One connection of a FakeCollector, served to its end by the thread that calls.
#pragma once

#include <openssl/ssl.h>

#include "tests/fakes/collector_state.h"

namespace awf::fakes {

// Bytes of a socket, in the clear or through TLS. Blocks.
class ByteStream {
 public:
  // `tls` may be null; both are borrowed.
  ByteStream(int socket, SSL* tls) : socket_(socket), tls_(tls) {}
  // Empty at the end, and after an error.
  std::string Read();
  bool Write(std::string_view bytes);

 private:
  int socket_;
  SSL* tls_;
};

void ServeHttp2(ByteStream& stream, CollectorState& state, int connection);
void ServeHttp1(ByteStream& stream, CollectorState& state, int connection);

}  // namespace awf::fakes
