// crypto: random numbers, from the operating system.
(() => {
'use strict';
const MOST_BYTES = 65536;
const INTEGERS = new Set(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array',
    'Uint32Array', 'BigInt64Array', 'BigUint64Array']);

return ({ callPort, need, expose, kindOfArray, domException, brands }) => {
    let made;

    class Crypto {
        #is;
        constructor() {
            if (made) { throw new TypeError('Illegal constructor'); }
        }
        static has(value) { return #is in value; }
        getRandomValues(array) {
            this.#is;
            need(arguments.length, 1, 'getRandomValues');
            if (!ArrayBuffer.isView(array)) { throw new TypeError('getRandomValues needs a typed array'); }
            if (!INTEGERS.has(kindOfArray(array))) {
                throw domException('getRandomValues needs an array of integers', 'TypeMismatchError');
            }
            const { byteLength, byteOffset, buffer } = array;
            if (byteLength > MOST_BYTES) {
                throw domException(`${byteLength} bytes are more than ${MOST_BYTES}`, 'QuotaExceededError');
            }
            if (byteLength > 0) {
                new Uint8Array(buffer, byteOffset, byteLength).set(callPort('crypto_random', [byteLength]));
            }
            return array;
        }
        randomUUID() {
            this.#is;
            const bytes = callPort('crypto_random', [16]);
            bytes[6] = (bytes[6] & 0x0f) | 0x40;
            bytes[8] = (bytes[8] & 0x3f) | 0x80;
            return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
        }
    }
    brands.push(Crypto.has);
    delete Crypto.has;
    made = new Crypto();
    return { crypto: made, Crypto: expose(Crypto) };
};
})()
