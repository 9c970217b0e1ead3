// MailMessage: a mail of plain text as it travels (RFC 5322, MIME). Pure, thread-safe.
//
// Whatever the texts hold, every line has at most 76 characters or is one address, all bytes are ASCII, and no text
// becomes a header of its own: a subject that is not plain is written as encoded words (RFC 2047), the text as base64.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/time.h"

namespace awf::operations {

struct Mail {
  std::string from;             // IsMailAddress, like each of `to`
  std::vector<std::string> to;  // at least one
  std::string subject, text;    // any UTF-8
  WallClock::time_point date;
  std::string id;  // letters and digits, of no other mail
};

// Lines end in CR LF, those of the text too.
std::string MailMessage(const Mail& mail);

// name@example.org, in ASCII: no display name, no quotes, no comments. Not whether the address exists.
bool IsMailAddress(std::string_view text);

}  // namespace awf::operations
