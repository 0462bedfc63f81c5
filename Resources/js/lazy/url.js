// URL after the URL Standard.
(() => {
'use strict';
return ({ load, need, expose, brands }) => {
const { percentEncode, toText, USERINFO } = load('url-text');
const { isSpecial, isOpaque, parse, parsePart, serialize, pathOf, hostOf } = load('url-parse');
const { URLSearchParams, link } = load('url-search-params');

class URL {
    #url;
    #params;
    constructor(url, base = undefined) {
        need(arguments.length, 1, 'URL');
        const text = toText(url);
        this.#url = parse(text, base === undefined ? undefined : parse(toText(base)));
    }
    static has(value) { return #url in value; }
    static parse(url, base = undefined) {
        need(arguments.length, 1, 'URL.parse');
        const [text, baseText] = [toText(url), base === undefined ? undefined : toText(base)];
        try {
            return new URL(text, baseText);
        } catch {
            return null;
        }
    }
    static canParse(url, base = undefined) {
        need(arguments.length, 1, 'URL.canParse');
        return URL.parse(url, base) !== null;
    }
    #relink() {
        if (!this.#params) { return; }
        link(this.#params, this.#url.query ?? '', text => { this.#url.query = text || null; });
    }
    get #cannotHavePort() { return !this.#url.host || this.#url.scheme === 'file'; }
    get href() { return serialize(this.#url); }
    set href(value) {
        this.#url = parse(toText(value));
        this.#relink();
    }
    get origin() {
        const { scheme } = this.#url;
        if (scheme === 'blob') {
            const inner = URL.parse(pathOf(this.#url));
            return inner && /^https?:$/.test(inner.protocol) ? inner.origin : 'null';
        }
        return isSpecial(this.#url) && scheme !== 'file' ? `${scheme}://${hostOf(this.#url)}` : 'null';
    }
    get protocol() { return `${this.#url.scheme}:`; }
    set protocol(value) { parsePart(this.#url, 'schemeStart', `${toText(value)}:`); }
    get username() { return this.#url.username; }
    set username(value) {
        const text = toText(value);
        if (!this.#cannotHavePort) { this.#url.username = percentEncode(text, USERINFO); }
    }
    get password() { return this.#url.password; }
    set password(value) {
        const text = toText(value);
        if (!this.#cannotHavePort) { this.#url.password = percentEncode(text, USERINFO); }
    }
    get host() { return hostOf(this.#url); }
    set host(value) {
        const text = toText(value);
        if (!isOpaque(this.#url)) { parsePart(this.#url, 'host', text); }
    }
    get hostname() { return this.#url.host ?? ''; }
    set hostname(value) {
        const text = toText(value);
        if (!isOpaque(this.#url)) { parsePart(this.#url, 'hostname', text); }
    }
    get port() { return this.#url.port === null ? '' : String(this.#url.port); }
    set port(value) {
        const text = toText(value);
        if (this.#cannotHavePort) { return; }
        if (text === '') { this.#url.port = null; } else { parsePart(this.#url, 'port', text); }
    }
    get pathname() { return pathOf(this.#url); }
    set pathname(value) {
        const text = toText(value);
        if (isOpaque(this.#url)) { return; }
        this.#url.path = [];
        parsePart(this.#url, 'pathStart', text);
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ''; }
    set search(value) {
        const text = toText(value);
        if (text === '') { this.#url.query = null; } else { parsePart(this.#url, 'query', text.replace(/^\?/, '')); }
        this.#relink();
    }
    get searchParams() {
        if (!this.#params) {
            this.#params = new URLSearchParams();
            this.#relink();
        }
        return this.#params;
    }
    get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ''; }
    set hash(value) {
        const text = toText(value);
        if (text === '') {
            this.#url.fragment = null;
        } else {
            parsePart(this.#url, 'fragment', text.replace(/^#/, ''));
        }
    }
    toString() { return serialize(this.#url); }
    toJSON() { return serialize(this.#url); }
}
brands.push(URL.has);
delete URL.has;

return { URL: expose(URL) };
};
})()
