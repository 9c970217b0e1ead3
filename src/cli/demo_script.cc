#include "cli/demo_script.h"

namespace awf::cli {

std::vector<model_server::ScriptedTurn> DemoScript() {
  constexpr char kTest[] = "sh test/run.sh";
  return {
      {"First I run the test to see what fails.", {{"Bash", {{"command", kTest}, {"description", "Run the test"}}}}},
      {"Ten breads get no discount. I look for where it is decided.",
       {{"Grep", {{"pattern", "discount"}, {"path", "."}}}, {"Glob", {{"pattern", "lib/*.sh"}}}}},
      {"The factor comes from lib/price.sh.", {{"Read", {{"path", "lib/price.sh"}}}}},
      {"The comparison leaves out orders of exactly ten pieces.",
       {{"Edit",
         {{"path", "lib/price.sh"}, {"old_string", "[ \"$1\" -gt 10 ]"}, {"new_string", "[ \"$1\" -ge 10 ]"}}}}},
      {"Now the test again.", {{"Bash", {{"command", kTest}, {"description", "Run the test"}}}}},
      {"The discount began at eleven pieces instead of ten, because the comparison was -gt; it is -ge now.", {}},
  };
}

}  // namespace awf::cli
