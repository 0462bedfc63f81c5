// DOMException, after Web IDL.
check('names have their codes', () => {
    const codes = {
        IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
            NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
            InvalidStateError: 11, SyntaxError: 12,
        InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
            SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22,
            TimeoutError: 23,
        InvalidNodeTypeError: 24, DataCloneError: 25, EncodingError: 0, NotAllowedError: 0, Error: 0, undefined: 0,
            '': 0, toString: 0,
    };
    for (const [name, code] of Object.entries(codes)) {
        const exception = new DOMException('m', name);
        same([exception.name, exception.message, exception.code, String(exception)],
            [name, 'm', code, name ? `${name}: m` : 'm']);
    }
    const { name, message, code, stack } = new DOMException();
    same([name, message, code, typeof stack, String(new DOMException(undefined, undefined))],
        ['Error', '', 0, 'string', 'Error']);
});

check('constants are on the class and its prototype', () => {
    const constants = {
        INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4,
            INVALID_CHARACTER_ERR: 5, NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8,
            NOT_SUPPORTED_ERR: 9,
        INUSE_ATTRIBUTE_ERR: 10, INVALID_STATE_ERR: 11, SYNTAX_ERR: 12, INVALID_MODIFICATION_ERR: 13,
            NAMESPACE_ERR: 14, INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16, TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18,
            NETWORK_ERR: 19,
        ABORT_ERR: 20, URL_MISMATCH_ERR: 21, QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23, INVALID_NODE_TYPE_ERR: 24,
            DATA_CLONE_ERR: 25,
    };
    same(Object.fromEntries(Object.entries(DOMException)), constants);
    for (const [name, value] of Object.entries(constants)) {
        for (const owner of [DOMException, DOMException.prototype]) {
            same(Object.getOwnPropertyDescriptor(owner, name),
                { value, writable: false, enumerable: true, configurable: false });
        }
    }
});

check('an exception is an error and keeps what it was made with', () => {
    const exception = new DOMException('m', 'AbortError');
    same([exception instanceof Error, Error.isError(exception), Object.hasOwn(exception, 'message'),
        Object.hasOwn(exception, 'name')], [true, true, false, false]);
    throws(() => { 'use strict'; exception.name = 'x'; });
    class Mine extends DOMException { constructor() { super('mine', 'DataError'); } }
    same([new Mine().name, new Mine() instanceof DOMException], ['DataError', true]);
});
