// The one-time certificate by which a host knows that it talks to the process that it started.
#pragma once

#include <expected>
#include <string>

namespace awf::sdk {

struct Certificate {
  std::string pem;
  std::string key_pem;  // never leaves memory
  std::string base64;   // of the DER form, without padding: the field of the handshake
};

// A new key on P-256 and a self-signed certificate for "localhost". The error is a clause.
std::expected<Certificate, std::string> MakeCertificate();

}  // namespace awf::sdk
