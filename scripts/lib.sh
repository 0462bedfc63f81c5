# shellcheck shell=bash
# Shared by the scripts of this repository; sourced after `set -euo pipefail`.

log() {
    printf '%s: %s\n' "${0##*/}" "$*"
}

fatal() {
    printf '%s: error: %s\n' "${0##*/}" "$*" >&2
    exit 1
}
