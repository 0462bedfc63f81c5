// Changes of one file system in the order in which they were asked for.
'use strict';
{

const within = (path, folder) => folder === '' || path === folder || path.startsWith(`${folder}/`);
const touch = (some, others) => some.some(path => others.some(other => within(path, other) || within(other, path)));

/** Runs changes of paths that touch (equal, or one inside the other) one after the other, others at once. */
class WriteOrder {
    #pending = [];

    /** Runs `change` after all earlier changes of paths that touch one of `paths`; gives its result. */
    async run(paths, change) {
        const earlier = this.#before(paths);
        let finished;
        const entry = { paths, done: new Promise(resolve => { finished = resolve; }) };
        this.#pending.push(entry);
        try {
            await Promise.all(earlier);
            return await change();
        } finally {
            this.#pending.splice(this.#pending.indexOf(entry), 1);
            finished();
        }
    }

    /** Resolves when all earlier changes of paths that touch `path` are over. */
    async settled(path) {
        if (this.#pending.length > 0) { await Promise.all(this.#before([path])); }
    }

    #before(paths) {
        return this.#pending.filter(other => touch(other.paths, paths)).map(other => other.done);
    }

    /** Resolves when nothing is under way. */
    async idle() {
        while (this.#pending.length > 0) { await Promise.all(this.#pending.map(change => change.done)); }
    }
}

Object.assign(globalThis.__embeddedCore, { WriteOrder });
}
