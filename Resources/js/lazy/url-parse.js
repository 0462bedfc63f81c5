// Parsing and serialising of URLs after the WHATWG standard.
// url = {scheme: "http:", username, password, host: text or null, port: number or null, path: [segments] or opaque
// text, query: text or null, fragment: text or null}
(() => {
'use strict';
return ({ load }) => {
const { percentEncode, FRAGMENT, QUERY, PATH, USERINFO } = load('url-text');
const { parseHost, fail } = load('url-host');
const PORTS = new Map([['ftp:', 21], ['file:', null], ['http:', 80], ['https:', 443], ['ws:', 80], ['wss:', 443]]);
const isSpecial = url => PORTS.has(url.scheme);
const DRIVE = /^[a-z][:|]$/i;
const STARTS_WITH_DRIVE = /^[a-z][:|](?:[/\\]|$)/i;

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
    const [, host, port] = /^((?:\[[^\]]*\]?|[^:[])*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? [];
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
        const keepsDrive = from && /^[a-z]:$/i.test(from.path[0]) && !STARTS_WITH_DRIVE.test(rest.slice(1));
        url.path = keepsDrive ? [from.path[0]] : [];
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
        if (rest !== '' || query !== undefined || fragment === undefined) {
            throw fail(`${input} relative to an opaque path`);
        }
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
    const end = (query === null ? '' : `?${query}`) + (fragment === null ? '' : `#${fragment}`);
    return scheme + authority + guard + pathOf(url) + end;
}

return { PORTS, isSpecial, parse, parsePort, parseAbsolutePath, encodeQuery, serialize, pathOf, hostOf };
};
})()
