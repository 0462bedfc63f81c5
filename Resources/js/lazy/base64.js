// btoa and atob, on the engine's own base64, which forgives what HTML says.
(() => {
'use strict';
const CHUNK = 8192;

return ({ need, domException }) => {
    const methods = {
        btoa(data) {
            need(arguments.length, 1, 'btoa');
            const text = `${data}`;
            const bytes = new Uint8Array(text.length);
            for (let i = 0; i < text.length; i += 1) {
                const unit = text.charCodeAt(i);
                if (unit > 0xff) { throw domException('btoa takes characters up to U+00FF', 'InvalidCharacterError'); }
                bytes[i] = unit;
            }
            return bytes.toBase64();
        },
        atob(data) {
            need(arguments.length, 1, 'atob');
            const base64 = `${data}`;
            let bytes;
            try {
                bytes = Uint8Array.fromBase64(base64);
            } catch {
                throw domException('atob takes base64', 'InvalidCharacterError');
            }
            let text = '';
            for (let i = 0; i < bytes.length; i += CHUNK) {
                text += String.fromCharCode.apply(null, bytes.subarray(i, i + CHUNK));
            }
            return text;
        },
    };
    return methods;
};
})()
