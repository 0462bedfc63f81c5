// Percent encoding for URLs.
(() => {
'use strict';
// Beside controls and what is beyond ASCII.
const CONTROLS = '';
const FRAGMENT = ' "<>`';
const QUERY = ' "#<>';
const SPECIAL_QUERY = `${QUERY}'`;
const PATH = `${QUERY}?^\`{}`;
const USERINFO = `${PATH}/:;=@[\\]|`;

function hex(byte) {
    return `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
}

function percentEncode(text, set) {
    return text.replace(/[^!-~]|["#'/:;<=>?@[\\\]^`{|}]/gu, char => {
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

// A string without lone surrogates.
const toText = value => `${value}`.toWellFormed();

return () => ({ percentEncode, percentDecode, toText, hex, CONTROLS, FRAGMENT, QUERY, SPECIAL_QUERY, PATH, USERINFO });
})()
