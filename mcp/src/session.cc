#include "mcp/session.h"

#include <utility>

#include "dispatcher.h"

namespace mcp {

struct Session::State {
  State(const Implementation& self, CallHandler handler, Options options)
      : dispatcher(self, std::move(handler), std::move(options)) {}

  Dispatcher dispatcher;
};

Session::Session(const Implementation& self, CallHandler handler, Options options)
    : state_(std::make_unique<State>(self, std::move(handler), std::move(options))) {}

Session::~Session() = default;

std::expected<void, Error> Session::Register(const Tool& tool) { return state_->dispatcher.Register(tool); }

std::vector<std::string> Session::Feed(std::string_view frame) {
  Reaction reaction = state_->dispatcher.Handle(frame);
  if (reaction.call != nullptr) {
    reaction.call->set_emit([&](std::string line) { reaction.lines.push_back(std::move(line)); });
    if (auto answer = state_->dispatcher.Run(*reaction.call)) reaction.lines.push_back(std::move(*answer));
  }
  return std::move(reaction.lines);
}

std::vector<std::string> Session::End() { return state_->dispatcher.End(); }

}  // namespace mcp
