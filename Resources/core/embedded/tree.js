// The files of one file system as they are kept: encrypted, names too, in folders of the same shape. Paths are arrays
// of names; the root is []. Every change is on disk when its promise resolves, whole or not at all wherever the
// process ends, and in the order of the calls where paths touch; what reads sees the changes asked for before.
(() => {
'use strict';

const {
    fileException, WriteOrder, SealedNames, SealedContent, SealedReader, packHead, packXattrs, changedXattrs,
    contentEnd,
} = globalThis.__embeddedCore;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How many entries of a listing are looked at in one go. */
const looksAtOnce = 64;
/** Of a link: the kernel takes 4,095 as the text of one. */
const mostTargetBytes = 3000;
/** Beside the sealed names of a folder, none of which has a dot. */
const folderAttributes = '.attributes';

const toHex = bytes => bytes.toHex();
const parentOf = place => place.slice(0, place.lastIndexOf('/'));
const kindOf = stats => {
    if (stats.isDirectory()) { return 'folder'; }
    return stats.isSymbolicLink() ? 'link' : 'file';
};

/**
 * On disk, in the folder `place`:
 *
 *     files/                       the root folder
 *     versions/<file's id>/<n>     archived versions of a file, wherever it is moved to
 *     removed/                     what was removed and may have archived versions, until those are removed too
 */
class Tree {
    #fs;
    #files;
    #cryptor;
    #random;
    #place;
    #keyOf;
    #order = new WriteOrder();
    #names;
    #keys;
    #ready;
    /** Folders that were just made and are not on disk yet, by path → promise. */
    #making = new Map();
    #hasVersions = false;
    #isClosed = false;
    #observers = new Set();

    /**
     * `fs` is `platform.device_fs`, `files` the `AtomicFiles` over it; `place` a path in it, or a promise; `keyOf(use)`
     * promises a key of this tree's for one use, which is this tree's to overwrite.
     */
    constructor({ fs, files, cryptor, random, place, keyOf }) {
        this.#fs = fs;
        this.#files = files;
        this.#cryptor = cryptor;
        this.#random = random;
        this.#place = place;
        this.#keyOf = keyOf;
    }

    // ---- reading

    /** `{kind, mtime, ctime, size?, version?}`, size and version of files; undefined where nothing is. */
    async stat(names) {
        const place = await this.#settledAt(names);
        const stats = await this.#statsAt(place);
        if (!stats) { return undefined; }
        const { mtime, ctime } = stats;
        const kind = kindOf(stats);
        if (kind !== 'file') { return { kind, mtime, ctime }; }
        const { size, version } = await this.#headAt(names, place);
        return { kind, size, mtime, ctime, version };
    }

    /** `[{name, kind}]` by name. What is not this tree's is left out, and told in the log. */
    async list(names) {
        const place = await this.#settledAt(names);
        const entries = [];
        const sealed = (await this.#fs.readdir(place)).filter(name => !name.startsWith('.'));
        for (let i = 0; i < sealed.length; i += looksAtOnce) {
            entries.push(...await Promise.all(sealed.slice(i, i + looksAtOnce).map(async entry => {
                const [name, stats] = await Promise.all([
                    this.#names.open(entry), this.#statsAt(`${place}/${entry}`)]);
                if (name === undefined) {
                    console.error(`storage: ${place}/${entry} is none of the files here, or its name was changed; `
                        + 'restore it from a backup or remove it');
                }
                return name !== undefined && stats ? { name, kind: kindOf(stats) } : undefined;
            })));
        }
        return entries.filter(entry => entry).sort((a, b) => (a.name < b.name ? -1 : 1));
    }

    /**
     * A reader of a file as it is now: `{size, version, mtime, xattrs, read(start, end), close()}`. With
     * `archivedVersion` of one that was archived.
     */
    async open(names, { archivedVersion } = {}) {
        const place = await this.#settledAt(names);
        if (archivedVersion === undefined) { return this.#openAt(names, place); }
        const { id, version } = await this.#headAt(names, place);
        if (version === archivedVersion) { return this.#openAt(names, place); }
        return this.#openAt(names, `${this.#archiveOf(id)}/${archivedVersion}`);
    }

    /** Attributes of a file or folder. */
    async xattrs(names) {
        const place = await this.#settledAt(names);
        const kind = await this.#kindAt(names, place);
        if (kind === 'link') { throw noLinkAttributes(names); }
        if (kind === 'folder') { return (await this.#folderAttributes(names, place))?.xattrs ?? {}; }
        const reader = await this.#openAt(names, place);
        await reader.close();
        return reader.xattrs;
    }

    /** The target of a link, a JSON value. */
    async readLink(names) {
        const place = await this.#settledAt(names);
        requireLink(names, await this.#kindAt(names, place));
        try {
            const all = Uint8Array.fromBase64(await this.#fs.readlink(place), { alphabet: 'base64url' });
            const body = await this.#cryptor.sbox.open(all.subarray(24), all.subarray(0, 24), this.#keys.links);
            return JSON.parse(decoder.decode(body));
        } catch (exception) {
            if (exception.stopped || exception.type === 'file') { throw exception; }
            throw this.#damaged(names, place, 'the target of the link was changed');
        }
    }

    /** `{current, archived}`: the file's version, and those that were archived, ascending. */
    async versions(names) {
        const { id, version } = await this.#headAt(names, await this.#settledAt(names));
        return { current: version, archived: await this.#archivedOf(id) };
    }

    // ---- changes of content

    /**
     * Content under way, of which nothing is visible before `commit`: `{size, append(bytes), read(start, end),
     * commit(names, options) → version, abandon()}`. `options` as for `write`. A call that fails abandons it.
     */
    newContent() {
        let content;
        const withContent = async use => {
            await this.#opened();
            content ??= this.#newContent();
            return use(content);
        };
        return {
            get size() { return content?.size ?? 0; },
            append: bytes => withContent(it => it.append(bytes)),
            read: (start, end) => withContent(it => it.read(start, end)),
            abandon: () => withContent(it => it.abandon()),
            commit: (names, options) => this.#change(
                [names], () => withContent(it => this.#commit(names, it, options))),
        };
    }

    /**
     * Puts a file with `bytes` at `names` and gives its version. `create` (by default) makes one where none is, and
     * with it `makeParents` (by default) missing folders; `exclusive` refuses one that is there; `currentVersion`, 0
     * for none, any other than that (`versionMismatch`); `xattrs` is `{set?, remove?}`.
     */
    write(names, bytes, options) {
        return this.#change([names], async () => {
            const content = this.#newContent();
            await content.append(bytes);
            return this.#commit(names, content, options);
        });
    }

    /** Changes attributes, of which values are JSON or bytes; gives the new version. */
    setXattrs(names, changes) {
        return this.#change([names], async () => {
            const place = await this.#at(names);
            const kind = await this.#kindAt(names, place);
            if (kind === 'link') { throw noLinkAttributes(names); }
            const isFolder = kind === 'folder';
            const old = isFolder ? await this.#folderAttributes(names, place) : await this.#openAt(names, place);
            const version = (old?.version ?? 0) + 1;
            const xattrs = changedXattrs(old?.xattrs ?? {}, changes);
            await old?.close();
            const file = isFolder ? `${place}/${folderAttributes}` : place;
            const scratch = old ? await this.#copied(file, { ...old.head, version }, xattrs, names)
                : await this.#newContent().finish({ id: this.#random(16), version, xattrs, path: at(names) });
            await this.#files.put(scratch, file, () => {});
            this.#tell({ type: 'changed', names, kind, version });
            return version;
        });
    }

    /** Puts a copy of a file at `to`. With `overwrite` in the place of a file there. */
    copyFile(from, to, { overwrite = false } = {}) {
        return this.#change([from, to], async () => {
            const [source, target] = [await this.#at(from), await this.#at(to)];
            const old = await this.#fileAt(to, target);
            if (old && !overwrite) { throw thereAlready(to); }
            if (at(from) === at(to)) { return; }
            const reader = await this.#openAt(from, source);
            await reader.close();
            const version = (old?.version ?? 0) + 1;
            const scratch = await this.#copied(
                source, { ...reader.head, id: old?.id ?? this.#random(16), version }, reader.xattrs, to);
            await this.#files.put(scratch, target, () => this.#makeFolders(to.slice(0, -1)));
            this.#tell({ type: old ? 'changed' : 'added', names: to, kind: 'file', version });
        });
    }

    removeFile(names) {
        return this.#change([names], async () => {
            const place = await this.#at(names);
            const kind = await this.#kindAt(names, place);
            if (kind !== 'file') { throw fileException('ENOTFILE', at(names), `is a ${kind}; name a file`); }
            await this.#remove(place);
            this.#tell({ type: 'removed', names, kind: 'file' });
        });
    }

    // ---- changes of folders and links

    /** Makes a folder, with `makeParents` (by default) what is missing above it; `exclusive` refuses one there. */
    makeFolder(names, { exclusive = false, makeParents = true } = {}) {
        return this.#change([names], async () => {
            const place = await this.#at(names);
            const stats = await this.#statsAt(place);
            if (stats && (exclusive || !stats.isDirectory())) { throw thereAlready(names); }
            if (stats) { return; }
            await this.#makeFolders(names, makeParents ? 0 : names.length - 1);
        });
    }

    /** Removes an empty folder; with `withContent` one with everything in it. */
    removeFolder(names, withContent = false) {
        return this.#change([names], async () => {
            const place = await this.#at(names);
            if (names.length === 0) {
                throw fileException('EPERM', at(names), 'is the root of this file system and stays');
            }
            if (await this.#kindAt(names, place) !== 'folder') {
                throw fileException('ENOTDIR', at(names), 'is no folder; use deleteFile');
            }
            if (!withContent && (await this.#fs.readdir(place)).some(name => !name.startsWith('.'))) {
                throw fileException('ENOTEMPTY', at(names), 'is not empty');
            }
            await this.#remove(place, true);
            this.#tell({ type: 'removed', names, kind: 'folder' });
        });
    }

    /** Makes a link with a JSON value as its target, which is never looked at; EEXIST where something is. */
    makeLink(names, target) {
        return this.#change([names], async () => {
            const body = encoder.encode(JSON.stringify(target));
            if (body.length > mostTargetBytes) {
                throw fileException('EPERM', at(names),
                    `the target of a link has at most ${mostTargetBytes} bytes as JSON, this one ${body.length}`);
            }
            const place = await this.#at(names);
            const nonce = this.#random(24);
            const box = await this.#cryptor.sbox.pack(body, nonce, this.#keys.links);
            const all = new Uint8Array(24 + box.length);
            all.set(nonce);
            all.set(box, 24);
            const text = all.toBase64({ alphabet: 'base64url', omitPadding: true });
            await this.#fs.symlink(text, place).catch(async exception => {
                if (!exception.notFound) { throw exception; }
                await this.#makeFolders(names.slice(0, -1));
                await this.#fs.symlink(text, place);
            });
            await this.#files.syncFolder(parentOf(place));
            this.#tell({ type: 'added', names, kind: 'link' });
        });
    }

    removeLink(names) {
        return this.#change([names], async () => {
            const place = await this.#at(names);
            requireLink(names, await this.#kindAt(names, place));
            await this.#files.removeFile(place);
            this.#tell({ type: 'removed', names, kind: 'link' });
        });
    }

    /** Moves what is at `from`; EEXIST when something is at `to`. */
    move(from, to) {
        return this.#change([from, to], async () => {
            const [source, target] = [await this.#at(from), await this.#at(to)];
            const kind = await this.#kindAt(from, source);
            if (from.length <= to.length && from.every((name, i) => name === to[i])) {
                throw fileException('EPERM', at(to), 'is inside what is to be moved, or that itself');
            }
            if (await this.#statsAt(target)) { throw thereAlready(to); }
            await this.#fs.rename(source, target).catch(async exception => {
                if (!exception.notFound) { throw exception; }
                await this.#makeFolders(to.slice(0, -1));
                await this.#fs.rename(source, target);
            });
            await this.#files.syncFolder(parentOf(target));
            if (parentOf(source) !== parentOf(target)) { await this.#files.syncFolder(parentOf(source)); }
            this.#tell({ type: 'moved', names: from, newNames: to, kind });
        });
    }

    // ---- versions

    /** Keeps the file's content as it is now under its version, which it gives. `version`: refuses any other. */
    archiveCurrent(names, version) {
        return this.#change([names], async () => {
            const place = await this.#at(names);
            const head = await this.#headAt(names, place);
            requireVersion(names, head.version, version);
            const archive = this.#archiveOf(head.id);
            await this.#files.makeFolder(archive);
            this.#hasVersions = true;
            await this.#fs.copyFile(place, `${archive}/${head.version}`, true);
            await this.#files.syncFolder(archive);
            return head.version;
        });
    }

    removeArchived(names, version) {
        return this.#change([names], async () => {
            const { id } = await this.#headAt(names, await this.#at(names));
            await this.#files.removeFile(`${this.#archiveOf(id)}/${Number(version)}`);
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

    /** Waits for the changes under way and overwrites the keys; later calls are refused. */
    async close() {
        this.#isClosed = true;
        await this.#order.idle();
        this.#observers.clear();
        await this.#ready?.catch(() => {});
        this.#names?.close();
        for (const key of Object.values(this.#keys ?? {})) { key.fill(0); }
    }

    // ---- places

    #opened() {
        if (this.#isClosed) { throw fileException('EPERM', '', 'the user has signed out; sign in again'); }
        this.#ready ??= this.#prepare().catch(exception => {
            this.#ready = undefined;
            throw exception;
        });
        return this.#ready;
    }

    async #prepare() {
        this.#place = await this.#place;
        const [names, heads, links] = await Promise.all(['names', 'heads', 'links'].map(use => this.#keyOf(use)));
        this.#keys = { heads, links };
        this.#names = new SealedNames(this.#cryptor, names);
        await this.#files.makeFolder(`${this.#place}/files`);
        this.#hasVersions = await this.#statsAt(`${this.#place}/versions`) !== undefined;
        if (!this.#hasVersions) { return; }
        await this.#files.makeFolder(`${this.#place}/removed`);
        for (const name of await this.#fs.readdir(`${this.#place}/removed`)) {
            await this.#purge(`${this.#place}/removed/${name}`);
        }
    }

    /** For what reads: it sees all changes that were asked for before. */
    async #settledAt(names) {
        await this.#order.settled(at(names));
        return this.#at(names);
    }

    async #at(names) {
        await this.#opened();
        const sealed = await Promise.all(names.map(name => this.#names.seal(name)));
        return [`${this.#place}/files`, ...sealed].join('/');
    }

    #change(paths, change) {
        return this.#order.run(paths.map(at), async () => {
            await this.#opened();
            const result = await change();
            for (const names of paths) { await this.#foldersOnDisk(names); }
            return result;
        });
    }

    async #statsAt(place) {
        try {
            return await this.#fs.lstat(place);
        } catch (exception) {
            if (exception.notFound || exception.notDirectory) { return undefined; }
            throw exception;
        }
    }

    async #kindAt(names, place) {
        const stats = await this.#statsAt(place);
        if (!stats) { throw fileException('ENOENT', at(names), 'there is no such file or folder'); }
        return kindOf(stats);
    }

    async #makeFolders(names, from = 0) {
        for (let count = from + 1; count <= names.length; count += 1) {
            const part = names.slice(0, count);
            const stats = await this.#statsAt(await this.#at(part));
            if (!stats) {
                await this.#makeFolder(part);
            } else if (!stats.isDirectory()) {
                throw fileException('ENOTDIR', at(part), 'a part of it is no folder');
            }
        }
    }

    async #makeFolder(names) {
        const place = await this.#at(names);
        try {
            await this.#fs.mkdir(place);
        } catch (exception) {
            if (exception.alreadyExists) { return; }
            throw exception;
        }
        const onDisk = this.#files.syncFolder(parentOf(place));
        this.#making.set(at(names), onDisk);
        try {
            await onDisk;
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

    // ---- files

    #newContent() {
        return new SealedContent({
            fs: this.#fs, files: this.#files, cryptor: this.#cryptor, random: this.#random, headKey: this.#keys.heads,
        });
    }

    async #commit(names, content, options = {}) {
        const { create = true, exclusive = false, makeParents = true, currentVersion, xattrs = {} } = options;
        const place = await this.#at(names);
        let old;
        try {
            if (names.length === 0) { throw fileException('EISDIR', at(names), 'is a folder; name a file'); }
            old = await this.#fileAt(names, place);
            if (!old && !create) { throw fileException('ENOENT', at(names), 'there is no such file'); }
            if (old && exclusive) { throw thereAlready(names); }
            requireVersion(names, old?.version ?? 0, currentVersion);
        } catch (exception) {
            await content.abandon();
            throw exception;
        }
        const version = (old?.version ?? 0) + 1;
        const scratch = await content.finish({
            id: old?.id ?? this.#random(16), version, xattrs: changedXattrs(old?.xattrs ?? {}, xattrs), path: at(names),
        });
        await this.#files.put(scratch, place, () => {
            if (create && makeParents) { return this.#makeFolders(names.slice(0, -1)); }
        });
        this.#tell({ type: old ? 'changed' : 'added', names, kind: 'file', version });
        return version;
    }

    /** `{id, version, xattrs}` of the file at `place`, undefined when there is nothing; a folder or link is refused. */
    async #fileAt(names, place) {
        const stats = await this.#statsAt(place);
        if (!stats) { return undefined; }
        if (stats.isDirectory()) { throw fileException('EISDIR', at(names), 'is a folder; name a file'); }
        if (stats.isSymbolicLink()) { throw thereAlready(names); }
        const reader = await this.#openAt(names, place);
        await reader.close();
        return { id: reader.head.id, version: reader.version, xattrs: reader.xattrs };
    }

    async #headAt(names, place) {
        const reader = await this.#openAt(names, place);
        await reader.close();
        return reader.head;
    }

    async #openAt(names, place) {
        try {
            return await SealedReader.open({
                fs: this.#fs, cryptor: this.#cryptor, headKey: this.#keys.heads, place,
                damaged: what => this.#damaged(names, place, what),
            });
        } catch (exception) {
            if (exception.isDirectory) { throw fileException('ENOTFILE', at(names), 'is a folder; name a file'); }
            if (exception.notFound && (await this.#statsAt(place))?.isSymbolicLink()) {
                throw fileException('ENOTFILE', at(names), 'is a link');
            }
            throw exception;
        }
    }

    async #folderAttributes(names, place) {
        try {
            return await this.#openAt(names, `${place}/${folderAttributes}`);
        } catch (exception) {
            if (exception.notFound) { return undefined; }
            throw exception;
        }
    }

    /** A scratch file with the content at `place` and another head and attributes, synced. */
    async #copied(place, head, xattrs, names) {
        const attributes = await packXattrs(this.#cryptor, this.#random, head.key, xattrs, at(names));
        const bytes = await packHead(
            this.#cryptor, this.#random, this.#keys.heads, { ...head, xattrsLength: attributes.length });
        const scratch = this.#files.scratchName();
        await this.#fs.copyFile(place, scratch, false);
        const file = await this.#fs.open(scratch, 'r+');
        try {
            const end = contentEnd(head.size);
            await file.truncate(end);
            await writeAll(file, attributes, end);
            await writeAll(file, bytes, 0);
            await file.sync();
        } finally {
            await file.close();
        }
        return scratch;
    }

    #damaged(names, place, what) {
        console.error(`storage: ${place}: ${what}; restore the file from a backup, or delete it in the app`);
        return fileException('EIO', at(names),
            'its bytes on disk were changed or are missing; restore it from a backup', { damaged: true });
    }

    // ---- removal and versions

    #archiveOf(id) { return `${this.#place}/versions/${toHex(id)}`; }

    async #archivedOf(id) {
        if (!this.#hasVersions) { return []; }
        try {
            return (await this.#fs.readdir(this.#archiveOf(id))).map(Number).sort((a, b) => a - b);
        } catch (exception) {
            if (exception.notFound) { return []; }
            throw exception;
        }
    }

    async #remove(place, isFolder = false) {
        if (!this.#hasVersions) {
            await (isFolder ? this.#files.removeFolder(place) : this.#files.removeFile(place));
            return;
        }
        const removed = `${this.#place}/removed/${toHex(this.#random(8))}`;
        await this.#files.makeFolder(parentOf(removed));
        await this.#fs.rename(place, removed);
        await this.#files.syncFolder(parentOf(place));
        await this.#files.syncFolder(parentOf(removed));
        await this.#purge(removed);
    }

    /** Removes what is at `place` and the archived versions of all files in it. */
    async #purge(place) {
        const stats = await this.#statsAt(place);
        if (stats.isDirectory()) {
            for (const name of await this.#fs.readdir(place)) { await this.#purge(`${place}/${name}`); }
            await this.#fs.rmdir(place);
            return;
        }
        if (stats.isFile()) { await this.#removeArchive(place); }
        await this.#fs.unlink(place);
    }

    async #removeArchive(place) {
        let id;
        try {
            ({ id } = await this.#headAt([], place));
        } catch (exception) {
            // Which versions belong to a damaged file is not known any more; it is removed all the same.
            if (exception.damaged) { return; }
            throw exception;
        }
        if (await this.#statsAt(this.#archiveOf(id))) { await this.#files.removeFolder(this.#archiveOf(id)); }
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

const at = names => names.join('/');

const thereAlready = names => fileException('EEXIST', at(names), 'exists already');

const noLinkAttributes = names => fileException('ENOSYS', at(names), 'links have no attributes');

function requireLink(names, kind) {
    if (kind !== 'link') { throw fileException('EPERM', at(names), `is a ${kind}, no link`, { notLink: true }); }
}

function requireVersion(names, actual, wanted) {
    if (wanted === undefined || wanted === actual) { return; }
    throw fileException('EPERM', at(names), `has version ${actual}, not ${wanted}`,
        { versionMismatch: true, currentVersion: actual });
}

async function writeAll(file, bytes, position) {
    for (let offset = 0; offset < bytes.length;) {
        offset += (await file.write(bytes, offset, bytes.length - offset, position + offset)).bytesWritten;
    }
}

Object.assign(globalThis.__embeddedCore, { openTree: options => new Tree(options) });
})();
