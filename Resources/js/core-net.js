// What the core's library is given to reach servers: requests, and TXT records by DNS over HTTPS. `makeNetwork` goes to the
// core-load script.
'use strict';
{

const encoder = new TextEncoder();

/** Asked where the configuration names none (`network.dohResolvers`). */
const defaultResolvers = Object.freeze(['https://cloudflare-dns.com/dns-query', 'https://dns.google/resolve']);

const isBytes = value => value instanceof Uint8Array;

/** Bytes of a request: bytes as they are, several arrays joined, text as UTF-8, any other value as JSON. */
function bytesOf(body) {
    if (body === undefined || body === null || isBytes(body)) { return body; }
    if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
        const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(body) ? body : new Uint8Array(body);
        return new Uint8Array(buffer, byteOffset, byteLength);
    }
    if (typeof body === 'string') { return encoder.encode(body); }
    if (!Array.isArray(body) || body.length === 0 || !body.every(isBytes)) { return encoder.encode(JSON.stringify(body)); }
    const joined = new Uint8Array(body.reduce((length, part) => length + part.length, 0));
    let end = 0;
    for (const part of body) {
        joined.set(part, end);
        end += part.length;
    }
    return joined;
}

/**
 * `{url, method, responseType?, sessionId?, requestHeaders?, responseHeaders?, timeout?, timeoutRetries?}` →
 * `{url, method, status, data, headers?}`: `data` as `responseType` says, `undefined` for empty JSON; `headers`, whose `get`
 * gives null for what did not come, where some were asked for. Rejects with exceptions of the port `http_request`.
 */
async function request(opts, contentType, body) {
    const { url, method, responseType, sessionId, requestHeaders, responseHeaders, timeout, timeoutRetries } = opts;
    const type = method === 'POST' || method === 'PUT' ? contentType : undefined;
    const reply = await __nativeCallDispatch('http_request', [
        method, url, responseType, sessionId, requestHeaders, responseHeaders, timeout, timeoutRetries, type, bytesOf(body),
    ]);
    const answer = { url, method, status: reply.status, data: reply.body };
    if (responseHeaders) { answer.headers = headersOver(reply.headers); }
    return answer;
}

function headersOver(headers) {
    return {
        get(name) {
            const key = String(name).toLowerCase();
            return Object.hasOwn(headers, key) ? headers[key] : null;
        },
    };
}

// MARK: TXT records

const dnsError = (code, hostname, reason) =>
    Object.assign(new Error(`TXT records of ${hostname}: ${code}, ${reason}`), { code, hostname });

const recordTypeTXT = 16;

/** By the DNS parameters of IANA; any other status is the server's trouble. */
const codeOfStatus = { 0: 'ENODATA', 3: 'ENOTFOUND' };

/**
 * The strings of one record: `"a" "b"` with the escapes of master files (RFC 1035, section 5.1), or, as some resolvers write
 * it, the bare text of one.
 */
function txtStrings(data) {
    if (!data.startsWith('"')) { return [data]; }
    const strings = [];
    for (const [, inner] of data.matchAll(/"((?:[^"\\]|\\.)*)"/gs)) {
        const bytes = [];
        for (const [part, decimal, escaped] of inner.matchAll(/\\([0-9]{3})|\\(.)|[^\\]+/gs)) {
            if (decimal !== undefined) {
                bytes.push(decimal & 255);
            } else {
                bytes.push(...encoder.encode(escaped ?? part));
            }
        }
        strings.push(new TextDecoder().decode(Uint8Array.from(bytes)));
    }
    return strings;
}

/** A resolver, `{resolveTxt}`, that asks the DNS server at `url`, which answers in JSON (`application/dns-json`). */
function dohAt(request, url) {
    async function ask(hostname) {
        const query = `name=${encodeURIComponent(hostname)}&type=TXT`;
        const opts = {
            url: `${url}${url.includes('?') ? '&' : '?'}${query}`, method: 'GET', responseType: 'json',
            requestHeaders: { accept: 'application/dns-json' }, timeout: 5000, timeoutRetries: 1,
        };
        try {
            return await request(opts);
        } catch (exception) {
            const reason = exception.message ?? `${exception}`;
            if (exception.type !== 'connect') { throw dnsError('ESERVFAIL', hostname, reason); }
            throw dnsError(exception.reason === 'timedOut' ? 'ETIMEOUT' : 'ECONNREFUSED', hostname, reason);
        }
    }

    return Object.freeze({
        /** Strings of each TXT record. Rejects with `{code, hostname}`. */
        async resolveTxt(domain) {
            const hostname = String(domain);
            const { status, data } = await ask(hostname);
            if (status !== 200 || typeof data !== 'object' || data === null || !Number.isInteger(data.Status)) {
                throw dnsError('ESERVFAIL', hostname, `${url} answered with HTTP status ${status} and no DNS reply`);
            }
            const answers = data.Status === 0 && Array.isArray(data.Answer) ? data.Answer : [];
            const records = answers
                .filter(record => record?.type === recordTypeTXT && typeof record.data === 'string')
                .map(record => txtStrings(record.data));
            if (records.length > 0) { return records; }
            const code = Object.hasOwn(codeOfStatus, data.Status) ? codeOfStatus[data.Status] : 'ESERVFAIL';
            throw dnsError(code, hostname, `${url} answered with DNS status ${data.Status}`);
        },
    });
}

/**
 * `makeNet` and `makeResolver` for `Core.make`, of what a core's bundle has for it. A core without network, like the
 * embedded one, has neither, and gets `undefined`.
 */
function makeNetwork({ makeNetClient, makeServiceLocator, dohAt: dohOfBundle }, openEventSource, resolvers) {
    const urls = resolvers?.length > 0 ? resolvers : defaultResolvers;
    return {
        makeNet: makeNetClient && (() => makeNetClient(request, openEventSource)),
        makeResolver: makeServiceLocator
            && (() => makeServiceLocator(...urls.map(url => (dohOfBundle ?? dohAt)(request, url)))),
    };
}

Object.assign(globalThis.__platformParts, { makeNetwork, request, dohAt });
}
