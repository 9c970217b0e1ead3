#include "application/running/rendered_json.h"

#include <cstddef>
#include <utility>

namespace awf {

std::expected<json::value, Error> RenderedJson(const json::value& value,
                                               const std::map<std::string, TemplateText>& templates,
                                               const std::string& path, const RenderedText& render) {
  if (value.is_string()) {
    const auto text = templates.find(path);
    return text == templates.end() ? value : render(text->second, path);
  }
  if (value.is_array()) {
    json::array list;
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
      auto item = RenderedJson(value.get_array()[i], templates, path + "[" + std::to_string(i) + "]", render);
      if (!item) return item;
      list.push_back(std::move(*item));
    }
    return list;
  }
  if (value.is_object()) {
    json::object map;
    for (const auto& [key, inner] : value.get_object()) {
      auto item = RenderedJson(inner, templates, path + "." + std::string(key), render);
      if (!item) return item;
      map[key] = std::move(*item);
    }
    return map;
  }
  return value;
}

}  // namespace awf
