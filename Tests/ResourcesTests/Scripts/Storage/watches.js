// Watching files, folders and trees.
/** An observer that notes what comes; `events` without `src`, which is always the same. */
const noting = () => {
    const events = [];
    return {
        events,
        next: ({ src, newVersion, moveLabel, ...event }) => {
            same(src, 'local', 'src');
            events.push(Object.values(event).map(value => value?.name
                ? `${value.name}:${Object.keys(value)[1]}` : value).join(' '));
        },
        complete: () => { events.push('completed'); },
        error: exception => { events.push(`${exception.code} ${exception.path}`); },
    };
};

/** A call and its answer, so that what was sent before has come. */
const settled = async fs => { for (let i = 0; i < 3; i += 1) { await fs.stat(''); } };

/** These events come, and no others. */
const toldOf = async (fs, seen, expected) => {
    await until(() => seen.events.length >= expected.length, `${expected}, after ${seen.events}`);
    await settled(fs);
    same(seen.events, expected);
};

check('a folder tells of its entries', async () => {
    const { fs } = await emptyFS();
    await fs.makeFolder('d/sub');
    const seen = noting();
    const stop = fs.watchFolder('d', seen);
    await fs.writeTxtFile('d/f', '1');
    await fs.writeTxtFile('d/f', '2');
    await fs.writeTxtFile('d/sub/deep', '');
    await fs.writeTxtFile('other', '');
    await fs.makeFolder('d/g');
    await fs.link('d/l', await fs.readonlyFile('d/f'));
    await fs.move('d/f', 'd/h');
    await fs.move('d/h', 'moved');
    await fs.move('moved', 'd/back');
    await fs.deleteFile('d/back');
    await fs.deleteLink('d/l');
    await settled(fs);
    stop();
    await fs.writeTxtFile('d/late', '');
    await settled(fs);
    await toldOf(fs, seen, ['entry-addition d f:isFile', 'entry-addition d g:isFolder', 'entry-addition d l:isLink',
        'entry-renaming d f h', 'entry-removal d h', 'entry-addition d back:isFile', 'entry-removal d back',
        'entry-removal d l']);
});

check('a file tells of its changes and its end, wherever it is moved', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', '1');
    const [seen, ofFile] = [noting(), noting()];
    fs.watchFile('/d/f', seen);
    const file = await fs.readonlyFile('d/f');
    const stop = file.watch(ofFile);
    await fs.writeTxtFile('d/f', '2');
    await fs.updateXAttrs('d/f', { set: { a: 1 } });
    await fs.move('d', 'e');
    const sink = await fs.getByteSink('e/f');
    await sink.done();
    await fs.writeTxtFile('d/f', 'another');
    stop();
    await fs.deleteFile('e/f');
    await settled(fs);
    await toldOf(fs, seen, ['file-change /d/f', 'file-change /d/f', 'file-change /d/f', 'removed /d/f', 'completed']);
    await toldOf(fs, ofFile, ['file-change f', 'file-change f', 'file-change f']);
});

check('a tree tells of all that is in it, as deep as is asked', async () => {
    const { fs } = await emptyFS();
    await fs.makeFolder('t/a/b');
    const [all, none, one] = [noting(), noting(), noting()];
    fs.watchTree('t', undefined, all);
    fs.watchTree('t', 0, none);
    fs.watchTree('t', 1, one);
    await fs.writeTxtFile('t/f', '1');
    await fs.writeTxtFile('t/a/b/f', '1');
    await fs.writeTxtFile('t/f', '2');
    await fs.writeTxtFile('t/a/b/f', '2');
    await fs.move('t/a/b/f', 't/a/g');
    await fs.move('t/a/g', 't/a/h');
    await fs.deleteFolder('t/a', true);
    await fs.deleteFolder('t', true);
    await settled(fs);
    await toldOf(fs, all, ['entry-addition . f:isFile', 'entry-addition ./a/b f:isFile', 'file-change ./f',
        'file-change ./a/b/f', 'entry-removal ./a/b f', 'entry-addition ./a g:isFile', 'entry-renaming ./a g h',
        'entry-removal . a', 'removed ./a', 'removed .', 'completed']);
    await toldOf(fs, none, ['entry-addition . f:isFile', 'entry-removal . a', 'removed .', 'completed']);
    await toldOf(fs, one, ['entry-addition . f:isFile', 'file-change ./f', 'entry-addition ./a g:isFile',
        'entry-renaming ./a g h', 'entry-removal . a', 'removed ./a', 'removed .', 'completed']);
});

check('events have versions, and parts of a move one label', async () => {
    const { fs } = await emptyFS();
    await fs.makeFolder('a');
    await fs.makeFolder('b');
    const events = [];
    fs.watchTree('', undefined, { next: event => events.push(event) });
    await fs.writeTxtFile('a/f', '1');
    await fs.writeTxtFile('a/f', '2');
    await fs.move('a/f', 'b/f');
    await until(() => events.length >= 4, 'four events');
    same(events.map(({ newVersion }) => newVersion ?? null), [1, 2, null, null]);
    holds(events[2].moveLabel > 0 && events[2].moveLabel === events[3].moveLabel, 'labels');
    same(events[3], { type: 'entry-addition', path: './b', entry: { name: 'f', isFile: true },
        moveLabel: events[3].moveLabel, src: 'local' });
});

check('other components see changes, and a sub-root its own part', async () => {
    const { fs, domain } = await emptyFS();
    const other = await (await storageOf({ domain })).storage.getAppLocalFS();
    const sub = await fs.writableSubRoot('sub');
    const seen = noting();
    sub.watchTree('', undefined, seen);
    await other.writeTxtFile('outside', '');
    await other.writeTxtFile('sub/f', '');
    await other.move('sub/f', 'f');
    await other.move('f', 'sub/back');
    await settled(fs);
    await toldOf(fs, seen, ['entry-addition . f:isFile', 'entry-removal . f', 'entry-addition . back:isFile']);
    await other.move('sub', 'elsewhere');
    await until(() => seen.events.length >= 5, 'the end');
    same(seen.events.slice(3), ['removed .', 'completed']);
});

check('what cannot be watched is told to the observer', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '');
    for (const [watch, expected] of [
        [seen => fs.watchFolder('none', seen), 'ENOENT none'], [seen => fs.watchFolder('f', seen), 'ENOTDIR f'],
        [seen => fs.watchFile('', seen), 'ENOTFILE '], [seen => fs.watchTree('f', 1, seen), 'ENOTDIR f'],
        [seen => fs.watchTree('', -1, seen), 'EPERM '], [seen => fs.watchTree('', 'x', seen), 'EPERM '],
        [seen => fs.watchFile('../f', seen), 'EPERM ../f'], [seen => fs.watchFile(5, seen), 'EPERM (number)'],
    ]) {
        const seen = noting();
        watch(seen);
        await until(() => seen.events.length > 0, 'an error');
        await toldOf(fs, seen, [expected]);
    }
});

check('a watch through a link is of what it leads to', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', '');
    await fs.link('l', await fs.readonlySubRoot('d'));
    const [seen, ofFile] = [noting(), noting()];
    fs.watchFolder('l', seen);
    fs.watchFile('l/f', ofFile);
    await fs.writeTxtFile('d/g', '');
    await fs.writeTxtFile('d/f', '1');
    await toldOf(fs, seen, ['entry-addition l g:isFile']);
    await toldOf(fs, ofFile, ['file-change l/f']);
});

check('close of the file system completes its watches', async () => {
    const { fs, holdings } = await emptyFS();
    const seen = noting();
    fs.watchFolder('', seen);
    fs.watchTree('', 3, seen);
    await settled(fs);
    await fs.close();
    await turn();
    same([seen.events, holdings.counts().watch], [['completed', 'completed'], 0]);
});

check('watches are bounded in number and in what is left unread', async () => {
    const { fs, holdings, domain } = await emptyFS();
    const ended = [];
    const stops = Array.from({ length: 260 }, () => fs.watchFolder('', { error: exc => ended.push(exc.code) }));
    await settled(fs);
    same([ended, holdings.counts().watch], [['EBUSY', 'EBUSY', 'EBUSY', 'EBUSY'], 256]);
    for (const stop of stops) { stop(); }
    await settled(fs);
    same(holdings.counts().watch, 0);
    const cap = embedded.makeStorageCap({ appDomain: domain, requested: {}, treeOf, isOpen: () => true });
    const slow = await cap.storage.getAppLocalFS();
    const told = [];
    slow.watchFolder('', { next: () => { told.push('event'); return false; }, error: exc => told.push(exc.code) });
    for (let i = 0; i < 1030; i += 1) { await fs.makeFolder(`d${i}`); }
    same([told.length, told.at(-1), cap.holdings.counts().watch], [1026, 'EBUSY', 0]);
});
