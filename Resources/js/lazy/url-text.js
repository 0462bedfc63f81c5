// Percent encoding for URLs.
(() => {
'use strict';
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

return () => ({ percentEncode, percentDecode, hex, FRAGMENT, QUERY, PATH, USERINFO });
})()
