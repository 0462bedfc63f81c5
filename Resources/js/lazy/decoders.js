// Decoders other than UTF-8 for TextDecoder, with the interface of Utf8Decoder in common-preload.js.
(() => {
'use strict';
class Utf16Decoder {
    half;
    high;
    decode(bytes, isLast, fail) {
        const units = [];
        for (const byte of bytes) {
            if (this.half === undefined) {
                this.half = byte;
                continue;
            }
            const unit = this.half | (byte << 8);
            this.half = undefined;
            this.add(unit, units, fail);
        }
        if (isLast && (this.half !== undefined || this.high !== undefined)) {
            this.half = this.high = undefined;
            units.push(fail());
        }
        return textOf(units);
    }
    add(unit, units, fail) {
        const { high } = this;
        const isLow = (unit & 0xfc00) === 0xdc00;
        this.high = undefined;
        if (high !== undefined && isLow) {
            units.push(high, unit);
            return;
        }
        if (high !== undefined) { units.push(fail()); }
        if (isLow) {
            units.push(fail());
        } else if ((unit & 0xfc00) === 0xd800) {
            this.high = unit;
        } else {
            units.push(unit);
        }
    }
}

function textOf(units) {
    let text = '';
    for (let i = 0; i < units.length; i += 4096) { text += String.fromCharCode.apply(null, units.slice(i, i + 4096)); }
    return text;
}

// 0x80 to 0x9f in windows-1252, which is what the web means by latin1.
const UPPER = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
class Windows1252Decoder {
    decode(bytes) {
        return textOf(Array.from(bytes, byte => (byte & 0xe0) === 0x80 ? UPPER.charCodeAt(byte & 0x1f) : byte));
    }
}

const LABELS = {
    'utf-8': 'utf-8 utf8 unicode-1-1-utf-8',
    'utf-16le': 'utf-16le utf-16 ucs-2 unicode iso-10646-ucs-2',
    'windows-1252': 'windows-1252 latin1 l1 iso-8859-1 iso8859-1 iso88591 cp1252 x-cp1252 ascii us-ascii',
};

function find(label, Utf8Decoder) {
    const wanted = String(label).trim().toLowerCase();
    const encoding = Object.keys(LABELS).find(name => LABELS[name].split(' ').includes(wanted));
    if (!encoding) { throw new RangeError(`Unknown encoding ${label}; known are ${Object.keys(LABELS).join(', ')}`); }
    return [encoding, { 'utf-8': Utf8Decoder, 'utf-16le': Utf16Decoder, 'windows-1252': Windows1252Decoder }[encoding]];
}

return () => ({ find });
})()
