#!/bin/sh
# Uses the library from threads under ThreadSanitizer: builds threads_test with the preset tsan, runs
# it for PMAPDB_THREADS_S seconds (30), and fails on any report.
#
#     sh tests/crash/tsan.sh [BUILD-FOLDER]
#
# SQLite and the C library are built without ThreadSanitizer: their accesses are not seen, and their
# calls cause no report.
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/tsan}
cmake --preset tsan -B "$build" >/dev/null
cmake --build "$build" --target crash_tests
export PMAPDB_THREADS_S="${PMAPDB_THREADS_S:-30}"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 ignore_noninstrumented_modules=1 second_deadlock_stack=1"
"$build/tests/crash_tests" threads
