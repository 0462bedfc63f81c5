// Byte sinks of files.
'use strict';
{

const {
    fileException, seenByCaller, badArgument, isWhole, writeFlags, bytesOf, openOrNone, pump, abandoned, treeOptions,
    reachOf, requireWritable, FileLayout, Line, ended, openOrEnd,
} = globalThis.__embeddedCore;
const OBJ_TYPE = Symbol.for('w3n obj_type');

/**
 * Writes a file in any order; nothing is seen of it before `done`. Bytes that come are on their way to the disk at
 * once, in a content of their own; what the file will be is a layout of these, of the old content, and of gaps. Only
 * what is written from beginning to end needs no second way over the disk.
 */
class ByteSink {
    #view;
    #at;
    #flags;
    #base;
    #content;
    #layout;
    #names;
    #line = new Line();
    #isOver = false;
    #forget;

    get [OBJ_TYPE]() { return 'FileByteSink'; }

    /** A sink for the file at `at`, and the version that it will be if nobody else writes. */
    static async open(view, at, given) {
        const flags = writeFlags(at.path, given);
        const sink = new ByteSink(view, at, flags);
        sink.#forget = view.home.holdings.hold('sink', at.path, () => sink.close());
        const version = await openOrEnd(sink, () => view.reach(
            at, names => sink.#begin(names), { ...reachOf(flags), waits: true }));
        return { sink, version };
    }

    constructor(view, at, flags) {
        this.#view = view;
        this.#at = at;
        this.#flags = flags;
    }

    async #begin(names) {
        const { create, exclusive, truncate, currentVersion } = this.#flags;
        const { tree } = this.#view.home;
        const { path } = this.#at;
        const old = await openOrNone(tree, names, create);
        // What is not there may be behind links: a content can be put in a place once, so the place is settled now.
        const found = old ? undefined : await this.#view.throughLinks(path, names, !exclusive);
        if (found) {
            requireWritable(path, found.writable);
            return this.#begin(found.names);
        }
        this.#names = names;
        try {
            if (old && exclusive) { throw fileException('EEXIST', path, 'exists already'); }
            if (currentVersion !== undefined && currentVersion !== (old?.version ?? 0)) {
                throw fileException('EPERM', path, `has version ${old?.version ?? 0}, not ${currentVersion}`,
                    { versionMismatch: true });
            }
            if (this.#isOver) { throw ended(path, 'sink'); }
        } catch (exception) {
            await old?.close();
            throw exception;
        }
        this.#base = truncate ? undefined : old;
        if (truncate) { await old?.close(); }
        this.#layout = new FileLayout(this.#base?.size);
        this.#content = tree.newContent();
        return (old?.version ?? 0) + 1;
    }

    async getSize() { return this.#do(() => this.#layout.size); }

    async splice(position, del, bytes) {
        const { path } = this.#at;
        if (!isWhole(position) || !isWhole(del)) {
            throw badArgument(path, 'position and number of bytes to delete are no whole numbers');
        }
        const added = bytes === undefined || bytes === null ? undefined : bytesOf(path, bytes);
        return this.#do(async () => {
            this.#layout.requireRoom(path, position, added?.length ?? 0);
            const offset = this.#content.size;
            if (added?.length > 0) { await this.#content.append(added); }
            this.#layout.splice(position, del, offset, added?.length ?? 0);
        });
    }

    async truncate(size) {
        const { path } = this.#at;
        if (!isWhole(size)) { throw badArgument(path, 'size is no whole number'); }
        return this.#do(() => {
            this.#layout.requireRoom(path, size, 0);
            this.#layout.truncate(size);
        });
    }

    async showLayout() { return this.#do(() => this.#layout.show(this.#base?.version)); }

    /** Puts the content in its place; with `err` gives it up. Harmless when repeated. */
    async done(err, xattrs) {
        if (err !== undefined && err !== null) { return this.#line.run(() => this.#giveUp()); }
        return this.#line.run(async () => {
            if (this.#isOver) { return; }
            try {
                this.#requireUsable();
                const options = treeOptions(this.#at.path, this.#flags, xattrs);
                const content = await this.#final();
                await content.commit(this.#names, options);
            } catch (exception) {
                throw seenByCaller(exception, this.#at.path);
            } finally {
                await this.#giveUp();
            }
        });
    }

    /** Gives it up, at the latest with its component. */
    close() { this.#line.run(() => this.#giveUp()); }

    #requireUsable() {
        if (this.#isOver || !this.#view.home.isOpen()) { throw ended(this.#at.path, 'sink'); }
    }

    #do(step) {
        return this.#line.run(async () => {
            try {
                this.#requireUsable();
                return await step();
            } catch (exception) {
                throw seenByCaller(exception, this.#at.path);
            }
        });
    }

    /** The content as a whole, in order. */
    async #final() {
        if (this.#layout.isNewFromStart(this.#content.size)) { return this.#content; }
        const parts = this.#content;
        const whole = this.#view.home.tree.newContent();
        this.#content = { abandon: () => Promise.all([abandoned(parts), abandoned(whole)]) };
        for (const { src, ofs, len } of this.#layout.sections) {
            const source = src === 'base' ? this.#base : src === 'new' ? parts : zeros;
            await pump(source, ofs, ofs + len, whole);
        }
        await abandoned(parts);
        return whole;
    }

    async #giveUp() {
        if (this.#isOver) { return; }
        this.#isOver = true;
        this.#forget?.();
        if (this.#content) { await abandoned(this.#content); }
        await this.#base?.close();
    }
}

const zeros = { read: async (start, end) => new Uint8Array(end - start) };

Object.assign(globalThis.__embeddedCore, { ByteSink });
}
