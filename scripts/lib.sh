# shellcheck shell=bash
# Shared by the scripts of this repository; sourced after `set -euo pipefail`.

log() {
    printf '%s: %s\n' "${0##*/}" "$*"
}

fatal() {
    printf '%s: error: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# For scripts that run a supervisor and set these: the program, and its process. COREHOST_SOCKET is exported.
corehost=
supervisor=

# member NAME: that member of the flat JSON object on standard input; empty for null.
member() {
    sed -nE "s/.*\"$1\":(\"([^\"]*)\"|([^,}]*)).*/\2\3/p" | sed 's/^null$//'
}

# column APP NAME: a member of the app's only component as `ps` has it.
column() {
    "$corehost" ps --json 2>/dev/null | tr -d '\n' | sed 's/\\//g; s/: */:/g; s/{/\n{/g' |
        grep -F "\"app\":\"$1\"" | member "$2" || true
}

# until_true SECONDS WHAT COMMAND...: asks again until the command succeeds.
until_true() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        kill -0 "$supervisor" 2>/dev/null || fatal "the supervisor ended while waiting: $what"
        ((SECONDS < deadline)) || fatal "not within time: $what"
        sleep 0.05
    done
}
