// One-time certificates for the mutual TLS between awf and a plugin.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "infrastructure/plugins/plugin_transport.h"

namespace awf::plugins {

// A new key on P-256 and a self-signed certificate: CN and SAN "localhost", CA, key usage digitalSignature,
// keyEncipherment, keyAgreement and keyCertSign, extended usage client and server, valid from 30 s ago for 10 years.
// The error is OpenSSL's.
std::expected<Identity, std::string> MakeIdentity();

// A handshake's certificate field, base64 without padding of the DER form, as PEM. The error is a clause.
std::expected<std::string, std::string> PemOfHandshake(std::string_view base64);

}  // namespace awf::plugins
