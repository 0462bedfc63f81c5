// What a hostile component may give as arguments: each call is answered, with an exception or a value, and nothing
// outside its storage is touched.
const odd = [
    undefined, null, true, false, 0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 60),
    '', '.', '..', '../..', '/', '//', 'a/../..', 'a\0b', '\ud800', 'a\udc00b/c', '\ufeff', 'con', '.attributes', 'f', 'd',
    'x'.repeat(160), 'x'.repeat(4096), `${'d/'.repeat(2000)}f`, 'x/'.repeat(9000), '__proto__', 'constructor',
    [], ['a'], [[[[[]]]]], {}, { length: 1 }, { then: 1 }, { toString: 1, valueOf: 1 }, { path: 'a' }, { get: 1 },
    new Uint8Array(3), new Uint8Array(0),
    JSON.parse('{"__proto__": {"create": false}, "constructor": 1, "create": true}'),
];

async function everyCall(object, names, argsOf) {
    const wrong = [];
    const others = [];
    for (const name of names) {
        for (const first of odd) {
            for (const args of argsOf(first)) {
                const exception = await object[name](...args).then(() => undefined, reason => reason);
                if (exception === undefined) { continue; }
                const { runtimeException, type, message } = exception;
                const isRight = runtimeException === true && ['file', 'ipc', 'storage'].includes(type)
                    && typeof message === 'string' && !/trees|scratch|undefined is not/.test(message);
                if (!isRight) { wrong.push([name, String(message ?? exception).slice(0, 200), typeof first]); }
                if (exception.type !== 'file' || /^\(\w+\)$|\u2026$/.test(exception.path)) { continue; }
                const isGiven = args.some(
                    arg => typeof arg === 'string' && (exception.path === arg || exception.path.startsWith(`${arg}/`)));
                const given = args.map(arg => String(JSON.stringify(arg)).slice(0, 50));
                if (!isGiven) { others.push([name, given, exception.path]); }
            }
        }
    }
    same(wrong, [], 'answers that are no exceptions of ours');
    return others;
}

check('every member of a file system takes anything', async () => {
    const { fs, holdings } = await emptyFS('getAppSyncedFS');
    await fs.writeTxtFile('f', 'text');
    await fs.makeFolder('d');
    const methods = Object.keys(fs).filter(name => typeof fs[name] === 'function' && !/^watch|^close$/.test(name));
    same(methods.length, 32);
    const paths = await everyCall(fs, methods, first => [[first], [first, 'other'], ['f', first], [first, first,
        first]]);
    same(paths.slice(0, 5), [], 'paths of exceptions are those given');
    const inner = Object.keys(fs.v).filter(name => typeof fs.v[name] === 'function');
    await everyCall(fs.v, inner, first => [[first], ['f', first], ['f', 0, 1, first], [first, first]]);
    await everyCall(fs.v.sync, Object.keys(fs.v.sync), first => [[first], ['f', first]]);
    collectGarbage();
    const { sink, source } = holdings.counts();
    holds(sink <= 64 && source <= 4096, 'bounded');
});

check('every member of a file, a source and a sink takes anything', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', 'text');
    const file = await fs.writableFile('f');
    const methods = Object.keys(file).filter(name => typeof file[name] === 'function' && name !== 'watch');
    await everyCall(file, methods, first => [[first], [first, first], [new Uint8Array(1), first]]);
    await everyCall(file.v, Object.keys(file.v).filter(name => typeof file.v[name] === 'function'), first => [[first],
        [1, first]]);
    const source = await fs.getByteSource('f');
    await everyCall(source, Object.keys(source), first => [[first], [0, first]]);
    const sink = await fs.getByteSink('f');
    await everyCall(sink, Object.keys(sink).filter(name => name !== 'done'), first => [[first], [0, first], [0, 0,
        first]]);
    await everyCall(sink, ['done'], first => [[undefined, first], [first]]);
});

check('watches take anything', async () => {
    const { fs, holdings } = await emptyFS();
    let answers = 0;
    for (const value of odd) {
        const observer = { next() {}, error: () => { answers += 1; }, complete() {} };
        for (const watch of [() => fs.watchFile(value, observer), () => fs.watchFolder(value, observer),
            () => fs.watchTree(value, 1, observer), () => fs.watchTree('', value, observer)]) {
            const stop = watch();
            await turn();
            stop();
        }
    }
    await until(() => holdings.counts().watch === 0, 'the end of all watches');
    holds(answers > odd.length, `${answers} errors`);
});

check('names of prototypes are names', async () => {
    const { fs } = await emptyFS();
    for (const name of ['__proto__', 'constructor', 'then', 'toString', 'hasOwnProperty', '.attributes', 'versions',
        'files']) {
        await fs.writeTxtFile(`${name}/${name}`, name);
        await fs.updateXAttrs(name, { set: JSON.parse(`{${JSON.stringify(name)}: 1}`) });
        same([await fs.readTxtFile(`${name}/${name}`), await fs.listXAttrs(name), await fs.getXAttr(name, name)],
            [name, [name], 1]);
    }
    same((await fs.listFolder('')).length, 8);
});

check('names that are too long or broken are refused in words', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('x'.repeat(159), 'longest');
    for (const name of ['x'.repeat(160), 'x'.repeat(4096), '\u017e'.repeat(80)]) {
        await refused(fs.writeTxtFile(name, ''), 'ENAMETOOLONG', name, 'nameTooLong');
        await refused(fs.readTxtFile(name), 'ENAMETOOLONG', name, 'nameTooLong');
    }
    same((await rejection(fs.writeTxtFile('x/'.repeat(9000), ''))).nameTooLong, true);
    same((await fs.listFolder('')).length, 1);
});

check('a reference of another type, or forged, is refused', async () => {
    const { fs, clientSide } = await emptyFS();
    await fs.writeTxtFile('f', 'text');
    const source = await fs.getByteSource('f');
    const { caller } = clientSide;
    const refOf = object => caller.srvRefOf(object);
    const { objType, path } = refOf(fs);
    for (const ref of [{ objType: 'File', path }, { objType, path: ['w3n'] }, { objType, path: ['x-1'] },
        { objType: 'x', path }]) {
        const forged = {};
        caller.registerClientDrop(forged, ref);
        const exception = await rejection(fs.link('l', forged));
        same([exception.type, exception.invalidReference], ['ipc', true], JSON.stringify(ref));
    }
    await refused(fs.link('l', source), 'EPERM', 'l', 'badFnCallArguments');
    await refused(fs.saveFile(source, 'g'), 'EPERM', 'g', 'badFnCallArguments');
});
