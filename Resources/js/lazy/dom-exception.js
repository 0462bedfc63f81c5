// DOMException, after Web IDL.
(() => {
'use strict';
const NAMES = ['IndexSizeError', , 'HierarchyRequestError', 'WrongDocumentError', 'InvalidCharacterError', ,
    'NoModificationAllowedError', 'NotFoundError', 'NotSupportedError', 'InUseAttributeError', 'InvalidStateError',
    'SyntaxError', 'InvalidModificationError', 'NamespaceError', 'InvalidAccessError', , 'TypeMismatchError',
    'SecurityError', 'NetworkError', 'AbortError', 'URLMismatchError', 'QuotaExceededError', 'TimeoutError',
    'InvalidNodeTypeError', 'DataCloneError'];
const ODD = { InUseAttributeError: 'INUSE_ATTRIBUTE_ERR', URLMismatchError: 'URL_MISMATCH_ERR' };
// Of codes that no name has any more, the constants are left.
const OLD = { DOMSTRING_SIZE_ERR: 2, NO_DATA_ALLOWED_ERR: 6, VALIDATION_ERR: 16 };

return ({ expose }) => {
    class DOMException extends Error {
        #name;
        #message;
        constructor(message = '', name = 'Error') {
            super();
            this.#message = `${message}`;
            this.#name = `${name}`;
        }
        static has(value) { return #name in value; }
        get name() { return this.#name; }
        get message() { return this.#message; }
        get code() { return NAMES.indexOf(this.#name) + 1; }
    }
    const isDOMException = DOMException.has;
    delete DOMException.has;
    expose(DOMException);

    const constants = { ...OLD };
    NAMES.forEach((name, i) => {
        const words = name.replace(/Error$/, '').replace(/([a-z])(?=[A-Z])/g, '$1_').toUpperCase();
        constants[ODD[name] ?? `${words}_ERR`] = i + 1;
    });
    for (const [name, value] of Object.entries(constants).sort(([, a], [, b]) => a - b)) {
        for (const owner of [DOMException, DOMException.prototype]) {
            Object.defineProperty(owner, name, { value, enumerable: true });
        }
    }
    return { DOMException, isDOMException };
};
})()
