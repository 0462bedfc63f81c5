// A disk in memory behind the calls of `platform.device_fs`, which records what each call does, one effect after the
// other, so that the disk of any moment can be made again as a power cut may leave it: what was written to a file is
// sure to be there once the file was synced, and a name once its folder was. Of the rest anything may be lost.
(() => {
'use strict';

const flagOf = {
    ENOENT: 'notFound', EEXIST: 'alreadyExists', ENOTDIR: 'notDirectory', EISDIR: 'isDirectory',
    ENOTEMPTY: 'notEmpty', EINVAL: 'invalid',
};
const failure = (code, path) => ({
    runtimeException: true, type: 'file', code, path, [flagOf[code]]: true, message: `${path}: ${code}`,
});

const namesOf = path => path.split('/').filter(name => name !== '' && name !== '.');

class RecordedDisk {
    /** Effects: entries (`make`, `unlink`, `rename`), contents (`write`, `cut`), and `sync` of one number. */
    log = [];
    /** How many steps of others may come before a call or a sync is done. */
    slowness = () => 0;
    #nodes = new Map([[1, { kind: 'folder', entries: new Map() }]]);
    #lastNumber = 1;

    /** The disk after `log`, without the effects that `isLost(effect, index)`. */
    static after(log, isLost = () => false) {
        const disk = new RecordedDisk();
        for (const [i, effect] of log.entries()) { disk.#apply(effect, isLost(effect, i)); }
        return disk;
    }

    /** For each effect whether a later one makes sure of it. */
    static areSure(log) {
        const synced = new Set();
        const sure = [];
        for (let i = log.length - 1; i >= 0; i -= 1) {
            const { type, number, folders, isSure } = log[i];
            if (type === 'sync') { synced.add(number); }
            sure[i] = isSure || (folders ?? [number]).some(one => synced.has(one));
        }
        return sure;
    }

    #do(effect) {
        this.log.push(effect);
        this.#apply(effect, false);
    }

    /** What is lost leaves nodes that nothing leads to. */
    #apply({ type, number, at, name, to, node, bytes, size, folders }, isLost) {
        if (node) { this.#nodes.set(number, { ...node, ...node.kind === 'folder' && { entries: new Map() } }); }
        this.#lastNumber = Math.max(this.#lastNumber, number ?? 0);
        if (isLost || type === 'sync') { return; }
        const entriesOf = folder => this.#nodes.get(folder).entries;
        if (type === 'make') { entriesOf(at).set(name, number); }
        if (type === 'unlink') { entriesOf(at).delete(name); }
        if (type === 'rename') {
            if (entriesOf(at).get(name) === number) { entriesOf(at).delete(name); }
            entriesOf(to.at).set(to.name, number);
        }
        const file = this.#nodes.get(number);
        if (type === 'write') { file.bytes = overlaid(file.bytes, bytes, size); }
        if (type === 'cut') { file.bytes = overlaid(file.bytes.subarray(0, size), new Uint8Array(0), size); }
    }

    #find(path) {
        let number = 1;
        for (const name of namesOf(path)) {
            const node = this.#nodes.get(number);
            if (node.kind === 'link') { throw failure('ENOENT', path); }
            if (node.kind === 'file') { throw failure('ENOTDIR', path); }
            number = node.entries.get(name);
            if (number === undefined) { throw failure('ENOENT', path); }
        }
        return { number, node: this.#nodes.get(number) };
    }

    #parent(path) {
        const names = namesOf(path);
        const name = names.pop();
        const { number, node } = this.#find(names.join('/'));
        if (node.kind !== 'folder') { throw failure(node.kind === 'link' ? 'ENOENT' : 'ENOTDIR', path); }
        return { at: number, name, number: node.entries.get(name) };
    }

    #make(path, node, isSure = false) {
        const { at, name, number } = this.#parent(path);
        if (number !== undefined) { throw failure('EEXIST', path); }
        this.#do({ type: 'make', number: this.#lastNumber + 1, at, name, node, folders: [at], isSure });
        return this.#lastNumber;
    }

    async #wait() {
        for (let left = this.slowness(); left > 0; left -= 1) { await undefined; }
    }

    // ---- the calls

    /** `platform.device_fs` over this disk. */
    get fs() {
        const calls = {};
        for (const name of ['readFile', 'mkdir', 'open', 'symlink', 'readlink', 'lstat', 'readdir', 'rmdir', 'unlink',
            'rename', 'copyFile', 'replaceFile', 'readStart']) {
            calls[name] = async (...args) => {
                await this.#wait();
                return this[name](...args);
            };
        }
        calls.stat = calls.lstat;
        return calls;
    }

    readFile(path, { encoding } = {}) {
        const { node } = this.#find(path);
        if (node.kind !== 'file') { throw failure(node.kind === 'folder' ? 'EISDIR' : 'ENOENT', path); }
        return encoding ? new TextDecoder().decode(node.bytes) : node.bytes.slice();
    }

    mkdir(path, { recursive = false } = {}) {
        if (recursive) {
            const names = namesOf(path);
            for (let i = 1; i <= names.length; i += 1) {
                const part = names.slice(0, i).join('/');
                if (this.#parent(part).number === undefined) { this.#make(part, { kind: 'folder' }); }
            }
            return;
        }
        this.#make(path, { kind: 'folder' });
    }

    open(path, flags) {
        const number = flags.startsWith('wx') ? this.#make(path, { kind: 'file', bytes: new Uint8Array(0) })
            : this.#find(path).number;
        const node = this.#nodes.get(number);
        if (node.kind === 'link') { throw failure('ENOENT', path); }
        const file = {
            read: async (buffer, offset, length, position) => {
                if (node.kind === 'folder') { throw failure('EISDIR', path); }
                const part = node.bytes.subarray(position, position + length);
                buffer.set(part, offset);
                return { bytesRead: part.length };
            },
            write: async (buffer, offset, length, position) => {
                // As the kernel may: not all at once.
                const count = Math.min(length, Math.max(1, Math.ceil(length / 2)));
                this.#do({ type: 'write', number, bytes: buffer.slice(offset, offset + count), size: position });
                return { bytesWritten: count };
            },
            truncate: async size => { this.#do({ type: 'cut', number, size }); },
            sync: async () => {
                await this.#wait();
                this.#do({ type: 'sync', number });
            },
            close: async () => {},
        };
        return file;
    }

    symlink(target, path) { this.#make(path, { kind: 'link', target }); }

    readlink(path) {
        const { node } = this.#find(path);
        if (node.kind !== 'link') { throw failure('EINVAL', path); }
        return node.target;
    }

    lstat(path) {
        const { node: { kind, bytes } } = this.#find(path);
        return {
            isFile: () => kind === 'file', isDirectory: () => kind === 'folder', isSymbolicLink: () => kind === 'link',
            size: bytes?.length ?? 0, mtime: new Date(1), ctime: new Date(1),
        };
    }

    readdir(path) {
        const { node } = this.#find(path);
        if (node.kind !== 'folder') { throw failure('ENOTDIR', path); }
        return [...node.entries.keys()];
    }

    rmdir(path, { recursive = false } = {}) {
        for (const name of this.readdir(path)) {
            if (!recursive) { throw failure('ENOTEMPTY', path); }
            const inner = `${path}/${name}`;
            const isFolder = this.#find(inner).node.kind === 'folder';
            this[isFolder ? 'rmdir' : 'unlink'](inner, { recursive });
        }
        const { at, name } = this.#parent(path);
        this.#do({ type: 'unlink', at, name, folders: [at] });
    }

    unlink(path) {
        if (this.#find(path).node.kind === 'folder') { throw failure('EISDIR', path); }
        const { at, name } = this.#parent(path);
        this.#do({ type: 'unlink', at, name, folders: [at] });
    }

    /** One effect, as a file system with a journal has it: sure when either folder was synced. */
    rename(from, to) {
        const { number, node } = this.#find(from);
        const source = this.#parent(from);
        const target = this.#parent(to);
        const there = target.number && this.#nodes.get(target.number);
        if (there && (there.kind === 'folder' || node.kind === 'folder')) { throw failure('EEXIST', to); }
        this.#do({
            type: 'rename', number, at: source.at, name: source.name, to: { at: target.at, name: target.name },
            folders: [source.at, target.at],
        });
    }

    /** As the port does it, step by step; of the bytes a part may be written. */
    async replaceFile(path, bytes, scratch, isNew) {
        this.#find(path.slice(0, path.lastIndexOf('/')));
        if (isNew && this.#parent(path).number !== undefined) { throw failure('EEXIST', path); }
        const file = this.open(scratch, 'wx');
        try {
            for (let offset = 0; offset < bytes.length;) {
                offset += (await file.write(bytes, offset, bytes.length - offset, offset)).bytesWritten;
            }
            await file.sync();
            this.rename(scratch, path);
        } catch (exception) {
            this.unlink(scratch);
            throw exception;
        }
        await this.open(path.slice(0, path.lastIndexOf('/')), 'r').sync();
    }

    readStart(path, buffer) {
        const part = this.readFile(path).subarray(0, buffer.length);
        buffer.set(part);
        return { bytesRead: part.length, file: part.length < buffer.length ? undefined : this.open(path, 'r') };
    }

    /** Its bytes are on disk before it has a name. */
    copyFile(from, to, overwrite) {
        const bytes = this.readFile(from);
        if (this.#parent(to).number !== undefined && !overwrite) { throw failure('EEXIST', to); }
        if (this.#parent(to).number !== undefined) { this.unlink(to); }
        this.#make(to, { kind: 'file', bytes });
    }
}

function overlaid(old, bytes, position) {
    const all = new Uint8Array(Math.max(old.length, position + bytes.length));
    all.set(old);
    all.set(bytes, position);
    return all;
}

Object.assign(globalThis, { RecordedDisk });
})();
