// notify.send_email: one mail of plain text through an SMTP server.
//
// The URL of the server holds a password, so it appears in no result, and where the configuration gives it no call may
// bring another. Thread-safe.
#pragma once

#include "domain/operation.h"
#include "infrastructure/operations/builtin_operations.h"

namespace awf::operations {

Operation DeclareSendEmail(const NotifySettings& settings);
OperationResult SendEmail(const BuiltinOperationSettings& settings, const OperationCall& call);

}  // namespace awf::operations
