# shellcheck shell=bash
# Shared by the proofs; sourced after scripts/lib.sh, from the repository's root, by scripts that begin with
#
#     begin_proof SHORT LONG "$@"     how much is tried: `short` as the argument, a number of its own, or LONG
#
# and end with `proved FIGURES`. Counts are judged always; times, for which a machine needs to have nothing else to do, by
# `in_time "$((CONDITION))" || fatal REASON`, not in CI. Each has a folder of its own, which goes with it, and a supervisor whose components are
# restarted at once, as often as they die.

corehost=
supervisor=
follower=
place=
amount=
is_short=
code=0
# What the supervisor is run by, if by anything.
run_as=()

begin_proof() {
    # shellcheck disable=SC2034 # is_short is for the proofs that source this
    case "${3-}" in
        "") amount=$2 ;;
        short) amount=$1 is_short=yes ;;
        *) amount=$3 ;;
    esac
    [[ $amount =~ ^[1-9][0-9]*$ ]] || fatal "how much to try is \"short\" or a positive number, not \"$amount\""
    corehost=$(realpath "${COREHOST:-.build/release/corehost}")
    [[ -x $corehost ]] || fatal "no $corehost; run make build first"
    place=$(mktemp -d /tmp/corehost-proof.XXXXXX)
    export COREHOST_SOCKET=$place/control.sock
    mkdir "$place/apps"
    trap end_proof EXIT
    trap 'exit 130' INT TERM HUP
}

end_proof() {
    local code=$?
    if declare -F clean_up >/dev/null; then clean_up; fi
    [[ -z $supervisor ]] || kill -KILL "$supervisor" 2>/dev/null || true
    if ((code != 0)) && [[ -s $place/output ]]; then
        printf '\nWhat the supervisor said at last:\n' >&2
        tail -n 15 "$place/output" >&2
    fi
    rm -rf "$place"
}

# in_time TRUTH: 0 or 1, of a comparison of times.
in_time() { [[ -n ${CI-} ]] || (($1)); }

proved() {
    log "$*, $SECONDS s"
}

# app DOMAIN ENTRY...: an app whose components are files in its code folder that a caller writes, all started with the
# system, all with one service of the entry's name, open to all, and with leave to log, to store, and to call one another.
app() {
    local domain=$1 entry components="" launches="" calls=""
    shift
    mkdir -p "$place/apps/$domain/app"
    for entry in "$@"; do calls+="${calls:+, }\"$entry\""; done
    for entry in "$@"; do
        components+="${components:+, }\"/$entry.mjs\": {\"runtime\": \"deno\",
            \"capsRequested\": {\"storage\": {\"appFS\": \"default\"}, \"logToPlatform\": true, \"appRPC\": [$calls]},
            \"services\": {\"$entry\": {\"thisAppComponents\": \"*\", \"otherApps\": \"*\"}}}"
        launches+="${launches:+, }{\"component\": \"/$entry.mjs\", \"name\": \"$entry\", \"icon\": \"i.png\", \"description\": \"-\"}"
    done
    cat >"$place/apps/$domain/manifest.json" <<END
{"appDomain": "$domain", "version": "1.0.0", "name": "Proof", "description": "proof", "icon": "i.png",
 "components": {$components}, "launchOnSystemStartup": [$launches]}
END
}

# many_apps COUNT CODE: apps c0.proof … with one component main.mjs each.
many_apps() {
    local number
    for ((number = 0; number < $1; number++)); do
        app "c$number.proof" main
        printf '%s\n' "$2" >"$place/apps/c$number.proof/app/main.mjs"
    done
}

# start_supervisor: a configuration of the caller's in $place/corehost.jsonc counts.
start_supervisor() {
    [[ -e $place/corehost.jsonc ]] || cat >"$place/corehost.jsonc" <<'END'
{"components": {"*": {"restart": "permanent", "maxRestarts": 1000, "period": "1s",
    "backoff": {"first": "1ms", "factor": 1, "max": "1ms", "jitter": 0}}}}
END
    "${run_as[@]}" "$corehost" run --local --resources "${resources:-Resources}" --apps "$place/apps" --data "$place/data" \
        --config "$place/corehost.jsonc" --socket "$COREHOST_SOCKET" >>"$place/output" 2>&1 </dev/null &
    supervisor=$!
}

# run_supervisor: the same, and waits until it runs.
run_supervisor() {
    local line=1
    [[ ! -e $place/output ]] || line=$(($(wc -l <"$place/output") + 1))
    start_supervisor
    until_true 30 "it runs" said_since "$line" 'platform running'
}

# said_since LINE TEXT: whether the supervisor has said it in that line of its output or a later one.
said_since() {
    tail -n "+$1" "$place/output" 2>/dev/null | grep -qF "] $2"
}

# count_said TEXT: how many lines of the supervisor's say so.
count_said() {
    grep -cF "] $1" "$place/output" || true
}

# follow: the supervisor's lines from now on, at descriptor 9: what it says while `tail` still starts, too.
follow() {
    local size
    # Before: what stands in the parentheses below comes at some time later.
    size=$(stat -c %s "$place/output")
    exec 9< <(exec tail -c "+$((size + 1))" -F --pid="$supervisor" "$place/output" 2>/dev/null)
    follower=$!
}

unfollow() {
    kill "$follower" 2>/dev/null || true
    exec 9<&-
}

# await TEXT ID: the next line followed that says so of the component; sets `line`.
await() {
    while IFS= read -r -t 30 -u 9 line; do
        [[ $line != *"] $1 "*"component: $2 "* ]] || return 0
    done
    fatal "not within 30 s: $1 $2"
}

# end_supervisor: in order, as Ctrl-C does.
end_supervisor() {
    code=0
    kill -TERM "$supervisor"
    wait "$supervisor" || code=$?
    supervisor=
    ((code == 0)) || fatal "corehost run should exit with 0, not $code"
}

# Its children, as pids in one line.
children() {
    local pids=""
    read -r pids <"/proc/$supervisor/task/$supervisor/children" || true
    printf '%s\n' "$pids"
}

# Those of components, which the zygote is not.
components() {
    pgrep -P "$supervisor" -f "corehost-component $supervisor " | tr '\n' ' ' || true
}

zygote() { pgrep -P "$supervisor" -f "corehost-component zygote " || true; }

# are_running COUNT: whether so many components are.
are_running() {
    (($("$corehost" ps --json 2>/dev/null | grep -c '"state": "running"') == $1))
}

# is_gone PID: whether there is no such process, or only what is left of it to be read by its parent.
is_gone() {
    local state
    state=$(sed -n 's/.*) \([A-Z]\) .*/\1/p' "/proc/$1/stat" 2>/dev/null) || true
    [[ -z $state || $state == Z ]]
}

# Microseconds since the epoch, without another process.
micros() {
    local now=$EPOCHREALTIME
    printf '%s\n' "$((${now%[.,]*} * 1000000 + 10#${now#*[.,]}))"
}

# numbers: the whole numbers of the JSON array on standard input, in one line.
numbers() {
    tr -dc '0-9,\n' | tr ',\n' '  '
    printf '\n'
}

# percentile P: of the numbers on standard input, one a line.
percentile() {
    sort -n | awk -v share="$1" '{ all[NR] = $1 } END { at = int((NR * share + 99) / 100); print all[at < 1 ? 1 : at] }'
}

# Zombies of the supervisor's, its descriptors without the zygote's, its threads: without those of GLib's pools, which come with work and go some
# seconds after it, and the engine's helpers, which come with work and stay, at last all of them.
leftovers() {
    local pid zombies=0 zygotes
    zygotes=$(zygote | wc -l)
    for pid in $(children); do
        grep -q ') Z ' "/proc/$pid/stat" 2>/dev/null && zombies=$((zombies + 1))
    done
    printf '%s %s %s\n' "$zombies" "$(($(find "/proc/$supervisor/fd" -mindepth 1 2>/dev/null | wc -l) - zygotes))" \
        "$(cat "/proc/$supervisor"/task/*/comm 2>/dev/null | grep -cvE '^(HeapHelper|JITWorker|pool|ollector Thread|s Signal Sender|spare)')"
}

# quiet_core or busy_core: a resources folder whose core computes for 200 ms of every 210.
busy_core() {
    mkdir -p "$place/resources/js"
    ln -s "$PWD"/Resources/* "$place/resources/" 2>/dev/null || true
    rm "$place/resources/js" 2>/dev/null || true
    mkdir -p "$place/resources/js"
    ln -s "$PWD"/Resources/js/* "$place/resources/js/"
    rm "$place/resources/js/core-load.js"
    {
        cat Resources/js/core-load.js
        printf '%s\n' '(function busy() {
            for (const end = performance.now() + 200; performance.now() < end;);
            setTimeout(busy, 10);
        })();'
    } >"$place/resources/js/core-load.js"
    resources=$place/resources
}
