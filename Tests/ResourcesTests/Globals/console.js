// console, after the Console Standard, as far as a log without colours and folding can follow it.
const written = (...calls) => {
    lines.length = 0;
    for (const call of calls) { call(); }
    return lines.map(([, text]) => text);
};
const log = (...args) => written(() => console.log(...args))[0];

check('levels', () => {
    lines.length = 0;
    for (const level of ['log', 'info', 'warn', 'error', 'debug']) { console[level](level); }
    same(lines, ['log', 'info', 'warn', 'error', 'debug'].map(level => [level, level]));
    same(written(() => console.log(), () => console.log('')), ['', '']);
});

check('patterns', () => {
    same(log('%s|%d|%i|%f|%o|%O|%c|%%', 'x', '4.5', 4.9, '1.5e1x', { a: [1] }, { b: 2 }, 'color: red'),
        'x|4.5|4|15|{ a: [ 1 ] }|{ b: 2 }||%');
    same(log('%s %s', 'one'), 'one %s');
    same(log('%s', 'one', 'two', 3), 'one two 3');
    same(log('%x %', 1), '%x % 1');
    same(log('100%'), '100%');
    same(log('%d %i %f', {}, 5n, Symbol('s')), 'NaN 5n NaN');
    same(log('%s %s %s %s', null, undefined, -0, 7n), 'null undefined -0 7n');
    same(log('%s', Symbol('s')), 'Symbol(s)');
    same(log({ a: 1 }, '%s', 2), '{ a: 1 } %s 2');
    same(log('%i %i', 'x', -4.9), 'NaN -4');
});

check('values', () => {
    same(log(null, undefined, true, -0, 10n, Symbol('s'), NaN), 'null undefined true -0 10n Symbol(s) NaN');
    same(log('text', { text: 'a"b' }), 'text { text: "a\\"b" }');
    same(log([1, , 'x', [2]], [], {}), '[ 1, <1 empty item>, "x", [ 2 ] ] [] {}');
    same(log([, , , 1, , ], new Array(5)), '[ <3 empty items>, 1, <1 empty item> ] [ <5 empty items> ]');
    same(log(Object.assign([1], { own: 2 })), '[ 1, own: 2 ]');
    same(log({ 'a-b': 1, [Symbol('k')]: 2, get g() { throw 1; }, set s(v) {}, get gs() { return 1; }, set gs(v) {} }),
        '{ "a-b": 1, g: [Getter], s: [Setter], gs: [Getter/Setter], [Symbol(k)]: 2 }');
    same(log(function named() {}, () => {}, class Mine {}, Object.assign(function f() {}, { x: 1 })),
        '[Function named] [Function (anonymous)] [class Mine] [Function f] { x: 1 }');
    class Point { constructor() { this.x = 1; } get y() { return 2; } }
    same(log(new Point(), Object.create(null), Object.assign(Object.create(null), { a: 1 })),
        'Point { x: 1 } [Object: null prototype] {} [Object: null prototype] { a: 1 }');
    same(log(new Map([['k', { v: 1 }]]), new Set([1, 'x']), new WeakMap(), Promise.resolve()),
        'Map(1) { "k" => { v: 1 } } Set(2) { 1, "x" } WeakMap {} Promise {}');
    same(log(new Uint8Array([1, 2]), new Float64Array(1), new ArrayBuffer(3), new DataView(new ArrayBuffer(2))),
        'Uint8Array(2) [ 1, 2 ] Float64Array(1) [ 0 ] ArrayBuffer(3) DataView(2)');
    same(log(new Date(0), new Date(NaN), /x\/y/g), '1970-01-01T00:00:00.000Z Invalid Date /x\\/y/g');
    same(log(Object(1), Object('x'), Object(false), Object(5n), Object(Symbol('w'))),
        '[Number: 1] [String: "x"] [Boolean: false] [BigInt: 5n] [Symbol: Symbol(w)]');
    class Derived extends Map {}
    same(log(new Derived([[1, 2]])), 'Derived(1) { 1 => 2 }');
});

check('depth, size and cycles are bounded', () => {
    const cycle = { list: [] };
    cycle.self = cycle;
    cycle.list.push(cycle);
    same(log(cycle), '{ list: [ [Circular] ], self: [Circular] }');
    const shared = { s: 1 };
    same(log([shared, shared]), '[ { s: 1 }, { s: 1 } ]');
    let deep = {};
    for (let i = 0; i < 10000; i += 1) { deep = { deep }; }
    same(log(deep), '{ deep: { deep: { deep: { deep: { deep: [Object] } } } } }');
    same(log(Array.from({ length: 300 }, (_, i) => i)).includes('… 200 more'), true);
    same(log(new Uint8Array(1e6)).includes('… 999900 more'), true);
    same(log(Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`k${i}`, i]))).includes('… 50 more'), true);
    same(log(new Set(Array(200).keys())).includes('… 100 more'), true);
    same(log({ text: 'x'.repeat(20000) }).length < 10100, true);
    const sparse = [];
    sparse[4000000000] = 1;
    same(log(sparse), '[ <4000000000 empty items>, 1 ]');
    same(log(new Array(4294967295)), '[ <4294967295 empty items> ]');
    const wide = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ['x'.repeat(9000)]));
    same(log(wide).length < 3000000, true);
    const long = log('x'.repeat(1 << 22));
    same([long.length < (1 << 21) + 100, long.endsWith('characters more')], [true, true]);
    same(log('x'.repeat(1 << 20)).length, 1 << 20);
});

check('errors, with stacks and causes', () => {
    const text = log(new TypeError('bad', { cause: new RangeError('why', { cause: { code: 5 } }) }));
    const parts = text.split('\ncaused by ');
    same([parts.length, parts[0].startsWith('TypeError: bad\n    at '),
        parts[1].startsWith('RangeError: why\n    at '), parts[2]], [3, true, true, '{ code: 5 }']);
    same(text.includes('Globals/console.js:'), true);
    same(log(Object.assign(new Error('e'), { code: 'E', path: '/x' })).endsWith('{ code: "E", path: "/x" }'), true);
    class Mine extends Error {}
    same(log(new Mine('m')).startsWith('Error: m\n'), true);
    same(log(new AggregateError([new Error('one')], 'all')).includes('\nof [\n  Error: one'), true);
    same(log(new DOMException('m', 'AbortError')).startsWith('AbortError: m'), true);
    const loop = new Error('loop');
    loop.cause = loop;
    same(log(loop).endsWith('caused by [Circular]'), true);
    same(log(new Error('')).startsWith('Error\n'), true);
    same(log({ err: new Error('in') }).includes('err: Error: in\n'), true);
});

check('hostile values break nothing', () => {
    const traps = new Proxy({}, new Proxy({}, { get() { throw new Error('trap'); } }));
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const evil = { get [Symbol.toStringTag]() { throw 1; }, toString() { throw 2; }, get constructor() { throw 3; },
        toJSON() { throw 4; } };
    const error = Object.defineProperties(new Error('x'),
        { stack: { get() { throw 1; } }, message: { get() { throw 2; } },
        name: { value: { toString() { throw 3; } } } });
    for (const value of [traps, proxy, [proxy], { traps },
        new Map([[proxy, traps]])]) { same(log(value).includes('cannot be shown'), true); }
    for (const value of [evil, error, Object.setPrototypeOf([1], null), Object.setPrototypeOf(() => {}, null),
        Object.setPrototypeOf(new Map([[1, 2]]), null), Object.setPrototypeOf(new Error('n'), null),
        new Proxy(function f() {}, {}), new Proxy([1, 2], {}), Object.create(Map.prototype),
            Object.create(Date.prototype), Map.prototype, RegExp.prototype, Date.prototype, globalThis,
        Object.assign(() => {}, { self: globalThis }),
            Object.create(Object.defineProperty({}, 'constructor', { get() { throw 1; } }))]) {
        same(typeof log(value), 'string');
        for (const pattern of ['%s', '%d', '%i', '%f', '%o', '%O', '%c']) { same(typeof log(pattern, value),
            'string'); }
        written(() => console.table(value), () => console.dir(value), () => console.assert(false, value), () =>
            console.table([value]));
    }
    const gone = new Uint8Array(4);
    gone.buffer.transfer();
    same(log(gone), 'Uint8Array(0) []');
    const array = [1];
    Object.defineProperty(array, 0, { get() { throw 1; }, enumerable: true });
    same(log(array), '[ [Getter] ]');
});

check('groups indent', () => {
    same(written(() => console.group('one', 1), () => console.log('a\nb'), () => console.groupCollapsed(), () =>
        console.warn('c'), () => console.groupEnd(), () => console.log('d'),
        () => console.groupEnd(), () => console.groupEnd(), () => console.log('e')),
            ['one 1', '  a\n  b', '    c', '  d', 'e']);
});

check('counts and times', async () => {
    same(written(() => console.count(), () => console.count('x'), () => console.count(undefined), () =>
        console.countReset(), () => console.count('default'), () => console.countReset('none')),
        ['default: 1', 'x: 1', 'default: 2', 'default: 1', "Count for 'none' does not exist"]);
    console.time('t');
    await pause(3);
    const texts = written(() => console.timeLog('t', 'more', { a: 1 }), () => console.time('t'), () =>
        console.timeEnd('t'), () => console.timeEnd('t'), () => console.timeLog());
    same([/^t: \d+\.\d{3} ms more \{ a: 1 \}$/.test(texts[0]), texts[1],
        /^t: ([3-9]|\d\d+)\.\d{3} ms$/.test(texts[2]), texts[3], texts[4]],
        [true, "Timer 't' already exists", true, "Timer 't' does not exist", "Timer 'default' does not exist"]);
    throws(() => console.count(Symbol()));
});

check('assert', () => {
    same(written(() => console.assert(true, 'no'), () => console.assert(), () => console.assert(0, 'is %d', 5), () =>
        console.assert(false, { a: 1 }, 'x')),
        ['Assertion failed', 'Assertion failed: is 5', 'Assertion failed { a: 1 } x']);
    same(lines.map(([level]) => level), ['error', 'error', 'error']);
});

check('trace has the place', () => {
    function here() { console.trace('at %s', 'here'); }
    const [text] = written(here);
    same([text.startsWith('Trace: at here\n    at here@Globals/console.js'), text.includes('common-preload'),
        lines[0][0]], [true, false, 'trace']);
});

check('dir has depth', () => {
    const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
    same(written(() => console.dir(deep, { depth: 0 }), () => console.dir(deep, { depth: 1 }), () =>
        console.dir('x')), ['{ a: [Object] }', '{ a: { b: [Object] } }', '"x"']);
    same(written(() => console.dir(deep, { depth: null }))[0].includes('g: 1'), true);
    same(written(() => console.dirxml({ a: 1 }, 2)), ['{ a: 1 } 2']);
});

check('tables', () => {
    same(written(() => console.table([{ a: 1, b: 'x' }, { b: true, c: null }, 5])), [[
        '┌─────────┬───┬──────┬──────┬────────┐', '│ (index) │ a │ b    │ c    │ Values │',
            '├─────────┼───┼──────┼──────┼────────┤',
        '│ 0       │ 1 │ x    │      │        │', '│ 1       │   │ true │ null │        │',
            '│ 2       │   │      │      │ 5      │', '└─────────┴───┴──────┴──────┴────────┘',
    ].join('\n')]);
    const [text] = written(() => console.table({ r: { x: 1, y: 2 } }, ['y']));
    same([text.includes(' y '), text.includes(' x ')], [true, false]);
    same(written(() => console.table(5), () => console.table('x'), () => console.table(null)), ['5', 'x', 'null']);
    same(written(() => console.table(Array.from({ length: 5000 }, (_, i) => ({ i }))))[0].endsWith('… 4000 more'),
        true);
    same(written(() => console.table(new Map([['k', 1]])))[0].includes('k'), true);
});
