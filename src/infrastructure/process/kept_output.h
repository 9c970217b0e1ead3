// KeptOutput: what a command prints on one stream, decoded and bounded.
//
// Bytes come in pieces as they are read; each Take returns what of them can be shown now. Head and tail halves of
// `max_bytes` are kept. With kUtf8 and kLatin1 the limit is one of the decoded text; with kBase64 it is one of the
// bytes, which are encoded at the end, head and tail each for itself. Passive object for one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "domain/workflow.h"
#include "infrastructure/process/text_stream.h"

namespace awf::process {

class KeptOutput {
 public:
  KeptOutput(CaptureEncoding encoding, std::size_t max_bytes);

  // Returns valid UTF-8 to show; of kBase64 the bytes as if they were UTF-8, repaired.
  std::string Take(std::string_view bytes);
  // The rest to show, at the end.
  std::string Finish();

  // What was kept, after Finish. Where something was dropped stands a line that counts it: characters of kLatin1 (one a
  // byte), else bytes.
  std::string Text() const;
  // The end of what was kept as readable text, some KiB.
  std::string LastWords() const;

 private:
  std::string Shown(std::string_view kept) const;

  CaptureEncoding encoding_;
  Utf8Stream stream_;
  HeadTail kept_;
};

}  // namespace awf::process
