// Did-you-mean for findings, as long as it stays cheap: a file full of wrong names would otherwise take minutes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace awf {

class NameHints {
 public:
  // "did you mean 'x'?", or "" when nothing comes near or the comparisons are used up.
  std::string For(std::string_view wanted, std::span<const std::string> candidates);
  std::string For(std::string_view wanted, std::span<const std::string_view> candidates);

 private:
  std::size_t comparisons_left_ = 200'000;  // some 0.3 s
};

}  // namespace awf
