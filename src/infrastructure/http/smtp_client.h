// SendMail: one mail to one SMTP server, over libcurl (curl_library.h), on a connection of its own.
//
// Thread-safe. TLS is verified, but for STARTTLS with a server of this machine. User and password go out only over TLS,
// or to a loopback address. One recipient that is refused ends it: nobody gets the mail then. Cancelling (stop token)
// or a passed deadline ends it within 100 ms; while the server ponders over the mail as a whole or over our goodbye
// it takes up to a second, as libcurl waits there by itself. The proxy of the environment is used, but never for
// loopback addresses.
#pragma once

#include <expected>
#include <stop_token>
#include <string>
#include <vector>

#include "domain/time.h"
#include "infrastructure/http/http_client.h"
#include "infrastructure/http/smtp_url.h"

namespace awf::http {

// Addresses are of ASCII characters without blanks and control characters, and stand without "<>". The caller checks
// that. The message is in the form of RFC 5322, its lines end in CR LF.
struct SmtpRequest {
  SmtpUrl server;
  std::string from;
  std::vector<std::string> to;
  std::string message;
  Deadline deadline;
  std::stop_token cancelled;
};

struct SmtpFailure {
  enum class Kind {
    kLogin,      // user and password were refused
    kRecipient,  // one of them was refused
    kRefused,    // the server refused something else
    kNoTls,      // there is a password and the server offers no STARTTLS; nothing of both was sent
    kTransport,  // `cause` tells
  };
  Kind kind = Kind::kTransport;
  HttpFailure cause;
  std::string reply;  // the last one of the server, may be empty; it may repeat what we sent
};

// The reply to the whole mail, its code included, its lines joined by LF, bytes as they came. At most 64 KiB.
std::expected<std::string, SmtpFailure> SendMail(const SmtpRequest& request);

}  // namespace awf::http
