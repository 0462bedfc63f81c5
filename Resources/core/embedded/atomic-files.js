// Changes on disk that are either whole or not there, wherever the process is killed.
'use strict';
{

const parentOf = path => path.slice(0, path.lastIndexOf('/'));
const toHex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** The result of `step`, which is done again behind `makeParents` where something on the way is missing. */
async function orOnceMore(makeParents, step) {
    try {
        return await step();
    } catch (exception) {
        if (!exception.notFound) { throw exception; }
        await makeParents();
        return step();
    }
}

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
        await this.replace(path, bytes, () => {
            if (makeParents) { return this.makeFolder(parentOf(path)); }
        });
    }

    /**
     * The same. Where the folder is missing, `makeParents` is called before it is tried once more. With `isNew` what is
     * there is `alreadyExists`, and stays.
     */
    async replace(path, bytes, makeParents, isNew) {
        await orOnceMore(makeParents, () => this.#fs.replaceFile(path, bytes, this.scratchName(), isNew));
    }

    /** Moves the synced scratch file `scratch` to `path`, as `replace` does with bytes. */
    async put(scratch, path, makeParents) {
        // Opened meanwhile. Where it is not there yet it is opened later, and what else is wrong is met again then.
        const opening = this.#fs.open(parentOf(path), 'r').catch(() => undefined);
        try {
            await orOnceMore(makeParents, () => this.#fs.rename(scratch, path));
        } catch (exception) {
            (await opening)?.close().catch(() => {});
            // The failure of the write is the news; a scratch file that stays is removed by the next sweep.
            await this.#fs.unlink(scratch).catch(() => {});
            throw exception;
        }
        await this.#sync(await opening ?? await this.#fs.open(parentOf(path), 'r'));
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
}
