// SchemaView: one place of a JSON Schema as its keywords say together: its own, those of what it refers to, and those
// of the members of allOf. The first one that says something wins. Nothing is copied: the schema outlives the view.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf {

// How far a place is from the root, and what has been spent; both are bounded, as schemas come from anywhere.
struct SchemaDepth {
  std::size_t levels = 0;      // of nesting
  std::size_t references = 0;  // on the way here; one that leads to itself never ends
};

// Counts what is visited: references may make a small schema endlessly large.
class SchemaBudget {
 public:
  // False once it is used up.
  bool Take(std::size_t parts = 1) {
    const bool enough = parts <= left_;
    left_ = enough ? left_ - parts : 0;
    return enough;
  }

 private:
  std::size_t left_ = 10'000;
};

class SchemaView {
 public:
  // Of `schema`, which is `root` or a part of it. Booleans and references to them say nothing. The error tells what is
  // wrong at that place: no schema, a reference out of the schema or to nothing, or too many of them.
  static std::expected<SchemaView, std::string> Of(const json::value& schema, const json::object& root,
                                                   SchemaDepth depth, SchemaBudget& budget);

  // The keyword's first value, or null.
  const json::value* Find(std::string_view keyword) const;
  const std::vector<const json::object*>& layers() const { return layers_; }
  // For what stands below.
  SchemaDepth depth() const { return depth_; }
  // `false`, or a reference to it: nothing is allowed here.
  bool forbids_all() const { return forbids_all_; }

  // What stands in `other` is said here too.
  void Join(const SchemaView& other);

 private:
  std::expected<void, std::string> Collect(const json::value& schema, const json::object& root, SchemaDepth depth,
                                           SchemaBudget& budget);
  std::expected<void, std::string> CollectObject(const json::object& object, const json::object& root,
                                                 SchemaDepth depth, SchemaBudget& budget);
  std::expected<void, std::string> CollectReferred(const json::value& reference, const json::object& root,
                                                   SchemaDepth depth, SchemaBudget& budget);

  std::vector<const json::object*> layers_;
  SchemaDepth depth_;
  bool forbids_all_ = false;
};

}  // namespace awf
