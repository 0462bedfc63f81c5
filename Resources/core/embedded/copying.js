// Copies of folders, and of files and folders that are given as objects.
'use strict';
{

const { fileException, placeGiven, readerOf, writeFrom, isWithin } = globalThis.__embeddedCore;

const isFlag = value => value === true;

/** Puts a copy of a file, whosever it is, at a place. */
async function saveFile(view, at, file, overwrite) {
    await writeFrom(view, at, readerOf(at.path, file), { exclusive: !isFlag(overwrite) });
}

/** Copies the folder at `from` with what is in it; links are copied as links. */
async function copyFolder(view, from, to, merge) {
    const source = await view.reach(from, async names => {
        await view.home.tree.list(names);
        return names;
    });
    await copyInto(view, { view, names: source }, to, isFlag(merge));
}

/** Copies the folder that a file system object is; links can only be copied inside one file system. */
async function saveFolder(view, folder, at, merge) {
    const { view: from, at: { names } } = placeGiven(at.path, folder, 'folder');
    await copyInto(view, { view: from, names }, at, isFlag(merge));
}

async function copyInto(view, source, to, merge) {
    const target = await view.reach(to, async names => {
        if (source.view.home.tree === view.home.tree && isWithin(names, source.names)) {
            throw fileException('EPERM', to.path, 'is inside what is to be copied, or that itself');
        }
        await view.home.tree.makeFolder(names, { exclusive: !merge });
        return names;
    }, { changes: true, follows: merge });
    await copyEntries(view, source, to, target, merge);
}

async function copyEntries(view, source, { path }, target, merge) {
    const from = source.view.home.tree;
    const { tree } = view.home;
    for (const { name, kind } of await source.view.reach({ path, names: source.names }, names => from.list(names))) {
        const [names, place] = [[...source.names, name], { path: `${path}/${name}`, names: [...target, name] }];
        if (kind === 'folder') {
            await view.reach(place, () => tree.makeFolder(place.names, { exclusive: !merge }), { changes: true });
            await copyEntries(view, { view: source.view, names }, place, place.names, merge);
        } else if (kind === 'link') {
            await copyLink(view, from, names, place, merge);
        } else if (from === tree) {
            await view.reach(place, () => tree.copyFile(names, place.names, { overwrite: merge }), { changes: true });
        } else {
            const open = () => source.view.reach(
                { path: place.path, names }, found => from.open(found), { waits: false });
            await writeFrom(view, place, open, { exclusive: !merge });
        }
    }
}

async function copyLink(view, from, names, place, merge) {
    const { tree } = view.home;
    await view.reach(place, async () => {
        if (from !== tree) {
            throw fileException('EPERM', place.path, 'is a link, and links stay in their file system');
        }
        const target = await tree.readLink(names);
        if (merge && (await tree.stat(place.names))?.kind === 'link') { await tree.removeLink(place.names); }
        await tree.makeLink(place.names, target);
    }, { changes: true, follows: false });
}

Object.assign(globalThis.__embeddedCore, { saveFile, copyFolder, saveFolder });
}
