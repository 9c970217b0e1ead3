// ModelServer: serves a ScriptedModel over HTTP on 127.0.0.1, on a port that the system chooses.
//
// One thread of its own serves all connections; Start returns when the port is bound, the destructor closes everything
// and joins. Any method is served. Records every request whose body is empty or valid JSON, and counts the others,
// which are answered with 400. Bodies are limited to 64 MiB.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "domain/error.h"
#include "infrastructure/model_server/scripted_model.h"

namespace awf::model_server {

class ModelServer {
 public:
  static std::expected<std::unique_ptr<ModelServer>, Error> Start(std::unique_ptr<ScriptedModel> model);
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;
  ~ModelServer();

  const std::string& origin() const;           // "http://127.0.0.1:PORT"
  const std::string& base_url() const;         // "http://127.0.0.1:PORT/v1"
  std::vector<ModelRequest> requests() const;  // in the order of arrival; thread-safe
  int unreadable() const;                      // requests that are not among them; thread-safe

 private:
  struct State;
  explicit ModelServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace awf::model_server
