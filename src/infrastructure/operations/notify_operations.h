// notify.send, send_webhook, send_slack: tells people of something, as operations.
//
// Desktop: the program notify-send. Webhooks: one POST, no redirects. Their URLs are secrets: they appear in no result,
// and where the configuration gives one, no call may bring another.
#pragma once

#include <memory>

#include "domain/operation.h"
#include "infrastructure/operations/builtin_operations.h"

namespace awf::operations {

std::shared_ptr<OperationProvider> MakeNotifyOperations(const BuiltinOperationSettings& settings);

}  // namespace awf::operations
