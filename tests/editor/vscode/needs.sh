#!/bin/sh
# Prints what is missing for tests in the real editor, and fails; prints nothing when all is there.
missing() { echo "$1"; exit 1; }
command -v npm >/dev/null && command -v node >/dev/null || missing 'npm is not here'
node --test-concurrency=1 --eval 0 2>/dev/null || missing 'node is older than 20.10'
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || missing 'there is no Chromium'
