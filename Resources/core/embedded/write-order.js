// Changes of one file system in the order in which they were asked for.
(() => {
'use strict';

const within = (path, folder) => folder === '' || path === folder || path.startsWith(`${folder}/`);

/** Runs changes of paths that touch (equal, or one inside the other) one after the other, others at once. */
class WriteOrder {
    #pending = [];

    /** Runs `change` after all earlier changes of paths that touch `path`; gives its result. */
    async run(path, change) {
        const earlier = this.#pending.filter(p => within(p.path, path) || within(path, p.path)).map(p => p.done);
        let finished;
        const entry = { path, done: new Promise(resolve => { finished = resolve; }) };
        this.#pending.push(entry);
        try {
            await Promise.all(earlier);
            return await change();
        } finally {
            this.#pending.splice(this.#pending.indexOf(entry), 1);
            finished();
        }
    }
}

Object.assign(globalThis.__embeddedCore, { WriteOrder });
})();
