// DOMException.
(() => {
'use strict';
const CODES = {
    IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12,
    InvalidCharacterError: 5, TypeMismatchError: 17, AbortError: 20, QuotaExceededError: 22, TimeoutError: 23,
    DataCloneError: 25,
};

class DOMException extends Error {
    constructor(message = '', name = 'Error') {
        super(message);
        Object.defineProperty(this, 'name', { value: String(name), configurable: true });
        Object.defineProperty(this, 'code', { value: CODES[name] ?? 0, configurable: true });
    }
}
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: 'DOMException', configurable: true });

return () => ({ DOMException });
})()
