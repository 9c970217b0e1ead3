// The Regex port on RE2: linear time, no look-around, no back-references.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "domain/regex.h"

namespace awf {

// Thread-safe; has no state.
class Re2Compiler final : public RegexCompiler {
 public:
  std::expected<std::unique_ptr<Regex>, RegexFault> Compile(std::string_view pattern,
                                                            const RegexOptions& options) const override;
  std::string Quote(std::string_view text) const override;
};

}  // namespace awf
