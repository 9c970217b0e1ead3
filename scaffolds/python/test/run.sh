#!/bin/sh
# Starts the plugin as awf does, and calls it. Needs awf in the PATH, and the plugin built.
set -eu
folder=$(cd "$(dirname "$0")/.." && pwd)
AWF_PLUGINS_PATH=$(dirname "$folder")
export AWF_PLUGINS_PATH
awf plugin check @NAME@
answer=$(awf plugin call @NAME@ greet --input who=world)
case $answer in
  *'Hello, world!'*) echo ok ;;
  *) echo "unexpected answer: $answer" >&2; exit 1 ;;
esac
