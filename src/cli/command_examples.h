// What the help of each command shows at its end.
#pragma once

namespace awf::cli {

inline constexpr char kFooter[] =
    "Start here:\n"
    "  awf demo                          watch an agent repair a small project, no key needed\n"
    "  awf validate my.yaml              check a workflow\n"
    "  awf run my.yaml -i name=value     run it\n"
    "  awf COMMAND --help                flags and examples";

inline constexpr char kRunExamples[] =
    "Examples:\n"
    "  awf run build                              .awf/workflows/build.yaml\n"
    "  awf run ci/fix.yaml -i provider=claude -i test_command='make test'\n"
    "  awf run fix --input-file inputs.yaml -i notes=@notes.md\n"
    "  awf run fix --dry-run                      what would run, without running it\n"
    "  awf run fix --step review --mock states.build.Output='2 warnings'\n"
    "  awf run fix -f json | jq .states           for programs\n"
    "  awf run fix --help                         the inputs of that workflow";

inline constexpr char kValidateExamples[] =
    "Examples:\n"
    "  awf validate ci/fix.yaml\n"
    "  awf validate build --strict           warnings fail too\n"
    "  awf validate --dir .awf/workflows -f json";

inline constexpr char kResumeExamples[] =
    "Examples:\n"
    "  awf resume                            the newest run that did not complete\n"
    "  awf resume 20261103-1015              a run by the beginning of its id\n"
    "  awf resume -l                         runs that can be resumed\n"
    "  awf resume RUN --from previous -i count=3\n"
    "  awf resume RUN --reload               with the workflow file as it is now";

inline constexpr char kVerifyExamples[] =
    "Exit code 0: it is; 3: it is not, or its end is missing. A whole file made anew with run.json is found out only\n"
    "by a head that was kept elsewhere.\n"
    "Examples:\n"
    "  awf audit verify 20261103-1015\n"
    "  awf audit verify archive/audit.jsonl --head 204bd1987580c5516dfe1972d6f0bd716d9ce10462bae2bf00f53355a048a38d";

inline constexpr char kDoctorExamples[] =
    "Exit code of the report: 3 when awf has no private folder to work in, so that nothing can run; else 0, whatever "
    "is\n"
    "missing or broken. Of a probe: 0 proven; 3 not proven, or the CLI is missing or cannot be driven; 1 no such\n"
    "provider; 4 the machine failed (a folder, a socket). Of several probes the worst counts. -q prints nothing.\n"
    "A probe starts the CLI with the flags that a step gives it, against a scripted model on this machine: no token, "
    "no\n"
    "network. The proof is kept for that very program, and steps with it then have the isolation level 'proven'.\n"
    "Examples:\n"
    "  awf doctor\n"
    "  awf doctor --probe codex --model gpt-5.5\n"
    "  awf doctor --json | jq '.providers[] | select(.installed)'";

inline constexpr char kServeExamples[] =
    "Configuration of a client:\n"
    "  {\"mcpServers\": {\"awf\": {\"command\": \"awf\", \"args\": [\"mcp\", \"serve\", \"--root\", "
    "\"/path/to/project\"]}}}\n"
    "MODE of --sandbox:\n"
    "  workspace-write  read anywhere; write in the git work tree around DIR, temp and cache folders (default)\n"
    "  read-only        read anywhere, write nothing\n"
    "  strict           read and write in the workspace, temp and cache folders only\n"
    "  off              no restriction\n"
    "A MODE that is written must hold: as long as commands cannot be confined, Bash refuses to run under any but off.\n"
    "Without --sandbox the file tools keep to workspace-write and commands are free.\n"
    "Flags of all commands that have an effect: --log-level (also AWF_LOG_LEVEL), least level of the lines: debug, "
    "info\n"
    "(default), warn (no calls that went well), error (nor those that were cancelled or refused); -q, lines on stderr\n"
    "from warn on. Ends with exit code 0 when the client closes stdin, and on SIGTERM, SIGINT or SIGHUP.\n"
    "Examples:\n"
    "  awf mcp serve --root .\n"
    "  awf mcp serve --root . --sandbox off --log calls.jsonl --log-level warn";

inline constexpr char kHistoryExamples[] =
    "Examples:\n"
    "  awf history -s failed --since 24h\n"
    "  awf history -w build --stats\n"
    "  awf history -n 1 -f json";

inline constexpr char kCompletionExamples[] =
    "Examples (the packages install these files):\n"
    "  awf completion bash > ~/.local/share/bash-completion/completions/awf\n"
    "  awf completion zsh > ~/.zfunc/_awf          with ~/.zfunc in fpath, before compinit\n"
    "  awf completion fish > ~/.config/fish/completions/awf.fish";

}  // namespace awf::cli
