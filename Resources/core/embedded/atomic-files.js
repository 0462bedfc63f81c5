// Changes on disk that are either whole or not there, wherever the process is killed.
(() => {
'use strict';

const parentOf = path => path.slice(0, path.lastIndexOf('/'));
const toHex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/**
 * Writes by way of a scratch folder on the same file system. What a killed process leaves is only ever there, so
 * apps' folders never show it, and `sweep` finds it all with one listing.
 */
class AtomicFiles {
    #fs;
    #scratch;
    #random;

    constructor(fs, scratch, random) {
        this.#fs = fs;
        this.#scratch = scratch;
        this.#random = random;
    }

    /** Makes the scratch folder, or removes what an earlier process left in it. */
    async sweep() {
        await this.#fs.mkdir(this.#scratch, { recursive: true });
        for (const name of await this.#fs.readdir(this.#scratch)) {
            const path = `${this.#scratch}/${name}`;
            const isFolder = (await this.#fs.lstat(path)).isDirectory();
            await (isFolder ? this.#fs.rmdir(path, { recursive: true }) : this.#fs.unlink(path));
        }
    }

    /**
     * Puts a file with `bytes` in the place of `path`. Order: new file, write, sync, rename over, sync of the
     * folder. With `makeParents` missing folders are made; without, their lack is `notFound`.
     */
    async write(path, bytes, makeParents) {
        await this.put(this.#writeScratch(bytes), path, () => {
            if (makeParents) { return this.makeFolder(parentOf(path)); }
        });
    }

    /**
     * Moves the synced scratch file whose path `written` promises to `path`, in the place of a file there; on disk when
     * this resolves. Where the folder is missing, `makeParents` is called before it is tried once more.
     */
    async put(written, path, makeParents) {
        // Opened meanwhile. Where it is not there yet it is opened later, and what else is wrong is met again then.
        const opening = this.#fs.open(parentOf(path), 'r').catch(() => undefined);
        try {
            await this.#rename(await written, path, makeParents);
        } catch (exception) {
            (await opening)?.close().catch(() => {});
            throw exception;
        }
        await this.#sync(await opening ?? await this.#fs.open(parentOf(path), 'r'));
    }

    async #rename(scratch, path, makeParents) {
        try {
            await this.#fs.rename(scratch, path).catch(async exception => {
                if (!exception.notFound) { throw exception; }
                await makeParents();
                await this.#fs.rename(scratch, path);
            });
        } catch (exception) {
            // The failure of the write is the news; a scratch file that stays is removed by the next sweep.
            await this.#fs.unlink(scratch).catch(() => {});
            throw exception;
        }
    }

    /** Makes `path` and what is missing above it, each on disk before this resolves. */
    async makeFolder(path) {
        try {
            await this.#fs.mkdir(path);
        } catch (exception) {
            if (exception.alreadyExists && (await this.#fs.lstat(path)).isDirectory()) { return; }
            if (!exception.notFound || !path.includes('/')) { throw exception; }
            await this.makeFolder(parentOf(path));
            return this.makeFolder(path);
        }
        if (path.includes('/')) { await this.syncFolder(parentOf(path)); }
    }

    async removeFile(path) {
        await this.#fs.unlink(path);
        await this.syncFolder(parentOf(path));
    }

    /** Removes a folder with what is in it: it is gone at once, then taken apart. */
    async removeFolder(path) {
        const scratch = this.scratchName();
        await this.#fs.rename(path, scratch);
        await this.syncFolder(parentOf(path));
        await this.#fs.rmdir(scratch, { recursive: true });
    }

    async #writeScratch(bytes) {
        const path = this.scratchName();
        const file = await this.#fs.open(path, 'wx');
        try {
            for (let offset = 0; offset < bytes.length;) {
                offset += (await file.write(bytes, offset, bytes.length - offset, offset)).bytesWritten;
            }
            await file.sync();
        } catch (exception) {
            // As in `write`: the failure is the news, the next sweep removes the rest.
            await this.#fs.unlink(path).catch(() => {});
            throw exception;
        } finally {
            await file.close();
        }
        return path;
    }

    /** A path for what is under way. */
    scratchName() { return `${this.#scratch}/${toHex(this.#random(8))}`; }

    async syncFolder(path) {
        await this.#sync(await this.#fs.open(path, 'r'));
    }

    async #sync(folder) {
        try {
            await folder.sync();
        } finally {
            // What was only synced loses nothing by a close that fails.
            folder.close().catch(() => {});
        }
    }
}

Object.assign(globalThis.__embeddedCore, { AtomicFiles });
})();
