// A file as an object of its own.
'use strict';
{

const {
    badArgument, TreeView, placeOf, readBytes, readTxt, readJSON, writeBytes, writeTxt, writeJSON, writeFrom, getXAttr,
    listXAttrs, updateXAttrs, ByteSource, ByteSink, watchFile, statsSeen, versionsOfFile,
} = globalThis.__embeddedCore;
const OBJ_TYPE = Symbol.for('w3n obj_type');

/** The file at `names`, called `name`; `isNew` when there was none as this object was made. */
class ReadonlyFile {
    #view;
    #at;

    constructor(view, names, name, isNew = false) {
        this.#view = view;
        this.#at = { path: name, names };
        this.writable = view.writable;
        this.name = name;
        this.isNew = isNew;
        this.v = versionsOfFile(view, this.#at);
        placeOf.set(this, { kind: 'file', view, at: this.#at });
    }

    get [OBJ_TYPE]() { return 'File'; }

    async stat() { return statsSeen(this.#view, this.#at, { follows: true }); }
    async getXAttr(name) { return (await getXAttr(this.#view, this.#at, name)).attr; }
    async listXAttrs() { return (await listXAttrs(this.#view, this.#at)).lst; }
    async readBytes(start, end) { return (await readBytes(this.#view, this.#at, start, end)).bytes; }
    async readTxt() { return (await readTxt(this.#view, this.#at)).txt; }
    async readJSON() { return (await readJSON(this.#view, this.#at)).json; }
    async getByteSource() { return (await ByteSource.open(this.#view, this.#at)).src; }
    watch(observer) { return watchFile(this.#view, this.#at, observer); }
}

class WritableFile extends ReadonlyFile {
    async writeBytes(bytes, xattrs) { await this.v.writeBytes(bytes, xattrs); }
    async writeTxt(text, xattrs) { await this.v.writeTxt(text, xattrs); }
    async writeJSON(value, xattrs) { await this.v.writeJSON(value, xattrs); }
    async updateXAttrs(changes) { await this.v.updateXAttrs(changes); }
    async getByteSink(truncate) { return (await this.v.getByteSink(truncate)).sink; }
    async copy(file) { await this.v.copy(file); }
}

function makeFile(home, root, names, { name, isNew, writable }) {
    const view = new TreeView(home, root, writable);
    return writable ? new WritableFile(view, names, name, isNew) : new ReadonlyFile(view, names, name, isNew);
}

Object.assign(globalThis.__embeddedCore, { makeFile });
}
