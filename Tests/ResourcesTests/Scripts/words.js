// Words of the files in Wire/ and Storage/: check(name, body) for each behaviour; runChecks() gives what did not hold.
(() => {
'use strict';
const checks = [];
const nameWanted = globalThis.onlyCheck ?? '';

globalThis.check = (name, body) => { checks.push({ name, body }); };

globalThis.same ??= (seen, wanted, about = 'value') => {
    const [a, b] = [seen, wanted].map(value => JSON.stringify(value));
    if (a !== b) { throw new Error(`${about}: ${a}, expected ${b}`); }
};

globalThis.holds ??= (condition, what) => {
    if (!condition) { throw new Error(`does not hold: ${what}`); }
};

/** Turns of the loop until `condition()` holds. */
globalThis.until = async (condition, what, turns = 2000) => {
    for (let i = 0; i < turns; i += 1) {
        if (await condition()) { return; }
        await new Promise(resolve => setTimeout(resolve, i < 100 ? 0 : 1));
    }
    throw new Error(`never came: ${what}`);
};

globalThis.runChecks = async () => {
    const failures = [];
    for (const { name, body } of checks.filter(each => each.name.includes(nameWanted))) {
        try {
            await body();
        } catch (err) {
            const text = err instanceof Error ? `${err.message}\n${err.stack}` : JSON.stringify(err);
            failures.push(`${name}: ${text}`);
        }
    }
    if (failures.length > 0) { throw new Error(failures.join('\n')); }
    return checks.length;
};
})();
