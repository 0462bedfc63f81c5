// Byte sources and sinks.
const textOf = async (fs, path) => decode(await fs.readBytes(path) ?? new Uint8Array(0));
const layoutOf = async sink => (await sink.showLayout()).sections.map(({ src, ofs, len }) => `${src} ${ofs} ${len}`);

check('a source reads on, anywhere, and as the file was', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '0123456789');
    const source = await fs.getByteSource('f');
    same([await source.getSize(), await source.getPosition()], [10, 0]);
    same(decode(await source.readNext(3)), '012');
    await fs.writeTxtFile('f', 'other');
    same(decode(await source.readNext(3)), '345');
    same(await source.getPosition(), 6);
    await source.seek(1);
    same(decode(await source.readNext(2)), '12');
    same(decode(await source.readAt(8, 1)), '8');
    same(decode(await source.readNext()), '9');
    same([await source.readNext(5), await source.readNext(), await source.getPosition()], [undefined, undefined, 10]);
    await source.seek(100);
    same(await source.readNext(1), undefined);
    const other = await fs.getByteSource('f');
    same(decode(await other.readNext(100)), 'other');
    await refused(source.readAt(0, 1), 'EBUSY', 'f', 'concurrentUpdate');
    same(decode(await other.readAt(0, 2)), 'ot');
});

check('reads of one source are done in their order', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '0123456789');
    const source = await fs.getByteSource('f');
    const parts = await Promise.all([source.readNext(2), source.readNext(3), source.readAt(9, 4), source.readAt(0, 1)]);
    same(parts.map(decode), ['01', '234', '9', '0']);
});

check('an empty file gives nothing', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '');
    const source = await fs.getByteSource('f');
    same([await source.getSize(), await source.readNext(), await source.readAt(0, 5)], [0, undefined, undefined]);
});

check('places and lengths that are none are refused', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '0123456789');
    const source = await fs.getByteSource('f');
    const sink = await fs.getByteSink('f', { truncate: false });
    for (const odd of [-1, 0.5, 1e300, '1', {}, [], true, 2 ** 53]) {
        for (const call of [() => source.seek(odd), () => source.readNext(odd), () => source.readAt(odd, 1),
            () => source.readAt(0, odd), () => sink.truncate(odd), () => sink.splice(odd, 0),
            () => sink.splice(0, odd)]) {
            await refused(call(), 'EPERM', 'f', 'badFnCallArguments');
        }
        if (odd !== 2 ** 53) { await refused(fs.readBytes('f', odd), 'EPERM', 'f', 'badFnCallArguments'); }
    }
    for (const odd of ['bytes', {}, [1], 1]) { await refused(sink.splice(0, 0, odd), 'EPERM', 'f',
        'badFnCallArguments'); }
    await refused(source.seek(null), 'EPERM', 'f', 'badFnCallArguments');
    await refused(sink.truncate(2 ** 50), 'EFBIG', 'f');
    await refused(sink.splice(2 ** 31, 0, new Uint8Array(1)), 'EFBIG', 'f');
    same([await source.getPosition(), await sink.getSize()], [0, 10]);
    await sink.done('given up');
});

check('nothing of a sink is seen before it is done', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', 'old');
    const sink = await fs.getByteSink('f');
    const made = await fs.getByteSink('new/file');
    for (const text of ['one ', 'two ', 'three']) {
        await sink.splice(await sink.getSize(), 0, encode(text));
        await made.splice(0, 0, encode(text));
    }
    same([await fs.readTxtFile('f'), await fs.checkFolderPresence('new')], ['old', false]);
    same([await layoutOf(sink), await sink.getSize()], [['new 0 13'], 13]);
    await sink.done();
    await made.done(undefined, { set: { tag: 1 } });
    same([await fs.readTxtFile('f'), await fs.readTxtFile('new/file')], ['one two three', 'threetwo one ']);
    same([await fs.getXAttr('new/file', 'tag'), (await fs.stat('f')).version], [1, 2]);
    await sink.done();
    await sink.done('late');
    await refused(sink.splice(0, 0, encode('x')), 'EPERM', 'f', 'storageClosed');
    await refused(sink.getSize(), 'EPERM', 'f', 'storageClosed');
    same(await fs.readTxtFile('f'), 'one two three');
    same(await scratchFiles(), []);
});

check('a sink given up leaves the old content', async () => {
    const { fs, holdings } = await emptyFS();
    await fs.writeTxtFile('f', 'old');
    for (const err of ['reason', 0, false, { then: 1 }]) {
        const sink = await fs.getByteSink('f');
        await sink.splice(0, 0, new Uint8Array(300_000));
        same((await scratchFiles()).length, 1);
        await sink.done(err);
        same([await fs.readTxtFile('f'), await scratchFiles(), holdings.counts().sink], ['old', [], 0]);
    }
});

check('a sink without truncation begins with what is there', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '0123456789');
    const sink = await fs.getByteSink('f', { truncate: false });
    same(await sink.showLayout(), { base: 1, sections: [{ src: 'base', ofs: 0, len: 10 }] });
    await sink.splice(2, 3, encode('abc'));
    await sink.splice(15, 0, encode('end'));
    await sink.splice(0, 1);
    same(await layoutOf(sink), ['base 1 1', 'new 0 3', 'base 5 5', 'empty 9 5', 'new 3 3']);
    await sink.truncate(16);
    await sink.truncate(18);
    same(await layoutOf(sink), ['base 1 1', 'new 0 3', 'base 5 5', 'empty 9 5', 'new 3 2', 'empty 16 2']);
    await fs.writeTxtFile('f', 'changed meanwhile');
    await sink.done();
    same(await textOf(fs, 'f'), '1abc56789\0\0\0\0\0en\0\0');
    const untouched = await fs.getByteSink('f', { truncate: false });
    await untouched.done();
    same(await textOf(fs, 'f'), '1abc56789\0\0\0\0\0en\0\0');
    same(await scratchFiles(), []);
});

check('flags of a sink mean what they say', async () => {
    const { fs } = await emptyFS();
    await refused(fs.getByteSink('f', { create: false }), 'ENOENT', 'f', 'notFound');
    const first = await fs.getByteSink('f', { exclusive: true });
    const second = await fs.getByteSink('f', { exclusive: true });
    await first.done();
    await refused(second.done(), 'EEXIST', 'f', 'alreadyExists');
    await refused(fs.getByteSink('f', { exclusive: true }), 'EEXIST', 'f', 'alreadyExists');
    same([await fs.readTxtFile('f'), await scratchFiles()], ['', []]);
});

check('any splices and truncations give what they would of an array', async () => {
    const { fs } = await emptyFS();
    const seed = Date.now() % 1_000_000;
    let state = seed;
    const random = below => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
    for (let round = 0; round < 6; round += 1) {
        const file = Array.from({ length: random(200_000) }, () => random(256));
        await fs.writeBytes('f', new Uint8Array(file));
        const sink = await fs.getByteSink('f', { truncate: false });
        for (let step = 0; step < 30; step += 1) {
            const position = random(file.length + 50);
            if (random(5) === 0) {
                while (file.length < position) { file.push(0); }
                file.length = position;
                await sink.truncate(position);
                continue;
            }
            const added = Array.from({ length: random(20_000) }, () => random(256));
            const del = random(3) === 0 ? 2 ** 40 : random(1000);
            while (file.length < position) { file.push(0); }
            file.splice(position, del, ...added);
            await sink.splice(position, del, new Uint8Array(added));
        }
        same(await sink.getSize(), file.length, `size, seed ${seed}, round ${round}`);
        await sink.done();
        const bytes = await fs.readBytes('f') ?? new Uint8Array(0);
        holds(bytes.length === file.length && bytes.every((byte, i) => byte === file[i]),
            `seed ${seed}, round ${round}`);
    }
    same(await scratchFiles(), []);
});

check('a thousand sources are open at once, few files', async () => {
    const { fs, holdings } = await emptyFS();
    for (let i = 0; i < 100; i += 1) { await fs.writeTxtFile(`f${i}`, `content ${i}`); }
    const sources = await Promise.all(Array.from({ length: 1000 }, (_, i) => fs.getByteSource(`f${i % 100}`)));
    same([holdings.counts().source, holdings.openReaders <= 32], [1000, true]);
    const texts = await Promise.all(sources.map(source => source.readAt(8, 2)));
    holds(texts.every((bytes, i) => decode(bytes) === `${i % 100}`), 'each reads its file');
    await until(() => holdings.openReaders <= 32, 'files of idle sources are closed');
});

check('what a component holds open is bounded, and ends with it', async () => {
    const { fs, holdings, die } = await emptyFS();
    await fs.writeTxtFile('f', 'old');
    const sinks = await Promise.all(Array.from({ length: 64 }, () => fs.getByteSink('f')));
    await refused(fs.getByteSink('f'), 'EBUSY', 'f', 'busy');
    await sinks[0].splice(0, 0, new Uint8Array(200_000));
    await sinks[1].done('not wanted');
    const last = await fs.getByteSink('f');
    await last.splice(0, 0, new Uint8Array(200_000));
    const source = await fs.getByteSource('f');
    const stopWatching = fs.watchFolder('', { next() {} });
    await until(() => holdings.counts().watch === 1, 'a watch');
    same([(await scratchFiles()).length, holdings.counts()], [2, { sink: 64, source: 1, watch: 1, selection: 0 }]);
    const waiting = last.splice(0, 0, new Uint8Array(200_000)).catch(exc => exc.stopFromOtherSide ?? 'odd');
    die();
    await until(async () => (await scratchFiles()).length === 0, 'sinks are given up');
    same([holdings.counts(), holdings.openReaders], [{ sink: 0, source: 0, watch: 0, selection: 0 }, 0]);
    const other = await (await storageOf({ domain: fs.name })).storage.getAppLocalFS();
    same(await other.readTxtFile('f'), 'old');
    holds(source && stopWatching && waiting, 'kept until here');
});

check('sinks and sources that the component forgets are given up', async () => {
    const { fs, holdings } = await emptyFS();
    await fs.writeTxtFile('f', 'old');
    await (async () => {
        for (let i = 0; i < 30; i += 1) {
            const sink = await fs.getByteSink('f');
            await sink.splice(0, 0, new Uint8Array(100_000));
            await (await fs.getByteSource('f')).readNext(1);
        }
    })();
    await until(async () => {
        collectGarbage();
        await turn();
        const { sink, source } = holdings.counts();
        return sink < 5 && source < 5;
    }, 'drops');
    holds((await scratchFiles()).length < 8 && await fs.readTxtFile('f') === 'old', 'old content');
});
