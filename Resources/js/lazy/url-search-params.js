// URLSearchParams after the URL Standard; link(params, query text, onChange(query text)) ties one to its URL.
(() => {
'use strict';
return ({ load, need, expose, brands }) => {
const { percentDecode, toText, hex } = load('url-text');

function encodeForm(text) {
    return encodeURIComponent(text).replaceAll('%20', '+').replace(/[!'()~]/g, char => hex(char.charCodeAt(0)));
}

function parseForm(text) {
    return text.split('&').filter(Boolean).map(part => {
        const plain = part.replaceAll('+', ' ');
        const at = plain.indexOf('=');
        return at < 0 ? [percentDecode(plain), '']
            : [percentDecode(plain.slice(0, at)), percentDecode(plain.slice(at + 1))];
    });
}

function pairsOf(init) {
    if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
        return parseForm(toText(init).replace(/^\?/, ''));
    }
    const method = init[Symbol.iterator];
    if (method === undefined || method === null) {
        const record = new Map();
        for (const key of Reflect.ownKeys(init)) {
            if (Object.getOwnPropertyDescriptor(init, key)?.enumerable) { record.set(toText(key), toText(init[key])); }
        }
        return [...record];
    }
    if (typeof method !== 'function') { throw new TypeError('URLSearchParams takes a text, an object or pairs'); }
    return Array.from(init, pair => {
        const isList = typeof pair === 'object' && pair !== null && typeof pair[Symbol.iterator] === 'function';
        const parts = isList ? [...pair] : [];
        if (parts.length !== 2) { throw new TypeError('URLSearchParams takes pairs of a name and a value'); }
        return parts.map(toText);
    });
}

class URLSearchParams {
    #pairs;
    #onChange;
    constructor(init = '') {
        this.#pairs = pairsOf(init);
    }
    static link(params, text, onChange) {
        params.#pairs = parseForm(text);
        params.#onChange = onChange;
    }
    static has(value) { return #pairs in value; }
    static pairAt(params, index) { return params.#pairs[index]; }
    #changed() { this.#onChange?.(this.toString()); }
    get size() { return this.#pairs.length; }
    append(name, value) {
        need(arguments.length, 2, 'append');
        this.#pairs.push([toText(name), toText(value)]);
        this.#changed();
    }
    delete(name, value = undefined) {
        need(arguments.length, 1, 'delete');
        const [wanted, wantedValue] = [toText(name), value === undefined ? undefined : toText(value)];
        this.#pairs = this.#pairs.filter(([key, text]) => key !== wanted
            || (value !== undefined && text !== wantedValue));
        this.#changed();
    }
    get(name) {
        need(arguments.length, 1, 'get');
        const wanted = toText(name);
        return this.#pairs.find(([key]) => key === wanted)?.[1] ?? null;
    }
    getAll(name) {
        need(arguments.length, 1, 'getAll');
        const wanted = toText(name);
        return this.#pairs.filter(([key]) => key === wanted).map(([, value]) => value);
    }
    has(name, value = undefined) {
        need(arguments.length, 1, 'has');
        const [wanted, wantedValue] = [toText(name), value === undefined ? undefined : toText(value)];
        return this.#pairs.some(([key, text]) => key === wanted && (value === undefined || text === wantedValue));
    }
    set(name, value) {
        need(arguments.length, 2, 'set');
        const pair = [toText(name), toText(value)];
        const at = this.#pairs.findIndex(([key]) => key === pair[0]);
        if (at < 0) {
            this.#pairs.push(pair);
        } else {
            this.#pairs = this.#pairs.filter(([key], i) => i <= at || key !== pair[0]);
            this.#pairs[at] = pair;
        }
        this.#changed();
    }
    sort() {
        this.#pairs.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
        this.#changed();
    }
    forEach(callback, thisArg = undefined) {
        need(arguments.length, 1, 'forEach');
        if (typeof callback !== 'function') { throw new TypeError('forEach needs a function'); }
        for (let i = 0; i < this.#pairs.length; i += 1) {
            Reflect.apply(callback, thisArg, [this.#pairs[i][1], this.#pairs[i][0], this]);
        }
    }
    entries() { return iterate(this, 'entries'); }
    keys() { return iterate(this, 'keys'); }
    values() { return iterate(this, 'values'); }
    toString() { return this.#pairs.map(pair => pair.map(encodeForm).join('=')).join('&'); }
}
const { link, pairAt } = URLSearchParams;
brands.push(URLSearchParams.has);
for (const name of ['link', 'has', 'pairAt']) { delete URLSearchParams[name]; }
expose(URLSearchParams);
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator,
    { value: URLSearchParams.prototype.entries, writable: true, configurable: true });

// Iterators look at the list as it is at each step.
const states = new WeakMap();
const SHOWN = { entries: pair => [...pair], keys: ([name]) => name, values: ([, value]) => value };
const iteratorPrototype = Object.create(Iterator.prototype, {
    next: { value: { next() {
        const state = states.get(this);
        if (!state) { throw new TypeError('next needs an iterator of a URLSearchParams'); }
        const pair = pairAt(state.params, state.index);
        if (!pair) { return { value: undefined, done: true }; }
        state.index += 1;
        return { value: SHOWN[state.kind](pair), done: false };
    } }.next, writable: true, enumerable: true, configurable: true },
    [Symbol.toStringTag]: { value: 'URLSearchParams Iterator', configurable: true },
});

function iterate(params, kind) {
    pairAt(params, 0);
    const iterator = Object.create(iteratorPrototype);
    states.set(iterator, { params, kind, index: 0 });
    return iterator;
}

return { URLSearchParams, link };
};
})()
