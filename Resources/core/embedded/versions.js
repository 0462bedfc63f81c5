// The versioned halves of file systems and files: `v`, and `sync` of what would be synced storage with other devices.
'use strict';
{

const {
    fileException, withReader, readBytes, readTxt, readJSON, writeBytes, writeTxt, writeJSON, writeFrom, getXAttr,
    listXAttrs, updateXAttrs, readFlags, isWhole, badArgument, statsAt, ByteSource, ByteSink, statsSeen, entriesSeen,
    readerOf,
} = globalThis.__embeddedCore;

// ---- what files and file systems have in common, by a place

/** What is there, or the file as it was archived: size and version are that one's. */
async function statVersion(view, at, flags) {
    if (readFlags(at.path, flags).archivedVersion === undefined) { return statsSeen(view, at); }
    const current = await statsSeen(view, at, { follows: true });
    const { size, version } = await withReader(view, at, flags, async reader => reader);
    return { ...current, size, version };
}

const listVersions = (view, at) => view.reach(at, async names => {
    const { kind } = await statsAt(view, at, names);
    return kind === 'folder' ? { archived: [] } : view.home.tree.versions(names);
});

async function archiveCurrent(view, at, version) {
    if (version !== undefined && version !== null && !isWhole(version)) {
        throw badArgument(at.path, 'version is no whole number');
    }
    return view.reach(at, names => view.home.tree.archiveCurrent(names, version ?? undefined), { changes: true });
}

// ---- sync: there is no other device and no server

function notHere(path) {
    return fileException('ENOSYS', path,
        'synced storage with other devices is not available in the embedded core; run a core with a server for it');
}

async function syncStatus(view, at) {
    const { version } = await statsSeen(view, at, { follows: true });
    return { state: 'unsynced', local: version === undefined ? {} : { latest: version } };
}

/** An object with the calls `names`, each refused; `pathOf(...args)` is what exceptions name. */
function refusing(names, pathOf) {
    return Object.fromEntries(names.map(name => [name, async (...args) => { throw notHere(pathOf(...args)); }]));
}

const refusedReads = ['startDownload', 'adoptRemote'];
const refusedUploads = ['startUpload', 'upload'];

function syncOf(view, atOf, pathOf, moreReads, moreWrites) {
    return Object.freeze({
        status: async (...args) => syncStatus(view, atOf(...args)),
        isRemoteVersionOnDisk: async (...args) => {
            await statsSeen(view, atOf(...args), { follows: true });
            return 'none';
        },
        ...refusing([...refusedReads, ...moreReads, 'whenConnected'], pathOf),
        ...view.writable ? refusing([...refusedUploads, ...moreWrites], pathOf) : {},
    });
}

// ---- file systems

/** `v` of a file system: calls take a path, reads `{archivedVersion?}`, writes `{currentVersion?}`, too. */
function versionsOfFS(view) {
    const at = path => view.at(path);
    const reads = {
        stat: async (path, flags) => statVersion(view, at(path), flags),
        getXAttr: async (path, name, flags) => getXAttr(view, at(path), name, flags),
        listXAttrs: async (path, flags) => listXAttrs(view, at(path), flags),
        readBytes: async (path, start, end, flags) => readBytes(view, at(path), start, end, flags),
        readTxtFile: async (path, flags) => readTxt(view, at(path), flags),
        readJSONFile: async (path, flags) => readJSON(view, at(path), flags),
        getByteSource: async (path, flags) => ByteSource.open(view, at(path), flags),
        listVersions: async path => listVersions(view, at(path)),
        /** Folders have no versions here: theirs is always 1. */
        listFolder: async (path, flags) => {
            if (readFlags(path, flags).archivedVersion !== undefined) {
                throw fileException('ENOSYS', path, 'folders have no archived versions in the embedded core');
            }
            return { lst: await entriesSeen(view, at(path)), version: 1 };
        },
    };
    const writes = {
        updateXAttrs: async (path, changes) => updateXAttrs(view, at(path), changes),
        writeBytes: async (path, bytes, flags) => writeBytes(view, at(path), bytes, flags),
        writeTxtFile: async (path, text, flags) => writeTxt(view, at(path), text, flags),
        writeJSONFile: async (path, value, flags) => writeJSON(view, at(path), value, flags),
        getByteSink: async (path, flags) => ByteSink.open(view, at(path), flags),
        archiveCurrent: async (path, version) => archiveCurrent(view, at(path), version),
    };
    const sync = view.home.type === 'synced' ? syncOf(view, at, path => path, [
        'diffCurrentAndRemoteFolderVersions', 'diffCurrentAndRemoteFileVersions', 'statRemoteItem',
        'listRemoteFolderItem', 'getRemoteFileItem', 'getRemoteFolderItem',
    ], ['adoptRemoteFolderItem', 'absorbRemoteFolderChanges']) : undefined;
    return Object.freeze({ ...reads, ...view.writable ? writes : {}, sync });
}

// ---- files

/** `v` of the file at a place. */
function versionsOfFile(view, at) {
    const reads = {
        stat: async flags => statVersion(view, at, flags),
        getXAttr: async (name, flags) => getXAttr(view, at, name, flags),
        listXAttrs: async flags => listXAttrs(view, at, flags),
        readBytes: async (start, end, flags) => readBytes(view, at, start, end, flags),
        readTxt: async flags => readTxt(view, at, flags),
        readJSON: async flags => readJSON(view, at, flags),
        getByteSource: async flags => ByteSource.open(view, at, flags),
        listVersions: async () => listVersions(view, at),
    };
    const writes = {
        updateXAttrs: async changes => updateXAttrs(view, at, changes),
        writeBytes: async (bytes, xattrs) => writeBytes(view, at, bytes, {}, xattrs),
        writeTxt: async (text, xattrs) => writeTxt(view, at, text, {}, xattrs),
        writeJSON: async (value, xattrs) => writeJSON(view, at, value, {}, xattrs),
        getByteSink: async (truncate, currentVersion) => ByteSink.open(view, at, { truncate, currentVersion }),
        copy: async file => writeFrom(view, at, readerOf(at.path, file), {}),
        archiveCurrent: async version => archiveCurrent(view, at, version),
    };
    const sync = view.home.type === 'synced'
        ? syncOf(view, () => at, () => at.path, ['diffCurrentAndRemoteVersions'], []) : undefined;
    return Object.freeze({ ...reads, ...view.writable ? writes : {}, sync });
}

Object.assign(globalThis.__embeddedCore, { versionsOfFS, versionsOfFile });
}
