// TextEncoder and TextDecoder, after the Encoding Standard.
const encode = text => new TextEncoder().encode(text);
const hex = bytes => bytes.toHex();
const decode = (label, text, options) => new TextDecoder(label, options).decode(Uint8Array.fromHex(text));

check('texts are encoded at any length', () => {
    for (const unit of ['a', '\0', '\x7f', '\x80', '\xff', '\u0100', '\u07ff', '\u0800', '\ud7ff', '\ue000',
        '\uffff', '\u{10000}', '\u{10ffff}', 'až日🙂']) {
        const point = unit.codePointAt(0);
        for (const count of [0, 1, 2, 15, 16, 17, 31, 32, 33, 127, 128, 129, 1000, 70000]) {
            const bytes = encode(unit.repeat(count));
            if (unit.length <= 2) {
                const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
                same(bytes.length, size * count, `${count} of ${point}`);
            }
            same(new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes) === unit.repeat(count),
                true, `${count} of ${point}`);
        }
    }
    same(hex(encode('ž€🙂\0')), 'c5bee282acf09f998200');
    same([encode().length, encode(undefined).length, hex(encode(null)), hex(encode(12))], [0, 0, '6e756c6c', '3132']);
    same(new TextEncoder().encoding, 'utf-8');
    same(encode('x'.repeat(100)).constructor === Uint8Array, true);
});

check('a lone surrogate becomes U+FFFD', () => {
    const wrong = { '\ud800': 'efbfbd', '\udc00': 'efbfbd', 'a\ud800b': '61efbfbd62', '\udc00\ud800': 'efbfbdefbfbd',
        '\ud800\ud83d\ude42': 'efbfbdf09f9982',
        '\ud83d\ude42\ude42': 'f09f9982efbfbd' };
    for (const [text, bytes] of Object.entries(wrong)) {
        same(hex(encode(text)), bytes);
        same(hex(encode(`${'-'.repeat(100)}${text}`)), '2d'.repeat(100) + bytes);
    }
});

check('encodeInto writes whole characters while they fit', () => {
    const into = (text, size) => {
        const bytes = new Uint8Array(size);
        const { read, written } = new TextEncoder().encodeInto(text, bytes);
        same(hex(bytes.subarray(0, written)), hex(encode(text.slice(0, read))), text.slice(0, 10));
        same(bytes.subarray(written).every(byte => byte === 0), true);
        return [read, written];
    };
    same([into('abc', 2), into('a🙂b', 4), into('a🙂b', 5), into('a🙂b', 9), into('ž', 1), into('', 5), into('x', 0)],
        [[2, 2], [1, 1], [3, 5], [4, 6], [0, 0], [0, 0], [0, 0]]);
    same(into('🙂'.repeat(50000), 100001), [50000, 100000]);
    same(into(`a${'🙂'.repeat(50000)}`, 300000), [100001, 200001]);
    same(into('日'.repeat(30000), 89999), [29999, 89997]);
    same(into(`${'x'.repeat(16383)}\ud800`, 20000), [16384, 16386]);
    const bytes = new Uint8Array(10);
    new TextEncoder().encodeInto('ab', bytes.subarray(4, 5));
    same(hex(bytes), '00000000610000000000');
    for (const wrong of [undefined, null, 'x', {}, [], new ArrayBuffer(4), new Int8Array(4),
        new Uint8ClampedArray(4), new DataView(new ArrayBuffer(4))]) {
        throws(() => new TextEncoder().encodeInto('x', wrong));
    }
});

check('what is no UTF-8 becomes U+FFFD, one for each maximal part', () => {
    const parts = {
        c080: 2, ff41: '\ufffdA', e282: 1, e28241: '\ufffdA', eda080: 3, f4908080: 4, '80': 1, e0a0: 1, e08080: 3,
            f08080: 3, f0908041: '\ufffdA',
        f5: 1, fe: 1, c241: '\ufffdA', c2c2a0: '\ufffd\xa0', f09f99f09f9982: '\ufffd🙂', edbfbf: 3,
            f48fbfbf: '\u{10ffff}', efbfbe: '\ufffe', c1bf: 2,
    };
    for (const [bytes, wanted] of Object.entries(parts)) {
        const text = typeof wanted === 'number' ? '\ufffd'.repeat(wanted) : wanted;
        same(decode('utf-8', bytes), text, bytes);
        same(decode('utf-8', `${'61'.repeat(200)}${bytes}`), 'a'.repeat(200) + text, bytes);
        if (text.includes('\ufffd')) {
            throws(() => decode('utf-8', bytes, { fatal: true }), 'TypeError', bytes);
        } else {
            same(decode('utf-8', bytes, { fatal: true }), text);
        }
    }
});

check('the mark at the start is left out, once', () => {
    const mark = 'efbbbf';
    same([decode('utf-8', mark), decode('utf-8', `${mark}61`), decode('utf-8', `${mark}${mark}61`),
        decode('utf-8', `61${mark}`)],
        ['', 'a', '\ufeffa', 'a\ufeff']);
    same(decode('utf-8', `${mark}61`, { ignoreBOM: true }), '\ufeffa');
    same([decode('utf-16le', 'fffe6100'), decode('utf-16be', 'feff0061'),
        decode('utf-16le', 'fffe6100', { ignoreBOM: true })], ['a', 'a', '\ufeffa']);
    same(decode('latin1', 'efbbbf'), 'ï»¿');
    const decoder = new TextDecoder();
    const stream = text => decoder.decode(Uint8Array.fromHex(text), { stream: true });
    same([stream('ef'), stream('bb'), stream('bf'), stream('61'), stream(mark), decoder.decode()],
        ['', '', '', 'a', '\ufeff', '']);
    same([stream(mark), stream('62'), decoder.decode(), decoder.decode(Uint8Array.fromHex(`${mark}63`))],
        ['', 'b', '', 'c']);
});

check('a stream keeps what is cut', () => {
    const decoder = new TextDecoder();
    const stream = (text, goesOn = true) => decoder.decode(Uint8Array.fromHex(text), { stream: goesOn });
    same([stream('f0'), stream('9f'), stream('99'), stream('82'), stream('e2'), stream('82', false)],
        ['', '', '', '🙂', '', '\ufffd']);
    same([stream('e2'), stream('41'), stream('c3'), stream('', false), stream('a9', false)],
        ['', '\ufffdA', '', '\ufffd', '\ufffd']);
    const fatal = new TextDecoder('utf-8', { fatal: true });
    same(fatal.decode(Uint8Array.of(0xe2), { stream: true }), '');
    throws(() => fatal.decode());
    same(fatal.decode(Uint8Array.of(0x41)), 'A');
    throws(() => fatal.decode(Uint8Array.of(0xe0, 0x80), { stream: true }));
    const wide = new TextDecoder('utf-16le');
    const steps = ['3d', 'd8', '42', 'de', '41', '00', '3dd8'].map(text =>
        wide.decode(Uint8Array.fromHex(text), { stream: true }));
    same([...steps, wide.decode()], ['', '', '', '🙂', '', 'A', '', '\ufffd']);
});

check('any cut of the bytes decodes the same', () => {
    let state = (Math.random() * 0x7fffffff) | 1;
    const seed = state;
    const random = limit => {
        state = Math.imul(state, 1664525) + 1013904223 | 0;
        return (state >>> 8) % limit;
    };
    for (const label of ['utf-8', 'utf-16le', 'utf-16be', 'latin1']) {
        for (let round = 0; round < 200; round += 1) {
            const good = encode('až🙂\ufeff日'.repeat(random(4)));
            const bytes = Uint8Array.from([...good, ...Array.from({ length: random(12) }, () => random(256)), ...good]);
            const whole = new TextDecoder(label).decode(bytes);
            const decoder = new TextDecoder(label);
            let text = '';
            for (let at = 0; at < bytes.length;) {
                const size = 1 + random(9);
                text += decoder.decode(bytes.subarray(at, at + size), { stream: true });
                at += size;
            }
            same(text + decoder.decode(), whole, `seed ${seed}, ${label} ${hex(bytes)}`);
        }
    }
});

check('large inputs are decoded, whatever lies at the edge of 64 KiB', () => {
    for (const head of [65530, 65533, 65534, 65535, 65536, 200000]) {
        const text = `${'x'.repeat(head)}🙂日ž`;
        same(new TextDecoder().decode(encode(text)) === text, true, String(head));
        const decoder = new TextDecoder('utf-8', { fatal: true });
        const bytes = encode(text);
        const parts = [bytes.subarray(0, head + 2), bytes.subarray(head + 2, head + 3), bytes.subarray(head + 3)];
        same(parts.map(part => decoder.decode(part, { stream: true })).join('') + decoder.decode() === text, true,
            String(head));
    }
});

check('other encodings have their labels', () => {
    const names = {
        'utf-8': ['utf8', 'UTF-8', ' utf-8\t', 'unicode-1-1-utf-8', 'x-unicode20utf8'],
            'utf-16le': ['utf-16', 'ucs-2', 'unicode', 'csunicode'],
        'utf-16be': ['unicodefffe', 'UTF-16BE'],
            'windows-1252': ['latin1', 'ascii', 'us-ascii', 'iso-8859-1', 'iso_8859-1:1987', 'l1', 'cp1252',
            'ISO88591'],
    };
    for (const [name, labels] of Object.entries(names)) {
        for (const label of labels) { same(new TextDecoder(label).encoding, name, label); }
    }
    for (const wrong of ['', ' ', 'koi8-r', 'utf-7', 'utf-8\0', '\u00a0utf-8', 'utf\u20118', 'x'.repeat(1000), null,
        'replacement']) {
        throws(() => new TextDecoder(wrong), 'RangeError');
    }
    same(decode('latin1', '80e9419f81'), '€éAŸ\x81');
    const all = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, i) => i));
    same([all.length, all.slice(0, 128) === String.fromCharCode(...Array(128).keys()), all.codePointAt(0x82),
        all.codePointAt(0xff)], [256, true, 0x201a, 255]);
    same([decode('utf-16le', '00d84100'), decode('utf-16le', '41'), decode('utf-16le', '00d841'),
        decode('utf-16be', 'd83dde420041')],
        ['\ufffdA', '\ufffd', '\ufffd', '🙂A']);
    throws(() => decode('utf-16le', '00dc', { fatal: true }));
    throws(() => decode('utf-16be', '00', { fatal: true }));
});

check('every kind of bytes is taken, and nothing else', () => {
    const { buffer } = Uint8Array.of(0x61, 0xc5, 0xbe, 0x62);
    const decoder = new TextDecoder();
    same([buffer, new DataView(buffer, 1), new Int8Array(buffer, 0, 1), new Uint16Array(buffer, 2),
        new Uint8ClampedArray(buffer)].map(each => decoder.decode(each)),
        ['ažb', 'žb', 'a', '\ufffdb', 'ažb']);
    same([decoder.decode(), decoder.decode(undefined, undefined), decoder.decode(undefined, null)], ['', '', '']);
    for (const wrong of [null, 5, 'text', {}, [97], Symbol()]) { throws(() => decoder.decode(wrong)); }
    throws(() => decoder.decode(undefined, 5));
    throws(() => new TextDecoder('utf-8', 5));
    const gone = new Uint8Array(8);
    gone.buffer.transfer();
    same([decoder.decode(gone), decoder.decode(gone.buffer)], ['', '']);
    const resizable = new ArrayBuffer(2, { maxByteLength: 8 });
    new Uint8Array(resizable).set([97, 98]);
    same(decoder.decode(new Uint8Array(resizable)), 'ab');
    resizable.resize(1);
    same(decoder.decode(resizable), 'a');
});

check('options are flags', () => {
    const { fatal, ignoreBOM } = new TextDecoder('utf-8', { fatal: 1, ignoreBOM: '' });
    same([fatal, ignoreBOM], [true, false]);
    same(new TextDecoder(undefined, null).encoding, 'utf-8');
});

check('buffers of the caller can still be transferred and resized', () => {
    for (const size of [16, 100, 1000, 70000]) {
        const bytes = new Uint8Array(size).fill(97);
        new TextDecoder().decode(bytes);
        new TextEncoder().encodeInto('ž'.repeat(size), bytes);
        structuredClone(null, { transfer: [bytes.buffer] });
        same([bytes.length, bytes.buffer.detached], [0, true], String(size));
        const encoded = encode('x'.repeat(size));
        encoded.buffer.transfer();
        same(encoded.length, 0);
    }
});
