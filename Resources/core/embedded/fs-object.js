// File system objects: what an app sees of one of its trees, or of a folder in it.
'use strict';
{

const {
    fileException, badArgument, TreeView, placeOf, statsAt, requireKind, writeFlags, readBytes, readTxt,
    readJSON, writeBytes, writeTxt, writeJSON, getXAttr, listXAttrs, updateXAttrs, ByteSource, ByteSink, watchFile,
    watchFolder, watchTree, statsSeen, entriesSeen, versionsOfFS, makeFile, select, saveFile, copyFolder, saveFolder,
} = globalThis.__embeddedCore;
const OBJ_TYPE = Symbol.for('w3n obj_type');

/** What `readLink` gives. The target is looked for when it is asked for, inside the file system that was asked. */
class SymLink {
    #view;
    #path;
    #target;

    constructor(view, path, target, writable) {
        this.#view = view;
        this.#path = path;
        this.#target = target;
        this.readonly = target.readonly || !writable;
        this[target.kind === 'file' ? 'isFile' : 'isFolder'] = true;
    }

    get [OBJ_TYPE]() { return 'SymLink'; }

    async target() {
        const view = this.#view;
        const { kind, names } = this.#target;
        const at = { path: this.#path, names };
        view.requireInside(this.#path, names);
        const found = await placeOfKind(view, at, kind);
        return makeObject(view, kind, found, lastName(found), !this.readonly);
    }
}

const lastName = names => names.at(-1) ?? '';

/** Where the file or folder at a place is, with links followed. */
const placeOfKind = (view, at, kind, options) => view.reach(at, async names => {
    requireKind(at.path, await statsAt(view, at, names), kind);
    return names;
}, options);

function makeObject({ home, root }, kind, names, name, writable) {
    return kind === 'file' ? makeFile(home, root, names, { name, writable }) : makeFS(home, names, name, writable);
}

const isRoot = path => fileException('EPERM', path, 'is the root of this file system and stays');

/** A folder's name; for its own folder a file system's own. */
const nameOf = (fs, view, names) => names.length === view.root.length ? fs.name : lastName(names);

class ReadonlyFS {
    #view;

    constructor(view, name) {
        this.#view = view;
        this.type = view.home.type;
        this.writable = view.writable;
        this.name = name;
        this.v = versionsOfFS(view);
        placeOf.set(this, { kind: 'folder', view, at: { path: name, names: view.root } });
    }

    get [OBJ_TYPE]() { return 'FS'; }

    async close() { this.#view.close(); }

    // ---- entries

    async stat(path) { return statsSeen(this.#view, this.#view.at(path)); }
    async checkFilePresence(path, throwIfMissing) { return this.#isThere(path, 'isFile', 'ENOTFILE', throwIfMissing); }
    async checkFolderPresence(path, throwIfMissing) {
        return this.#isThere(path, 'isFolder', 'ENOTDIR', throwIfMissing);
    }
    async checkLinkPresence(path, throwIfMissing) { return this.#isThere(path, 'isLink', 'EPERM', throwIfMissing); }
    async listFolder(path = '') { return entriesSeen(this.#view, this.#view.at(path)); }

    async #isThere(path, flag, code, throwIfMissing) {
        try {
            if ((await this.stat(path))[flag]) { return true; }
        } catch (exception) {
            if (throwIfMissing === true || !(exception.notFound || exception.notDirectory)) { throw exception; }
        }
        if (throwIfMissing !== true) { return false; }
        throw fileException(code, path, 'is something else', code === 'EPERM' ? { notLink: true } : {});
    }

    // ---- content and attributes

    async readBytes(path, start, end) { return (await readBytes(this.#view, this.#view.at(path), start, end)).bytes; }
    async readTxtFile(path) { return (await readTxt(this.#view, this.#view.at(path))).txt; }
    async readJSONFile(path) { return (await readJSON(this.#view, this.#view.at(path))).json; }
    async getByteSource(path) { return (await ByteSource.open(this.#view, this.#view.at(path))).src; }
    async getXAttr(path, name) { return (await getXAttr(this.#view, this.#view.at(path), name)).attr; }
    async listXAttrs(path) { return (await listXAttrs(this.#view, this.#view.at(path))).lst; }

    // ---- objects

    async readonlyFile(path) {
        const names = await placeOfKind(this.#view, this.#view.at(path), 'file');
        return makeObject(this.#view, 'file', names, lastName(names), false);
    }

    async readonlySubRoot(path) {
        const names = await placeOfKind(this.#view, this.#view.at(path), 'folder');
        return makeFS(this.#view.home, names, nameOf(this, this.#view, names), false);
    }

    async readLink(path) {
        return this.#view.reach(this.#view.at(path), async (names, writable) => {
            const { kind } = await statsAt(this.#view, { path }, names);
            if (kind !== 'link') { throw fileException('EPERM', path, `is a ${kind}, no link`, { notLink: true }); }
            return new SymLink(this.#view, path, await this.#view.home.tree.readLink(names), writable);
        }, { follows: false });
    }

    async select(path, criteria) {
        const at = this.#view.at(path);
        const names = await placeOfKind(this.#view, at, 'folder');
        const fs = makeFS(this.#view.home, names, nameOf(this, this.#view, names), false);
        return select(this.#view, fs, path, names, criteria);
    }

    // ---- watches

    watchFile(path, observer) { return watchFile(this.#view, this.#view.at(path), observer); }
    watchFolder(path, observer) { return watchFolder(this.#view, this.#view.at(path), observer); }
    watchTree(path, depth, observer) { return watchTree(this.#view, this.#view.at(path), depth, observer); }
}

class WritableFS extends ReadonlyFS {
    #view;

    constructor(view, name) {
        super(view, name);
        this.#view = view;
    }

    get #tree() { return this.#view.home.tree; }

    #change(path, work, options) { return this.#view.reach(this.#view.at(path), work, { changes: true, ...options }); }

    // ---- content and attributes

    async writeBytes(path, bytes, flags) { await writeBytes(this.#view, this.#view.at(path), bytes, flags); }
    async writeTxtFile(path, text, flags) { await writeTxt(this.#view, this.#view.at(path), text, flags); }
    async writeJSONFile(path, value, flags) { await writeJSON(this.#view, this.#view.at(path), value, flags); }
    async getByteSink(path, flags) { return (await ByteSink.open(this.#view, this.#view.at(path), flags)).sink; }
    async updateXAttrs(path, changes) { await updateXAttrs(this.#view, this.#view.at(path), changes); }

    // ---- folders, files and links

    async makeFolder(path, exclusive) {
        const isExclusive = exclusive === true;
        await this.#change(path, names => this.#tree.makeFolder(names, { exclusive: isExclusive }),
            { follows: !isExclusive });
    }

    async deleteFolder(path, removeContent) {
        await this.#change(path, async names => {
            if (names.length === this.#view.root.length) { throw isRoot(path); }
            await this.#tree.removeFolder(names, removeContent === true);
        }, { follows: false });
    }

    async deleteFile(path) {
        await this.#change(path, names => this.#tree.removeFile(names), { follows: false });
    }

    async deleteLink(path) {
        await this.#change(path, names => this.#tree.removeLink(names), { follows: false });
    }

    /** A link at `path` to a file or folder of this tree, given as an object; it gives no more than the object did. */
    async link(path, target) {
        const place = placeOf.get(target);
        if (!place) { throw badArgument(path, 'the target of the link is no file or file system object'); }
        const { kind, view: { home, writable }, at: { names } } = place;
        await this.#change(path, async found => {
            if (home.tree !== this.#tree) {
                throw fileException('EPERM', path, 'the target is of another file system; links stay in theirs',
                    { [kind === 'file' ? 'notLinkableFile' : 'notLinkableFolder']: true });
            }
            await this.#tree.makeLink(found, { kind, names, readonly: !writable });
        }, { follows: false });
    }

    // ---- moves and copies

    async move(from, to) {
        const source = this.#view.at(from);
        if (source.names.length === this.#view.root.length) { throw isRoot(from); }
        await this.#view.reachBoth(source, this.#view.at(to), (names, place) => this.#tree.move(names, place),
            { changesSource: true, followsSource: false, followsTarget: false });
    }

    async copyFile(from, to, overwrite) {
        const mayReplace = overwrite === true;
        await this.#view.reachBoth(this.#view.at(from), this.#view.at(to),
            (names, place) => this.#tree.copyFile(names, place, { overwrite: mayReplace }),
            { changesSource: false, followsSource: true, followsTarget: mayReplace });
    }

    async copyFolder(from, to, merge) { await copyFolder(this.#view, this.#view.at(from), this.#view.at(to), merge); }
    async saveFile(file, path, overwrite) { await saveFile(this.#view, this.#view.at(path), file, overwrite); }
    async saveFolder(folder, path, merge) { await saveFolder(this.#view, folder, this.#view.at(path), merge); }

    // ---- objects

    async writableFile(path, given) {
        const { create, exclusive } = writeFlags(path, given);
        return this.#change(path, async names => {
            const stats = await this.#tree.stat(names);
            if (stats && exclusive) { throw fileException('EEXIST', path, 'exists already'); }
            if (stats) { requireKind(path, stats, 'file'); }
            if (!stats && !create) { throw fileException('ENOENT', path, 'is not there'); }
            const { home, root } = this.#view;
            return makeFile(home, root, names, { name: lastName(names), isNew: !stats, writable: true });
        }, { follows: !exclusive, waits: true });
    }

    async writableSubRoot(path, given) {
        const { create, exclusive } = writeFlags(path, given);
        const names = await this.#change(path, async found => {
            if (create) { await this.#tree.makeFolder(found, { exclusive }); }
            requireKind(path, await statsAt(this.#view, { path }, found), 'folder');
            return found;
        }, { follows: !exclusive, waits: true });
        return makeFS(this.#view.home, names, nameOf(this, this.#view, names), true);
    }
}

/** The file system object of the folder at `names`. */
function makeFS(home, names, name, writable) {
    const view = new TreeView(home, names, writable);
    return writable ? new WritableFS(view, name) : new ReadonlyFS(view, name);
}

Object.assign(globalThis.__embeddedCore, { makeFS });
}
