// Watching a file, a folder, or a tree of them.
'use strict';
{

const { fileException, badArgument, isWhole, isWithin, statsAt, requireKind } = globalThis.__embeddedCore;

/** Changes that wait for a watch to begin, and events that its component may leave unread, of one watch at most. */
const mostWaiting = 1024;
const mostUnread = 1024;

const isKind = { file: 'isFile', folder: 'isFolder', link: 'isLink' };
let lastMoveLabel = 0;

/**
 * Follows what is at a place, also when it is moved, until that is removed. Events have as `path` the watched path as
 * the caller gave it, or, of a tree, `.` for its root and `./…` for what is in it.
 */
class Watch {
    #view;
    #at;
    #kind;
    #depth;
    #observer;
    #names;
    #waiting = [];
    #unread = 0;
    #enders = [];

    constructor(view, at, { kind, depth }, observer) {
        this.#view = view;
        this.#at = at;
        this.#kind = kind;
        this.#depth = depth;
        this.#observer = observer;
    }

    /** Gives a function that ends it. Changes from now on are told, once it is known that something is there. */
    begin() {
        const { holdings, tree } = this.#view.home;
        const complete = () => this.#end(observer => observer.complete?.());
        this.#enders.push(holdings.hold('watch', this.#at.path, complete));
        this.#enders.push(this.#view.whenClosed(complete), tree.watch(change => this.#changed(change)));
        this.#settle();
        return () => this.#end(() => {});
    }

    async #settle() {
        const { path } = this.#at;
        try {
            this.#names = await this.#view.reach(this.#at, async names => {
                const stats = await statsAt(this.#view, this.#at, names);
                requireKind(path, stats, this.#kind === 'file' ? 'file' : 'folder');
                return names;
            });
        } catch (exception) {
            this.#end(observer => observer.error?.(exception));
            return;
        }
        for (const change of this.#waiting.splice(0)) { this.#changed(change); }
    }

    #end(tell) {
        if (!this.#observer) { return; }
        const observer = this.#observer;
        this.#observer = undefined;
        for (const end of this.#enders) { end(); }
        tell(observer);
    }

    #fail(message) {
        const exception = fileException('EBUSY', this.#at.path, message);
        this.#end(observer => observer.error?.(exception));
    }

    #changed(change) {
        if (!this.#observer) { return; }
        if (this.#names) { return this.#told[change.type](change); }
        this.#waiting.push(change);
        if (this.#waiting.length <= mostWaiting) { return; }
        this.#fail('too much changed before this watch began; watch again');
    }

    #told = {
        added: ({ names, kind, version }) => this.#tellAddition(names, kind, version),
        removed: ({ names }) => {
            if (isWithin(this.#names, names)) { return this.#tellEnd(); }
            this.#tellRemoval(names);
        },
        moved: ({ names, newNames, kind }) => {
            if (isWithin(this.#names, names)) {
                this.#names = [...newNames, ...this.#names.slice(names.length)];
                if (!isWithin(this.#names, this.#view.root)) { this.#tellEnd(); }
                return;
            }
            const [from, to] = [names, newNames].map(place => this.#inside(place));
            if (from && to && from.parent === to.parent) {
                return this.#tell({ type: 'entry-renaming', path: from.parent, oldName: from.name, newName: to.name });
            }
            const moveLabel = (lastMoveLabel += 1);
            this.#tellRemoval(names, { moveLabel });
            this.#tellAddition(newNames, kind, undefined, { moveLabel });
        },
        changed: ({ names, kind, version }) => {
            if (kind !== 'file' || this.#kind === 'folder' || !isWithin(names, this.#names)) { return; }
            const depth = names.length - this.#names.length;
            if (depth > this.#depth) { return; }
            this.#tell({ type: 'file-change', path: this.#pathOf(names), newVersion: version });
        },
    };

    /** Where `names` stand inside what is watched: their folder's path, their name; undefined when not, or too deep. */
    #inside(names) {
        const depth = names.length - 1 - this.#names.length;
        if (this.#kind === 'file' || depth < 0 || depth > this.#depth || !isWithin(names, this.#names)) { return; }
        return { parent: this.#pathOf(names.slice(0, -1)), name: names.at(-1), depth };
    }

    #pathOf(names) {
        return this.#kind === 'tree' ? ['.', ...names.slice(this.#names.length)].join('/') : this.#at.path;
    }

    #tellAddition(names, kind, newVersion, more) {
        const place = this.#inside(names);
        if (!place) { return; }
        const entry = { name: place.name, [isKind[kind]]: true };
        this.#tell({ type: 'entry-addition', path: place.parent, entry, newVersion, ...more });
    }

    #tellRemoval(names, more) {
        const place = this.#inside(names);
        if (!place) { return; }
        this.#tell({ type: 'entry-removal', path: place.parent, name: place.name, ...more });
        if (more || this.#kind !== 'tree' || place.depth >= this.#depth) { return; }
        this.#tell({ type: 'removed', path: this.#pathOf(names) });
    }

    #tellEnd() {
        this.#tell({ type: 'removed', path: this.#pathOf(this.#names) });
        this.#end(observer => observer.complete?.());
    }

    #tell(event) {
        if (!this.#observer) { return; }
        this.#unread = this.#observer.next?.({ ...event, src: 'local' }) === false ? this.#unread + 1 : 0;
        if (this.#unread > mostUnread) { this.#fail('events of this watch were not read; read them and watch again'); }
    }
}

function begin(view, at, what, observer) {
    if (typeof observer?.next !== 'function' && typeof observer?.complete !== 'function') {
        throw badArgument(at.path, 'there is no observer {next, complete?, error?}');
    }
    return new Watch(view, at, what, observer).begin();
}

const watchFile = (view, at, observer) => begin(view, at, { kind: 'file', depth: 0 }, observer);

const watchFolder = (view, at, observer) => begin(view, at, { kind: 'folder', depth: 0 }, observer);

/** `depth` 0 is the folder itself, 1 what is in it, and so on; undefined is all. */
function watchTree(view, at, depth, observer) {
    const most = depth ?? Infinity;
    if (!isWhole(most) && most !== Infinity) { throw badArgument(at.path, 'depth is no whole number'); }
    return begin(view, at, { kind: 'tree', depth: most }, observer);
}

Object.assign(globalThis.__embeddedCore, { watchFile, watchFolder, watchTree });
}
