// Words for checks of globals, loaded before every script of the platform. A file of checks calls check(name, fn) for
// each behaviour; runChecks() gives what did not hold.
(() => {
'use strict';
const checks = [];

globalThis.check = (name, body) => { checks.push({ name, body }); };

function show(value) {
    if (typeof value === 'bigint') { return `${value}n`; }
    if (Object.is(value, -0)) { return '-0'; }
    if (typeof value !== 'object' || value === null) { return typeof value === 'string'
        ? JSON.stringify(value) : String(value); }
    if (Array.isArray(value)) { return `[${value.map(show).join(', ')}]`; }
    if (ArrayBuffer.isView(value)) { return `${value.constructor.name}[${Array.from(value, show).join(', ')}]`; }
    return `{${Object.entries(value).map(([key, member]) => `${key}: ${show(member)}`).join(', ')}}`;
}

/** Both look the same, kinds of numbers and of arrays included. */
globalThis.same = (seen, wanted, about = '') => {
    if (show(seen) !== show(wanted)) { throw new Error(`${about ? `${about}: ` : ''}${show(seen)}, not ${show(wanted)}`); }
};

/** fn throws an error of this name; gives it. */
globalThis.throws = (fn, name = 'TypeError', about = String(fn)) => {
    let value;
    try {
        value = fn();
    } catch (err) {
        if (err?.name !== name) { throw new Error(`${about} threw ${err?.name}: ${err?.message}, not ${name}`); }
        return err;
    }
    throw new Error(`${about} gave ${show(value)} and threw no ${name}`);
};

globalThis.pause = millis => new Promise(resolve => { setTimeout(resolve, millis); });

/** What is left uncaught while body runs and for some turns after it. */
globalThis.uncaughtOf = async body => {
    const seen = [];
    self.onerror = (message, file, line, column, error) => { seen.push(error); };
    await body();
    await pause(5);
    delete self.onerror;
    return seen;
};

globalThis.runChecks = async () => {
    const failures = [];
    for (const { name, body } of checks) {
        try {
            await body();
        } catch (err) {
            failures.push(`${name}: ${err?.message ?? err} ${err?.stack?.split('\n').find(line => /@Globals/.test(line)) ?? ''}`);
        }
    }
    return failures;
};

// What the platform's scripts ask of native code, counted; withClock(body) gives body a clock of the test's own, at 0.
globalThis.wakeups = { armed: 0, fired: 0 };
const { setWakeup, setWakeupHook, now: realNow } = __native;
let clock;
let wake;
__native.now = () => clock ? clock.time : realNow();
__native.setWakeup = millis => {
    if (clock) {
        clock.due = millis < 0 ? Infinity : clock.time + millis;
        return;
    }
    wakeups.armed += 1;
    setWakeup(millis);
};
__native.setWakeupHook = hook => {
    wake = hook;
    setWakeupHook(() => {
        wakeups.fired += 1;
        return hook();
    });
};

globalThis.withClock = async body => {
    clock = { time: 0, due: Infinity };
    const turn = async () => { for (let i = 0; i < 5; i += 1) { await undefined; } };
    const advance = async until => {
        while (clock.due <= until) {
            clock.time = Math.max(clock.time, clock.due);
            clock.due = Infinity;
            while (wake()) { await turn(); }
            await turn();
        }
        clock.time = Math.max(clock.time, until);
    };
    try {
        await body({ advance, now: () => clock.time, set: time => { clock.time = time; } });
    } finally {
        clock = undefined;
        wake();
    }
};

/** [level, text] of each line that was written to the console. */
globalThis.lines = [];
for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
    console[level] = text => { lines.push([level, text]); };
}
})();
