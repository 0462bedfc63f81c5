// The JavaScript half of the file ports: `globalThis.platform.device_fs`, a promise API shaped like Node's
// `fs/promises`. Paths are relative to the folder of the file ports. Failures are the ports' `file` exceptions,
// passed on untouched; arguments that no port sees are checked here and fail as a port's bad arguments do.
'use strict';
{

const port = __nativeCallDispatch;
const encoder = new TextEncoder();
// A byte order mark is a part of the content.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function badArgument(call, message) {
    return { runtimeException: true, type: 'port', port: call, badArgument: true, message: `${call}: ${message}` };
}

/** A value for a message; objects may be hostile and are not asked. */
function seen(value) {
    if (ArrayBuffer.isView(value)) { return `a view of ${value.byteLength} bytes`; }
    if (Object(value) === value) { return `a ${typeof value}`; }
    const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
    return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** What `stat` and `lstat` give; a `Date` is made only when it is asked for. */
class Stats {
    #kind;
    constructor(info) {
        this.#kind = info.kind;
        this.size = info.size;
        this.mtimeMs = info.mtimeMs;
        this.ctimeMs = info.ctimeMs;
        this.atimeMs = info.atimeMs;
        this.birthtimeMs = info.birthtimeMs;
        this.mode = info.mode;
        this.blocks = info.blocks;
        this.blksize = info.blksize;
        this.ino = info.ino;
        this.nlink = info.nlink;
    }
    isFile() { return this.#kind === 'file'; }
    isDirectory() { return this.#kind === 'folder'; }
    isSymbolicLink() { return this.#kind === 'link'; }
    get atime() { return new Date(this.atimeMs); }
    get mtime() { return new Date(this.mtimeMs); }
    get ctime() { return new Date(this.ctimeMs); }
    get birthtime() { return new Date(this.birthtimeMs); }
}

/** The part of `buffer` that a call means. */
function part(call, buffer, offset, length) {
    if (!(buffer instanceof Uint8Array)) {
        throw badArgument(call, `buffer must be a Uint8Array, not ${seen(buffer)}`);
    }
    const start = offset ?? 0;
    if (!Number.isInteger(start) || start < 0 || start > buffer.length) {
        throw badArgument(call, `offset must be a whole number from 0 to ${buffer.length}, not ${seen(offset)}`);
    }
    const room = buffer.length - start;
    const count = length ?? room;
    if (!Number.isInteger(count) || count < 0 || count > room) {
        throw badArgument(call, `length must be a whole number from 0 to ${room}, not ${seen(length)}`);
    }
    return count === buffer.length ? buffer : new Uint8Array(buffer.buffer, buffer.byteOffset + start, count);
}

/** An open file; `fd` is valid until `close`. */
class FileHandle {
    constructor(fd) { this.fd = fd; }

    async stat() { return new Stats(await port('fh_stat', [this.fd])); }
    async close() { await port('fh_close', [this.fd]); }
    async sync() { await port('fh_sync', [this.fd]); }
    async truncate(length = 0) { await port('fh_truncate', [this.fd, length]); }

    /**
     * Reads up to `length` bytes into `buffer` at `offset`; fewer only where the file ends. `position` null = where the
     * file's own position is.
     */
    async read(buffer, offset, length, position) {
        const bytesRead = await port('fh_read', [this.fd, part('device_fs.read', buffer, offset, length), position]);
        return { bytesRead, buffer };
    }

    /** Writes all of it, or fails. */
    async write(buffer, offset, length, position) {
        const bytesWritten = await port(
            'fh_write', [this.fd, part('device_fs.write', buffer, offset, length), position]);
        return { bytesWritten, buffer };
    }
}

/** Whether text is meant: `options` is an encoding or has one. */
function isText(call, options) {
    const encoding = typeof options === 'string' ? options : options?.encoding;
    if (encoding === undefined || encoding === null) { return false; }
    if (encoding === 'utf8' || encoding === 'utf-8') { return true; }
    throw badArgument(call, `encoding must be utf8 or left out, not ${seen(encoding)}`);
}

function toBytes(call, content, options) {
    isText(call, options);
    if (typeof content === 'string') { return encoder.encode(content); }
    if (content instanceof Uint8Array) { return content; }
    throw badArgument(call, `content must be a string or a Uint8Array, not ${seen(content)}`);
}

globalThis.platform = Object.assign(globalThis.platform ?? {}, { device_fs: Object.freeze({
    async readFile(path, options) {
        const asText = isText('device_fs.readFile', options);
        const bytes = await port('fs_readFile', [path]);
        return asText ? decoder.decode(bytes) : bytes;
    },
    async writeFile(path, content, options) {
        await port('fs_writeFile', [path, toBytes('device_fs.writeFile', content, options), options?.flag]);
    },
    async appendFile(path, content, options) {
        await port('fs_appendFile', [path, toBytes('device_fs.appendFile', content, options)]);
    },
    async mkdir(path, options) { await port('fs_mkdir', [path, options?.recursive]); },
    /**
     * Puts a file in one step, on disk when this resolves; `scratch` is where it stands until then. With `isNew` what is
     * at `path` is EEXIST.
     */
    async replaceFile(path, bytes, scratch, isNew) { await port('fs_replaceFile', [path, bytes, scratch, isNew]); },
    /** Fills `buffer` from a file's beginning; `file` is the open file if there may be more. */
    async readStart(path, buffer) {
        const { count, fd } = await port('fs_readStart', [path, buffer]);
        return { bytesRead: count, file: fd === undefined ? undefined : new FileHandle(fd) };
    },
    async open(path, flags = 'r') { return new FileHandle(await port('fs_open', [path, flags])); },
    async symlink(target, path) { await port('fs_symlink', [target, path]); },
    async readlink(path) { return port('fs_readlink', [path]); },
    async lstat(path) { return new Stats(await port('fs_lstat', [path])); },
    async stat(path) { return new Stats(await port('fs_stat', [path])); },
    async readdir(path) { return port('fs_readdir', [path]); },
    async rmdir(path, options) { await port('fs_rmdir', [path, options?.recursive]); },
    async unlink(path) { await port('fs_unlink', [path]); },
    async rename(oldPath, newPath) { await port('fs_rename', [oldPath, newPath]); },
    async truncate(path, length = 0) { await port('fs_truncate', [path, length]); },
    async copyFile(source, target, overwrite) { await port('fs_copyFile', [source, target, overwrite]); },
}) });
}
