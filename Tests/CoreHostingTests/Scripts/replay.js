// Every prefix of what the embedded core did to a disk, as a power cut may leave it, opens to the state before the
// change that was under way or to that after it.
(() => {
'use strict';

const { makeCryptor } = globalThis.__platformParts;

/** `random(n)` gives 0 … n-1, the same for the same seed. */
function numbersFrom(seed) {
    let state = seed >>> 0;
    return below => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
}

/** The tree of one app after a start on `disk`. */
async function openedOn(disk) {
    platform.device_fs = disk.fs;
    const core = __core3NWeb.Core.make({ dataDir: '.', local: true }, undefined, undefined, makeCryptor, random);
    await core.start().coreInit;
    return { core, tree: core.getStorages().treeOf('synced', 'a.app') };
}

/** All that is in a tree: path → what it is, in words. Folders that have nothing in them are of no concern. */
async function contentOf(tree, names = []) {
    const found = {};
    const folder = await tree.xattrs(names);
    if (Object.keys(folder).length > 0) { found[`${names.join('/')}/`] = JSON.stringify(folder); }
    for (const { name, kind } of await tree.list(names)) {
        const inner = [...names, name];
        if (kind === 'folder') { Object.assign(found, await contentOf(tree, inner)); }
        if (kind === 'link') { found[inner.join('/')] = `link ${JSON.stringify(await tree.readLink(inner))}`; }
        if (kind !== 'file') { continue; }
        const { version } = await tree.stat(inner);
        const versions = [];
        for (const archivedVersion of (await tree.versions(inner)).archived) {
            versions.push(`${archivedVersion}: ${digest(await textAt(tree, inner, { archivedVersion }))}`);
        }
        found[inner.join('/')] = [version, digest(await textAt(tree, inner)), JSON.stringify(await tree.xattrs(inner)),
            ...versions].join(' | ');
    }
    return found;
}

const digest = text => (text.length > 40 ? `${text.slice(0, 20)}… ${text.length}` : text);

/** What must never stay behind: scratch files, and versions of files that are gone. */
function remains(disk) {
    const folders = disk.readdir('users').flatMap(user => {
        const trees = disk.readdir(`users/${user}`).includes('trees') ? disk.readdir(`users/${user}/trees`) : [];
        return trees.map(tree => `users/${user}/trees/${tree}`);
    });
    const inside = (folder, name) => (disk.readdir(folder).includes(name) ? disk.readdir(`${folder}/${name}`) : []);
    return {
        scratch: disk.readdir('scratch').length,
        removed: folders.flatMap(folder => inside(folder, 'removed')).length,
        versions: folders.flatMap(folder => inside(folder, 'versions')
            .filter(id => disk.readdir(`${folder}/versions/${id}`).length > 0)).length,
    };
}

const big = 'x'.repeat(150_000);

/** Changes, one after the other. */
const scenarios = {
    'files and folders': [
        tree => tree.write(['f'], encode('one')),
        tree => tree.write(['f'], encode('two'), { xattrs: { set: { a: 1 } } }),
        tree => tree.write(['d', 'e', 'g'], encode('deep')),
        tree => tree.setXattrs(['f'], { set: { b: [2] }, remove: ['a'] }),
        tree => tree.setXattrs(['d'], { set: { folder: true } }),
        tree => tree.makeLink(['d', 'l'], { to: 'f' }),
        tree => tree.move(['f'], ['d', 'h', 'f']),
        tree => tree.copyFile(['d', 'h', 'f'], ['copy']),
        tree => tree.write(['copy'], encode('changed')),
        tree => tree.copyFile(['d', 'e', 'g'], ['copy'], { overwrite: true }),
        tree => tree.move(['d'], ['moved']),
        tree => tree.removeLink(['moved', 'l']),
        tree => tree.removeFile(['copy']),
        tree => tree.removeFolder(['moved'], true),
    ],
    'versions': [
        tree => tree.write(['d', 'f'], encode('one')),
        tree => tree.archiveCurrent(['d', 'f']),
        tree => tree.write(['d', 'f'], encode('two')),
        tree => tree.archiveCurrent(['d', 'f']),
        tree => tree.write(['d', 'f'], encode('three')),
        tree => tree.write(['g'], encode('g')),
        tree => tree.archiveCurrent(['g']),
        tree => tree.move(['d', 'f'], ['f']),
        tree => tree.removeArchived(['f'], 1),
        tree => tree.removeFile(['g']),
        tree => tree.move(['f'], ['e', 'f']),
        tree => tree.removeFolder(['e'], true),
        tree => tree.write(['f'], encode('anew')),
    ],
    'content in pieces': [
        tree => tree.write(['f'], encode(`1${big}`)),
        async tree => {
            const content = tree.newContent();
            for (const part of ['2', big, 'tail']) { await content.append(encode(part)); }
            await content.commit(['f'], { xattrs: { set: { done: true } } });
        },
        async tree => {
            const content = tree.newContent();
            await content.append(encode(`3${big}`));
            await content.abandon();
        },
        tree => tree.write(['f'], encode('short')),
    ],
};

/** Runs a scenario and opens each prefix of its log; gives how many disks were opened. */
async function replay(name, seed) {
    const number = numbersFrom(seed);
    const disk = new RecordedDisk();
    const { core, tree } = await openedOn(disk);
    const states = [await contentOf(tree)];
    const acknowledged = [disk.log.length];
    for (const change of scenarios[name]) {
        await change(tree);
        states.push(await contentOf(tree));
        acknowledged.push(disk.log.length);
    }
    await core.close();
    const { log } = disk;
    let opened = 0;
    for (let end = 0; end <= log.length; end += 1) {
        const prefix = log.slice(0, end);
        const sure = RecordedDisk.areSure(prefix);
        const open = sure.filter(isSure => !isSure).length;
        const ways = [() => true, ...open > 0 ? [() => false] : [], ...open > 1 ? [1, 2].map(() => {
            const lost = prefix.map(() => number(2) === 0);
            return i => lost[i];
        }) : []];
        const done = acknowledged.filter(at => at <= end).length;
        // During the first start, nothing was promised yet.
        const allowed = [states[Math.max(0, done - 1)], states[Math.min(done, states.length - 1)]].map(keyed);
        for (const [way, isLost] of ways.entries()) {
            const after = RecordedDisk.after(prefix, (effect, i) => !sure[i] && isLost(i));
            const where = `${name}, seed ${seed}, effect ${end} of ${log.length}, way ${way}`;
            let again;
            try {
                again = await openedOn(after);
                const found = await contentOf(again.tree);
                holds(allowed.includes(keyed(found)), `${where}: ${keyed(found)} is one of ${allowed.join(' and ')}`);
                const versions = Object.values(found).filter(text => / \| \d+: /.test(text)).length;
                same(remains(after), { scratch: 0, removed: 0, versions }, where);
                await again.tree.write(['after'], encode('a write'));
                await again.core.close();
            } catch (exception) {
                throw exception instanceof Error ? exception : new Error(`${where}: ${exception.message}`);
            }
            opened += 1;
        }
    }
    return opened;
}

/** Changes of several paths at once, by `seed`: each prefix has of each what was last answered, or a later one. */
async function replayTogether(seed) {
    const number = numbersFrom(seed);
    const disk = new RecordedDisk();
    const { core, tree } = await openedOn(disk);
    const paths = ['a', 'd/a', 'd/b', 'd/e/a'];
    const started = disk.log.length;
    disk.slowness = () => number(3) * number(40);
    for (let round = 0; round < 7; round += 1) {
        // Two come into a folder that is not there yet.
        const fresh = [`new ${round}/a`, `new ${round}/b`];
        paths.push(...fresh);
        await Promise.all(Array.from({ length: 3 + number(3) }, async (_, i) => {
            const path = fresh[i] ?? paths[number(4)];
            const text = i > 1 && number(3) === 0 ? undefined : `round ${round}, ${i}`;
            const change = { path, text };
            disk.log.push({ type: 'asked', change, isSure: true });
            const names = path.split('/');
            await (text === undefined ? tree.removeFile(names) : tree.write(names, encode(text))).catch(exception => {
                if (!exception.notFound) { throw exception; }
            });
            disk.log.push({ type: 'answered', change, isSure: true });
        }));
    }
    await core.close();
    let opened = 0;
    for (let end = started; end <= disk.log.length; end += 1) {
        const prefix = disk.log.slice(0, end);
        const sure = RecordedDisk.areSure(prefix);
        const allowed = new Map(paths.map(path => [path, [{ path, text: undefined }]]));
        for (const { type, change } of prefix) {
            if (type === 'asked') { allowed.get(change.path).push(change); }
            const place = type === 'answered' ? allowed.get(change.path).indexOf(change) : 0;
            if (place > 0) { allowed.get(change.path).splice(0, place); }
        }
        for (const keeps of [0, 1, 2]) {
            const after = RecordedDisk.after(prefix, (effect, i) => !sure[i] && number(2) >= keeps);
            const again = await openedOn(after);
            for (const path of paths) {
                const text = await textAt(again.tree, path.split('/')).catch(({ notFound, message }) =>
                    (notFound ? undefined : message));
                holds(allowed.get(path).some(change => change.text === text),
                    `seed ${seed}, effect ${end}, ${keeps} of 2 kept: ${path} has ${text}, may have `
                        + JSON.stringify(allowed.get(path)));
            }
            await again.core.close();
            opened += 1;
        }
    }
    return opened;
}

const keyed = content => JSON.stringify(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)));

Object.assign(globalThis, { replay, replayTogether, numbersFrom, openedOn, contentOf, remains });
})();
