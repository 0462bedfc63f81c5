// structuredClone, after HTML: everything is read first, then buffers are transferred, and copies are made last, so
// that what cannot be cloned leaves everything as it was.
(() => {
'use strict';
const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, keys, defineProperty } = Object;
const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

const call = Function.prototype.call.bind.bind(Function.prototype.call);
const getterOf = (prototype, name) => call(getOwnPropertyDescriptor(prototype, name).get);
const viewPrototype = getPrototypeOf(Uint8Array.prototype);
const bufferOf = { array: getterOf(viewPrototype, 'buffer'), view: getterOf(DataView.prototype, 'buffer') };
const offsetOf = { array: getterOf(viewPrototype, 'byteOffset'), view: getterOf(DataView.prototype, 'byteOffset') };
const sizeOf = { array: getterOf(viewPrototype, 'length'), view: getterOf(DataView.prototype, 'byteLength') };
const toString = call(Object.prototype.toString);
const isDetached = getterOf(ArrayBuffer.prototype, 'detached');
const isResizable = getterOf(ArrayBuffer.prototype, 'resizable');
const mostOf = getterOf(ArrayBuffer.prototype, 'maxByteLength');
const resize = call(ArrayBuffer.prototype.resize);
const transferBuffer = call(ArrayBuffer.prototype.transfer);
const KINDS = Object.fromEntries([
    Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array,
    BigUint64Array, Float32Array, Float64Array, ...typeof Float16Array === 'function' ? [Float16Array] : [],
].map(made => [made.name, made]));

function has(read, value) {
    try {
        read(value);
        return true;
    } catch {
        return false;
    }
}

// Objects with data in slots of their own that can be cloned, told by what reads those slots.
const readers = [
    [getterOf(Map.prototype, 'size'), 'map'],
    [getterOf(Set.prototype, 'size'), 'set'],
    [call(Date.prototype.getTime), 'date'],
    [getterOf(ArrayBuffer.prototype, 'byteLength'), 'buffer'],
    [call(Boolean.prototype.valueOf), 'wrapper'],
    [call(Number.prototype.valueOf), 'wrapper'],
    [call(String.prototype.valueOf), 'wrapper'],
    [call(BigInt.prototype.valueOf), 'wrapper'],
    [value => regexpSource(value), 'regexp'],
];
const regexpFlags = call(getOwnPropertyDescriptor(RegExp.prototype, 'flags').get);
const readSource = getterOf(RegExp.prototype, 'source');
const readGlobal = getterOf(RegExp.prototype, 'global');
function regexpSource(value) {
    // Of the prototype itself, which is no regular expression, both can be read, too.
    if (value === RegExp.prototype) { throw new TypeError('RegExp.prototype'); }
    readGlobal(value);
    return readSource(value);
}

// And those that cannot: by what reads their slots, or where everything that does would show, by their tags.
const refused = [
    [value => WeakMap.prototype.has.call(value, value), 'WeakMap'],
    [value => WeakSet.prototype.has.call(value, value), 'WeakSet'],
    [value => WeakRef.prototype.deref.call(value), 'WeakRef'],
    [value => Symbol.prototype.valueOf.call(value), 'Symbol'],
    [value => FinalizationRegistry.prototype.unregister.call(value, {}), 'FinalizationRegistry'],
];
const REFUSED_TAG =
    /^(?:Promise|Generator|AsyncGenerator|Async.*Iterator|.* Iterator|Iterator Helper|Intl\..*|WebAssembly\..*)$/;

return ({ need, record, kindOfArray, domException, brands, native, load }) => {
    function refuse(what) {
        return domException(`${what} cannot be cloned`, 'DataCloneError');
    }

    function kindOf(value) {
        if (typeof value === 'function') { throw refuse('A function'); }
        if (native.isProxy(value)) { throw refuse('A Proxy'); }
        if (Array.isArray(value)) { return 'array'; }
        if (getPrototypeOf(value) === Object.prototype) { return 'object'; }
        if (ArrayBuffer.isView(value)) { return 'view'; }
        if (Error.isError(value)) { return 'error'; }
        const tag = value[Symbol.toStringTag];
        // What has slots has a tag, or is known to the engine by another name.
        if (tag === undefined && /^\[object (?:Object|Arguments)\]$/.test(toString(value))) { return 'object'; }
        const found = readers.find(([read]) => has(read, value));
        if (found) { return found[1]; }
        const other = refused.find(([read]) => has(read, value));
        if (other) { throw refuse(`A ${other[1]}`); }
        if (brands.some(isOurs => isOurs(value))) { throw refuse('An object of the platform'); }
        if (typeof tag === 'string' && REFUSED_TAG.test(tag)) { throw refuse(`A ${tag}`); }
        return 'object';
    }

    // Each gives how to make the copy and how to fill it, having read all that is read.
    const read = {
        object: (value, clone) => members(value, () => ({}), clone),
        array(value, clone) {
            const { length } = value;
            return members(value, () => new Array(length), clone);
        },
        map(value, clone) {
            const pairs = [...Map.prototype.entries.call(value)].map(([key, member]) => [clone(key), clone(member)]);
            return [() => new Map(), copy => { for (const [key, member] of pairs) { copy.set(key(), member()); } }];
        },
        set(value, clone) {
            const list = [...Set.prototype.values.call(value)].map(clone);
            return [() => new Set(), copy => { for (const member of list) { copy.add(member()); } }];
        },
        date(value) {
            const time = Date.prototype.getTime.call(value);
            return [() => new Date(time)];
        },
        regexp(value) {
            const source = readSource(value);
            const flags = regexpFlags(value);
            return [() => new RegExp(source, flags)];
        },
        wrapper(value) {
            const primitive = [Boolean, Number, String, BigInt].map(({ prototype }) => call(prototype.valueOf))
                .find(valueOf => has(valueOf, value))(value);
            return [() => Object(primitive)];
        },
        error: readError,
        buffer: readBuffer,
        view: readView,
    };

    function members(value, make, clone) {
        const list = [];
        for (const key of keys(value)) {
            // A getter that ran before may have taken it away.
            if (hasOwn(value, key)) { list.push([key, clone(value[key])]); }
        }
        return [make, copy => {
            for (const [key, member] of list) {
                defineProperty(copy, key, { value: member(), writable: true, enumerable: true, configurable: true });
            }
        }];
    }

    function readError(value, clone) {
        const isOurs = load('dom-exception').isDOMException(value);
        const name = isOurs ? value.name : `${value.name}`;
        const descriptor = isOurs ? { value: value.message } : getOwnPropertyDescriptor(value, 'message');
        const message = descriptor && 'value' in descriptor ? `${descriptor.value}` : undefined;
        const stack = getOwnPropertyDescriptor(value, 'stack');
        const cause = getOwnPropertyDescriptor(value, 'cause');
        const causeCopy = cause && 'value' in cause ? clone(cause.value) : undefined;
        const made = hasOwn(ERRORS, name) ? ERRORS[name] : Error;
        return [() => isOurs ? domException(message, name) : new made(message), copy => {
            if (typeof stack?.value === 'string') { define(copy, 'stack', stack.value); }
            if (causeCopy) { define(copy, 'cause', causeCopy()); }
        }];
    }

    function define(object, name, value) {
        defineProperty(object, name, { value, writable: true, configurable: true });
    }

    function readBuffer(value) {
        if (isDetached(value)) { throw refuse('A detached ArrayBuffer'); }
        const bytes = new Uint8Array(value);
        const options = isResizable(value) ? { maxByteLength: mostOf(value) } : undefined;
        let copy;
        try {
            copy = new ArrayBuffer(bytes.length, options);
        } catch {
            throw refuse(`An ArrayBuffer of ${bytes.length} bytes, for which there is no memory,`);
        }
        new Uint8Array(copy).set(bytes);
        return [() => copy];
    }

    function readView(value, clone) {
        const name = kindOfArray(value);
        const kind = name ? 'array' : 'view';
        const buffer = bufferOf[kind](value);
        const copyOf = clone(buffer);
        if (!has(each => isInBounds(each, kind, buffer), value)) { throw refuse('A view beyond its buffer'); }
        const offset = offsetOf[kind](value);
        const size = followsLength(value, kind, buffer) ? undefined : sizeOf[kind](value);
        return [() => new (name ? KINDS[name] : DataView)(copyOf(), offset, size)];
    }

    function isInBounds(value, kind, buffer) {
        const size = sizeOf[kind](value);
        // A typed array beyond its buffer says that it is empty and begins at 0; one that is so can be made anew.
        if (size === 0 && kind === 'array' && isResizable(buffer)) { viewPrototype.at.call(value, 0); }
    }

    // Whether a view of a resizable buffer has no length of its own; only a change of the buffer's tells.
    function followsLength(value, kind, buffer) {
        if (!isResizable(buffer)) { return false; }
        const length = buffer.byteLength;
        const step = kind === 'array' ? value.BYTES_PER_ELEMENT : 1;
        const before = sizeOf[kind](value);
        if (length + step <= mostOf(buffer)) {
            resize(buffer, length + step);
            const follows = sizeOf[kind](value) !== before;
            resize(buffer, length);
            return follows;
        }
        if (before === 0 || offsetOf[kind](value) + before * step + step <= length) { return false; }
        const end = new Uint8Array(buffer, length - step).slice();
        resize(buffer, length - step);
        const follows = has(kind === 'array' ? each => viewPrototype.at.call(each, 0) : sizeOf.view, value);
        resize(buffer, length);
        new Uint8Array(buffer, length - step).set(end);
        return follows;
    }

    function transferList(options) {
        const { transfer } = record(options);
        if (transfer === undefined) { return []; }
        if (typeof transfer?.[Symbol.iterator] !== 'function') { throw new TypeError('transfer must be a list'); }
        const list = [...transfer];
        for (const each of list) {
            if (typeof each !== 'object' || each === null) {
                throw new TypeError('transfer must be a list of objects');
            }
        }
        return list;
    }

    const methods = {
        structuredClone(value, options = undefined) {
            need(arguments.length, 1, 'structuredClone');
            const transfer = transferList(options);
            // Original to a function that gives its copy.
            const copies = new Map();
            const moved = new Map();
            for (const buffer of transfer) {
                if (!has(isDetached, buffer) || copies.has(buffer)) {
                    throw domException('Only buffers can be transferred, each once', 'DataCloneError');
                }
                copies.set(buffer, () => moved.get(buffer));
            }
            function clone(each) {
                if (typeof each === 'symbol') { throw refuse('A symbol'); }
                if ((typeof each !== 'object' || each === null) && typeof each !== 'function') { return () => each; }
                if (copies.has(each)) { return copies.get(each); }
                let parts;
                let copy;
                const give = () => {
                    if (copy === undefined) {
                        const [make, fill] = parts;
                        copy = make();
                        fill?.(copy);
                    }
                    return copy;
                };
                copies.set(each, give);
                parts = read[kindOf(each)](each, clone);
                return give;
            }
            const copyOf = clone(value);
            for (const buffer of transfer) {
                if (isDetached(buffer)) { throw domException('A transferred buffer is detached', 'DataCloneError'); }
            }
            for (const buffer of transfer) {
                let result;
                try {
                    result = transferBuffer(buffer);
                } catch {
                    throw domException('A buffer cannot be transferred', 'DataCloneError');
                }
                if (!isDetached(buffer)) { throw domException('A buffer is held by the platform', 'DataCloneError'); }
                moved.set(buffer, result);
            }
            return copyOf();
        },
    };
    return methods;
};
})()
