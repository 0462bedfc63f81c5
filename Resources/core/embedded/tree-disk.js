// Where the files of a tree stand on disk, and what is done to one there.
'use strict';
{

const {
    fileException, SealedNames, SealedContent, SealedReader, packHead, packXattrs, contentEnd, writeAll,
} = globalThis.__embeddedCore;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Of a link, as JSON: the kernel takes 4,095 as the text of one. */
const mostTargetBytes = 3000;
/** Beside the sealed names of a folder, none of which has a dot. */
const folderAttributes = '.attributes';

const at = names => names.join('/');
const parentOf = place => place.slice(0, place.lastIndexOf('/'));
const kindOf = stats => {
    if (stats.isDirectory()) { return 'folder'; }
    return stats.isSymbolicLink() ? 'link' : 'file';
};

/**
 * A tree's folder, its keys, and one step at a time; what is in order and what observers see is `Tree`'s. Paths are
 * arrays of names, places are paths of `fs`:
 *
 *     files/                       the root folder
 *     versions/<file's id>/<n>     archived versions of a file, wherever it is moved to
 *     removed/                     what was removed and may have archived versions, until those are removed too
 */
class TreeDisk {
    #fs;
    #files;
    #cryptor;
    #random;
    #place;
    #keyOf;
    #names;
    #keys;
    #ready;
    #hasVersions = false;

    /** As `Tree` has it. */
    constructor({ fs, files, cryptor, random, place, keyOf }) {
        this.#fs = fs;
        this.#files = files;
        this.#cryptor = cryptor;
        this.#random = random;
        this.#place = place;
        this.#keyOf = keyOf;
    }

    /** Makes the folder and the keys when it is first needed, and finishes removals that were cut off. */
    ready() {
        this.#ready ??= this.#prepare().catch(exception => {
            this.#ready = undefined;
            throw exception;
        });
        return this.#ready;
    }

    /** Overwrites the keys; nobody may be at work. */
    async close() {
        // A tree that could not be made ready has nothing to overwrite.
        await this.#ready?.catch(() => {});
        this.#names?.close();
        for (const key of Object.values(this.#keys ?? {})) { key.fill(0); }
    }

    async #prepare() {
        this.#place = await this.#place;
        const [names, heads, links] = await Promise.all(['names', 'heads', 'links'].map(use => this.#keyOf(use)));
        this.#keys = { heads, links };
        this.#names = new SealedNames(this.#cryptor, names);
        await this.#files.makeFolder(`${this.#place}/files`);
        this.#hasVersions = await this.statsAt(`${this.#place}/versions`) !== undefined;
        if (!this.#hasVersions) { return; }
        await this.#files.makeFolder(`${this.#place}/removed`);
        for (const name of await this.#fs.readdir(`${this.#place}/removed`)) {
            await this.#purge(`${this.#place}/removed/${name}`);
        }
    }

    // ---- places

    /** Where `names` lead. */
    async placeOf(names) {
        const sealed = await Promise.all(names.map(name => this.#names.seal(name)));
        return [`${this.#place}/files`, ...sealed].join('/');
    }

    /** What is there, undefined for nothing. */
    async statsAt(place) {
        try {
            return await this.#fs.lstat(place);
        } catch (exception) {
            if (exception.notFound || exception.notDirectory) { return undefined; }
            throw exception;
        }
    }

    /** `folder`, `file` or `link`; ENOENT for nothing. */
    async kindAt(names, place) {
        const stats = await this.statsAt(place);
        if (!stats) { throw fileException('ENOENT', at(names), 'there is no such file or folder'); }
        return kindOf(stats);
    }

    /** `{name, kind}` of what stands in the folder `place` as `entry`; undefined for what is not this tree's. */
    async entryAt(place, entry) {
        const [name, stats] = await Promise.all([this.#names.open(entry), this.statsAt(`${place}/${entry}`)]);
        if (name === undefined) {
            console.error(`storage: ${place}/${entry} is none of the files here, or its name was changed; `
                + 'restore it from a backup or remove it');
        }
        return name !== undefined && stats ? { name, kind: kindOf(stats) } : undefined;
    }

    /** Names as they stand in the folder `place`. */
    async entriesAt(place) { return (await this.#fs.readdir(place)).filter(name => !name.startsWith('.')); }

    /** Makes a folder in one that is there, and gives a promise that it is on disk; undefined when there was one. */
    async makeFolder(place) {
        try {
            await this.#fs.mkdir(place);
        } catch (exception) {
            if (exception.alreadyExists) { return undefined; }
            throw exception;
        }
        return { onDisk: this.#files.syncFolder(parentOf(place)) };
    }

    /** Moves what is at `from`; `makeParents` is called where a folder is missing. */
    async move(from, to, makeParents) {
        await this.#fs.rename(from, to).catch(async exception => {
            if (!exception.notFound) { throw exception; }
            await makeParents();
            await this.#fs.rename(from, to);
        });
        await this.#files.syncFolder(parentOf(to));
        if (parentOf(from) !== parentOf(to)) { await this.#files.syncFolder(parentOf(from)); }
    }

    // ---- files

    newContent() {
        return new SealedContent({
            fs: this.#fs, files: this.#files, cryptor: this.#cryptor, random: this.#random, headKey: this.#keys.heads,
        });
    }

    /** What `finish` promises, `{bytes}` or the synced file `{scratch}`, takes the place of what is at `place`. */
    async put(finish, place, makeParents = () => {}) {
        const { bytes, scratch } = await finish;
        await (scratch ? this.#files.put(scratch, place, makeParents) : this.#files.replace(place, bytes, makeParents));
    }

    /** The same with bytes where nothing is yet: what is there is `alreadyExists`, and stays. */
    putNew(bytes, place, makeParents) { return this.#files.replace(place, bytes, makeParents, true); }

    /** `{id, version, xattrs}` of the file at `place`, undefined when there is nothing; a folder or link is refused. */
    async fileAt(names, place) {
        const stats = await this.statsAt(place);
        if (!stats) { return undefined; }
        if (stats.isDirectory()) { throw fileException('EISDIR', at(names), 'is a folder; name a file'); }
        if (stats.isSymbolicLink()) { throw fileException('EEXIST', at(names), 'exists already'); }
        const reader = await this.openAt(names, place);
        await reader.close();
        return { id: reader.head.id, version: reader.version, xattrs: reader.xattrs };
    }

    /** The head of the file at `place`. */
    async headAt(names, place) {
        const reader = await this.openAt(names, place);
        await reader.close();
        return reader.head;
    }

    /** A `SealedReader`; `readsAll` as it has it. */
    async openAt(names, place, readsAll = false) {
        try {
            return await SealedReader.open({
                fs: this.#fs, cryptor: this.#cryptor, headKey: this.#keys.heads, place, readsAll,
                damaged: what => this.#damaged(names, place, what),
            });
        } catch (exception) {
            if (exception.isDirectory) { throw fileException('ENOTFILE', at(names), 'is a folder; name a file'); }
            if (exception.notFound && (await this.statsAt(place))?.isSymbolicLink()) {
                throw fileException('ENOTFILE', at(names), 'is a link');
            }
            throw exception;
        }
    }

    /** The reader of a folder's attributes, undefined when it has none; they stand at `attributesOf(place)`. */
    async folderAttributes(names, place) {
        try {
            return await this.openAt(names, this.attributesOf(place));
        } catch (exception) {
            if (exception.notFound) { return undefined; }
            throw exception;
        }
    }

    attributesOf(place) { return `${place}/${folderAttributes}`; }

    /** `{scratch}`, a synced file with the content at `place` and another head and attributes. */
    async copied(place, head, xattrs, names) {
        const attributes = await packXattrs(this.#cryptor, this.#random, head.key, xattrs, at(names));
        const bytes = await packHead(
            this.#cryptor, this.#random, this.#keys.heads, { ...head, xattrsLength: attributes.length });
        const scratch = this.#files.scratchName();
        try {
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
        } catch (exception) {
            // The failure is the news; the next sweep removes what stays.
            await this.#fs.unlink(scratch).catch(() => {});
            throw exception;
        }
        return { scratch };
    }

    #damaged(names, place, what) {
        console.error(`storage: ${place}: ${what}; restore the file from a backup, or delete it in the app`);
        return fileException('EIO', at(names),
            'its bytes on disk were changed or are missing; restore it from a backup', { damaged: true });
    }

    // ---- links

    /** Makes a link and has it on disk; `makeParents` is called where a folder is missing. */
    async makeLink(names, place, target, makeParents) {
        const body = encoder.encode(JSON.stringify(target));
        if (body.length > mostTargetBytes) {
            throw fileException('EPERM', at(names),
                `the target of a link has at most ${mostTargetBytes} bytes as JSON, this one ${body.length}`);
        }
        const all = await this.#cryptor.sbox.formatWN.pack(body, this.#random(24), this.#keys.links);
        const text = all.toBase64({ alphabet: 'base64url', omitPadding: true });
        await this.#fs.symlink(text, place).catch(async exception => {
            if (!exception.notFound) { throw exception; }
            await makeParents();
            await this.#fs.symlink(text, place);
        });
        await this.#files.syncFolder(parentOf(place));
    }

    async targetAt(names, place) {
        try {
            const all = Uint8Array.fromBase64(await this.#fs.readlink(place), { alphabet: 'base64url' });
            return JSON.parse(decoder.decode(await this.#cryptor.sbox.formatWN.open(all, this.#keys.links)));
        } catch (exception) {
            if (exception.stopped || exception.type === 'file') { throw exception; }
            throw this.#damaged(names, place, 'the target of the link was changed');
        }
    }

    // ---- removal and versions

    /** Keeps the file at `place`, whose head is `head`, as it is now. */
    async archive(place, { id, version }) {
        const archive = this.#archiveOf(id);
        await this.#files.makeFolder(archive);
        this.#hasVersions = true;
        await this.#fs.copyFile(place, `${archive}/${version}`, true);
        await this.#files.syncFolder(archive);
    }

    /** Where a version stands. */
    archivedAt(id, version) { return `${this.#archiveOf(id)}/${Number(version)}`; }

    removeArchived(id, version) { return this.#files.removeFile(this.archivedAt(id, version)); }

    #archiveOf(id) { return `${this.#place}/versions/${id.toHex()}`; }

    /** Versions that are archived, ascending. */
    async archivedOf(id) {
        if (!this.#hasVersions) { return []; }
        try {
            return (await this.#fs.readdir(this.#archiveOf(id))).map(Number).sort((a, b) => a - b);
        } catch (exception) {
            if (exception.notFound) { return []; }
            throw exception;
        }
    }

    /** Removes a file, link or folder with all that is in it. */
    async remove(place, isFolder = false) {
        if (!this.#hasVersions) {
            await (isFolder ? this.#files.removeFolder(place) : this.#files.removeFile(place));
            return;
        }
        const removed = `${this.#place}/removed/${this.#random(8).toHex()}`;
        await this.#files.makeFolder(parentOf(removed));
        await this.#fs.rename(place, removed);
        await this.#files.syncFolder(parentOf(place));
        await this.#files.syncFolder(parentOf(removed));
        await this.#purge(removed);
    }

    /** Removes what is at `place` and the archived versions of all files in it. */
    async #purge(place) {
        const stats = await this.statsAt(place);
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
            ({ id } = await this.headAt([], place));
        } catch (exception) {
            // Which versions belong to a damaged file is not known any more; it is removed all the same.
            if (exception.damaged) { return; }
            throw exception;
        }
        if (await this.statsAt(this.#archiveOf(id))) { await this.#files.removeFolder(this.#archiveOf(id)); }
    }
}

Object.assign(globalThis.__embeddedCore, { TreeDisk, kindOf });
}
