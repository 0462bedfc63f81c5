// structuredClone of plain data, arrays, Map, Set, Date, RegExp, Error, wrapped primitives, buffers and views.
(() => {
'use strict';
const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const UNCLONABLE = [Promise, WeakMap, WeakSet, WeakRef, FinalizationRegistry];

return ({ domException }) => {
    function refuse(what) {
        return domException(`${what} cannot be cloned`, 'DataCloneError');
    }

    function cloneError(value, clone) {
        const make = Object.hasOwn(ERRORS, value.name) ? ERRORS[value.name] : Error;
        const copy = Object.create(make.prototype);
        const result = Object.setPrototypeOf(new Error(value.message), Object.getPrototypeOf(copy));
        Object.defineProperty(result, 'stack', { value: value.stack, writable: true, configurable: true });
        return [result, () => {
            if (!Object.hasOwn(value, 'cause')) { return; }
            Object.defineProperty(result, 'cause', { value: clone(value.cause), writable: true, configurable: true });
        }];
    }

    function cloneMembers(value, copy, clone) {
        return [copy, () => {
            for (const key of Object.keys(value)) {
                Object.defineProperty(copy, key,
                    { value: clone(value[key]), writable: true, enumerable: true, configurable: true });
            }
        }];
    }

    function cloneView(value, clone) {
        const buffer = clone(value.buffer);
        const size = value instanceof DataView ? value.byteLength : value.length;
        return new value.constructor(buffer, value.byteOffset, size);
    }

    // The copy, and what fills it once it is remembered (so that cycles find it).
    function begin(value, clone) {
        if (value instanceof Date) { return [new Date(value.getTime())]; }
        if (value instanceof RegExp) { return [new RegExp(value.source, value.flags)]; }
        if (value instanceof ArrayBuffer) { return [value.slice(0)]; }
        if (ArrayBuffer.isView(value)) { return [cloneView(value, clone)]; }
        if (value instanceof Error) { return cloneError(value, clone); }
        if (value instanceof Map) {
            const copy = new Map();
            return [copy, () => [...value].forEach(([key, member]) => copy.set(clone(key), clone(member)))];
        }
        if (value instanceof Set) {
            const copy = new Set();
            return [copy, () => [...value].forEach(member => copy.add(clone(member)))];
        }
        if (value instanceof Boolean || value instanceof Number || value instanceof String || value instanceof BigInt) {
            return [Object(value.valueOf())];
        }
        if (UNCLONABLE.some(kind => value instanceof kind)) { throw refuse(`A ${value.constructor.name}`); }
        return cloneMembers(value, Array.isArray(value) ? new Array(value.length) : {}, clone);
    }

    function structuredClone(root, { transfer = [] } = {}) {
        const copies = new Map();
        for (const buffer of transfer) {
            if (!(buffer instanceof ArrayBuffer) || copies.has(buffer)) { throw refuse('A transferred value'); }
            copies.set(buffer, undefined);
        }
        function clone(value) {
            if (typeof value === 'function' || typeof value === 'symbol') { throw refuse(`A ${typeof value}`); }
            if (typeof value !== 'object' || value === null) { return value; }
            const known = copies.get(value);
            if (known) { return known; }
            if (copies.has(value)) {
                copies.set(value, value.slice(0));
                return copies.get(value);
            }
            const [copy, fill] = begin(value, clone);
            copies.set(value, copy);
            fill?.();
            return copy;
        }
        const copy = clone(root);
        for (const buffer of transfer) { buffer.transfer(); }
        return copy;
    }

    return { structuredClone };
};
})()
