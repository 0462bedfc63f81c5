// The files of one file system as they are kept: encrypted, names too, in folders of the same shape. Paths are arrays
// of names; the root is []. Every change is on disk when its promise resolves, whole or not at all wherever the
// process ends, and in the order of the calls where paths touch; what reads sees the changes asked for before.
'use strict';
{

const { fileException, WriteOrder, Gate, TreeDisk, kindOf, changedXattrs } = globalThis.__embeddedCore;

/** Changes at work at once, each with a file open; more wait. */
const mostChanges = 64;

/** How many entries of a listing are looked at in one go. */
const looksAtOnce = 64;

/** Files of which a write knows what is there. */
const mostKnown = 1024;

const at = names => names.join('/');

class Tree {
    #disk;
    #random;
    #order = new WriteOrder();
    #changes = new Gate(mostChanges);
    /** Reads under way. */
    #reads = new Set();
    /** Folders that were just made and are not on disk yet, by path → promise. */
    #making = new Map();
    /** `{id, version}` of files without attributes that were written last, by path: the next write need not look. */
    #known = new Map();
    #isClosed = false;
    #observers = new Set();

    /**
     * `fs` is `platform.device_fs`, `files` the `AtomicFiles` over it; `place` a path in it, or a promise; `keyOf(use)`
     * promises a key of this tree's for one use, which is this tree's to overwrite.
     */
    constructor({ fs, files, cryptor, random, place, keyOf }) {
        this.#disk = new TreeDisk({ fs, files, cryptor, random, place, keyOf });
        this.#random = random;
    }

    // ---- reading

    /** `{kind, mtime, ctime, size?, version?}`, size and version of files; undefined where nothing is. */
    stat(names) {
        return this.#read(names, async place => {
            const stats = await this.#disk.statsAt(place);
            if (!stats) { return undefined; }
            const { mtime, ctime } = stats;
            const kind = kindOf(stats);
            if (kind !== 'file') { return { kind, mtime, ctime }; }
            const { size, version } = await this.#disk.headAt(names, place);
            return { kind, size, mtime, ctime, version };
        });
    }

    /** `[{name, kind}]` by name. What is not this tree's is left out, and told in the log. */
    list(names) {
        return this.#read(names, async place => {
            const entries = [];
            const sealed = await this.#disk.entriesAt(place);
            for (let i = 0; i < sealed.length; i += looksAtOnce) {
                const some = sealed.slice(i, i + looksAtOnce);
                entries.push(...await Promise.all(some.map(entry => this.#disk.entryAt(place, entry))));
            }
            return entries.filter(entry => entry).sort((a, b) => (a.name < b.name ? -1 : 1));
        });
    }

    /**
     * A reader of a file as it is now: `{size, version, xattrs, read(start, end), close()}`. With `archivedVersion` of
     * one that was archived; `readsAll` when all of its content is wanted, which then mostly comes with it.
     */
    open(names, { archivedVersion, readsAll } = {}) {
        return this.#read(names, async place => {
            if (archivedVersion === undefined) { return this.#disk.openAt(names, place, readsAll); }
            const { id, version } = await this.#disk.headAt(names, place);
            return this.#disk.openAt(
                names, version === archivedVersion ? place : this.#disk.archivedAt(id, archivedVersion), readsAll);
        });
    }

    /** Attributes of a file or folder. */
    xattrs(names) {
        return this.#read(names, async place => (await this.#attributesAt(names, place)).xattrs);
    }

    /** The target of a link, a JSON value. */
    readLink(names) {
        return this.#read(names, async place => {
            requireLink(names, await this.#disk.kindAt(names, place));
            return this.#disk.targetAt(names, place);
        });
    }

    /** `{current, archived}`: the file's version, and those that were archived, ascending. */
    versions(names) {
        return this.#read(names, async place => {
            const { id, version } = await this.#disk.headAt(names, place);
            return { current: version, archived: await this.#disk.archivedOf(id) };
        });
    }

    // ---- changes of content

    /**
     * Content under way, of which nothing is visible before `commit`: `{size, append(bytes), read(start, end),
     * commit(names, options) → version, abandon()}`. `options` as for `write`. A call that fails abandons it.
     */
    newContent() {
        let content;
        const withContent = async use => {
            await this.#disk.ready();
            content ??= this.#disk.newContent();
            return use(content);
        };
        const whileOpen = async use => {
            this.#requireOpen();
            return withContent(use);
        };
        return {
            get size() { return content?.size ?? 0; },
            append: bytes => whileOpen(it => it.append(bytes)),
            read: (start, end) => whileOpen(it => it.read(start, end)),
            abandon: () => withContent(it => it.abandon()),
            commit: (names, options) => this.#change(
                [names], ([place]) => withContent(it => this.#commit(names, place, it, options))),
        };
    }

    /**
     * Puts a file with `bytes` at `names` and gives its version. `create` (by default) makes one where none is, and
     * with it `makeParents` (by default) missing folders; `exclusive` refuses one that is there; `currentVersion`, 0
     * for none, any other than that (`versionMismatch`); `xattrs` is `{set?, remove?}`.
     */
    write(names, bytes, options) {
        return this.#change([names], async ([place]) => {
            const content = this.#disk.newContent();
            await content.append(bytes);
            return this.#commit(names, place, content, options);
        });
    }

    /** Changes attributes, of which values are JSON or bytes; gives the new version. */
    setXattrs(names, changes) {
        return this.#change([names], async ([place]) => {
            this.#known.delete(at(names));
            const { kind, xattrs: old, version: last, head, place: file } = await this.#attributesAt(names, place);
            const version = last + 1;
            const xattrs = changedXattrs(old, changes);
            const written = head ? this.#disk.copied(file, { ...head, version }, xattrs, names)
                : this.#disk.newContent().finish({ id: this.#random(16), version, xattrs, path: at(names) });
            await this.#disk.put(written, file);
            this.#tell({ type: 'changed', names, kind, version });
            return version;
        });
    }

    /** Puts a copy of a file at `to`. With `overwrite` in the place of a file there. */
    copyFile(from, to, { overwrite = false } = {}) {
        return this.#change([from, to], async ([source, target]) => {
            const old = await this.#disk.fileAt(to, target);
            if (old && !overwrite) { throw thereAlready(to); }
            if (at(from) === at(to)) { return; }
            const { id, version, head, xattrs } = {
                id: old?.id ?? this.#random(16), version: (old?.version ?? 0) + 1,
                ...await this.#headAndAttributes(from, source),
            };
            this.#known.delete(at(to));
            const written = this.#disk.copied(source, { ...head, id, version }, xattrs, to);
            await this.#disk.put(written, target, () => this.#makeFolders(to.slice(0, -1)));
            this.#tell({ type: old ? 'changed' : 'added', names: to, kind: 'file', version });
        });
    }

    removeFile(names) {
        return this.#change([names], async ([place]) => {
            this.#known.delete(at(names));
            const kind = await this.#disk.kindAt(names, place);
            if (kind !== 'file') { throw fileException('ENOTFILE', at(names), `is a ${kind}; name a file`); }
            await this.#disk.remove(place);
            this.#tell({ type: 'removed', names, kind });
        });
    }

    // ---- changes of folders and links

    /** Makes a folder, with `makeParents` (by default) what is missing above it; `exclusive` refuses one there. */
    makeFolder(names, { exclusive = false, makeParents = true } = {}) {
        return this.#change([names], async ([place]) => {
            const stats = await this.#disk.statsAt(place);
            if (stats && (exclusive || !stats.isDirectory())) { throw thereAlready(names); }
            if (stats) { return; }
            await this.#makeFolders(names, makeParents ? 0 : names.length - 1);
        });
    }

    /** Removes an empty folder; with `withContent` one with everything in it. */
    removeFolder(names, withContent = false) {
        return this.#change([names], async ([place]) => {
            if (names.length === 0) {
                throw fileException('EPERM', at(names), 'is the root of this file system and stays');
            }
            const kind = await this.#disk.kindAt(names, place);
            if (kind !== 'folder') { throw fileException('ENOTDIR', at(names), `is a ${kind}; name a folder`); }
            if (!withContent && (await this.#disk.entriesAt(place)).length > 0) {
                throw fileException('ENOTEMPTY', at(names), 'is not empty');
            }
            this.#known.clear();
            await this.#disk.remove(place, true);
            this.#tell({ type: 'removed', names, kind });
        });
    }

    /** Makes a link with a JSON value as its target, which is never looked at; EEXIST where something is. */
    makeLink(names, target) {
        return this.#change([names], async ([place]) => {
            await this.#disk.makeLink(names, place, target, () => this.#makeFolders(names.slice(0, -1)));
            this.#tell({ type: 'added', names, kind: 'link' });
        });
    }

    removeLink(names) {
        return this.#change([names], async ([place]) => {
            requireLink(names, await this.#disk.kindAt(names, place));
            await this.#disk.remove(place);
            this.#tell({ type: 'removed', names, kind: 'link' });
        });
    }

    /** Moves what is at `from`; EEXIST when something is at `to`. */
    move(from, to) {
        return this.#change([from, to], async ([source, target]) => {
            const kind = await this.#disk.kindAt(from, source);
            if (from.length <= to.length && from.every((name, i) => name === to[i])) {
                throw fileException('EPERM', at(to), 'is inside what is to be moved, or that itself');
            }
            if (await this.#disk.statsAt(target)) { throw thereAlready(to); }
            this.#known.clear();
            await this.#disk.move(source, target, () => this.#makeFolders(to.slice(0, -1)));
            this.#tell({ type: 'moved', names: from, newNames: to, kind });
        });
    }

    // ---- versions

    /** Keeps the file's content as it is now under its version, which it gives. `version`: refuses any other. */
    archiveCurrent(names, version) {
        return this.#change([names], async ([place]) => {
            const head = await this.#disk.headAt(names, place);
            requireVersion(names, head.version, version);
            await this.#disk.archive(place, head);
            return head.version;
        });
    }

    removeArchived(names, version) {
        return this.#change([names], async ([place]) => {
            const { id } = await this.#disk.headAt(names, place);
            await this.#disk.removeArchived(id, version);
        });
    }

    // ---- what is told, and the end

    /**
     * Calls `observer` after each change with `{type: 'added'|'removed'|'changed'|'moved', names, newNames?, kind,
     * version?}`; gives a function that ends that.
     */
    watch(observer) {
        this.#observers.add(observer);
        return () => { this.#observers.delete(observer); };
    }

    /** Finishes what was asked for and overwrites the keys; later calls are refused. */
    async close() {
        this.#isClosed = true;
        await Promise.all([this.#order.idle(), Promise.allSettled([...this.#reads])]);
        this.#observers.clear();
        await this.#disk.close();
    }

    // ---- how it is done

    #requireOpen() {
        if (this.#isClosed) { throw fileException('EPERM', '', 'the user has signed out; sign in again'); }
    }

    async #read(names, work) {
        this.#requireOpen();
        const reading = this.#order.settled(at(names)).then(async () => {
            await this.#disk.ready();
            return work(await this.#disk.placeOf(names));
        });
        this.#reads.add(reading);
        try {
            return await reading;
        } finally {
            this.#reads.delete(reading);
        }
    }

    /** Does `change`, which gets the places of `paths`, in its turn. */
    async #change(paths, change) {
        this.#requireOpen();
        return this.#order.run(paths.map(at), () => this.#changes.run(1, async () => {
            await this.#disk.ready();
            const result = await change(await Promise.all(paths.map(names => this.#disk.placeOf(names))));
            for (const names of paths) { await this.#foldersOnDisk(names); }
            return result;
        }));
    }

    /** The last step of a write, which may find that it must not be. With it `content` is over. */
    async #commit(names, place, content, options = {}) {
        try {
            if (names.length === 0) { throw fileException('EISDIR', at(names), 'is a folder; name a file'); }
            const known = this.#known.get(at(names));
            const version = known ? undefined : await this.#commitNew(names, place, content, options);
            return version ?? await this.#commitChange(names, place, content, options, known);
        } finally {
            await content.abandon();
        }
    }

    /**
     * A name that is not known is mostly new, and the go to the disk that writes a file tells whether it is: the version,
     * or undefined for whoever looks first.
     */
    async #commitNew(names, place, content, { create = true, currentVersion, xattrs = {}, makeParents = true }) {
        if (!create || currentVersion) { return undefined; }
        const file = { id: this.#random(16), version: 1, xattrs: changedXattrs({}, xattrs) };
        const bytes = await content.bytesFor({ ...file, path: at(names) });
        if (!bytes) { return undefined; }
        try {
            await this.#disk.putNew(bytes, place, () => this.#makeParents(names, makeParents));
        } catch (exception) {
            if (exception.alreadyExists) { return undefined; }
            throw exception;
        }
        return this.#committed(names, file, 'added');
    }

    async #commitChange(names, place, content, options, known) {
        const { create = true, exclusive = false, makeParents = true, currentVersion, xattrs = {} } = options;
        const old = known ?? await this.#disk.fileAt(names, place);
        if (!old && !create) { throw fileException('ENOENT', at(names), 'there is no such file'); }
        if (old && exclusive) { throw thereAlready(names); }
        requireVersion(names, old?.version ?? 0, currentVersion);
        const file = {
            id: old?.id ?? this.#random(16), version: (old?.version ?? 0) + 1,
            xattrs: changedXattrs(old?.xattrs ?? {}, xattrs),
        };
        this.#known.delete(at(names));
        await this.#disk.put(content.finish({ ...file, path: at(names) }), place,
            () => this.#makeParents(names, create && makeParents));
        return this.#committed(names, file, old ? 'changed' : 'added');
    }

    #makeParents(names, isWanted) {
        if (isWanted) { return this.#makeFolders(names.slice(0, -1)); }
    }

    #committed(names, { id, version, xattrs }, type) {
        if (Object.keys(xattrs).length === 0) { this.#remember(at(names), { id, version }); }
        this.#tell({ type, names, kind: 'file', version });
        return version;
    }

    #remember(path, file) {
        if (this.#known.size >= mostKnown) { this.#known.clear(); }
        this.#known.set(path, file);
    }

    /** `{kind, xattrs, version, head?, place}` of a file or folder; `place` is the file that holds them. */
    async #attributesAt(names, place) {
        const kind = await this.#disk.kindAt(names, place);
        if (kind === 'link') { throw fileException('ENOSYS', at(names), 'links have no attributes'); }
        if (kind === 'file') {
            const { head, xattrs } = await this.#headAndAttributes(names, place);
            return { kind, xattrs, version: head.version, head, place };
        }
        const reader = await this.#disk.folderAttributes(names, place);
        await reader?.close();
        return {
            kind, xattrs: reader?.xattrs ?? {}, version: reader?.version ?? 0, head: reader?.head,
            place: this.#disk.attributesOf(place),
        };
    }

    async #headAndAttributes(names, place) {
        const reader = await this.#disk.openAt(names, place);
        await reader.close();
        return { head: reader.head, xattrs: reader.xattrs };
    }

    async #makeFolders(names, from = 0) {
        for (let count = from + 1; count <= names.length; count += 1) {
            const part = names.slice(0, count);
            const place = await this.#disk.placeOf(part);
            const stats = await this.#disk.statsAt(place);
            if (!stats) {
                await this.#makeFolder(part, place);
            } else if (!stats.isDirectory()) {
                throw fileException('ENOTDIR', at(part), 'a part of it is no folder');
            }
        }
    }

    async #makeFolder(names, place) {
        const made = await this.#disk.makeFolder(place);
        if (!made) { return; }
        this.#making.set(at(names), made.onDisk);
        try {
            await made.onDisk;
        } finally {
            this.#making.delete(at(names));
        }
        this.#tell({ type: 'added', names, kind: 'folder' });
    }

    /** What stands in a folder is on disk when the folder is, whoever made that. */
    async #foldersOnDisk(names) {
        if (this.#making.size === 0) { return; }
        for (let count = 1; count < names.length; count += 1) { await this.#making.get(at(names.slice(0, count))); }
    }

    #tell(change) {
        for (const observer of [...this.#observers]) {
            try {
                observer(change);
            } catch (error) {
                console.error('storage: an observer of changes failed:', error);
            }
        }
    }
}

const thereAlready = names => fileException('EEXIST', at(names), 'exists already');

function requireLink(names, kind) {
    if (kind !== 'link') { throw fileException('EPERM', at(names), `is a ${kind}, no link`, { notLink: true }); }
}

function requireVersion(names, actual, wanted) {
    if (wanted === undefined || wanted === actual) { return; }
    throw fileException('EPERM', at(names), `has version ${actual}, not ${wanted}`,
        { versionMismatch: true, currentVersion: actual });
}

Object.assign(globalThis.__embeddedCore, { openTree: options => new Tree(options) });
}
