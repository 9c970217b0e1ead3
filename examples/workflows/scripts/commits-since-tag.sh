#!/bin/sh
# Subjects of the commits since the last tag, or of all when there is none; $AWF_INPUT_LIMIT at most.
set -eu
last=$(git describe --tags --abbrev=0 2>/dev/null || true)
git log --no-merges --format='%h %s' -n "${AWF_INPUT_LIMIT:-200}" "${last:+$last..}HEAD"
