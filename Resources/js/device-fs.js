// The JavaScript half of the file ports: `globalThis.platform.device_fs`, a promise API shaped like Node's
// `fs/promises`. Paths are relative to the folder of the file ports. Failures are the ports' `file` exceptions,
// passed on untouched.
(() => {
'use strict';

const encoder = new TextEncoder();
const port = async (name, ...args) => __nativeCallDispatch(name, args);

/** What `stat` and `lstat` give; a `Date` is made only when it is asked for. */
class Stats {
    #kind;
    constructor({ kind, ...numbers }) {
        this.#kind = kind;
        Object.assign(this, numbers);
    }
    isFile() { return this.#kind === 'file'; }
    isDirectory() { return this.#kind === 'folder'; }
    isSymbolicLink() { return this.#kind === 'link'; }
    get atime() { return new Date(this.atimeMs); }
    get mtime() { return new Date(this.mtimeMs); }
    get ctime() { return new Date(this.ctimeMs); }
    get birthtime() { return new Date(this.birthtimeMs); }
}

/** An open file; `fd` is valid until `close`. */
class FileHandle {
    constructor(fd) { this.fd = fd; }

    async stat() { return new Stats(await port('fh_stat', this.fd)); }
    async close() { await port('fh_close', this.fd); }
    async sync() { await port('fh_sync', this.fd); }
    async truncate(length = 0) { await port('fh_truncate', this.fd, length); }

    /** Reads up to `length` bytes into `buffer` at `offset`; `position` null = where the file's own position is. */
    async read(buffer, offset = 0, length = buffer.length - offset, position = null) {
        const bytes = await port('fh_read', this.fd, length, position);
        buffer.set(bytes, offset);
        return { bytesRead: bytes.length, buffer };
    }

    async write(buffer, offset = 0, length = buffer.length - offset, position = null) {
        const bytesWritten = await port('fh_write', this.fd, buffer.subarray(offset, offset + length), position);
        return { bytesWritten, buffer };
    }
}

const toBytes = content => (typeof content === 'string' ? encoder.encode(content) : content);
const isText = options => options === 'utf8' || options?.encoding === 'utf8';

globalThis.platform = Object.assign(globalThis.platform ?? {}, { device_fs: Object.freeze({
    async readFile(path, options) {
        const bytes = await port('fs_readFile', path);
        return isText(options) ? new TextDecoder().decode(bytes) : bytes;
    },
    async writeFile(path, content, options) {
        await port('fs_writeFile', path, toBytes(content), options?.flag ?? 'w');
    },
    async appendFile(path, content) { await port('fs_appendFile', path, toBytes(content)); },
    async mkdir(path, options) { await port('fs_mkdir', path, options?.recursive === true); },
    async open(path, flags = 'r') { return new FileHandle(await port('fs_open', path, flags)); },
    async symlink(target, path) { await port('fs_symlink', target, path); },
    readlink(path) { return port('fs_readlink', path); },
    async lstat(path) { return new Stats(await port('fs_lstat', path)); },
    async stat(path) { return new Stats(await port('fs_stat', path)); },
    readdir(path) { return port('fs_readdir', path); },
    async rmdir(path, options) { await port('fs_rmdir', path, options?.recursive === true); },
    async unlink(path) { await port('fs_unlink', path); },
    async rename(oldPath, newPath) { await port('fs_rename', oldPath, newPath); },
    async truncate(path, length = 0) { await port('fs_truncate', path, length); },
    async copyFile(source, target, overwrite = false) { await port('fs_copyFile', source, target, overwrite); },
}) });
})();
