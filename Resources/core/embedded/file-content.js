// Reading and writing files and attributes: what file systems, files, and their versioned halves are made of. All take
// a `TreeView` and a place in it, and give what they read with its version.
'use strict';
{

const {
    fileException, badArgument, range, requireReadable, readFlags, writeFlags, bytesOf, bytesOfText, bytesOfJSON,
    xattrName, xattrChanges, statsAt,
} = globalThis.__embeddedCore;
const { hasOwn } = Object;

/** Bytes that are moved from one content to another at once. */
const pieceAtOnce = 1024 * 1024;

/** Times that a write onto content that is changed meanwhile begins anew. */
const mostTries = 16;

// ---- reading

/** The result of `work(reader)` on the file there, as it is now or as it was archived. */
function withReader(view, at, flags, work, readsAll = false) {
    const { archivedVersion } = readFlags(at.path, flags);
    return view.reach(at, async names => {
        const reader = await view.home.tree.open(names, { archivedVersion, readsAll });
        try {
            return await work(reader);
        } finally {
            await reader.close();
        }
    });
}

/** `{bytes, version}`; bytes undefined when there are none from `start` to `end`. */
async function readBytes(view, at, start, end, flags) {
    const { from, to } = range(at.path, start, end);
    return withReader(view, at, flags, async reader => {
        const stop = Math.min(to, reader.size);
        requireReadable(at.path, stop - from);
        if (from >= stop) { return { bytes: undefined, version: reader.version }; }
        const bytes = await view.home.holdings.bytes.run(stop - from, () => reader.read(from, stop));
        globalThis.__core3NWeb.ipc.giveAway(bytes);
        return { bytes, version: reader.version };
    }, from === 0 && to === Infinity);
}

/** `{txt, version}`. */
async function readTxt(view, at, flags) {
    const { bytes, version } = await readBytes(view, at, undefined, undefined, flags);
    try {
        return { txt: bytes ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) : '', version };
    } catch {
        throw fileException('EIO', at.path, 'is not UTF-8 text; read it with readBytes', { parsingError: true });
    }
}

/** `{json, version}`. */
async function readJSON(view, at, flags) {
    const { txt, version } = await readTxt(view, at, flags);
    try {
        return { json: JSON.parse(txt), version };
    } catch (error) {
        throw fileException('EIO', at.path, `is not JSON: ${error.message}`, { parsingError: true });
    }
}

// ---- writing

/** `{create, exclusive, currentVersion, xattrs}` as the tree takes them. */
function treeOptions(path, { create, exclusive, currentVersion }, xattrs) {
    return { create, exclusive, currentVersion, makeParents: create, xattrs: xattrChanges(path, xattrs) };
}

/** How a write reaches its place: `exclusive` means the name itself, be it a link's. */
const reachOf = ({ exclusive }) => ({ changes: true, follows: !exclusive });

/** Puts `bytes` in the place of the file's content, or with `truncate` false of its beginning; gives its version. */
async function write(view, at, bytes, given, xattrs) {
    const flags = writeFlags(at.path, given);
    const options = treeOptions(at.path, flags, xattrs);
    const { tree } = view.home;
    if (flags.truncate || flags.exclusive) {
        return view.reach(at, names => tree.write(names, bytes, options), reachOf(flags));
    }
    return view.reach(at, names => overlay(tree, names, bytes, options), { ...reachOf(flags), waits: true });
}

const writeBytes = async (view, at, bytes, flags, xattrs) => write(view, at, bytesOf(at.path, bytes), flags, xattrs);
const writeTxt = async (view, at, text, flags, xattrs) => write(view, at, bytesOfText(at.path, text), flags, xattrs);
const writeJSON = async (view, at, value, flags, xattrs) => write(view, at, bytesOfJSON(at.path, value), flags, xattrs);

async function overlay(tree, names, bytes, options) {
    for (let tries = 1; ; tries += 1) {
        const old = await openOrNone(tree, names, options.create);
        const content = tree.newContent();
        try {
            await content.append(bytes);
            if (old) { await pump(old, bytes.length, old.size, content); }
            // What was not there is 0, so that a file which came meanwhile is seen as well.
            const currentVersion = options.currentVersion ?? old?.version ?? 0;
            return await content.commit(names, { ...options, currentVersion });
        } catch (exception) {
            await abandoned(content);
            const isStale = exception.versionMismatch && options.currentVersion === undefined;
            if (!isStale || tries === mostTries) { throw exception; }
        } finally {
            await old?.close();
        }
    }
}

async function openOrNone(tree, names, mayBeMissing) {
    try {
        return await tree.open(names);
    } catch (exception) {
        if (exception.notFound && mayBeMissing) { return undefined; }
        if (exception.notFile && (await tree.stat(names))?.kind === 'folder') {
            throw fileException('EISDIR', '', 'is a folder; name a file');
        }
        throw exception;
    }
}

/** Appends bytes `from` to `to` of `source` (a reader or content) to `content`. */
async function pump(source, from, to, content) {
    for (let start = from; start < to; start += pieceAtOnce) {
        await content.append(await source.read(start, Math.min(to, start + pieceAtOnce)));
    }
}

/** Gives up content; one that a failed commit has given up already is over, and that failure is the news. */
async function abandoned(content) {
    await content.abandon().catch(() => {});
}

/** Puts what `source` gives in the place of the file; `source(tell)` promises a reader that is closed afterwards. */
async function writeFrom(view, at, openSource, given) {
    const flags = writeFlags(at.path, given);
    const { tree } = view.home;
    return view.reach(at, async names => {
        const source = await openSource();
        const content = tree.newContent();
        try {
            await pump(source, 0, source.size, content);
            return await content.commit(names, treeOptions(at.path, flags));
        } catch (exception) {
            await abandoned(content);
            throw exception;
        } finally {
            await source.close();
        }
    }, { ...reachOf(flags), waits: true });
}

// ---- attributes

/** All attributes of a file or folder, and its version. */
async function xattrsAt(view, at, flags) {
    if (readFlags(at.path, flags).archivedVersion !== undefined) {
        return withReader(view, at, flags, async ({ xattrs, version }) => ({ xattrs, version }));
    }
    return view.reach(at, async names => {
        const xattrs = await view.home.tree.xattrs(names);
        return { xattrs, version: (await statsAt(view, at, names)).version };
    });
}

/** `{attr, version}`; attr undefined when there is none of that name. */
async function getXAttr(view, at, name, flags) {
    xattrName(at.path, name);
    const { xattrs, version } = await xattrsAt(view, at, flags);
    return { attr: hasOwn(xattrs, name) ? xattrs[name] : undefined, version };
}

/** `{lst, version}`. */
async function listXAttrs(view, at, flags) {
    const { xattrs, version } = await xattrsAt(view, at, flags);
    return { lst: Object.keys(xattrs).sort(), version };
}

/** Gives the new version. */
async function updateXAttrs(view, at, given) {
    if (given === undefined || given === null) { throw badArgument(at.path, 'no changes of attributes are given'); }
    const changes = xattrChanges(at.path, given);
    return view.reach(at, names => view.home.tree.setXattrs(names, changes), { changes: true });
}

Object.assign(globalThis.__embeddedCore, {
    withReader, readBytes, readTxt, readJSON, writeBytes, writeTxt, writeJSON, writeFrom, getXAttr, listXAttrs,
    updateXAttrs, openOrNone, pump, abandoned, treeOptions, reachOf,
});
}
