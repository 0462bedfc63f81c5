// btoa and atob, on the engine's own base64.
(() => {
'use strict';
return ({ domException }) => {
    function btoa(text) {
        const units = String(text);
        const bytes = new Uint8Array(units.length);
        for (let i = 0; i < units.length; i += 1) {
            const unit = units.charCodeAt(i);
            if (unit > 0xff) { throw domException('btoa takes characters up to U+00FF', 'InvalidCharacterError'); }
            bytes[i] = unit;
        }
        return bytes.toBase64();
    }

    function atob(text) {
        let bytes;
        try {
            bytes = Uint8Array.fromBase64(String(text));
        } catch {
            throw domException('atob takes base64', 'InvalidCharacterError');
        }
        let result = '';
        for (let i = 0; i < bytes.length; i += 4096) {
            result += String.fromCharCode.apply(null, bytes.subarray(i, i + 4096));
        }
        return result;
    }

    return { atob, btoa };
};
})()
