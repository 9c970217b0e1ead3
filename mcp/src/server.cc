#include "mcp/server.h"

#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "dispatcher.h"
#include "memory.h"
#include "pool.h"
#include "writer.h"

namespace mcp {

// What exists only while Serve runs.
struct Serving {
  using Clock = std::chrono::steady_clock;

  Serving(Dispatcher& the_dispatcher, const Options& the_options, Transport& the_transport,
          std::function<void(EndReason)> stop)
      : dispatcher(the_dispatcher),
        options(the_options),
        transport(the_transport),
        writer(
            transport, options.max_queued_bytes, [this] { transport.Wake(); },
            [stop = std::move(stop)] { stop(EndReason::kWriteFailed); }),
        pool(
            {options.workers, options.max_waiting, options.max_frame}, [this](PendingCall& call) { Run(call); },
            [this] { transport.Wake(); }) {}

  void Run(PendingCall& call);
  void React(Reaction reaction, std::size_t frame_size);
  void Take(ReadOutcome outcome, std::string& frame);
  bool Paused() const { return writer.Full() || pool.Full(); }
  EndReason ReadUntilEnd(const std::function<std::optional<EndReason>()>& stopped);
  void End(Clock::time_point start);

  Dispatcher& dispatcher;
  const Options& options;
  Transport& transport;
  Clock::time_point hung_up{};  // when the client was found to have ended its side while reading was paused
  Writer writer;
  Pool pool;  // after the writer: its calls write
};

struct Server::State {
  State(const Implementation& self, CallHandler handler, Options the_options)
      : options(std::move(the_options)), dispatcher(self, std::move(handler), options) {}

  std::optional<EndReason> Reason() {
    const std::lock_guard lock(mutex);
    return reason;
  }

  Options options;
  Dispatcher dispatcher;
  std::mutex mutex;
  std::optional<EndReason> reason;
  Transport* transport = nullptr;  // while Serve runs
  bool served = false;
};

// On a worker's thread. Only memory can be missing here: the hook has its own catch-all.
void Serving::Run(PendingCall& call) {
  try {
    if (auto answer = dispatcher.Run(call)) writer.Enqueue(std::move(*answer));
  } catch (const std::exception& error) {
    if (options.log) options.log(std::string("mcp: an answer was lost: ") + error.what());
  }
}

void Serving::React(Reaction reaction, std::size_t frame_size) {
  for (std::string& line : reaction.lines) writer.Enqueue(std::move(line));
  if (reaction.call == nullptr) return;
  reaction.call->set_frame_size(frame_size);
  reaction.call->set_emit([this](std::string line) { writer.Enqueue(std::move(line)); });
  if (pool.Submit(reaction.call)) return;
  if (auto answer = dispatcher.Fail(*reaction.call, "no thread to run the call")) writer.Enqueue(std::move(*answer));
}

// Handles one frame. When the memory does not suffice the frame is refused, and the server goes on.
void Serving::Take(ReadOutcome outcome, std::string& frame) {
  try {
    try {
      React(outcome == ReadOutcome::kFrame ? dispatcher.Handle(frame) : dispatcher.HandleOversized(frame),
            frame.size());
    } catch (const std::bad_alloc&) {
      React(dispatcher.HandleOutOfMemory(frame), 0);
    }
  } catch (const std::exception& error) {
    if (options.log) options.log(std::string("mcp: a frame was lost: ") + error.what());
  }
  const std::size_t size = frame.size();
  std::string().swap(frame);  // an assignment would keep the memory
  ReturnMemoryAfter(size);
}

EndReason Serving::ReadUntilEnd(const std::function<std::optional<EndReason>()>& stopped) {
  std::string frame;
  for (;;) {
    if (const auto reason = stopped()) {
      ReadOutcome received = transport.TakeReceived(frame);
      for (; received == ReadOutcome::kFrame || received == ReadOutcome::kOversized;
           received = transport.TakeReceived(frame)) {
        Take(received, frame);
      }
      return *reason;
    }
    // Of a client that is gone only so much is still read as the end allows.
    if (hung_up != Clock::time_point{} && Clock::now() >= hung_up + kCancelRunningAfter) return EndReason::kEof;
    const bool paused = hung_up == Clock::time_point{} && Paused();
    const ReadOutcome outcome = paused ? transport.WaitForEnd() : transport.ReadFrame(frame);
    switch (outcome) {
      case ReadOutcome::kFrame:
      case ReadOutcome::kOversized:
        Take(outcome, frame);
        break;
      case ReadOutcome::kEof:
        if (!paused) return EndReason::kEof;
        hung_up = Clock::now();  // what is still to be read has an end now
        break;
      case ReadOutcome::kWriteDead:
        return EndReason::kWriteFailed;
      case ReadOutcome::kWoken:
        break;
    }
  }
}

void Serving::End(Clock::time_point start) {
  for (std::string& line : dispatcher.End()) writer.Enqueue(std::move(line));
  const auto call_if = [](const std::function<void()>& callback) {
    if (callback) callback();
  };
  if (!pool.WaitIdle(start + kCancelRunningAfter)) {
    dispatcher.CancelAll();
    call_if(options.on_cancel_running);
    pool.AddHelper();
    if (!pool.WaitIdle(start + kKillRunningAfter)) {
      call_if(options.on_kill_running);
      if (!pool.WaitIdle(start + kOverdueAfter)) {
        call_if(options.on_overdue);
        pool.WaitIdle(std::nullopt);
      }
    }
  }
  writer.Drain(start + kOverdueAfter);
}

Server::Server(const Implementation& self, CallHandler handler, Options options)
    : state_(std::make_unique<State>(self, std::move(handler), std::move(options))) {}

Server::~Server() = default;

std::expected<void, Error> Server::Register(const Tool& tool) { return state_->dispatcher.Register(tool); }

std::expected<EndReason, Error> Server::Serve(Transport& transport) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    if (std::exchange(state.served, true)) return std::unexpected(Error{"a server serves only once"});
    state.transport = &transport;
  }
  std::expected<EndReason, Error> result;
  try {
    Serving serving(state.dispatcher, state.options, transport, [this](EndReason reason) { Stop(reason); });
    result = serving.ReadUntilEnd([&] { return state.Reason(); });
    const bool hung_up = serving.hung_up != Serving::Clock::time_point{};
    serving.End(hung_up ? serving.hung_up : Serving::Clock::now());
  } catch (const std::exception& error) {
    result = std::unexpected(Error{std::string("cannot serve: ") + error.what()});
  }
  const std::lock_guard lock(state.mutex);
  state.transport = nullptr;
  return result;
}

void Server::Stop(EndReason reason) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->reason) state_->reason = reason;
  if (state_->transport != nullptr) state_->transport->Wake();
}

}  // namespace mcp
