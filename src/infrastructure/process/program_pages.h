// The pages of the program's file that this process has mapped.
#pragma once

namespace awf {

// Takes the pages of code and constants out of this process's resident set. The kernel keeps them in its cache, and
// each comes back when it is touched. To be called once everything is set up: the start of the program (relocations,
// initialisers of libraries that this process may never use) touches more of the file than the work afterwards.
// Any thread may call it at any time.
void DropProgramPages();

}  // namespace awf
