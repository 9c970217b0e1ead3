// A regular file as somebody left it: enough to tell later whether anybody has changed it since.
#pragma once

#include <compare>
#include <cstdint>

namespace awf {

struct WrittenFile {
  std::int64_t device = 0, inode = 0;
  std::int64_t changed_ns = 0;  // st_ctim, since 1970
  friend auto operator<=>(const WrittenFile&, const WrittenFile&) = default;
};

}  // namespace awf
