// What callers see of entries, and objects that they give as arguments.
'use strict';
{

const { fileException, badArgument, statsAt, placeOf } = globalThis.__embeddedCore;

const flagOf = { file: 'isFile', folder: 'isFolder', link: 'isLink' };

/** `{isFile | isFolder | isLink, writable, size?, mtime, ctime, version?}`; a link itself unless `follows`. */
function statsSeen(view, at, { follows = false } = {}) {
    return view.reach(at, async (names, writable) => {
        const { kind, size, mtime, ctime, version } = await statsAt(view, at, names);
        if (follows && kind === 'link') { throw fileException('ENOTFILE', at.path, 'is a link'); }
        return { [flagOf[kind]]: true, writable, size, mtime, ctime, version };
    }, { follows });
}

const entrySeen = ({ name, kind }) => ({ name, [flagOf[kind]]: true });

/** The entries of a folder, by name. */
const entriesSeen = (view, at) => view.reach(
    at, async names => (await view.home.tree.list(names)).map(entrySeen));

/** Where the object given as an argument is, which must be of `kind`: `file` or `folder`. */
function placeGiven(path, object, kind) {
    const place = placeOf.get(object);
    if (place?.kind === kind) { return place; }
    throw badArgument(path, `what is given is no ${kind === 'file' ? 'file object' : 'file system object'}`);
}

/** A function that promises a reader of the file that was given, for a call that has its turn already. */
function readerOf(path, file) {
    const { view, at } = placeGiven(path, file, 'file');
    return () => view.reach(at, names => view.home.tree.open(names), { waits: false });
}

Object.assign(globalThis.__embeddedCore, { flagOf, statsSeen, entriesSeen, placeGiven, readerOf });
}
