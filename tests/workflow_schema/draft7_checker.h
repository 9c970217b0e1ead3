// Draft7Checker: JSON Schema draft 7, the keywords that `awf schema` uses; a keyword that it does not know is an error,
// so that the schema cannot grow past it unnoticed. Independent of the product's own checker of tool arguments.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

namespace awf {

class Draft7Checker {
 public:
  explicit Draft7Checker(boost::json::value schema) : root_(std::move(schema)) {}

  // What is wrong, a line each ("/states/x: missing key 'type'"); empty when the value is valid.
  std::vector<std::string> Check(const boost::json::value& value) const;

 private:
  using Faults = std::vector<std::string>;
  Faults Against(const boost::json::value& schema, const boost::json::value& value, const std::string& path) const;
  void Combined(const boost::json::object& schema, const boost::json::value& value, const std::string& path,
                Faults& faults) const;
  void Object(const boost::json::object& schema, const boost::json::object& value, const std::string& path,
              Faults& faults) const;
  void Array(const boost::json::object& schema, const boost::json::array& value, const std::string& path,
             Faults& faults) const;
  static void Scalar(const boost::json::object& schema, const boost::json::value& value, const std::string& path,
                     Faults& faults);
  const boost::json::value& Resolve(const boost::json::value& schema) const;

  boost::json::value root_;
};

}  // namespace awf
