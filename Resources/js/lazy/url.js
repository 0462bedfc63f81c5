// URL and URLSearchParams after the WHATWG standard. Domains are lower-cased, normalised (NFKC) and coded as punycode;
// the mapping tables of IDNA are not here.
(() => {
'use strict';
const PORTS = new Map(Object.entries({ 'ftp:': 21, 'file:': null, 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 }));
const isSpecial = url => PORTS.has(url.scheme);
const DRIVE = /^[a-z][:|]$/i;
const STARTS_WITH_DRIVE = /^[a-z][:|](?:[/\\]|$)/i;

// ---- percent encoding

const FRAGMENT = ' "<>`';
const QUERY = ' "#<>';
const PATH = `${QUERY}?^\`{}`;
const USERINFO = `${PATH}/:;=@[\\]|`;

function hex(byte) {
    return `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
}

function percentEncode(text, set) {
    return text.toWellFormed().replace(/[^!-~]|["#'/:;<=>?@[\\\]^`{|}]/gu, char => {
        if (char > '~') { return char === '\x7f' ? '%7F' : encodeURIComponent(char); }
        return char < ' ' || set.includes(char) ? hex(char.charCodeAt(0)) : char;
    });
}

function percentDecode(text) {
    if (!text.includes('%')) { return text; }
    const bytes = new TextEncoder().encode(text);
    let end = 0;
    for (let i = 0; i < bytes.length; i += 1) {
        const code = bytes[i] === 0x25 ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : '';
        if (/^[0-9a-f]{2}$/i.test(code)) {
            bytes[end++] = parseInt(code, 16);
            i += 2;
        } else {
            bytes[end++] = bytes[i];
        }
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end));
}

// ---- hosts

function fail(what) {
    return new TypeError(`Invalid URL: ${what}`);
}

function parseIPv4Number(text) {
    if (text === '') { return NaN; }
    const [, prefix, digits] = /^(0x|0(?=.)|)(.*)$/i.exec(text);
    const [radix, valid] = prefix === '' ? [10, /^\d+$/] : prefix === '0' ? [8, /^[0-7]+$/] : [16, /^[0-9a-f]*$/i];
    if (!valid.test(digits)) { return NaN; }
    return digits === '' ? 0 : parseInt(digits, radix);
}

function endsInNumber(domain) {
    const labels = domain.split('.');
    if (labels.at(-1) === '' && labels.length > 1) { labels.pop(); }
    return /^\d+$/.test(labels.at(-1)) || !Number.isNaN(parseIPv4Number(labels.at(-1)));
}

function parseIPv4(domain) {
    const labels = domain.split('.');
    if (labels.at(-1) === '' && labels.length > 1) { labels.pop(); }
    const numbers = labels.map(parseIPv4Number);
    const last = numbers.pop();
    if (numbers.length > 3 || !(last < 256 ** (4 - numbers.length)) || numbers.some(number => !(number < 256))) {
        throw fail(`address ${domain}`);
    }
    const address = numbers.reduce((sum, number, i) => sum + number * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');
}

function parseIPv6(text) {
    const wrong = fail(`address [${text}]`);
    const embedded = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
    let address = text;
    if (embedded) {
        const bytes = embedded.slice(2);
        if (bytes.some(byte => byte > 255 || /^0./.test(byte))) { throw wrong; }
        const [a, b, c, d] = bytes.map(Number);
        address = `${embedded[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    }
    const halves = address.split('::').map(half => half === '' ? [] : half.split(':'));
    const count = halves.flat().length;
    if (halves.length > 2 || halves.flat().some(piece => !/^[0-9a-f]{1,4}$/i.test(piece))
        || (halves.length === 2 ? count > 7 : count !== 8)) {
        throw wrong;
    }
    const [head, tail = []] = halves;
    return compressIPv6([...head, ...new Array(8 - count).fill('0'), ...tail].map(piece => parseInt(piece, 16).toString(16)));
}

function compressIPv6(pieces) {
    const runs = `:${pieces.join(':')}:`.match(/:(?:0:){2,}/g) ?? [];
    const longest = runs.reduce((best, run) => run.length > best.length ? run : best, '');
    const text = `:${pieces.join(':')}:`;
    if (!longest) { return text.slice(1, -1); }
    return text.replace(longest, '::').replace(/^:(?!:)|([^:]):$/g, '$1');
}

// RFC 3492 for one label that has characters beyond ASCII.
function punycode(label) {
    const points = Array.from(label, char => char.codePointAt(0));
    const basic = points.filter(point => point < 128);
    let output = String.fromCharCode(...basic) + (basic.length ? '-' : '');
    let delta = 0;
    let bias = 72;
    for (let n = 128, handled = basic.length; handled < points.length; n += 1, delta += 1) {
        const next = Math.min(...points.filter(point => point >= n));
        delta += (next - n) * (handled + 1);
        n = next;
        for (const point of points) {
            if (point < n) { delta += 1; }
            if (point !== n) { continue; }
            let rest = delta;
            for (let k = 36; ; k += 36) {
                const threshold = Math.min(Math.max(k - bias, 1), 26);
                if (rest < threshold) { break; }
                output += ((rest - threshold) % (36 - threshold) + threshold).toString(36).replace(/./, toDigit);
                rest = Math.floor((rest - threshold) / (36 - threshold));
            }
            output += toDigit(rest.toString(36));
            bias = adapt(delta, handled + 1, handled === basic.length);
            delta = 0;
            handled += 1;
        }
    }
    return `xn--${output}`;
}

function toDigit(base36) {
    return 'abcdefghijklmnopqrstuvwxyz0123456789'[parseInt(base36, 36)];
}

function adapt(delta, count, isFirst) {
    let value = Math.floor(delta / (isFirst ? 700 : 2));
    value += Math.floor(value / count);
    let k = 0;
    for (; value > 455; k += 36) { value = Math.floor(value / 35); }
    return k + Math.floor(36 * value / (value + 38));
}

function parseHost(text, special) {
    if (text.startsWith('[')) {
        if (!text.endsWith(']')) { throw fail(`host ${text}`); }
        return `[${parseIPv6(text.slice(1, -1))}]`;
    }
    if (!special) {
        if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) { throw fail(`host ${text}`); }
        return percentEncode(text, '');
    }
    const domain = percentDecode(text).normalize('NFKC').toLowerCase().normalize('NFC').replace(/[\u3002\uff0e\uff61]/g, '.')
        .replaceAll('\u00ad', '');
    const ascii = domain.split('.').map(label => /[^\0-\x7f]/.test(label) ? punycode(label) : label).join('.');
    if (ascii === '' || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(ascii)) { throw fail(`host ${text}`); }
    return endsInNumber(ascii) ? parseIPv4(ascii) : ascii;
}

// ---- parsing; url = {scheme: "http:", username, password, host: text or null, port: number or null,
// path: [segments] or opaque text, query: text or null, fragment: text or null}

function shorten(url) {
    if (url.scheme === 'file:' && url.path.length === 1 && /^[a-z]:$/i.test(url.path[0])) { return; }
    url.path.pop();
}

// Appends text (without its first slash) to the path.
function parsePath(url, text) {
    const segments = text.split(isSpecial(url) ? /[/\\]/ : '/');
    segments.forEach((segment, i) => {
        const isLast = i === segments.length - 1;
        const plain = segment.replace(/%2e/gi, '.');
        if (plain === '..' || plain === '.') {
            if (plain === '..') { shorten(url); }
            if (isLast) { url.path.push(''); }
        } else if (url.scheme === 'file:' && url.path.length === 0 && DRIVE.test(segment)) {
            url.path.push(`${segment[0]}:`);
        } else {
            url.path.push(percentEncode(segment, PATH));
        }
    });
}

function parseAbsolutePath(url, text) {
    url.path = [];
    if (text !== '' || isSpecial(url)) { parsePath(url, text.replace(isSpecial(url) ? /^[/\\]/ : /^\//, '')); }
}

function parsePort(url, text) {
    if (text === '') { return null; }
    if (!/^\d+$/.test(text) || Number(text) > 65535) { throw fail(`port ${text}`); }
    return Number(text) === PORTS.get(url.scheme) ? null : Number(text);
}

// "user:password@host:port/path", after the slashes.
function parseAuthority(url, text) {
    const end = text.search(isSpecial(url) ? /[/\\]/ : /\//);
    const authority = end < 0 ? text : text.slice(0, end);
    const at = authority.lastIndexOf('@');
    const [, host, port] = /^(\[.*\]|\[.*|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? [];
    if (at >= 0) {
        const [user, ...password] = authority.slice(0, at).split(':');
        url.username = percentEncode(user, USERINFO);
        url.password = percentEncode(password.join(':'), USERINFO);
    }
    if (host === undefined || (host === '' && (isSpecial(url) || at >= 0 || port !== undefined))) {
        throw fail(`host ${authority}`);
    }
    url.host = host === '' ? '' : parseHost(host, isSpecial(url));
    url.port = parsePort(url, port ?? '');
    parseAbsolutePath(url, end < 0 ? '' : text.slice(end));
}

function parseRelative(url, rest, base) {
    const slashes = isSpecial(url) ? /^[/\\]{2,}/ : /^\/\//;
    if (slashes.test(rest)) {
        parseAuthority(url, rest.replace(slashes, ''));
        return;
    }
    Object.assign(url, { username: base.username, password: base.password, host: base.host, port: base.port });
    if (rest.startsWith('/') || (isSpecial(url) && rest.startsWith('\\'))) {
        parseAbsolutePath(url, rest);
        return;
    }
    url.path = [...base.path];
    if (rest === '') {
        url.query ??= base.query;
    } else {
        shorten(url);
        parsePath(url, rest);
    }
}

function parseFile(url, rest, base) {
    const from = base?.scheme === 'file:' ? base : undefined;
    url.host = '';
    if (/^[/\\]{2}/.test(rest)) {
        const [, host, path] = /^..([^/\\]*)(.*)$/s.exec(rest);
        if (DRIVE.test(host)) {
            parseAbsolutePath(url, rest.slice(1));
            return;
        }
        const parsed = host === '' ? '' : parseHost(host, true);
        url.host = parsed === 'localhost' ? '' : parsed;
        parseAbsolutePath(url, path);
    } else if (/^[/\\]/.test(rest)) {
        url.host = from?.host ?? '';
        url.path = from && !STARTS_WITH_DRIVE.test(rest.slice(1)) && /^[a-z]:$/i.test(from.path[0]) ? [from.path[0]] : [];
        parsePath(url, rest.slice(1));
    } else if (from) {
        Object.assign(url, { host: from.host, path: [...from.path] });
        if (rest === '') {
            url.query ??= from.query;
            return;
        }
        if (STARTS_WITH_DRIVE.test(rest)) { url.path = []; } else { shorten(url); }
        parsePath(url, rest);
    } else {
        parsePath(url, rest);
    }
}

function parse(input, base) {
    const text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const [, hierarchy, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
    const scheme = /^[a-z][a-z0-9+\-.]*:/i.exec(hierarchy)?.[0];
    const url = {
        scheme: scheme?.toLowerCase() ?? base?.scheme, username: '', password: '', host: null, port: null, path: [],
        query: null, fragment: fragment === undefined ? null : percentEncode(fragment, FRAGMENT),
    };
    if (url.scheme === undefined) { throw fail(`${input} has no scheme, and there is no base`); }
    if (query !== undefined) { url.query = encodeQuery(url, query); }
    const rest = scheme ? hierarchy.slice(scheme.length) : hierarchy;
    if (!scheme && typeof base.path === 'string') {
        if (rest !== '' || query !== undefined || fragment === undefined) { throw fail(`${input} relative to an opaque path`); }
        return { ...base, fragment: url.fragment };
    }
    if (url.scheme === 'file:') {
        parseFile(url, rest, base);
    } else if (!scheme || (isSpecial(url) && base?.scheme === url.scheme && !/^[/\\]{2}/.test(rest))) {
        parseRelative(url, rest, base);
    } else if (isSpecial(url)) {
        parseAuthority(url, rest.replace(/^[/\\]+/, ''));
    } else if (rest.startsWith('//')) {
        parseAuthority(url, rest.slice(2));
    } else if (rest.startsWith('/')) {
        parseAbsolutePath(url, rest);
    } else {
        url.path = percentEncode(rest, '').replaceAll('%20', ' ');
    }
    return url;
}

function encodeQuery(url, text) {
    return percentEncode(text, isSpecial(url) ? `${QUERY}'` : QUERY);
}

function pathOf({ path }) {
    return typeof path === 'string' ? path : path.map(segment => `/${segment}`).join('');
}

function hostOf({ host, port }) {
    return host === null ? '' : host + (port === null ? '' : `:${port}`);
}

function serialize(url) {
    const { scheme, username, password, host, path, query, fragment } = url;
    const credentials = username || password ? `${username}${password ? `:${password}` : ''}@` : '';
    const authority = host === null ? '' : `//${credentials}${hostOf(url)}`;
    const guard = host === null && typeof path !== 'string' && path.length > 1 && path[0] === '' ? '/.' : '';
    return scheme + authority + guard + pathOf(url) + (query === null ? '' : `?${query}`) + (fragment === null ? '' : `#${fragment}`);
}

// ---- URLSearchParams

function encodeForm(text) {
    return encodeURIComponent(text.toWellFormed()).replace(/[!'()~]/g, char => hex(char.charCodeAt(0))).replaceAll('%20', '+');
}

function parseForm(text) {
    return text.split('&').filter(Boolean).map(part => {
        const [name, ...value] = part.replaceAll('+', ' ').split('=');
        return [percentDecode(name), percentDecode(value.join('='))];
    });
}

function pairsOf(init) {
    if (typeof init !== 'object' || init === null) { return parseForm(String(init).replace(/^\?/, '')); }
    const pairs = typeof init[Symbol.iterator] === 'function' ? Array.from(init, pair => [...pair]) : Object.entries(init);
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
        this.#change(this.#pairs.filter(pair => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value))));
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

// ---- URL

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
        const hasMore = this.#url.username || this.#url.password || this.#url.port !== null;
        if ((scheme === 'file' && hasMore) || (this.#url.scheme === 'file:' && !this.#url.host)) { return; }
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
    set host(value) {
        const [, host, port] = /^(\[[^\]]*\]|[^:/\\?#]*)(?::(\d*))?/.exec(String(value)) ?? [];
        this.#setHost(host, port);
    }
    get hostname() { return this.#url.host ?? ''; }
    set hostname(value) {
        const [, host, colon] = /^(\[[^\]]*\]|[^:/\\?#]*)(:?)/.exec(String(value)) ?? [];
        if (!colon) { this.#setHost(host); }
    }
    #setHost(host, port) {
        if (typeof this.#url.path === 'string' || (host === '' && (isSpecial(this.#url) || this.#url.port !== null))) { return; }
        this.#try(url => {
            url.host = host === '' ? '' : parseHost(host, isSpecial(url));
            if (port && url.scheme !== 'file:') { url.port = parsePort(url, port); }
        });
    }
    get port() { return this.#url.port === null ? '' : String(this.#url.port); }
    set port(value) {
        const digits = /^\d*/.exec(String(value))[0];
        if (this.#cannotHavePort || (digits === '' && String(value) !== '')) { return; }
        this.#try(url => { url.port = parsePort(url, digits); });
    }
    get pathname() { return pathOf(this.#url); }
    set pathname(value) {
        if (typeof this.#url.path === 'string') { return; }
        this.#try(url => parseAbsolutePath(url, String(value).replace(/[\t\n\r]/g, '')));
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ''; }
    set search(value) {
        const text = String(value).replace(/[\t\n\r]/g, '').replace(/^\?/, '');
        this.#set({ ...this.#url, query: text === '' ? null : encodeQuery(this.#url, text) });
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ''; }
    set hash(value) {
        const text = String(value).replace(/[\t\n\r]/g, '').replace(/^#/, '');
        this.#url.fragment = text === '' ? null : percentEncode(text, FRAGMENT);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
}

return () => ({ URL, URLSearchParams });
})()
