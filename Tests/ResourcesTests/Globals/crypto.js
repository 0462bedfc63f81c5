// crypto, after Web Cryptography, and base64, after HTML.
check('random values fill arrays of integers', () => {
    for (const made of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
        BigInt64Array, BigUint64Array]) {
        const array = new made(64);
        same([crypto.getRandomValues(array) === array, array.filter(Boolean).length > 32,
            crypto.getRandomValues(new made(0)).length], [true, true, 0], made.name);
    }
    const bytes = new Uint8Array(32);
    crypto.getRandomValues(bytes.subarray(8, 16));
    same([bytes.subarray(0, 8).every(byte => byte === 0), bytes.subarray(16).every(byte => byte === 0)], [true, true]);
    same(crypto.getRandomValues(new Uint8Array(65536)).length, 65536);
    const seen = new Uint32Array(256);
    for (const byte of crypto.getRandomValues(new Uint8Array(65536))) { seen[byte] += 1; }
    same(seen.every(count => count > 128 && count < 384), true);
});

check('other arguments are refused', () => {
    for (const size of [65537, 1 << 20]) { throws(() => crypto.getRandomValues(new Uint8Array(size)),
        'QuotaExceededError'); }
    throws(() => crypto.getRandomValues(new Uint32Array(16385)), 'QuotaExceededError');
    for (const made of [Float16Array, Float32Array, Float64Array]) { throws(() =>
        crypto.getRandomValues(new made(1)), 'TypeMismatchError'); }
    throws(() => crypto.getRandomValues(new DataView(new ArrayBuffer(1))), 'TypeMismatchError');
    for (const wrong of [[1], 5, null, undefined, {}, new ArrayBuffer(4), 'x']) { throws(() =>
        crypto.getRandomValues(wrong)); }
    const gone = new Uint8Array(4);
    gone.buffer.transfer();
    same(crypto.getRandomValues(gone) === gone, true);
});

check('UUIDs are of version 4, and differ', () => {
    const ids = Array.from({ length: 200 }, () => crypto.randomUUID());
    same([new Set(ids).size, ids.every(id =>
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))], [200, true]);
});

check('base64 goes both ways', () => {
    same([btoa(''), btoa('a'), btoa('ab'), btoa('abc'), btoa('\xff\0é'), btoa(null), btoa(12), btoa(undefined)],
        ['', 'YQ==', 'YWI=', 'YWJj', '/wDp', 'bnVsbA==', 'MTI=', 'dW5kZWZpbmVk']);
    same([atob(''), atob('YQ=='), atob('YQ'), atob('YWI='), atob(' Y\tW\nJ\rj\f '), atob('/wDp'), atob('YR=='),
        atob('YWK'), atob('Y Q = =')], ['', 'a', 'a', 'ab', 'abc', '\xff\0é', 'a', 'ab', 'a']);
    for (const wrong of ['a', 'ab=', 'a===', 'abcd=', '=', '====', 'ab==c', '*', 'YQ=\0', 'a-b_', '\u00a0', 'ž',
        'abc=d', 'YQ===', '-w==']) { throws(() => atob(wrong), 'InvalidCharacterError', wrong); }
    for (const wrong of ['ž', '\u0100', '🙂', '\ud800']) { throws(() => btoa(wrong), 'InvalidCharacterError'); }
    same(throws(() => atob('*'), 'InvalidCharacterError').code, 5);
    const all = String.fromCharCode(...Array(256).keys()).repeat(1000);
    same(atob(btoa(all)) === all, true);
});
