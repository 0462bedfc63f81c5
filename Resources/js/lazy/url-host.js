// Hosts of URLs, after the URL Standard: addresses, domains (their ASCII form is native), opaque hosts.
(() => {
'use strict';
return ({ native, load }) => {
const { percentEncode, percentDecode, CONTROLS } = load('url-text');
const MAX_SHOWN = 200;

function fail(what) {
    return new TypeError(`Invalid URL: ${what.length > MAX_SHOWN ? `${what.slice(0, MAX_SHOWN)}...` : what}`);
}

function parseIPv4Number(text) {
    if (text === '') { return NaN; }
    const [, prefix, digits] = /^(0x|0(?=.)|)(.*)$/is.exec(text);
    const [radix, valid] = prefix === '' ? [10, /^\d+$/] : prefix === '0' ? [8, /^[0-7]+$/] : [16, /^[0-9a-f]*$/i];
    if (!valid.test(digits)) { return NaN; }
    return digits === '' ? 0 : parseInt(digits, radix);
}

function labelsOf(domain) {
    const labels = domain.split('.');
    if (labels.at(-1) === '' && labels.length > 1) { labels.pop(); }
    return labels;
}

function endsInNumber(domain) {
    const last = labelsOf(domain).at(-1);
    return /^\d+$/.test(last) || !Number.isNaN(parseIPv4Number(last));
}

function parseIPv4(domain) {
    const numbers = labelsOf(domain).map(parseIPv4Number);
    const last = numbers.pop();
    if (numbers.length > 3 || !(last < 256 ** (4 - numbers.length)) || numbers.some(number => !(number < 256))) {
        throw fail(`address ${domain}`);
    }
    const address = numbers.reduce((sum, number, i) => sum + number * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');
}

function parseIPv6(text) {
    const wrong = () => fail(`address [${text}]`);
    if (text.length > 45) { throw wrong(); }
    const embedded = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/s.exec(text);
    let address = text;
    if (embedded) {
        const bytes = embedded.slice(2);
        if (bytes.some(byte => byte > 255 || /^0./.test(byte))) { throw wrong(); }
        const [a, b, c, d] = bytes.map(Number);
        address = `${embedded[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    }
    const halves = address.split('::').map(half => half === '' ? [] : half.split(':'));
    const count = halves.flat().length;
    if (halves.length > 2 || halves.flat().some(piece => !/^[0-9a-f]{1,4}$/i.test(piece))
        || (halves.length === 2 ? count > 7 : count !== 8)) {
        throw wrong();
    }
    const [head, tail = []] = halves;
    const pieces = [...head, ...new Array(8 - count).fill('0'), ...tail];
    return compressIPv6(pieces.map(piece => parseInt(piece, 16).toString(16)));
}

// The first of the longest runs of two or more zeros becomes `::`.
function compressIPv6(pieces) {
    let start = 0;
    let length = 1;
    for (let i = 0; i < pieces.length; i += 1) {
        let end = i;
        while (pieces[end] === '0') { end += 1; }
        if (end - i > length) { [start, length] = [i, end - i]; }
        i = Math.max(i, end - 1);
    }
    if (length === 1) { return pieces.join(':'); }
    return `${pieces.slice(0, start).join(':')}::${pieces.slice(start + length).join(':')}`;
}

function domainToASCII(domain) {
    const lower = domain.toLowerCase();
    if (/^[\0-\x7f]*$/.test(domain) && !/(?:^|\.)xn--/.test(lower)) { return lower; }
    const ascii = native.domainToASCII(domain);
    // Punycode for what needs none; the engine's ICU knows only older rules, which allow it.
    return ascii === null || /(?:^|\.)xn--(?:[^.]*-)?(?:\.|$)/.test(ascii) ? '' : ascii;
}

function parseHost(text, special) {
    if (text.startsWith('[')) {
        if (!text.endsWith(']')) { throw fail(`host ${text}`); }
        return `[${parseIPv6(text.slice(1, -1))}]`;
    }
    if (!special) {
        if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) { throw fail(`host ${text}`); }
        return percentEncode(text, CONTROLS);
    }
    const ascii = domainToASCII(percentDecode(text));
    if (ascii === '' || /[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(ascii)) { throw fail(`host ${text}`); }
    return endsInNumber(ascii) ? parseIPv4(ascii) : ascii;
}

return { parseHost, fail };
};
})()
