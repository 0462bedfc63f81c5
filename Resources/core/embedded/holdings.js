// What one component holds open in its file systems, within bounds, and the end of it all.
'use strict';
{

const { fileException, Gate } = globalThis.__embeddedCore;

/** Sinks under way, sources, watches, and selections at work, of one component at most. */
const mostOf = { sink: 64, source: 4096, watch: 256, selection: 8 };

/** Sources whose files are open at once; of the others the file is opened again when it is read. */
const mostOpenReaders = 32;

/** Calls at work that open files, and bytes that are read for answers, of one component at once; more calls wait. */
const mostCalls = 32;
const mostBytes = 64 * 1024 * 1024;

class Holdings {
    calls = new Gate(mostCalls);
    bytes = new Gate(mostBytes);
    #held = new Map(Object.keys(mostOf).map(kind => [kind, new Set()]));
    #readers = new Set();
    #isOver = false;

    /** Keeps `release` for the end; gives a function that forgets it. EBUSY when there are too many of `kind`. */
    hold(kind, path, release) {
        const held = this.#held.get(kind);
        if (this.#isOver || held.size >= mostOf[kind]) {
            throw fileException('EBUSY', path, `${mostOf[kind]} of kind ${kind} are open; end one first`);
        }
        const entry = { release };
        held.add(entry);
        return () => { held.delete(entry); };
    }

    /** `park` is called when other readers need the place, the one longest unused first. */
    usesReader(park) {
        this.#readers.delete(park);
        this.#readers.add(park);
        if (this.#readers.size <= mostOpenReaders) { return; }
        const [oldest] = this.#readers;
        this.#readers.delete(oldest);
        oldest();
    }

    forgetsReader(park) { this.#readers.delete(park); }

    /** Releases everything; nothing is held afterwards. */
    close() {
        this.#isOver = true;
        for (const held of this.#held.values()) {
            for (const { release } of [...held]) { release(); }
            held.clear();
        }
    }

    get openReaders() { return this.#readers.size; }

    counts() { return Object.fromEntries([...this.#held].map(([kind, held]) => [kind, held.size])); }
}

Object.assign(globalThis.__embeddedCore, { Holdings });
}
