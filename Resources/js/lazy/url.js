// URL after the WHATWG standard (without the tables of IDNA, see url-host.js).
(() => {
'use strict';
return ({ load }) => {
const { percentEncode, FRAGMENT, USERINFO } = load('url-text');
const { parseHost } = load('url-host');
const {
    PORTS, isSpecial, parse, parsePort, parseAbsolutePath, encodeQuery, serialize, pathOf, hostOf,
} = load('url-parse');
const { URLSearchParams, link } = load('url-search-params');

const withoutBreaks = text => text.replace(/[\t\n\r]/g, '');

class URL {
    #url;
    #params = new URLSearchParams();
    constructor(input, base) {
        this.#set(parse(String(input), base === undefined ? undefined : parse(String(base))));
    }
    static canParse(input, base) { return URL.parse(input, base) !== null; }
    static parse(input, base) {
        try {
            return new URL(input, base);
        } catch {
            return null;
        }
    }
    #set(url) {
        this.#url = url;
        link(this.#params, url.query ?? '', text => { this.#url.query = text || null; });
    }
    // A setter that meets a value it cannot use leaves the URL as it is.
    #try(change) {
        const url = { ...this.#url, path: typeof this.#url.path === 'string' ? this.#url.path : [...this.#url.path] };
        try {
            change(url);
        } catch {
            return;
        }
        this.#url = url;
    }
    get #hasCredentials() { return this.#url.username !== '' || this.#url.password !== ''; }
    get #cannotHavePort() { return !this.#url.host || this.#url.scheme === 'file:'; }
    get href() { return serialize(this.#url); }
    set href(value) { this.#set(parse(String(value))); }
    get origin() {
        const { scheme } = this.#url;
        if (scheme === 'blob:') {
            const inner = URL.parse(this.#url.path);
            return /^https?:$/.test(inner?.protocol) ? inner.origin : 'null';
        }
        return isSpecial(this.#url) && scheme !== 'file:' ? `${scheme}//${hostOf(this.#url)}` : 'null';
    }
    get protocol() { return this.#url.scheme; }
    set protocol(value) {
        const scheme = /^([a-z][a-z0-9+\-.]*)(?::|$)/i.exec(String(value))?.[1].toLowerCase();
        if (!scheme || PORTS.has(`${scheme}:`) !== isSpecial(this.#url)) { return; }
        if (scheme === 'file' && (this.#hasCredentials || this.#url.port !== null)) { return; }
        if (this.#url.scheme === 'file:' && !this.#url.host) { return; }
        this.#url.scheme = `${scheme}:`;
        if (this.#url.port === PORTS.get(this.#url.scheme)) { this.#url.port = null; }
    }
    get username() { return this.#url.username; }
    set username(value) {
        if (!this.#cannotHavePort) { this.#url.username = percentEncode(String(value), USERINFO); }
    }
    get password() { return this.#url.password; }
    set password(value) {
        if (!this.#cannotHavePort) { this.#url.password = percentEncode(String(value), USERINFO); }
    }
    get host() { return hostOf(this.#url); }
    set host(value) { this.#setHost(withoutBreaks(String(value)), true); }
    get hostname() { return this.#url.host ?? ''; }
    set hostname(value) { this.#setHost(withoutBreaks(String(value)), false); }
    #setHost(value, withPort) {
        const { scheme, path, port: oldPort } = this.#url;
        const isFile = scheme === 'file:';
        const [text] = (isSpecial(this.#url) ? /^[^/\\?#]*/ : /^[^/?#]*/).exec(value);
        const [, host, colon, port] = isFile ? [text, text, ''] : /^((?:\[[^\]]*\]?|[^:[])*)(:?)(\d*)/.exec(text);
        const needsHost = isSpecial(this.#url) || this.#hasCredentials || oldPort !== null || colon;
        if (typeof path === 'string' || (host === '' && !isFile && needsHost) || (colon && !withPort)) { return; }
        this.#try(url => {
            const parsed = host === '' ? '' : parseHost(host, isSpecial(url));
            url.host = isFile && parsed === 'localhost' ? '' : parsed;
            if (port) { url.port = parsePort(url, port); }
        });
    }
    get port() { return this.#url.port === null ? '' : String(this.#url.port); }
    set port(value) {
        const digits = /^\d*/.exec(withoutBreaks(String(value)))[0];
        if (this.#cannotHavePort || (digits === '' && String(value) !== '')) { return; }
        this.#try(url => { url.port = parsePort(url, digits); });
    }
    get pathname() { return pathOf(this.#url); }
    set pathname(value) {
        if (typeof this.#url.path === 'string') { return; }
        this.#try(url => {
            parseAbsolutePath(url, withoutBreaks(String(value)));
            if (url.host === null && url.path.length === 0) { url.path = ['']; }
        });
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ''; }
    set search(value) {
        const text = String(value);
        const query = text === '' ? null : encodeQuery(this.#url, withoutBreaks(text).replace(/^\?/, ''));
        this.#set({ ...this.#url, query });
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ''; }
    set hash(value) {
        const text = String(value);
        this.#url.fragment = text === '' ? null : percentEncode(withoutBreaks(text).replace(/^#/, ''), FRAGMENT);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
}

return { URL };
};
})()
