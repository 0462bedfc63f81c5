// Selections.
const filled = async () => {
    const made = await emptyFS();
    const { fs } = made;
    for (const path of ['a.txt', 'B.TXT', 'c.png', 'd/a.txt', 'd/e/deep.txt',
        'd/e/x.jpg']) { await fs.writeTxtFile(path, path); }
    await fs.link('link.txt', await fs.readonlySubRoot('d'));
    return made;
};
const found = async (fs, path, criteria) => {
    const { items, completion } = await fs.select(path, criteria);
    await completion;
    return (await items.getAll()).map(([name]) => name);
};

check('names match patterns, expressions and texts', async () => {
    const { fs } = await filled();
    const include = name => found(fs, '', { name, action: 'include' });
    same(await include('*.txt'), ['/B.TXT', '/a.txt', '/d/a.txt', '/d/e/deep.txt', '/link.txt']);
    same(await include('A*'), ['/a.txt', '/d/a.txt']);
    same(await include('*e*'), ['/d/e', '/d/e/deep.txt']);
    same(await include('a.txt*'), ['/a.txt', '/d/a.txt']);
    same(await include('a.txt'), ['/a.txt', '/d/a.txt']);
    same(await include('a*a.txt'), []);
    same((await include('*')).length, 9);
    same(await include({ p: 'a.txt', type: 'exact' }), ['/a.txt', '/d/a.txt']);
    same(await include({ p: 'A.TXT', type: 'exact' }), []);
    same(await include({ p: '^[a-c]\\.(txt|png)$', type: 'regexp' }), ['/a.txt', '/c.png', '/d/a.txt']);
    same(await include({ p: 'e+p', type: 'regexp' }), ['/d/e/deep.txt']);
});

check('kinds, depth and action narrow it', async () => {
    const { fs } = await filled();
    same(await found(fs, '', { name: '*.txt', action: 'include', type: 'file' }), ['/B.TXT', '/a.txt', '/d/a.txt',
        '/d/e/deep.txt']);
    same(await found(fs, '', { name: '*', action: 'include', type: ['folder', 'link'] }), ['/d', '/d/e', '/link.txt']);
    same(await found(fs, '', { name: '*', action: 'include', type: 'folder', depth: 0 }), ['/d']);
    same(await found(fs, 'd', { name: '*', action: 'include', depth: 0 }), ['/a.txt', '/e']);
    same(await found(fs, 'd', { name: '*', action: 'include', depth: 1 }), ['/a.txt', '/e', '/e/deep.txt', '/e/x.jpg']);
    same(await found(fs, '', { name: '*.txt', action: 'exclude' }), ['/c.png', '/d', '/d/e', '/d/e/x.jpg']);
    same(await found(fs, '', { name: '*', action: 'exclude', type: 'file' }), ['/d', '/d/e', '/link.txt']);
});

check('items have a place, come one by one, and are told as they come', async () => {
    const { fs } = await filled();
    const { items, completion } = await fs.select('d', { name: '*.txt', action: 'include' });
    const told = [];
    await new Promise(complete => items.watch({ next: ({ type, path, item }) => told.push([type, path, item.isFile]),
        complete }));
    await completion;
    same(told.filter(([type, path]) => type === 'entry-addition' && ['/a.txt', '/e/deep.txt'].includes(path)).length,
        told.length);
    const item = await items.get('/e/deep.txt');
    same([item.isFile, item.location.path, item.location.fs.name, item.location.fs.writable],
        [true, '/e/deep.txt', 'd', false]);
    same(await item.location.fs.readTxtFile(item.location.path), 'd/e/deep.txt');
    same(await items.get('/none'), undefined);
    const seen = [];
    for await (const [name, { isFile }] of await items.entries()) { seen.push([name, isFile]); }
    same(seen, [['/a.txt', true], ['/e/deep.txt', true]]);
    const all = await items.getAll();
    holds(all[0][1].location.fs === all[1][1].location.fs, 'one object for one file system');
    let isOver = false;
    items.watch({ complete: () => { isOver = true; } });
    await until(() => isOver, 'completion of a watch that begins late');
});

check('what are no criteria is refused', async () => {
    const { fs } = await filled();
    for (const criteria of [undefined, null, 1, 'x', [], {}, { name: '*' }, { name: 5, action: 'include' },
        { name: '*', action: 'delete' }, { name: '*', action: 'include', type: 'pipe' },
        { name: '*', action: 'include', type: [{}] }, { name: '*', action: 'include', type: '__proto__' },
        { name: '*', action: 'include', depth: -1 }, { name: '*', action: 'include', depth: 1.5 },
        { name: 'x'.repeat(513), action: 'include' }, { name: { p: 'x', type: 'sql' }, action: 'include' },
        { name: { p: 'x' }, action: 'include' }]) {
        await refused(fs.select('', criteria), 'EPERM', '', 'badFnCallArguments');
    }
    for (const p of ['(', ')', '[', 'a**', '*', '+', 'a{1000000}', '(?=x)', '(?!x)', '(?<=x)', '(a)\\1', '\\k<n>',
        '[b-a]', '\\',
        '('.repeat(40) + ')'.repeat(40), '(((a{9}){9}){9}){9}', 'a{3,2}', '[\\d-z']) {
        await refused(fs.select('', { name: { p, type: 'regexp' }, action: 'include' }), 'EPERM', '',
            'badFnCallArguments');
    }
    await refused(fs.select('none', { name: '*', action: 'include' }), 'ENOENT', 'none', 'notFound');
    await refused(fs.select('a.txt', { name: '*', action: 'include' }), 'ENOTDIR', 'a.txt', 'notDirectory');
});

check('expressions match as the language says', async () => {
    const { nameMatcher } = embedded;
    const names = [
        '', 'a', 'b', 'ab', 'aab', 'abab', 'a.b', 'A-1_x', 'foo.txt', '12:30', 'x\ny', '\u{1f642}', '[x]', 'a b', 'ba', '^$',
    ];
    const patterns = [
        '', 'a', '^a', 'b$', '^a*b$', 'a+b', '(ab)+', '(?:ab){2}', '^(a|b|ab)$', '[^a]', '[a-c]{2,3}', '\\d\\d:\\d{2}',
        '\\w+', '\\W', '\\bb', '\\Bb', '.', '^.$', '\\.', '[.\\]x]', '[\\w-]+$', 'a?b?', '(a|)b', 'x*?', '\\x61', '\\u0061b',
        '^$', '\\^\\$', '[\\b]', '(?<n>a)b', '{', 'a{', '\\s', '[^\\s]', '((a)|b){2,}', '\\n', 'a|b|', '[-a]', '^[^.]+$',
        '\\d|\\D',
    ];
    for (const p of patterns) {
        const matches = nameMatcher('', { p, type: 'regexp' });
        for (const name of names) { same(matches(name), new RegExp(p).test(name), `${p} on ${JSON.stringify(name)}`); }
    }
});

check('no expression takes long', async () => {
    const { nameMatcher } = embedded;
    const name = 'a'.repeat(158) + '!';
    const begin = performance.now();
    for (const p of ['(a+)+$', '(a|a)*$', '(a|aa)+$', '(.*a){12}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(a?){100}a{100}$',
        '((a*)*)*$', '(|a)*b']) {
        nameMatcher('', { p, type: 'regexp' })(name);
    }
    const took = performance.now() - begin;
    holds(took < 1000, `all in ${took} ms`);
});

check('selections are bounded in number and in items, and end with their component', async () => {
    const { fs, holdings, die } = await emptyFS();
    const folders = Array.from({ length: 40 }, (_, i) => `d${i % 10}/e${i}`);
    for (const path of folders) { await fs.makeFolder(path); }
    const criteria = { name: '*', action: 'include' };
    const begun = await Promise.all(Array.from({ length: 12 }, () => fs.select('', criteria).catch(exc => exc)));
    const refusals = begun.filter(({ code }) => code === 'EBUSY').length;
    holds(refusals > 0 && refusals <= 4, `${refusals} refused`);
    await Promise.all(begun.map(({ completion }) => completion));
    same(holdings.counts().selection, 0);
    await fs.select('', criteria);
    die();
    await until(() => holdings.counts().selection === 0, 'the end of the search');
});
