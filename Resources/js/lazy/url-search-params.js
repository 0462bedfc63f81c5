// URLSearchParams; link(params, query text, onChange(query text)) ties one to its URL.
(() => {
'use strict';
return ({ load }) => {
const { percentDecode, hex } = load('url-text');

function encodeForm(text) {
    const encoded = encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+');
    return encoded.replace(/[!'()~]/g, char => hex(char.charCodeAt(0)));
}

function parseForm(text) {
    return text.split('&').filter(Boolean).map(part => {
        const [name, ...value] = part.replaceAll('+', ' ').split('=');
        return [percentDecode(name), percentDecode(value.join('='))];
    });
}

function pairsOf(init) {
    if (typeof init !== 'object' || init === null) { return parseForm(String(init).replace(/^\?/, '')); }
    const isList = typeof init[Symbol.iterator] === 'function';
    const pairs = isList ? Array.from(init, pair => [...pair]) : Object.entries(init);
    if (pairs.some(pair => pair.length !== 2)) { throw new TypeError('URLSearchParams takes pairs'); }
    return pairs.map(pair => pair.map(String));
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
    #change(pairs) {
        this.#pairs = pairs;
        this.#onChange?.(this.toString());
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#change([...this.#pairs, [String(name), String(value)]]); }
    delete(name, value) {
        const goes = pair => pair[0] === String(name) && (value === undefined || pair[1] === String(value));
        this.#change(this.#pairs.filter(pair => !goes(pair)));
    }
    get(name) { return this.#pairs.find(pair => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(pair => pair[0] === String(name)).map(pair => pair[1]); }
    has(name, value) {
        return this.#pairs.some(pair => pair[0] === String(name) && (value === undefined || pair[1] === String(value)));
    }
    set(name, value) {
        const at = this.#pairs.findIndex(pair => pair[0] === String(name));
        if (at < 0) {
            this.append(name, value);
            return;
        }
        const others = this.#pairs.filter((pair, i) => i <= at || pair[0] !== String(name));
        this.#change(others.with(at, [String(name), String(value)]));
    }
    sort() { this.#change(this.#pairs.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)); }
    forEach(callback, thisArg) {
        for (const [name, value] of this.#pairs) { callback.call(thisArg, value, name, this); }
    }
    * entries() {
        for (let i = 0; i < this.#pairs.length; i += 1) { yield [...this.#pairs[i]]; }
    }
    * keys() {
        for (const [name] of this.entries()) { yield name; }
    }
    * values() {
        for (const [, value] of this.entries()) { yield value; }
    }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(pair => pair.map(encodeForm).join('=')).join('&'); }
}
const { link } = URLSearchParams;
delete URLSearchParams.link;

return { URLSearchParams, link };
};
})()
