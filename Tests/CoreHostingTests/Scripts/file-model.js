// What the file ports must do, in memory: files, folders and links, and the errors that Linux gives, in its order. Written
// from the promises of docs/architecture.md and the manual pages, not from the ports. Then random operations against both.
(() => {
'use strict';

const flagOf = {
    ENOENT: 'notFound', EEXIST: 'alreadyExists', ENOTDIR: 'notDirectory', EISDIR: 'isDirectory',
    ENOTEMPTY: 'notEmpty', EPERM: 'opNotPermitted', ENOTFILE: 'notFile',
};

class Failure {
    constructor(code, path) {
        this.code = code;
        this.path = path;
    }
    toString() { return ['fails', this.code, this.path, flagOf[this.code]].filter(Boolean).join(' '); }
}

const byteLength = text => new TextEncoder().encode(text).length;

/** A path given by a caller, as names. */
function namesOf(path) {
    if (byteLength(path) > 4095) { throw new Failure('ENAMETOOLONG', path); }
    const names = path.split('/');
    if (path.includes('\0') || names.some(name => name === '' || name === '..')) { throw new Failure('EPERM', path); }
    return names.filter(name => name !== '.');
}

class Model {
    root = { kind: 'folder', entries: new Map(), parent: undefined };
    open = new Map();

    /** Where `names` lead: `{folder, name?, node?}`; without a node there is room for one of that name in `folder`. */
    walk(names, path, follow = true) {
        let folder = this.root;
        let rest = [...names];
        let links = 0;
        for (;;) {
            if (rest.length === 0) { return { folder, node: folder }; }
            const name = rest.shift();
            if (name === '.') { continue; }
            if (name === '..') {
                if (!folder.parent) { throw new Failure('EPERM', path); }
                folder = folder.parent;
                continue;
            }
            if (byteLength(name) > 255) { throw new Failure('ENAMETOOLONG', path); }
            const node = folder.entries.get(name);
            if (!node) {
                if (rest.length > 0) { throw new Failure('ENOENT', path); }
                return { folder, name };
            }
            if (node.kind === 'link' && (follow || rest.length > 0)) {
                links += 1;
                if (links > 40) { throw new Failure('ELOOP', path); }
                rest = [...node.target.split('/'), ...rest];
            } else if (rest.length === 0) {
                return { folder, name, node };
            } else if (node.kind === 'folder') {
                folder = node;
            } else {
                throw new Failure('ENOTDIR', path);
            }
        }
    }

    /** What is there. */
    find(path, follow = true) {
        const { node } = this.walk(namesOf(path), path, follow);
        if (!node) { throw new Failure('ENOENT', path); }
        return node;
    }

    /** The folder that the last name stands in, and that name; what is no folder on the way fails. */
    entry(path, failureOfRoot = 'EPERM') {
        const names = namesOf(path);
        const name = names.pop();
        if (name === undefined) { throw new Failure(failureOfRoot, path); }
        const { node: folder } = this.walk(names, path);
        if (!folder) { throw new Failure('ENOENT', path); }
        if (folder.kind !== 'folder') { throw new Failure('ENOTDIR', path); }
        return { folder, name };
    }

    /** The same with what stands there; a name that no file can have fails. */
    place(path, failureOfRoot) {
        const { folder, name } = this.entry(path, failureOfRoot);
        if (byteLength(name) > 255) { throw new Failure('ENAMETOOLONG', path); }
        return { folder, name, node: folder.entries.get(name) };
    }

    put(folder, name, node) {
        folder.entries.set(name, node);
        if (node.kind === 'folder') { node.parent = folder; }
        return node;
    }

    /** open(2) of a path. */
    opened(path, { create = false, exclusive = false, truncate = false, write = false }) {
        const { folder, name, node } = this.walk(namesOf(path), path, !exclusive);
        if (!node) {
            if (!create) { throw new Failure('ENOENT', path); }
            return this.put(folder, name, { kind: 'file', bytes: new Uint8Array(0) });
        }
        if (exclusive) { throw new Failure('EEXIST', path); }
        if (node.kind === 'folder' && (create || write)) { throw new Failure('EISDIR', path); }
        if (truncate) { node.bytes = new Uint8Array(0); }
        return node;
    }

    resize(node, length) {
        const bytes = new Uint8Array(length);
        bytes.set(node.bytes.subarray(0, length));
        node.bytes = bytes;
    }

    writeAt(node, bytes, position) {
        if (bytes.length === 0) { return; }
        if (node.bytes.length < position + bytes.length) { this.resize(node, position + bytes.length); }
        node.bytes.set(bytes, position);
    }

    info(node) {
        if (node.kind === 'folder') { return 'folder'; }
        return `${node.kind} ${node.kind === 'file' ? node.bytes.length : byteLength(node.target)}`;
    }

    stat(path) { return this.info(this.find(path)); }
    lstat(path) { return this.info(this.find(path, false)); }

    readdir(path) {
        const node = this.find(path);
        if (node.kind !== 'folder') { throw new Failure('ENOTDIR', path); }
        return [...node.entries.keys()].sort();
    }

    readFile(path) {
        const node = this.find(path);
        if (node.kind === 'folder') { throw new Failure('EISDIR', path); }
        return node.bytes;
    }

    writeFile(path, bytes, flag) {
        const node = this.opened(
            path, { create: true, write: true, exclusive: flag === 'wx', truncate: flag !== 'wx' });
        this.writeAt(node, bytes, 0);
    }

    appendFile(path, bytes) {
        const node = this.opened(path, { create: true, write: true });
        this.writeAt(node, bytes, node.bytes.length);
    }

    truncate(path, length) { this.resize(this.opened(path, { write: true }), length); }

    mkdir(path, recursive) {
        if (!recursive) {
            const { folder, name, node } = this.place(path, 'EEXIST');
            if (node) { throw new Failure('EEXIST', path); }
            this.put(folder, name, { kind: 'folder', entries: new Map() });
            return;
        }
        const names = namesOf(path);
        let parent = this.root;
        names.forEach((name, index) => {
            const { node } = this.step(names.slice(0, index + 1), path, index === names.length - 1);
            // A link that leads nowhere is in the way.
            if (!node && parent.entries.has(name)) { throw new Failure('ENOENT', path); }
            parent = node ?? this.put(parent, name, { kind: 'folder', entries: new Map() });
        });
    }

    /** One folder on the way to a new one; in the place of the last, whatever is no folder is there already. */
    step(names, path, isLast) {
        try {
            const found = this.walk(names, path);
            if (!found.node || found.node.kind === 'folder') { return found; }
            throw new Failure('ENOTDIR', path);
        } catch (failure) {
            throw isLast && failure.code === 'ENOTDIR' ? new Failure('EEXIST', path) : failure;
        }
    }

    rmdir(path, recursive) {
        const { folder, name, node } = this.place(path);
        if (!node) { throw new Failure('ENOENT', path); }
        if (node.kind !== 'folder') { throw new Failure('ENOTDIR', path); }
        if (!recursive && node.entries.size > 0) { throw new Failure('ENOTEMPTY', path); }
        folder.entries.delete(name);
    }

    unlink(path) {
        const { folder, name, node } = this.place(path);
        if (!node) { throw new Failure('ENOENT', path); }
        if (node.kind === 'folder') { throw new Failure('EISDIR', path); }
        folder.entries.delete(name);
    }

    isWithin(folder, above) {
        for (let step = folder; step; step = step.parent) { if (step === above) { return true; } }
        return false;
    }

    rename(oldPath, newPath) {
        namesOf(oldPath);
        namesOf(newPath);
        const old = this.entry(oldPath);
        const target = this.entry(newPath);
        if (byteLength(old.name) > 255) { throw new Failure('ENAMETOOLONG', oldPath); }
        const node = old.folder.entries.get(old.name);
        if (!node) { throw new Failure('ENOENT', oldPath); }
        if (byteLength(target.name) > 255) { throw new Failure('ENAMETOOLONG', oldPath); }
        const standing = target.folder.entries.get(target.name);
        if (this.isWithin(target.folder, node)) { throw new Failure('EINVAL', oldPath); }
        if (standing && this.isWithin(old.folder, standing)) { throw new Failure('ENOTEMPTY', newPath); }
        if (node === standing) { return; }
        if (standing && node.kind === 'folder' && standing.kind !== 'folder') { throw new Failure('ENOTDIR', newPath); }
        if (standing?.kind === 'folder') {
            if (node.kind !== 'folder') { throw new Failure('EISDIR', newPath); }
            if (standing.entries.size > 0) { throw new Failure('ENOTEMPTY', newPath); }
        }
        old.folder.entries.delete(old.name);
        this.put(target.folder, target.name, node);
    }

    symlink(target, path) {
        let depth = namesOf(path).length - 1;
        if (byteLength(target) > 4095) { throw new Failure('ENAMETOOLONG', path); }
        for (const name of target.split('/')) {
            if (name === '' || name.includes('\0')) { throw new Failure('EPERM', path); }
            depth += { '..': -1, '.': 0 }[name] ?? 1;
            if (depth < 0) { throw new Failure('EPERM', path); }
        }
        const { folder, name, node } = this.place(path);
        if (node) { throw new Failure('EEXIST', path); }
        this.put(folder, name, { kind: 'link', target });
    }

    readlink(path) {
        const node = this.find(path, false);
        if (node.kind !== 'link') { throw new Failure('EINVAL', path); }
        return node.target;
    }

    copyFile(source, target, overwrite) {
        const { bytes, kind } = this.find(source);
        if (kind === 'folder') { throw new Failure('EISDIR', source); }
        const { folder, name, node } = this.place(target, overwrite ? 'EISDIR' : 'EEXIST');
        if (node && !overwrite) { throw new Failure('EEXIST', target); }
        if (node?.kind === 'folder') { throw new Failure('EISDIR', target); }
        this.put(folder, name, { kind: 'file', bytes: bytes.slice() });
    }

    // ---- open files; `key` is the test's name of one

    openFile(key, path, flags) {
        const access = {
            create: !flags.startsWith('r'), exclusive: flags.includes('x'), truncate: flags.startsWith('w'),
            write: flags.includes('+') || !flags.startsWith('r'),
        };
        const node = this.opened(path, access);
        this.open.set(key, {
            node, path, position: 0, append: flags.startsWith('a'), write: access.write,
            read: flags.includes('+') || flags.startsWith('r'),
        });
    }

    handle(key) {
        const handle = this.open.get(key);
        if (!handle) { throw new Failure('EBADF'); }
        return handle;
    }

    read(key, length, position) {
        const handle = this.handle(key);
        if (length === 0) { return new Uint8Array(0); }
        if (!handle.read) { throw new Failure('EBADF', handle.path); }
        if (handle.node.kind === 'folder') { throw new Failure('EISDIR', handle.path); }
        const start = position ?? handle.position;
        const bytes = handle.node.bytes.slice(start, start + length);
        if (position === null) { handle.position += bytes.length; }
        return bytes;
    }

    write(key, bytes, position) {
        const handle = this.handle(key);
        if (bytes.length === 0) { return 0; }
        if (!handle.write) { throw new Failure('EBADF', handle.path); }
        const start = handle.append ? handle.node.bytes.length : position ?? handle.position;
        this.writeAt(handle.node, bytes, start);
        if (position === null) { handle.position = start + bytes.length; }
        return bytes.length;
    }

    statOpen(key) { return this.info(this.handle(key).node); }

    truncateOpen(key, length) {
        const handle = this.handle(key);
        if (!handle.write) { throw new Failure('EINVAL', handle.path); }
        this.resize(handle.node, length);
    }

    sync(key) { this.handle(key); }

    close(key) {
        this.handle(key);
        this.open.delete(key);
    }
}

/** The same calls on `platform.device_fs`. */
class Real {
    #fs = platform.device_fs;
    #handles = new Map();

    #info(stats) {
        if (stats.isDirectory()) { return 'folder'; }
        return `${stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other'} ${stats.size}`;
    }
    async stat(path) { return this.#info(await this.#fs.stat(path)); }
    async lstat(path) { return this.#info(await this.#fs.lstat(path)); }
    async readdir(path) { return (await this.#fs.readdir(path)).sort(); }
    readFile(path) { return this.#fs.readFile(path); }
    writeFile(path, bytes, flag) { return this.#fs.writeFile(path, bytes, { flag }); }
    appendFile(path, bytes) { return this.#fs.appendFile(path, bytes); }
    truncate(path, length) { return this.#fs.truncate(path, length); }
    mkdir(path, recursive) { return this.#fs.mkdir(path, { recursive }); }
    rmdir(path, recursive) { return this.#fs.rmdir(path, { recursive }); }
    unlink(path) { return this.#fs.unlink(path); }
    rename(oldPath, newPath) { return this.#fs.rename(oldPath, newPath); }
    symlink(target, path) { return this.#fs.symlink(target, path); }
    readlink(path) { return this.#fs.readlink(path); }
    copyFile(source, target, overwrite) { return this.#fs.copyFile(source, target, overwrite); }

    async openFile(key, path, flags) { this.#handles.set(key, await this.#fs.open(path, flags)); }
    async read(key, length, position) {
        const buffer = new Uint8Array(length + 2).fill(255);
        const { bytesRead } = await this.#handles.get(key).read(buffer, 1, length, position);
        const rest = [buffer[0], ...buffer.subarray(1 + bytesRead)];
        if (rest.some(byte => byte !== 255)) { throw new Error('bytes outside the part were touched'); }
        return buffer.subarray(1, 1 + bytesRead);
    }
    async write(key, bytes, position) {
        return (await this.#handles.get(key).write(bytes, 0, bytes.length, position)).bytesWritten;
    }
    async statOpen(key) { return this.#info(await this.#handles.get(key).stat()); }
    truncateOpen(key, length) { return this.#handles.get(key).truncate(length); }
    sync(key) { return this.#handles.get(key).sync(); }
    close(key) { return this.#handles.get(key).close(); }
    async closeAll() {
        for (const handle of this.#handles.values()) { await handle.close().catch(() => {}); }
    }
}

// ---- random operations

function shown(value) {
    if (value instanceof Uint8Array) {
        let sum = 0;
        for (const byte of value) { sum = (Math.imul(sum, 31) + byte) >>> 0; }
        return `${value.length} bytes ${sum}`;
    }
    return JSON.stringify(value) ?? 'nothing';
}

async function outcome(call) {
    try {
        return shown(await call());
    } catch (thrown) {
        if (thrown instanceof Failure) { return `${thrown}`; }
        if (thrown?.type !== 'file') { return `throws ${thrown?.message ?? thrown}`; }
        const flags = Object.keys(thrown).filter(key => thrown[key] === true && key !== 'runtimeException');
        return ['fails', thrown.code, thrown.path, ...flags].filter(Boolean).join(' ');
    }
}

function* operations(random) {
    const pick = list => list[random(list.length)];
    const hostile = ['', '..', '../x', 'a/..', '/', '/a', 'a//b', 'a/', 'a\0', 'n'.repeat(256), `a/${'n'.repeat(256)}`,
        'd/'.repeat(2048), `${'n'.repeat(255)}/x`];
    const name = () => pick(['a', 'b', 'c', 'd', 'ä', 'e.txt']);
    const path = () => {
        const kind = random(100);
        if (kind < 2) { return pick(hostile); }
        if (kind < 4) { return '.'; }
        const names = Array.from({ length: pick([1, 1, 2, 2, 3]) }, name);
        return kind < 7 ? `./${names.join('/./')}` : names.join('/');
    };
    const target = () => pick([name, path, () => `../${path()}`, () => `../../${name()}`, () => '.', () => '..'])();
    const bytes = () => Uint8Array.from({ length: pick([0, 1, 3, 100, 5000]) }, () => random(256));
    const place = () => pick([null, null, 0, 1, 50, 6000, 100_000]);
    const flags = ['a', 'ax', 'a+', 'ax+', 'as', 'as+', 'r', 'rs', 'r+', 'rs+', 'w', 'wx', 'w+', 'wx+'];
    const keys = [];
    /** Links are few, and links at random paths fewer. */
    let latestLink = name();
    const makers = {
        stat: () => [path()], lstat: () => [path()], readdir: () => [path()], readFile: () => [path()],
        writeFile: () => [path(), bytes(), pick(['w', 'w', 'wx'])], appendFile: () => [path(), bytes()],
        truncate: () => [path(), pick([0, 1, 4000, 9000])], mkdir: () => [path(), pick([true, false])],
        rmdir: () => [path(), pick([true, false, false])], unlink: () => [path()], rename: () => [path(), path()],
        symlink: () => [target(), (latestLink = path())], readlink: () => [pick([path(), latestLink])],
        copyFile: () => [path(), path(), pick([true, false])],
    };
    const onOpen = {
        read: key => [key, pick([0, 1, 100, 7000]), place()], write: key => [key, bytes(), place()],
        statOpen: key => [key], truncateOpen: key => [key, pick([0, 10, 8000])], sync: key => [key],
        close: key => [key],
    };
    for (let number = 0; ; number += 1) {
        if (random(8) === 0) {
            const key = `file${number}`;
            const wasOpened = yield ['openFile', key, path(), pick(flags)];
            if (wasOpened) { keys.push(key); }
            if (keys.length > 12) { yield ['close', keys.shift()]; }
        } else if (keys.length > 0 && random(3) === 0) {
            const call = pick(Object.keys(onOpen));
            // One that is closed stays in the list for a while, to be used after its end.
            yield [call, ...onOpen[call](pick(keys))];
        } else {
            const call = pick(Object.keys(makers));
            yield [call, ...makers[call]()];
        }
    }
}

/** All that is in a folder, as text. */
async function contentOf(fs, path = '.') {
    const lines = [];
    for (const name of await fs.readdir(path)) {
        const inner = path === '.' ? name : `${path}/${name}`;
        const info = await fs.lstat(inner);
        lines.push(`${inner} ${info}`);
        if (info === 'folder') { lines.push(...await contentOf(fs, inner)); }
        if (info.startsWith('file')) { lines.push(shown(await fs.readFile(inner))); }
        if (info.startsWith('link')) { lines.push(await fs.readlink(inner)); }
    }
    return lines;
}

/**
 * Does `count` random operations on both. Gives what became of them, by call: how many there were, how many failed.
 * Throws at the first difference.
 */
globalThis.compareWithModel = async (random, count) => {
    const [model, real] = [new Model(), new Real()];
    const counts = {};
    const next = operations(random);
    let wasDone;
    for (let number = 0; number < count; number += 1) {
        const [call, ...args] = next.next(wasDone).value;
        const expected = await outcome(() => model[call](...args));
        const found = await outcome(() => real[call](...args));
        if (expected !== found) {
            const said = args.map(arg => shown(arg)).join(', ').slice(0, 500);
            throw new Error(`operation ${number}, ${call}(${said}): ${found}; the model: ${expected}`);
        }
        wasDone = !found.startsWith('fails');
        counts[call] ??= { done: 0, failed: 0 };
        counts[call][wasDone ? 'done' : 'failed'] += 1;
        if (number % 500 === 499) {
            const [a, b] = [(await contentOf(real)).join('\n'), (await contentOf(model)).join('\n')];
            if (a !== b) { throw new Error(`after operation ${number} there is\n${a}\nand in the model\n${b}`); }
        }
    }
    await real.closeAll();
    return counts;
};

/** `random(n)` gives 0 … n-1, the same for the same seed. */
globalThis.randomNumbers = seed => {
    let state = seed >>> 0;
    return below => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
};
})();
