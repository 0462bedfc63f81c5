// structuredClone, after HTML.
const refused = value => throws(() => structuredClone(value), 'DataCloneError', Object.prototype.toString.call(value));
const kind = value => Object.prototype.toString.call(value);

check('primitives and their wrappers', () => {
    for (const value of [undefined, null, true, false, 0, -0, NaN, Infinity, 1n, '',
        'a\ud800\0']) { same(structuredClone(value), value); }
    for (const value of [false, true, -0, 1.5, 'text', 10n]) {
        const copy = structuredClone(Object(value));
        same([typeof copy, kind(copy), copy.valueOf()], ['object', kind(Object(value)), value]);
    }
});

check('dates, expressions, maps and sets', () => {
    same([structuredClone(new Date(5)).getTime(), structuredClone(new Date(NaN)).getTime()], [5, NaN]);
    const expression = /a\/b/giu;
    expression.lastIndex = 3;
    const copy = structuredClone(expression);
    same([copy.source, copy.flags, copy.lastIndex, copy instanceof RegExp], ['a\\/b', 'giu', 0, true]);
    const map = structuredClone(new Map([[{ k: 1 }, new Set([1, [2]])], ['self', null]]));
    same([map instanceof Map, [...map.keys()][0].k, [...[...map.values()][0]][1]], [true, 1, [2]]);
    const extra = Object.assign(new Map(), { own: 1 });
    same(Object.keys(structuredClone(extra)), []);
});

check('own enumerable properties with text names, in order', () => {
    const source = { b: 1, 2: 'two', a: undefined, [Symbol('s')]: 3 };
    Object.defineProperty(source, 'hidden', { value: 4 });
    same(Object.entries(structuredClone(source)), [['2', 'two'], ['b', 1], ['a', undefined]]);
    class Point { constructor() { this.x = 1; } get y() { return 2; } }
    const copy = structuredClone(new Point());
    same([Object.getPrototypeOf(copy) === Object.prototype, copy], [true, { x: 1 }]);
    const bare = Object.assign(Object.create(null), { z: 1 });
    same(Object.getPrototypeOf(structuredClone(bare)) === Object.prototype, true);
    const proto = structuredClone(JSON.parse('{"__proto__": {"x": 1}}'));
    same([Object.hasOwn(proto, '__proto__'), Object.getPrototypeOf(proto) === Object.prototype, proto.x],
        [true, true, undefined]);
    const plain = structuredClone(Object.freeze({ f: 1 }));
    same(Object.getOwnPropertyDescriptor(plain, 'f'),
        { value: 1, writable: true, enumerable: true, configurable: true });
    (function () { same(structuredClone(arguments), { 0: 'x' }); })('x');
});

check('arrays keep their length, holes and further names', () => {
    const source = [1, , undefined, [2]];
    source.name = 'n';
    source.length = 10;
    const copy = structuredClone(source);
    same([copy.length, 1 in copy, 2 in copy, copy[3], copy.name, Array.isArray(copy), copy !== source],
        [10, false, true, [2], 'n', true, true]);
    const sparse = [];
    sparse[4000000000] = 1;
    same([structuredClone(sparse).length, Object.keys(structuredClone(sparse))], [4000000001, ['4000000000']]);
    class List extends Array {}
    same(Object.getPrototypeOf(structuredClone(List.of(1))) === Array.prototype, true);
});

check('what is met twice is one copy, also in cycles', () => {
    const source = { list: [], map: new Map(), set: new Set() };
    source.self = source;
    source.list.push(source.list, source.map);
    source.map.set(source.map, source);
    source.set.add(source.set);
    const copy = structuredClone(source);
    same([copy.self === copy, copy.list[0] === copy.list, copy.list[1] === copy.map, copy.map.get(copy.map) === copy,
        copy.set.has(copy.set)],
        [true, true, true, true, true]);
    same(copy.map !== source.map, true);
});

check('getters are called in order, and what they throw passes', () => {
    const seen = [];
    const source = { get a() { seen.push('a'); delete this.b; this.late = 1;
        return { get c() { seen.push('c'); return 1; } }; }, b: 2, get d() { seen.push('d'); return 3; } };
    same([structuredClone(source), seen], [{ a: { c: 1 }, d: 3 }, ['a', 'c', 'd']]);
    const mine = new Error('mine');
    let thrown;
    const buffer = new ArrayBuffer(4);
    try { structuredClone({ get x() { throw mine; } }, { transfer: [buffer] }); } catch (err) { thrown = err; }
    same([thrown === mine, buffer.detached], [true, false]);
});

check('errors keep name, message, stack and cause', () => {
    for (const made of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
        const error = new made('m', { cause: { list: [1] } });
        const copy = structuredClone(error);
        same([copy instanceof made, copy.name, copy.message, copy.stack, copy.cause, copy !== error],
            [true, made.name, 'm', error.stack, { list: [1] }, true]);
        same(Object.getOwnPropertyDescriptor(copy, 'message').enumerable, false);
    }
    class Mine extends RangeError { constructor() { super('x'); this.code = 5; this.name = 'Mine'; } }
    const copy = structuredClone(new Mine());
    same([copy.name, Object.getPrototypeOf(copy) === Error.prototype, copy.code], ['Error', true, undefined]);
    same(structuredClone(Object.assign(new Error('e'), { name: 'TypeError' })) instanceof TypeError, true);
    same(Object.hasOwn(structuredClone(new Error()), 'message'), false);
    const odd = Object.defineProperty(new Error(), 'message', { get() { throw new Error('never'); } });
    same(structuredClone(odd).message, '');
    const exception = structuredClone(new DOMException('m', 'AbortError'));
    same([exception instanceof DOMException, exception.name, exception.message, exception.code],
        [true, 'AbortError', 'm', 20]);
    const loop = new Error('loop');
    loop.cause = loop;
    const copied = structuredClone(loop);
    same(copied.cause === copied, true);
});

check('buffers and every view of them', () => {
    const source = Uint8Array.from({ length: 32 }, (_, i) => i);
    for (const made of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
        Float32Array, Float64Array, BigInt64Array, BigUint64Array, Float16Array]) {
        const view = new made(source.buffer, 8, 2);
        const copy = structuredClone(view);
        same([copy.constructor === made, copy.byteOffset, copy.length, copy.buffer.byteLength,
            copy.buffer !== source.buffer], [true, 8, 2, 32, true], made.name);
        same(copy, view);
    }
    const view = structuredClone(new DataView(source.buffer, 3, 5));
    same([view instanceof DataView, view.byteOffset, view.byteLength, view.getUint8(0)], [true, 3, 5, 3]);
    const { a, b, c } = structuredClone({ a: source.subarray(0, 4), b: new Uint16Array(source.buffer),
        c: source.buffer });
    same([a.buffer === b.buffer, c === a.buffer], [true, true]);
    a[0] = 99;
    same([b[0] & 255, source[0]], [99, 0]);
    class Bytes extends Uint8Array {}
    same(structuredClone(new Bytes(2)).constructor === Uint8Array, true);
    same(structuredClone(new ArrayBuffer(0)).byteLength, 0);
});

check('resizable buffers stay so, and views that follow them', () => {
    for (const [length, most] of [[4, 8], [8, 8]]) {
        const buffer = new ArrayBuffer(length, { maxByteLength: most });
        const bytes = new Uint8Array(buffer);
        bytes.set(Array.from({ length }, (_, i) => i + 1));
        const views = { follows: new Uint8Array(buffer), fixed: new Uint8Array(buffer, 0, length),
            tail: new Uint16Array(buffer, 2), view: new DataView(buffer, 1),
            fixedView: new DataView(buffer, length - 1, 1) };
        const copy = structuredClone({ buffer, ...views });
        same([copy.buffer.resizable, copy.buffer.maxByteLength, copy.buffer.byteLength], [true, most, length]);
        same([...copy.follows], [...bytes]);
        same([...bytes], Array.from({ length }, (_, i) => i + 1));
        copy.buffer.resize(most - 2);
        same([copy.follows.length, copy.tail.length, copy.view.byteLength, copy.fixed.length],
            [most - 2, (most - 4) / 2, most - 3, length <= most - 2 ? length : 0], String(length));
        copy.buffer.resize(most);
        same([copy.fixed.length, copy.fixedView.byteLength], [length, 1]);
    }
    const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
    const beyond = [new Uint8Array(buffer, 4, 4), new DataView(buffer, 6)];
    buffer.resize(5);
    for (const view of beyond) { refused(view); }
});

check('what has no copy is refused', () => {
    const objects = [
        () => {}, class {}, Symbol(), Object(Symbol()), new WeakMap(), new WeakSet(), new WeakRef({}),
            new FinalizationRegistry(() => {}), Promise.resolve(), (function* () {})(), (async function* () {})(),
            [].values(), new Map().keys(),
        new Set().values(), ''[Symbol.iterator](), 'x'.matchAll(/x/g), new Proxy({}, {}), new Proxy([], {}),
            new Proxy(() => {}, {}), new Intl.NumberFormat(), new URL('http://h'), new URLSearchParams(),
            new Event('x'), new EventTarget(),
        new AbortController(), AbortSignal.abort(), performance, performance.mark('x'), crypto,
            new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)),
            new WebAssembly.Memory({ initial: 1 }), Iterator.from([1]).map(x => x),
    ];
    performance.clearMarks();
    for (const value of objects) {
        refused(value);
        refused({ deep: [new Map([[1, value]])] });
    }
    same(structuredClone({ Math, JSON }), { Math: {}, JSON: {} });
});

check('detached buffers are refused', () => {
    const bytes = new Uint8Array(4);
    const view = new DataView(bytes.buffer);
    bytes.buffer.transfer();
    for (const value of [bytes, bytes.buffer, view]) { refused(value); }
});

check('buffers are transferred', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const { buffer } = bytes;
    const copy = structuredClone({ bytes, again: buffer, list: [buffer] }, { transfer: [buffer] });
    same([buffer.detached, bytes.length, [...copy.bytes], copy.bytes.buffer === copy.again,
        copy.list[0] === copy.again], [true, 0, [1, 2, 3], true, true]);
    const unused = new ArrayBuffer(2);
    same([structuredClone(1, { transfer: new Set([unused]) }), unused.detached], [1, true]);
    const resizable = new ArrayBuffer(2, { maxByteLength: 4 });
    const moved = structuredClone(resizable, { transfer: [resizable] });
    same([moved.resizable, moved.maxByteLength], [true, 4]);
    for (const options of [undefined, null, {}, { transfer: [] },
        { transfer: undefined }]) { same(structuredClone(1, options), 1); }
});

check('what cannot be transferred leaves everything as it was', () => {
    const buffer = new ArrayBuffer(4);
    const gone = new ArrayBuffer(4);
    gone.transfer();
    for (const transfer of [[buffer, buffer], [buffer, new Uint8Array(1)], [buffer, {}], [buffer, gone],
        [buffer, new Date()]]) {
        throws(() => structuredClone(null, { transfer }), 'DataCloneError');
    }
    throws(() => structuredClone(() => {}, { transfer: [buffer] }), 'DataCloneError');
    for (const transfer of [5, {}, 'x', [1], [null], null]) { throws(() => structuredClone(null, { transfer })); }
    throws(() => structuredClone(1, 5));
    same(buffer.detached, false);
    const memory = new WebAssembly.Memory({ initial: 1 });
    throws(() => structuredClone(null, { transfer: [memory.buffer] }), 'DataCloneError');
    const same1 = structuredClone(new Uint8Array(memory.buffer, 0, 4));
    same([same1.length, memory.buffer.byteLength], [4, 65536]);
});

check('a getter may detach what is to be transferred', () => {
    const buffer = new ArrayBuffer(4);
    throws(() => structuredClone({ get x() { buffer.transfer(); return 1; } }, { transfer: [buffer] }),
        'DataCloneError');
});

check('hostile depth and width end', () => {
    let deep = {};
    for (let i = 0; i < 1000; i += 1) { deep = { deep }; }
    let copy = structuredClone(deep);
    for (let i = 0; i < 1000; i += 1) { copy = copy.deep; }
    same(copy, {});
    for (let i = 0; i < 1000000; i += 1) { deep = [deep]; }
    throws(() => structuredClone(deep), 'RangeError');
    const wide = structuredClone(Array.from({ length: 100000 }, (_, i) => ({ i })));
    same([wide.length, wide[99999]], [100000, { i: 99999 }]);
});
