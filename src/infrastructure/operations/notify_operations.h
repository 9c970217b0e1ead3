// notify.send, send_webhook, send_slack, send_email: tells people of something, as operations.
//
// Desktop: the program notify-send. Webhooks: one POST, no redirects. Their URLs are secrets: they appear in no result,
// and where the configuration gives one, no call may bring another. Mails: send_email.h.
#pragma once

#include <memory>

#include "domain/operation.h"
#include "infrastructure/operations/builtin_operations.h"

namespace awf::operations {

std::shared_ptr<OperationProvider> MakeNotifyOperations(const BuiltinOperationSettings& settings);

}  // namespace awf::operations
