// Encodings of TextDecoder beside UTF-8. find(label) gives [name, decode]; decode(bytes, goesOn, isFatal, progress)
// gives text, or null for what is malformed when that is fatal; progress[0] = bytes at the end that wait for others.
(() => {
'use strict';
const MOST_ARGUMENTS = 8192;

function textOf(units) {
    let text = '';
    for (let i = 0; i < units.length; i += MOST_ARGUMENTS) {
        text += String.fromCharCode.apply(null, units.subarray(i, i + MOST_ARGUMENTS));
    }
    return text;
}

const decodeUtf16 = isLittle => (bytes, goesOn, isFatal, progress) => {
    const { byteLength, byteOffset, buffer } = bytes;
    const view = new DataView(buffer, byteOffset, byteLength);
    const odd = byteLength % 2;
    let count = (byteLength - odd) / 2;
    const endsHigh = count > 0 && (view.getUint16(2 * count - 2, isLittle) & 0xfc00) === 0xd800;
    if (goesOn && endsHigh) { count -= 1; }
    progress[0] = goesOn ? byteLength - 2 * count : 0;
    const units = new Uint16Array(count);
    for (let i = 0; i < count; i += 1) { units[i] = view.getUint16(2 * i, isLittle); }
    const text = textOf(units);
    const isCut = odd === 1 && !goesOn;
    if (isFatal && (isCut || !text.isWellFormed())) { return null; }
    // A cut unit takes the high surrogate before it along.
    return isCut ? `${(endsHigh ? text.slice(0, -1) : text).toWellFormed()}\ufffd` : text.toWellFormed();
};

// 0x80 to 0x9f in windows-1252, which is what the web means by latin1 and ASCII.
const UPPER = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWindows1252(bytes, goesOn, isFatal, progress) {
    progress[0] = 0;
    const units = new Uint16Array(bytes);
    for (let i = 0; i < units.length; i += 1) {
        if ((units[i] & 0xe0) === 0x80) { units[i] = UPPER.charCodeAt(units[i] & 0x1f); }
    }
    return textOf(units);
}

// Names and labels of the Encoding Standard.
const ENCODINGS = [
    ['utf-8', undefined, 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8'],
    ['utf-16le', decodeUtf16(true), 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le'],
    ['utf-16be', decodeUtf16(false), 'unicodefffe utf-16be'],
    ['windows-1252', decodeWindows1252, 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 '
        + 'iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252'],
];

function find(label) {
    const wanted = /^[\t\n\f\r ]*([!-~]+)[\t\n\f\r ]*$/.exec(label)?.[1].toLowerCase();
    const found = ENCODINGS.find(([, , labels]) => labels.split(' ').includes(wanted));
    if (!found) {
        const known = ENCODINGS.map(([name]) => name).join(', ');
        throw new RangeError(`Unknown encoding ${label.slice(0, 80)}; known are ${known}`);
    }
    return found;
}

return () => ({ find });
})()
