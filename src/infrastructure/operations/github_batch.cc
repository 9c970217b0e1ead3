#include "infrastructure/operations/github_batch.h"

#include <array>
#include <exception>
#include <expected>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "domain/parse_json.h"
#include "infrastructure/operations/call_inputs.h"
#include "infrastructure/operations/operation_failure.h"
#include "infrastructure/process/blocked_signals.h"

namespace awf::operations {
namespace {

using Ending = OperationResult::Ending;

constexpr std::array<std::string_view, 3> kStrategies = {"best_effort", "all_succeed", "any_succeed"};
constexpr std::size_t kMostOperations = 100;
constexpr std::int64_t kMostAtOnce = 16, kUsuallyAtOnce = 3;

struct Part {
  std::string name;
  json::object inputs;
  std::optional<OperationResult> result{};  // none: it was not run
};

// {name, inputs}, or {name, number: 1, …}; as text too, as the schema of arrays speaks of strings.
std::expected<Part, std::string> ReadPart(json::value value) {
  if (const json::string* text = value.if_string()) value = ParseJson(*text).value_or(nullptr);
  json::object* object = value.if_object();
  if (object == nullptr) return std::unexpected("is no object with a name");
  Part part{TextOf(value, "name"), {}};
  if (part.name.starts_with("github.")) part.name.erase(0, std::string_view("github.").size());
  if (part.name.empty()) return std::unexpected("has no name");
  object->erase("name");
  if (!object->contains("inputs")) {
    part.inputs = std::move(*object);
    return part;
  }
  json::object* inputs = object->at("inputs").if_object();
  if (inputs == nullptr) return std::unexpected("has inputs that are no object");
  if (object->size() > 1) return std::unexpected("has inputs and others beside them");
  part.inputs = std::move(*inputs);
  return part;
}

std::vector<Part> ReadParts(CallInputs& inputs, const std::function<bool(std::string_view)>& knows) {
  std::vector<Part> parts;
  const json::array* values = inputs.Array("operations", CallInputs::kRequired);
  if (values == nullptr) return parts;
  if (values->empty() || values->size() > kMostOperations) inputs.Fault("operations", "must hold 1 to 100 operations");
  for (const json::value& value : *values) {
    const std::string place = "operations[" + std::to_string(parts.size()) + "]";
    auto part = ReadPart(value);
    if (!part) {
      inputs.Fault(place, part.error());
    } else if (part->name == "batch") {
      inputs.Fault(place, "is a batch, which cannot hold another");
    } else if (!knows(part->name)) {
      inputs.Fault(place, "names no operation of github: '" + part->name + "'");
    }
    if (!inputs.fault().empty()) return parts;
    parts.push_back(std::move(*part));
  }
  return parts;
}

class Batch {
 public:
  Batch(const OperationCall& call, const BatchRunner& run, std::vector<Part> parts, std::string strategy)
      : call_(call), run_(run), parts_(std::move(parts)), strategy_(std::move(strategy)) {}

  OperationResult Run(std::size_t at_once) {
    {
      const process::AllSignalsBlocked blocked;
      std::vector<std::jthread> others;
      try {
        while (others.size() + 1 < std::min(at_once, parts_.size())) others.emplace_back([this] { Work(); });
      } catch (const std::system_error&) {
        // No thread is left for it: then fewer run at the same time.
      }
      Work();
    }
    return Result();
  }

 private:
  void Work() {
    while (Part* part = Next()) {
      const OperationCall call{call_.id,        part->name,        part->inputs,    call_.deadline,
                               call_.cancelled, call_.traceparent, call_.tracestate};
      OperationResult result = Guarded(call);
      const std::lock_guard lock(mutex_);
      stopped_ =
          stopped_ || (strategy_ == "all_succeed" && !result.success) || (strategy_ == "any_succeed" && result.success);
      part->result = std::move(result);
    }
  }

  // What is thrown would end the thread, and awf with it.
  OperationResult Guarded(const OperationCall& call) const {
    try {
      return run_(call);
    } catch (const std::exception& error) {
      return Refused("internal", error.what());
    }
  }

  Part* Next() {
    const std::lock_guard lock(mutex_);
    const bool over = stopped_ || next_ == parts_.size() || call_.cancelled.stop_requested() || Passed(call_.deadline);
    return over ? nullptr : &parts_[next_++];
  }

  static json::object Told(Part& part) {
    json::object told{{"name", part.name}, {"success", part.result && part.result->success}};
    if (!part.result) {
      told["skipped"] = true;
      return told;
    }
    json::object& outputs = part.result->data;
    if (const auto type = outputs.find("error_type"); type != outputs.end()) {
      told["error_type"] = type->value();
      outputs.erase(type);
    }
    if (!part.result->error.empty()) told["error"] = part.result->error;
    told["outputs"] = std::move(outputs);
    return told;
  }

  OperationResult Result() {
    std::size_t succeeded = 0, failed = 0;
    json::array results;
    std::string first_error;
    for (Part& part : parts_) {
      if (part.result) ++(part.result->success ? succeeded : failed);
      if (part.result && !part.result->success && first_error.empty())
        first_error = part.name + ": " + part.result->error;
      results.push_back(Told(part));
    }
    OperationResult result;
    const bool complete = succeeded == parts_.size();
    if (!complete && !stopped_ && call_.cancelled.stop_requested()) {
      result = Cancelled();
    } else if (!complete && !stopped_ && Passed(call_.deadline)) {
      result = OutOfTime();
    } else {
      result.success = strategy_ == "best_effort" || (strategy_ == "all_succeed" ? complete : succeeded > 0);
      if (!result.success) result.error = std::to_string(failed) + " failed; " + first_error;
    }
    result.data = {
        {"total", parts_.size()}, {"succeeded", succeeded}, {"failed", failed}, {"results", std::move(results)}};
    return result;
  }

  const OperationCall& call_;
  const BatchRunner& run_;
  std::mutex mutex_;  // of what follows, while it runs
  std::vector<Part> parts_;
  std::size_t next_ = 0;
  bool stopped_ = false;
  const std::string strategy_;
};

}  // namespace

OperationResult RunBatch(const OperationCall& call, const std::function<bool(std::string_view)>& knows,
                         const BatchRunner& run) {
  CallInputs inputs(call.inputs);
  std::string strategy = inputs.Word("strategy", kStrategies, "best_effort");
  const auto at_once = static_cast<std::size_t>(inputs.Integer("concurrency", 1, kMostAtOnce).value_or(kUsuallyAtOnce));
  std::vector<Part> parts = ReadParts(inputs, knows);
  if (!inputs.fault().empty()) return Refused(kInvalidField, inputs.fault());
  return Batch(call, run, std::move(parts), std::move(strategy)).Run(at_once);
}

}  // namespace awf::operations
