// Copies of folders, and what is saved from objects.
const filled = async fs => {
    await fs.writeTxtFile('src/f', 'file');
    await fs.writeTxtFile('src/d/g', 'deep');
    await fs.makeFolder('src/empty');
    await fs.updateXAttrs('src/f', { set: { tag: 1 } });
};
const shape = async (fs, path = '') => {
    const entries = [];
    for (const { name, isFolder, isLink } of await fs.listFolder(path)) {
        const inside = `${path}/${name}`;
        if (isFolder) { entries.push(name, ...await shape(fs, inside)); continue; }
        entries.push(isLink ? `${inside} link` : `${inside} ${await fs.readTxtFile(inside)}`);
    }
    return entries;
};

check('a folder is copied with what is in it, once, or merged', async () => {
    const { fs } = await emptyFS();
    await filled(fs);
    await fs.link('src/l', await fs.readonlyFile('src/f'));
    await fs.copyFolder('src', 'made/copy');
    same(await shape(fs, 'made/copy'), ['d', 'made/copy/d/g deep', 'empty', 'made/copy/f file', 'made/copy/l link']);
    same([await fs.getXAttr('made/copy/f', 'tag'), await fs.readTxtFile('made/copy/l')], [1, 'file']);
    await refused(fs.copyFolder('src', 'made/copy'), 'EEXIST', 'made/copy', 'alreadyExists');
    await fs.writeTxtFile('made/copy/d/own', 'kept');
    await fs.writeTxtFile('src/f', 'newer');
    await fs.copyFolder('src', 'made/copy', true);
    same(await shape(fs, 'made/copy'), ['d', 'made/copy/d/g deep', 'made/copy/d/own kept', 'empty', 'made/copy/f newer',
        'made/copy/l link']);
    await refused(fs.copyFolder('none', 'x'), 'ENOENT', 'none', 'notFound');
    await refused(fs.copyFolder('src/f', 'x'), 'ENOTDIR', 'src/f', 'notDirectory');
    await refused(fs.copyFolder('src', 'src/inside', true), 'EPERM', 'src/inside', 'opNotPermitted');
    await refused(fs.copyFolder('', 'inside'), 'EPERM', 'inside', 'opNotPermitted');
    await fs.writeTxtFile('file', '');
    await refused(fs.copyFolder('src', 'file', true), 'EEXIST', 'file', 'alreadyExists');
    await fs.makeFolder('clash/f');
    await refused(fs.copyFolder('src', 'clash', true), 'EISDIR', 'clash/f', 'isDirectory');
});

check('a file object is saved, of this and of another file system', async () => {
    const { storage, die } = await storageOf({ domain: 'saves.test' });
    const [local, synced] = [await storage.getAppLocalFS(), await storage.getAppSyncedFS()];
    await local.writeTxtFile('f', 'text');
    const file = await local.readonlyFile('f');
    await synced.saveFile(file, 'from/local');
    await local.saveFile(file, 'g');
    same([await synced.readTxtFile('from/local'), await local.readTxtFile('g')], ['text', 'text']);
    await refused(local.saveFile(file, 'g'), 'EEXIST', 'g', 'alreadyExists');
    await local.writeTxtFile('f', 'other');
    await local.saveFile(file, 'g', true);
    same(await local.readTxtFile('g'), 'other');
    const copy = await synced.writableFile('copy');
    await copy.copy(file);
    same([await copy.readTxt(), copy.isNew, file.isNew], ['other', true, false]);
    await local.deleteFile('f');
    await refused(synced.saveFile(file, 'none'), 'ENOENT', 'none', 'notFound');
    same(await synced.checkFilePresence('none'), false);
    for (const odd of [undefined, null, 1, 'f', {}, [], local, { ...file }]) {
        await refused(synced.saveFile(odd, 'x'), 'EPERM', 'x', 'badFnCallArguments');
        await refused(copy.copy(odd), 'EPERM', 'copy', 'badFnCallArguments');
    }
    die();
});

check('a folder is saved from this and from another file system', async () => {
    const { storage } = await storageOf({ domain: 'saves-folders.test' });
    const [local, synced] = [await storage.getAppLocalFS(), await storage.getAppSyncedFS()];
    await filled(local);
    const src = await local.readonlySubRoot('src');
    await synced.saveFolder(src, 'from/local');
    same(await shape(synced, 'from/local'), ['d', 'from/local/d/g deep', 'empty', 'from/local/f file']);
    await local.saveFolder(src, 'again');
    same(await shape(local, 'again'), ['d', 'again/d/g deep', 'empty', 'again/f file']);
    await refused(synced.saveFolder(src, 'from/local'), 'EEXIST', 'from/local', 'alreadyExists');
    await local.writeTxtFile('src/f', 'newer');
    await synced.saveFolder(src, 'from/local', true);
    same(await synced.readTxtFile('from/local/f'), 'newer');
    await refused(local.saveFolder(src, 'src/d/inside', true), 'EPERM', 'src/d/inside', 'opNotPermitted');
    await refused(local.saveFolder(local, 'inside'), 'EPERM', 'inside', 'opNotPermitted');
    await local.link('src/l', await local.readonlyFile('src/f'));
    await refused(synced.saveFolder(src, 'with-link'), 'EPERM', 'with-link/l', 'opNotPermitted');
    for (const odd of [undefined, 1, {}, await local.readonlyFile('src/f')]) {
        await refused(synced.saveFolder(odd, 'x'), 'EPERM', 'x', 'badFnCallArguments');
    }
});

check('a large file is copied whole from one file system to another', async () => {
    const { storage } = await storageOf({ domain: 'large.test' });
    const [local, synced] = [await storage.getAppLocalFS(), await storage.getAppSyncedFS()];
    const bytes = new Uint8Array(3_500_000).map((_, i) => i % 251);
    await local.writeBytes('f', bytes);
    await synced.saveFile(await local.readonlyFile('f'), 'f');
    const back = await synced.readBytes('f');
    holds(back.length === bytes.length && back.every((byte, i) => byte === bytes[i]), 'the same bytes');
});
