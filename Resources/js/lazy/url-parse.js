// Parsing and serialising of URLs: the state machine of the URL Standard, state by state.
// url = {scheme: "http", username, password, host: text or null, port: number or null, path: [segments] or opaque text,
// query: text or null, fragment: text or null}
(() => {
'use strict';
return ({ load }) => {
const { percentEncode, CONTROLS, FRAGMENT, QUERY, SPECIAL_QUERY, PATH, USERINFO } = load('url-text');
const { parseHost, fail } = load('url-host');
const PORTS = new Map([['ftp', 21], ['file', null], ['http', 80], ['https', 443], ['ws', 80], ['wss', 443]]);
const isSpecial = url => PORTS.has(url.scheme);
const isOpaque = url => typeof url.path === 'string';
const hasCredentials = url => url.username !== '' || url.password !== '';
const DRIVE = /^[a-z][:|]$/i;
const KEPT_DRIVE = /^[a-z]:$/i;
const STARTS_WITH_DRIVE = /^[a-z][:|](?:$|[/\\?#])/i;
// The end of this state's part, from a place on: outside special URLs a backslash is a letter as any other.
const ENDS = {
    host: [/[/?#]/g, /[/\\?#]/g], path: [/[/?#]/g, /[/\\?#]/g], pathAlone: [/\//g, /[/\\]/g],
};

function shorten(url) {
    if (url.scheme === 'file' && url.path.length === 1 && KEPT_DRIVE.test(url.path[0])) { return; }
    url.path.pop();
}

function findEnd(text, start, [plain, special], url) {
    const pattern = isSpecial(url) ? special : plain;
    pattern.lastIndex = start;
    return pattern.exec(text)?.index ?? text.length;
}

// Where the first colon outside of brackets is, or the end.
function findColon(text) {
    let isInside = false;
    for (let i = 0; i < text.length; i += 1) {
        if (text[i] === '[') { isInside = true; }
        if (text[i] === ']') { isInside = false; }
        if (text[i] === ':' && !isInside) { return i; }
    }
    return text.length;
}

class Machine {
    constructor(text, base, url, override) {
        Object.assign(this, { text, base, url, override, at: 0, buffer: '' });
    }
    get char() { return this.text[this.at]; }
    isSlash() { return this.char === '/' || (this.char === '\\' && isSpecial(this.url)); }

    // Each state consumes what is its own and names the next; undefined ends the run.
    run(first) {
        for (let state = first; state; state = this[state]());
        return this.url;
    }

    schemeStart() {
        const [scheme] = /^[a-z][a-z0-9+\-.]*(?=:)/i.exec(this.text) ?? [];
        if (scheme === undefined) {
            if (this.override) { throw fail(`scheme ${this.text}`); }
            return 'noScheme';
        }
        const { url } = this;
        const name = scheme.toLowerCase();
        if (this.override) {
            if (PORTS.has(name) !== isSpecial(url) || (name === 'file' && (hasCredentials(url) || url.port !== null))
                || (url.scheme === 'file' && url.host === '')) {
                return undefined;
            }
            url.scheme = name;
            if (url.port === PORTS.get(name)) { url.port = null; }
            return undefined;
        }
        url.scheme = name;
        this.at = scheme.length + 1;
        if (name === 'file') { return 'file'; }
        if (isSpecial(url)) { return this.base?.scheme === name ? 'specialRelativeOrAuthority' : 'specialSlashes'; }
        if (this.char === '/') {
            this.at += 1;
            return 'pathOrAuthority';
        }
        return 'opaquePath';
    }

    noScheme() {
        const { base, url } = this;
        if (!base || (isOpaque(base) && this.char !== '#')) { throw fail(`${this.text} has no scheme`); }
        if (!isOpaque(base)) { return base.scheme === 'file' ? 'file' : 'relative'; }
        Object.assign(url, { scheme: base.scheme, path: base.path, query: base.query });
        return this.end();
    }

    specialRelativeOrAuthority() {
        return this.text.startsWith('//', this.at) ? 'specialSlashes' : 'relative';
    }

    pathOrAuthority() {
        if (this.char !== '/') {
            this.at -= 1;
            return 'path';
        }
        this.at += 1;
        return 'authority';
    }

    relative() {
        const { base, url } = this;
        url.scheme = base.scheme;
        if (this.isSlash()) {
            this.at += 1;
            return 'relativeSlash';
        }
        const { username, password, host, port, path, query } = base;
        Object.assign(url, { username, password, host, port, path: [...path], query });
        if (this.char === '?' || this.char === '#' || this.char === undefined) { return this.end(); }
        url.query = null;
        shorten(url);
        return 'path';
    }

    relativeSlash() {
        if (this.isSlash()) { return isSpecial(this.url) ? 'specialSlashes' : (this.at += 1, 'authority'); }
        const { username, password, host, port } = this.base;
        Object.assign(this.url, { username, password, host, port });
        this.at -= 1;
        return 'path';
    }

    specialSlashes() {
        while (this.char === '/' || this.char === '\\') { this.at += 1; }
        return 'authority';
    }

    authority() {
        const end = findEnd(this.text, this.at, ENDS.host, this.url);
        const authority = this.text.slice(this.at, end);
        const sign = authority.lastIndexOf('@');
        if (sign >= 0) {
            const [name, ...password] = authority.slice(0, sign).split(':');
            this.url.username = percentEncode(name, USERINFO);
            this.url.password = percentEncode(password.join(':'), USERINFO);
            if (sign + 1 === authority.length) { throw fail(`no host in ${authority}`); }
        }
        this.at += sign + 1;
        return 'host';
    }

    host() {
        const { url, override } = this;
        if (override && url.scheme === 'file') { return 'fileHost'; }
        const end = findEnd(this.text, this.at, ENDS.host, url);
        const text = this.text.slice(this.at, end);
        const colon = findColon(text);
        const name = text.slice(0, colon);
        if (colon < text.length) {
            if (name === '' || override === 'hostname') { throw fail(`host ${text}`); }
            url.host = parseHost(name, isSpecial(url));
            this.at += colon + 1;
            return 'port';
        }
        if (name === '' && (isSpecial(url) || (override && (hasCredentials(url) || url.port !== null)))) {
            throw fail(`no host in ${this.text}`);
        }
        url.host = name === '' ? '' : parseHost(name, isSpecial(url));
        this.at = end;
        return override ? undefined : 'pathStart';
    }

    hostname() { return this.host(); }

    port() {
        const { url, override } = this;
        const [digits] = /^\d*/.exec(this.text.slice(this.at));
        this.at += digits.length;
        const isEnd = this.char === undefined || this.char === '?' || this.char === '#' || this.isSlash();
        if (!isEnd && !override) { throw fail(`port ${this.text.slice(this.at - digits.length)}`); }
        if (digits !== '') {
            const port = Number(digits);
            if (port > 65535) { throw fail(`port ${digits}`); }
            url.port = port === PORTS.get(url.scheme) ? null : port;
        } else if (override) {
            throw fail('no port');
        }
        return override ? undefined : 'pathStart';
    }

    file() {
        const { url } = this;
        const base = this.base?.scheme === 'file' ? this.base : undefined;
        url.scheme = 'file';
        url.host = '';
        if (this.char === '/' || this.char === '\\') {
            this.at += 1;
            return 'fileSlash';
        }
        if (!base) { return 'path'; }
        Object.assign(url, { host: base.host, path: [...base.path], query: base.query });
        if (this.char === '?' || this.char === '#' || this.char === undefined) { return this.end(); }
        url.query = null;
        if (STARTS_WITH_DRIVE.test(this.text.slice(this.at))) { url.path = []; } else { shorten(url); }
        return 'path';
    }

    fileSlash() {
        const { url } = this;
        if (this.char === '/' || this.char === '\\') {
            this.at += 1;
            return 'fileHost';
        }
        if (this.base?.scheme === 'file') {
            url.host = this.base.host;
            const [first] = this.base.path;
            if (KEPT_DRIVE.test(first) && !STARTS_WITH_DRIVE.test(this.text.slice(this.at))) { url.path.push(first); }
        }
        this.at -= 1;
        return 'path';
    }

    fileHost() {
        const { url, override } = this;
        const end = findEnd(this.text, this.at, ENDS.host, url);
        const text = this.text.slice(this.at, end);
        if (!override && DRIVE.test(text)) {
            this.at -= 1;
            return 'path';
        }
        this.at = end;
        const host = text === '' ? '' : parseHost(text, isSpecial(url));
        url.host = host === 'localhost' ? '' : host;
        return override ? undefined : 'pathStart';
    }

    pathStart() {
        const { url, override } = this;
        if (isSpecial(url) || this.char === '/') { return 'path'; }
        if (this.char === undefined || (!override && (this.char === '?' || this.char === '#'))) {
            if (override && url.host === null) { url.path.push(''); }
            return this.end();
        }
        return 'path';
    }

    // From the slash in front of the first segment, if there is one.
    path() {
        const { text, url } = this;
        const ends = this.override ? ENDS.pathAlone : ENDS.path;
        if (this.isSlash()) { this.at += 1; }
        for (;;) {
            const end = findEnd(text, this.at, ends, url);
            const segment = percentEncode(text.slice(this.at, end), PATH);
            this.at = end;
            const goesOn = this.isSlash();
            this.addSegment(segment, goesOn);
            if (!goesOn) { return this.end(); }
            this.at += 1;
        }
    }

    addSegment(segment, goesOn) {
        const { path, scheme } = this.url;
        const plain = segment.length <= 6 ? segment.replace(/%2e/gi, '.') : segment;
        if (plain === '..') {
            shorten(this.url);
            if (!goesOn) { path.push(''); }
        } else if (plain === '.') {
            if (!goesOn) { path.push(''); }
        } else if (scheme === 'file' && path.length === 0 && DRIVE.test(segment)) {
            path.push(`${segment[0]}:`);
        } else {
            path.push(segment);
        }
    }

    opaquePath() {
        const [path] = /^[^?#]*/.exec(this.text.slice(this.at));
        this.at += path.length;
        const encoded = percentEncode(path, CONTROLS);
        this.url.path = this.char === undefined ? encoded : encoded.replace(/ $/, '%20');
        return this.end();
    }

    // What may stand behind each part.
    end() {
        if (this.char === '?') {
            this.at += 1;
            return 'query';
        }
        if (this.char === '#') {
            this.at += 1;
            return 'fragment';
        }
        return undefined;
    }

    query() {
        const { text, url, override } = this;
        const mark = override ? -1 : text.indexOf('#', this.at);
        const end = mark < 0 ? text.length : mark;
        url.query = percentEncode(text.slice(this.at, end), isSpecial(url) ? SPECIAL_QUERY : QUERY);
        this.at = end;
        return this.end();
    }

    fragment() {
        this.url.fragment = percentEncode(this.text.slice(this.at), FRAGMENT);
        return undefined;
    }
}

const withoutBreaks = text => text.replace(/[\t\n\r]/g, '');

// Without controls and blanks at both ends.
function trim(text) {
    let start = 0;
    let end = text.length;
    while (start < end && text[start] <= ' ') { start += 1; }
    while (start < end && text[end - 1] <= ' ') { end -= 1; }
    return text.slice(start, end);
}

function parse(input, base) {
    const url = {
        scheme: '', username: '', password: '', host: null, port: null, path: [], query: null, fragment: null,
    };
    const text = withoutBreaks(trim(input));
    return new Machine(text, base, url).run('schemeStart');
}

// Parses text as one part of url, which is left as it is, or as far as it was read, where that fails.
function parsePart(url, state, text) {
    try {
        new Machine(withoutBreaks(text), undefined, url, state).run(state);
    } catch (err) {
        if (!(err instanceof TypeError)) { throw err; }
    }
}

function pathOf(url) {
    return isOpaque(url) ? url.path : url.path.map(segment => `/${segment}`).join('');
}

function hostOf({ host, port }) {
    return host === null ? '' : host + (port === null ? '' : `:${port}`);
}

function serialize(url) {
    const { scheme, username, password, host, path, query, fragment } = url;
    const credentials = hasCredentials(url) ? `${username}${password ? `:${password}` : ''}@` : '';
    const authority = host === null ? '' : `//${credentials}${hostOf(url)}`;
    const guard = host === null && !isOpaque(url) && path.length > 1 && path[0] === '' ? '/.' : '';
    const end = (query === null ? '' : `?${query}`) + (fragment === null ? '' : `#${fragment}`);
    return `${scheme}:${authority}${guard}${pathOf(url)}${end}`;
}

return { isSpecial, isOpaque, parse, parsePart, serialize, pathOf, hostOf };
};
})()
