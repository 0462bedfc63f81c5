// The file system object that an app gets: paths of its own, changes in order and atomic.
(() => {
'use strict';

const { fileException, seenByCaller, namesInPath } = globalThis.__embeddedCore;
const encoder = new TextEncoder();

/** How many entries of a listing are looked at in one go. */
const statsAtOnce = 64;

/**
 * Makes a file system object over the folder `root` of `fs` (`platform.device_fs`); `files` makes its changes and
 * `order` keeps them in line, across all objects over one folder. `isOpenForApp()` turns false when the app's
 * component ends. Its members are the capability's; every failure is a `file` exception with the path as the
 * caller gave it.
 */
function makeAppFS({ fs, files, order, root, name, isOpenForApp }) {
    let isClosed = false;

    /** Runs `work` on the place of `path`; `changes` puts it in line with other changes there. */
    async function at(path, work, changes = false) {
        if (isClosed || !isOpenForApp()) {
            throw fileException('EPERM', String(path), 'this file system is closed; open it anew');
        }
        const names = namesInPath(path);
        const place = [root, ...names].join('/');
        const isRoot = names.length === 0;
        try {
            return await (changes ? order.run([place], () => work(place, isRoot)) : work(place, isRoot));
        } catch (exception) {
            throw seenByCaller(exception, path);
        }
    }

    const change = (path, work) => at(path, work, true);

    async function contentOf(path, place) {
        try {
            return await fs.readFile(place);
        } catch (exception) {
            throw exception.isDirectory ? fileException('ENOTFILE', path, 'is a folder; name a file') : exception;
        }
    }

    const readBytes = (path, start = 0, end = Infinity) => at(path, async place => {
        const isSize = n => n === Infinity || Number.isSafeInteger(n);
        if (!isSize(start) || !isSize(end) || start < 0 || end < start) {
            throw fileException('EPERM', path, `no range ${start} to ${end}; give whole numbers, start <= end`);
        }
        const bytes = await contentOf(path, place);
        return (start === 0 && end >= bytes.length) ? bytes : bytes.slice(start, end);
    });

    async function readTxtFile(path) {
        const bytes = await readBytes(path);
        try {
            return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        } catch {
            throw fileException('EIO', path, 'is not UTF-8 text; read it with readBytes');
        }
    }

    async function readJSONFile(path) {
        const text = await readTxtFile(path);
        try {
            return JSON.parse(text);
        } catch (error) {
            throw fileException('EIO', path, `is not JSON: ${error.message}`);
        }
    }

    function writeBytes(path, bytes, { create = true, truncate = true, exclusive = false } = {}) {
        return change(path, async (place, isRoot) => {
            if (!(bytes instanceof Uint8Array)) {
                throw fileException('EPERM', path, 'content is no Uint8Array; give bytes or use writeTxtFile');
            }
            if (isRoot) { throw fileException('EISDIR', path, 'is a folder; name a file'); }
            if (exclusive && await statsOrNone(place)) { throw fileException('EEXIST', path, 'exists already'); }
            const old = (truncate && create) ? undefined : await contentOf(path, place).catch(exception => {
                if (exception.notFound && create) { return undefined; }
                throw exception;
            });
            await files.write(place, (truncate || !old) ? bytes : overlaid(old, bytes), create);
        });
    }

    async function statsOrNone(place) {
        try {
            return await fs.lstat(place);
        } catch (exception) {
            if (exception.notFound || exception.notDirectory) { return undefined; }
            throw exception;
        }
    }

    const isThere = (path, test, code, throwIfMissing) => at(path, async place => {
        const stats = await statsOrNone(place);
        if (stats && test(stats)) { return true; }
        if (!throwIfMissing) { return false; }
        if (!stats) { throw fileException('ENOENT', path, 'is not there'); }
        throw fileException(code, path, 'is something else');
    });

    return Object.freeze({
        type: 'local', writable: true, name,
        readBytes, readTxtFile, readJSONFile, writeBytes,

        async writeTxtFile(path, text, flags) {
            if (typeof text !== 'string') { throw fileException('EPERM', String(path), 'content is no string'); }
            await writeBytes(path, encoder.encode(text), flags);
        },
        async writeJSONFile(path, value, flags) {
            const text = JSON.stringify(value);
            if (text === undefined) { throw fileException('EPERM', String(path), 'content has no form in JSON'); }
            await writeBytes(path, encoder.encode(text), flags);
        },

        listFolder: (path = '') => at(path, async place => {
            const names = (await fs.readdir(place)).sort();
            const entries = [];
            for (let i = 0; i < names.length; i += statsAtOnce) {
                entries.push(...await Promise.all(names.slice(i, i + statsAtOnce).map(async entry => {
                    const stats = await statsOrNone(`${place}/${entry}`);
                    if (!stats) { return undefined; }
                    if (stats.isDirectory()) { return { name: entry, isFolder: true }; }
                    return { name: entry, [stats.isFile() ? 'isFile' : 'isLink']: true };
                })));
            }
            return entries.filter(entry => entry !== undefined);
        }),
        makeFolder: (path, exclusive = false) => change(path, async place => {
            if (exclusive && await statsOrNone(place)) { throw fileException('EEXIST', path, 'exists already'); }
            await files.makeFolder(place);
        }),
        deleteFile: path => change(path, async place => {
            if ((await fs.lstat(place)).isDirectory()) {
                throw fileException('ENOTFILE', path, 'is a folder; use deleteFolder');
            }
            await files.removeFile(place);
        }),
        deleteFolder: (path, removeContent = false) => change(path, async (place, isRoot) => {
            if (isRoot) { throw fileException('EPERM', path, 'is the root of this file system and stays'); }
            if (!(await fs.lstat(place)).isDirectory()) {
                throw fileException('ENOTDIR', path, 'is no folder; use deleteFile');
            }
            await (removeContent === true ? files.removeFolder(place) : fs.rmdir(place));
        }),
        checkFilePresence: (path, throwIfMissing) => isThere(path, s => s.isFile(), 'ENOTFILE', throwIfMissing),
        checkFolderPresence: (path, throwIfMissing) =>
            isThere(path, s => s.isDirectory(), 'ENOTDIR', throwIfMissing),
        stat: path => at(path, async place => {
            const stats = await fs.stat(place);
            const kind = stats.isDirectory() ? { isFolder: true } : { isFile: true, size: stats.size };
            return { ...kind, writable: true, mtime: stats.mtime, ctime: stats.ctime };
        }),
        async close() { isClosed = true; },
    });
}

/** `old` with `bytes` in the place of its beginning. */
function overlaid(old, bytes) {
    const all = new Uint8Array(Math.max(old.length, bytes.length));
    all.set(old);
    all.set(bytes);
    return all;
}

Object.assign(globalThis.__embeddedCore, { makeAppFS });
})();
