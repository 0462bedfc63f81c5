// Hosts of URLs: addresses and domains. Domains are normalised (NFKC), lower-cased and coded as punycode; the mapping
// tables of IDNA are not here.
(() => {
'use strict';
return ({ load }) => {
const { percentEncode, percentDecode } = load('url-text');

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
    const pieces = [...head, ...new Array(8 - count).fill('0'), ...tail];
    return compressIPv6(pieces.map(piece => parseInt(piece, 16).toString(16)));
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
    const domain = percentDecode(text).normalize('NFKC').toLowerCase().normalize('NFC')
        .replace(/[\u3002\uff0e\uff61]/g, '.').replaceAll('\u00ad', '');
    const ascii = domain.split('.').map(label => /[^\0-\x7f]/.test(label) ? punycode(label) : label).join('.');
    if (ascii === '' || /[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(ascii)) { throw fail(`host ${text}`); }
    return endsInNumber(ascii) ? parseIPv4(ascii) : ascii;
}

return { parseHost, fail };
};
})()
