// Attributes of properties, names, lengths, tags and brands of all globals.
const CLASSES = {
    DOMException: 0, Event: 1, EventTarget: 0, CustomEvent: 1, ErrorEvent: 1, PromiseRejectionEvent: 2,
        AbortController: 0,
    AbortSignal: 0, URL: 1, URLSearchParams: 0, TextEncoder: 0, TextDecoder: 0, Performance: 1, PerformanceEntry: 2,
    PerformanceMark: 1, PerformanceMeasure: 3, Crypto: 0,
};
const FUNCTIONS = {
    setTimeout: 1, setInterval: 1, setImmediate: 1, clearTimeout: 0, clearInterval: 0, clearImmediate: 0,
        queueMicrotask: 1,
    reportError: 1, structuredClone: 1, atob: 1, btoa: 1, addEventListener: 2, removeEventListener: 2, dispatchEvent: 1,
};

check('globals are writable, configurable and not enumerable', () => {
    for (const name of [...Object.keys(CLASSES), ...Object.keys(FUNCTIONS), 'performance', 'crypto', 'self']) {
        globalThis[name];
        const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
        same([writable, enumerable, configurable], [true, false, true], name);
    }
    same(self === globalThis, true);
    same(typeof globalThis.__native, 'undefined');
});

check('functions have names and lengths, and are no constructors', () => {
    for (const [name, length] of Object.entries(FUNCTIONS)) {
        same([globalThis[name].name, globalThis[name].length], [name, length]);
        throws(() => new globalThis[name](() => {}), 'TypeError', name);
    }
});

check('classes have names, lengths and tags, and are called with new', () => {
    for (const [name, length] of Object.entries(CLASSES)) {
        const made = globalThis[name];
        same([made.name, made.length], [name, length]);
        same(made.prototype[Symbol.toStringTag], name);
        const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(made.prototype,
            Symbol.toStringTag);
        same([writable, enumerable, configurable], [false, false, true], name);
        throws(() => made(), 'TypeError', name);
    }
});

check('members of classes are enumerable, and nothing of the inside shows', () => {
    const members = (object, filter = () => true) =>
        Reflect.ownKeys(object).filter(key => typeof key === 'string' && filter(key));
    same(members(URL).sort(), ['canParse', 'length', 'name', 'parse', 'prototype']);
    same(members(URLSearchParams).sort(), ['length', 'name', 'prototype']);
    same(members(AbortSignal).sort(), ['abort', 'any', 'length', 'name', 'prototype', 'timeout']);
    same(members(AbortController).sort(), ['length', 'name', 'prototype']);
    same(members(EventTarget).sort(), ['length', 'name', 'prototype']);
    same(members(Event).sort(), ['AT_TARGET', 'BUBBLING_PHASE', 'CAPTURING_PHASE', 'NONE', 'length', 'name',
        'prototype']);
    same(members(TextDecoder.prototype).sort(), ['constructor', 'decode', 'encoding', 'fatal', 'ignoreBOM']);
    same(members(AbortSignal.prototype).sort(), ['aborted', 'constructor', 'onabort', 'reason', 'throwIfAborted']);
    for (const name of Object.keys(CLASSES)) {
        for (const key of members(globalThis[name].prototype, each => each !== 'constructor')) {
            same(Object.getOwnPropertyDescriptor(globalThis[name].prototype, key).enumerable, true, `${name} ${key}`);
        }
        same(Object.getOwnPropertyDescriptor(globalThis[name].prototype, 'constructor').enumerable, false, name);
    }
    same(Object.keys(new URL('http://h')), []);
    const seen = [];
    for (const key in new TextDecoder()) { seen.push(key); }
    same(seen.sort(), ['decode', 'encoding', 'fatal', 'ignoreBOM']);
});

check('members refuse objects of another kind', () => {
    for (const name of Object.keys(CLASSES)) {
        const { prototype } = globalThis[name];
        for (const [key, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
            if (key === 'constructor' || name === 'EventTarget') { continue; }
            for (const wrong of [{}, null, 5, prototype]) {
                const fn = get ?? value;
                if (typeof fn === 'function') { throws(() => Reflect.apply(fn, wrong, ['a', 'b']), 'TypeError',
                    `${name} ${key}`); }
            }
        }
    }
});

check('objects are instances and have their tags', () => {
    const objects = {
        URL: new URL('http://h'), URLSearchParams: new URLSearchParams(), Event: new Event('x'),
            EventTarget: new EventTarget(),
        AbortController: new AbortController(), AbortSignal: AbortSignal.abort(), TextEncoder: new TextEncoder(),
        TextDecoder: new TextDecoder(), Performance: performance, Crypto: crypto, DOMException: new DOMException(),
    };
    for (const [name, object] of Object.entries(objects)) {
        same([object instanceof globalThis[name], String(Object.prototype.toString.call(object))],
            [true, `[object ${name}]`]);
    }
    same([AbortSignal.abort() instanceof EventTarget, performance instanceof EventTarget,
        new DOMException() instanceof Error],
        [true, true, true]);
    same(String(console), '[object console]');
    same(String(new URLSearchParams().entries()), '[object URLSearchParams Iterator]');
});

check('what nobody may make is not made', () => {
    for (const name of ['AbortSignal', 'Crypto', 'Performance', 'PerformanceEntry', 'PerformanceMeasure']) {
        throws(() => new globalThis[name](), 'TypeError', name);
    }
});

check('arguments that are missing are refused', () => {
    const params = new URLSearchParams();
    const target = new EventTarget();
    const calls = [
        () => new URL(), () => URL.parse(), () => URL.canParse(), () => params.append('a'), () => params.set('a'),
            () => params.get(),
        () => params.has(), () => params.delete(), () => params.getAll(), () => params.forEach(), () => new Event(),
            () => atob(),
        () => btoa(), () => structuredClone(), () => target.addEventListener('a'), () => target.dispatchEvent(),
            () => setTimeout(),
        () => queueMicrotask(), () => reportError(), () => crypto.getRandomValues(), () => performance.mark(), () =>
            performance.measure(),
        () => AbortSignal.timeout(), () => AbortSignal.any(), () => new TextEncoder().encodeInto(''), () =>
            new PromiseRejectionEvent('x'),
    ];
    for (const call of calls) { throws(call); }
});

check('symbols and objects without a text are refused', () => {
    const wrong = [Symbol('s'), Object.create(null), { toString() { throw new TypeError('mine'); } }];
    for (const value of wrong) {
        for (const call of [
            () => new URL(value), () => new URLSearchParams('').get(value), () => new Event(value), () =>
                atob(value), () => btoa(value),
            () => new TextEncoder().encode(value), () => new TextDecoder(value), () => new DOMException(value),
            () => performance.mark(value), () => new EventTarget().addEventListener(value, () => {}),
        ]) {
            throws(call);
        }
    }
});
