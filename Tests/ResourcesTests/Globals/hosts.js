// Hosts of URLs: domains by IDNA, addresses, opaque hosts; null is refused.
const SPECIAL = {
    // Domains
    'EXAMPLE.Com': 'example.com', 'a%41': 'aa', '%C5%BE': 'xn--jha', 'bücher.example': 'xn--bcher-kva.example',
        '日本語。jp': 'xn--wgv71a119e.jp', 'faß.example': 'xn--fa-hia.example', 'βόλος.com': 'xn--nxasmm1c.com',
    'ｅｘ．com': 'ex.com', 'a\u00adb': 'ab', 'Å': 'xn--5ca', '☕.example': 'xn--53h.example',
        'İ.example': 'xn--i-9bb.example', '\u1e9e': undefined, 'ﬃ': 'ffi', 'xn--bcher-kva': 'xn--bcher-kva',
        'XN--BCHER-KVA': 'xn--bcher-kva', 'a.b.': 'a.b.',
    'a..b': 'a..b', '-a-.b': '-a-.b', 'ab--c': 'ab--c', 'a_b': 'a_b', 'a~b!$&\'()*+,;="`{}': 'a~b!$&\'()*+,;="`{}',
        'ä..ö': 'xn--4ca..xn--nda', 'שלום.example': 'xn--9dbne9b.example', 'ب\u200cب': 'xn--ngba799q',
        'a\u200cb': null, 'क्\u200dष': 'xn--11b2ezcw70k',
    ['ž'.repeat(60)]: undefined,
    // Refused domains
    'xn--': null, 'xn--a': null, 'xn--a-': null, 'xn--zzzzzzzzzzzzzzz': null, 'a.xn--ls8h=': null, '\u00ad': null,
        'a b': null, 'a%00b': null, 'a<b': null, 'a>b': null, 'a^b': null, 'a|b': null, 'a%25b': null, 'a%3Ab': null,
        'a%40': null, 'a%7Fb': null, 'a%5B': null, '%': null, '%80': null, '\ufffd': null,
    'aא': null, '\u200d': null, '\u2260': undefined, '\u0300a': null, '％４１': null, '⒈com': null, 'a\u3000b': null,
        '\u{e000}': null, '؄': undefined,
    // IPv4
    '127.0.0.1': '127.0.0.1', '127.1': '127.0.0.1', '127.0.1': '127.0.0.1', '2130706433': '127.0.0.1',
        '0x7f000001': '127.0.0.1', '0X7F.1': '127.0.0.1', '017700000001': '127.0.0.1', '0x': '0.0.0.0',
        '0.0x.0': '0.0.0.0', '1.2.3.4.': '1.2.3.4', '４.４.４.４': '4.4.4.4', '4294967295': '255.255.255.255',
        '1.16777215': '1.255.255.255', '%31': '0.0.0.1', '1.0x2': '1.0.0.2', '00.0': '0.0.0.0',
    '256.1.1.1': null, '1.2.3.256': null, '1.2.3.4.5': null, '4294967296': null, '1.2.3.08': null,
        '1.2.3.0x1g': '1.2.3.0x1g', '0x0x': '0x0x', '1..2': null, 'a.1': null, 'a.0x': null, 'a.09': null,
        '1.2.3.4..': '1.2.3.4..', '.1': null, '1.a': '1.a', '1e2': '1e2', '09': null, '0x1.0x100000000': null,
        '1.65536.1': null, '99999999999999999999999': null,
    // IPv6
    '[::]': '[::]', '[::1]': '[::1]', '[1::]': '[1::]', '[1:2:3:4:5:6:7:8]': '[1:2:3:4:5:6:7:8]',
        '[0001:00ab:0:0:0:0:0:0]': '[1:ab::]', '[1:0:0:2:0:0:0:3]': '[1:0:0:2::3]',
        '[1:0:0:2:3:0:0:4]': '[1::2:3:0:0:4]', '[0:0:1::]': '[0:0:1::]', '[::FFFF:1.2.3.4]': '[::ffff:102:304]',
        '[1:2:3:4:5:6:1.2.3.4]': '[1:2:3:4:5:6:102:304]', '[1:0:2:0:3:0:4:0]': '[1:0:2:0:3:0:4:0]',
        '[1::2:3:4:5:6:7]': '[1:0:2:3:4:5:6:7]', '[0:0:0:0:0:0:0:1]': '[::1]',
    '[]': null, '[:]': null, '[:::]': null, '[1:2]': null, '[::1': null, '::1]': null, '[1:2:3:4:5:6:7:8:9]': null,
        '[1:2:3:4:5:6:7:8::]': null, '[1::2::3]': null, '[12345::]': null, '[g::]': null, '[::1.2.3]': null,
        '[::1.2.3.400]': null, '[::01.2.3.4]': null, '[1.2.3.4]': null, '[::1%25eth]': null, '[::1]x': null,
        'x[::1]': null, '[1:2:3:4:5:6:7:1.2.3.4]': null, '[::1.2.3.4:5]': null, '[ ::1]': null,
        '[::1.2.3.4.5]': null, '[%3A%3A1]': null, ':1:': null,
};

check('hosts of special URLs', () => {
    const wrong = [];
    for (const [host, wanted] of Object.entries(SPECIAL)) {
        const seen = URL.parse(`http://${host}/`)?.hostname ?? null;
        if (wanted !== undefined && seen !== wanted) { wrong.push([host, seen, wanted]); }
        if (seen !== null && URL.parse(`http://${seen}/`)?.hostname !== seen) { wrong.push([host, seen,
            'not stable']); }
    }
    same(wrong, []);
});

check('opaque hosts of others', () => {
    const hosts = {
        EXAMPLE: 'EXAMPLE', 'bücher': 'b%C3%BCcher', '%zz%41': '%zz%41', '1.2': '1.2', '0x7f': '0x7f',
            '[::1]': '[::1]', '[0:0::1]': '[::1]', 'a\x01': 'a%01', 'a"b`{}!$&\'()*+,;=~': 'a"b`{}!$&\'()*+,;=~',
            'a%20b': 'a%20b',
        'a b': null, 'a<b': null, 'a>': null, 'a[': null, 'a]': null, 'a^b': null, 'a|b': null, 'a\0b': null,
            'a\\b': null, '[::1': null, '[x]': null,
    };
    const wrong = [];
    for (const [host, wanted] of Object.entries(hosts)) {
        const seen = URL.parse(`foo://${host}/`)?.hostname ?? null;
        if (seen !== wanted) { wrong.push([host, seen, wanted]); }
    }
    same(wrong, []);
});

check('labels of any length are taken', () => {
    const long = 'a'.repeat(300);
    same(new URL(`http://${long}.${long}/`).hostname, `${long}.${long}`);
    same(new URL(`http://ž${long}/`).hostname.length, 300 + 4 + 5);
});
