// What one file system or file object may reach of a tree: a folder and what is in it, through links, too.
'use strict';
{

const { fileException, seenByCaller, namesInPath } = globalThis.__embeddedCore;

/** Links on the way to one place. */
const mostHops = 16;

/** Failures that may come of a link on the way, which the tree never follows; ENOSYS for attributes of one. */
const ofLinks = new Set(['ENOENT', 'ENOTDIR', 'ENOTFILE', 'EEXIST', 'ENOSYS']);

const isWithin = (names, folder) => folder.every((name, i) => names[i] === name);

/**
 * `home` is what all objects that come of one opened file system share: `{tree, type, holdings, isOpen()}`. `root` is
 * the folder that the object sees as its own, as names from the tree's root: nothing outside is ever reached.
 */
class TreeView {
    #isClosed = false;
    #closers = new Set();

    constructor(home, root, writable) {
        this.home = home;
        this.root = root;
        this.writable = writable;
    }

    /** Whether calls are still answered. */
    get isOpen() { return !this.#isClosed && this.home.isOpen(); }

    /** Ends this object's calls and watches, not those of objects that came of it. */
    close() {
        this.#isClosed = true;
        for (const closer of [...this.#closers]) { closer(); }
    }

    /** Calls `closer` at the close; gives a function that forgets it. */
    whenClosed(closer) {
        this.#closers.add(closer);
        return () => { this.#closers.delete(closer); };
    }

    /** `path` as the caller gave it, and the names that it means in the tree. */
    at(path) { return { path, names: [...this.root, ...namesInPath(path)] }; }

    /** The caller's path for a place: what is seen of it from here. */
    pathOf(names) { return names.slice(this.root.length).join('/'); }

    /**
     * The result of `work(names, writable)` on a place. Where links are on the way, `work` fails, and is done again on
     * what they lead to; with `follows` false the last name may be a link itself. `changes` refuses what is readonly,
     * by itself or by a link. Failures are seen by the caller: with its own path. Where `waits` is false, `work` begins
     * in this very call, so that changes come to the tree in the order of their calls; it is one change, then.
     */
    async reach(at, work, { changes = false, follows = true, waits = !changes } = {}) {
        const reached = () => this.#reach(at, work, changes, follows);
        return waits ? this.home.holdings.calls.run(1, reached) : reached();
    }

    async #reach(at, work, changes, follows) {
        const attempt = (names, writable) => seenAt(at.path, () => work(names, writable));
        this.#requireUsable(at.path, changes);
        try {
            return await attempt(at.names, this.writable);
        } catch (exception) {
            const found = ofLinks.has(exception?.code) ? await this.#behindLinks(at, follows, changes) : undefined;
            if (!found) { throw exception; }
            return attempt(found.names, found.writable);
        }
    }

    /**
     * As `reach`, for a change `work(source, target)` with two places. What is not there, or is no file, is the source.
     */
    async reachBoth(source, target, work, { changesSource, followsSource, followsTarget }) {
        const isOfSource = exception => exception?.code === 'ENOENT' || exception?.code === 'ENOTFILE';
        const attempt = async (from, to) => {
            try {
                return await work(from, to);
            } catch (exception) {
                throw seenByCaller(exception, (isOfSource(exception) ? source : target).path);
            }
        };
        this.#requireUsable(source.path, changesSource);
        this.#requireUsable(target.path, true);
        try {
            return await attempt(source.names, target.names);
        } catch (exception) {
            if (!ofLinks.has(exception?.code)) { throw exception; }
            const from = await this.#behindLinks(source, followsSource, changesSource);
            const to = await this.#behindLinks(target, followsTarget, true);
            if (!from && !to) { throw exception; }
            return attempt(from?.names ?? source.names, to?.names ?? target.names);
        }
    }

    /** Refuses a place outside. */
    requireInside(path, names) {
        if (isWithin(names, this.root)) { return; }
        throw fileException('EPERM', path, 'a link on the way leads out of this file system');
    }

    #requireUsable(path, changes) {
        if (!this.isOpen) {
            throw fileException('EPERM', path, 'this file system is closed; open it anew', { storageClosed: true });
        }
        if (changes) { requireWritable(path, this.writable); }
    }

    #behindLinks({ path, names }, follows, changes) {
        return seenAt(path, async () => {
            const found = await this.throughLinks(path, names, follows);
            if (found && changes) { requireWritable(path, found.writable); }
            return found;
        });
    }

    /** `{names, writable}` of where `names` lead when links are followed; undefined when there are none on the way. */
    async throughLinks(path, names, follows) {
        const { tree } = this.home;
        let { writable } = this;
        let done = [];
        const left = [...names];
        let hops = 0;
        while (left.length > (follows ? 0 : 1)) {
            const next = [...done, left[0]];
            const stats = await tree.stat(next);
            if (!stats) { break; }
            left.shift();
            if (stats.kind !== 'link') {
                done = next;
                continue;
            }
            hops += 1;
            if (hops > mostHops) { throw fileException('ELOOP', path, 'links lead in a circle'); }
            const target = await tree.readLink(next);
            this.requireInside(path, target.names);
            writable &&= !target.readonly;
            left.unshift(...target.names);
            done = [];
        }
        return hops === 0 ? undefined : { names: [...done, ...left], writable };
    }
}

/** The result of `step()`, whose failure the caller sees with its own path. */
async function seenAt(path, step) {
    try {
        return await step();
    } catch (exception) {
        throw seenByCaller(exception, path);
    }
}

function requireWritable(path, writable) {
    if (!writable) { throw fileException('EPERM', path, 'can only be read'); }
}

/** What is at `names`; ENOENT when there is nothing. */
async function statsAt({ home }, { path }, names) {
    const stats = await home.tree.stat(names);
    if (!stats) { throw fileException('ENOENT', path, 'is not there'); }
    return stats;
}

/** Refuses what is not of `kind`, a file or a folder; a link is followed by `reach`. */
function requireKind(path, stats, kind) {
    if (stats.kind === kind) { return; }
    const what = stats.kind === 'link' ? 'is a link' : `is a ${stats.kind}`;
    throw fileException(kind === 'file' ? 'ENOTFILE' : 'ENOTDIR', path, `${what}; name a ${kind}`);
}

/** Which tree and place an object is of; objects of others are none. */
const placeOf = new WeakMap();

Object.assign(globalThis.__embeddedCore, { TreeView, isWithin, statsAt, requireKind, requireWritable, placeOf });
}
