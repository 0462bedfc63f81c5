// Byte sources of files.
'use strict';
{

const {
    fileException, seenByCaller, badArgument, isWhole, requireReadable, readFlags,
} = globalThis.__embeddedCore;
const OBJ_TYPE = Symbol.for('w3n obj_type');

/** Runs steps one after the other, whatever becomes of each. */
class Line {
    #last = Promise.resolve();

    run(step) {
        const done = this.#last.then(step);
        this.#last = done.catch(() => {});
        return done;
    }
}

/**
 * Reads a file as it was when the source was made. While many sources are open, or at its end, the file is closed and
 * opened again when it is read on; by then it may be another one, which is `concurrentUpdate`.
 */
class ByteSource {
    #view;
    #at;
    #flags;
    #version;
    #size;
    #reader;
    #position = 0;
    #line = new Line();
    #isClosed = false;
    #forget;
    #park = () => { this.#line.run(() => this.#closeReader()); };

    get [OBJ_TYPE]() { return 'FileByteSource'; }

    /** A source of the file at `at`, and the version that it reads. */
    static async open(view, at, given) {
        const flags = readFlags(at.path, given);
        const source = new ByteSource(view, at, flags);
        source.#forget = view.home.holdings.hold('source', at.path, () => source.close());
        await openOrEnd(source, () => source.#line.run(() => source.#openReader()));
        return { src: source, version: source.#version };
    }

    constructor(view, at, flags) {
        this.#view = view;
        this.#at = at;
        this.#flags = flags;
    }

    async readNext(length) {
        const count = this.#count(length);
        return this.#do(() => this.#read(count));
    }

    async readAt(position, length) {
        const count = this.#count(length);
        const start = this.#offset(position);
        return this.#do(() => {
            this.#position = start;
            return this.#read(count);
        });
    }

    async getSize() { return this.#do(() => this.#size); }

    async seek(offset) {
        const start = this.#offset(offset);
        return this.#do(() => { this.#position = start; });
    }

    async getPosition() { return this.#do(() => this.#position); }

    /** Ends it, at the latest with its component. */
    close() {
        this.#isClosed = true;
        this.#forget?.();
        this.#park();
    }

    #offset(offset) {
        if (isWhole(offset)) { return offset; }
        throw badArgument(this.#at.path, 'no place in a file; give a whole number');
    }

    #count(length) {
        if (length === undefined || length === null) { return Infinity; }
        return this.#offset(length);
    }

    #do(step) {
        return this.#line.run(async () => {
            try {
                if (this.#isClosed || !this.#view.home.isOpen()) { throw ended(this.#at.path, 'source'); }
                return await step();
            } catch (exception) {
                throw seenByCaller(exception, this.#at.path);
            }
        });
    }

    async #read(count) {
        const start = this.#position;
        const end = Math.min(this.#size, start + count);
        if (end <= start) { return undefined; }
        requireReadable(this.#at.path, end - start);
        await this.#openReader();
        const bytes = await this.#view.home.holdings.bytes.run(end - start, () => this.#reader.read(start, end));
        this.#position = end;
        if (end === this.#size) { await this.#closeReader(); }
        return bytes;
    }

    async #openReader() {
        const { holdings, tree } = this.#view.home;
        if (!this.#reader) {
            const reader = await this.#view.reach(this.#at, names => tree.open(names, this.#flags));
            if ((this.#version ?? reader.version) !== reader.version) {
                await reader.close();
                throw fileException('EBUSY', this.#at.path, 'was written since this source was opened; open another',
                    { concurrentUpdate: true });
            }
            this.#version = reader.version;
            this.#size = reader.size;
            this.#reader = reader;
        }
        holdings.usesReader(this.#park);
    }

    async #closeReader() {
        const reader = this.#reader;
        this.#reader = undefined;
        this.#view.home.holdings.forgetsReader(this.#park);
        await reader?.close();
    }
}

function ended(path, what) {
    return fileException('EPERM', path, `this ${what} is closed; open another`, { storageClosed: true });
}

/** The result of `open()`; a stream that cannot be opened is closed. */
async function openOrEnd(stream, open) {
    try {
        return await open();
    } catch (exception) {
        stream.close();
        throw exception;
    }
}

Object.assign(globalThis.__embeddedCore, { Line, ended, openOrEnd, ByteSource });
}
