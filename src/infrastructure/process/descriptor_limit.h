// RaisedDescriptorLimit: as many file descriptors for this process as it may have, for as long as the object lives.
//
// A command that runs takes four of awf's descriptors, so the usual soft limit of 1024 would end a parallel state of
// some hundreds. Programs are not to notice: those that a keeper starts have the limit that was in force before, since
// some of them walk over all descriptors that they could have. One object at a time; not thread-safe but for
// GiveUsersDescriptorLimit.
#pragma once

#include <sys/types.h>

#include <string>

namespace awf::process {

class RaisedDescriptorLimit {
 public:
  RaisedDescriptorLimit();
  RaisedDescriptorLimit(const RaisedDescriptorLimit&) = delete;
  RaisedDescriptorLimit& operator=(const RaisedDescriptorLimit&) = delete;
  ~RaisedDescriptorLimit();
};

// To a child that has not begun its work. Does nothing while no limit is raised.
void GiveUsersDescriptorLimit(pid_t child);

// What to do when `error_number` says that there are no more descriptors; empty for every other.
std::string DescriptorHint(int error_number);

}  // namespace awf::process
