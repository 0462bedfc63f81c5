// Globals that the engine lacks, the same in the core and in components. Takes __native for itself
// (docs/architecture.md has its contract); rarely used globals are in lazy/, loaded when they are first touched.
(() => {
'use strict';
const native = globalThis.__native;
delete globalThis.__native;
const callPort = globalThis.__nativeCallDispatch;
const { defineProperty, entries } = Object;
const { fromCharCode } = String;

function define(name, value) {
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

const reportError = value => native.reportError(value);
define('self', globalThis);
define('reportError', reportError);

// ---- lazy scripts: each gives a function that takes these tools and gives an object

const tools = { native, callPort, reportError, load };
const loaded = new Map();

function load(script) {
    if (!loaded.has(script)) { loaded.set(script, native.loadScript(`lazy/${script}.js`)(tools)); }
    return loaded.get(script);
}

function defineLazy(script, ...names) {
    for (const name of names) {
        defineProperty(globalThis, name, {
            configurable: true,
            get() {
                const value = load(script)[name];
                define(name, value);
                return value;
            },
            set: value => define(name, value),
        });
    }
}

defineLazy('dom-exception', 'DOMException');
defineLazy('events', 'Event', 'EventTarget', 'CustomEvent', 'AbortController', 'AbortSignal',
    'addEventListener', 'removeEventListener', 'dispatchEvent');
defineLazy('structured-clone', 'structuredClone');
defineLazy('url', 'URL');
defineLazy('url-search-params', 'URLSearchParams');
defineLazy('base64', 'atob', 'btoa');
defineLazy('performance', 'performance');
tools.domException = (message, name) => new (load('dom-exception').DOMException)(message, name);

// ---- uncaught errors and unhandled rejections: an assigned handler, or a listener that prevents the default, handles

function handledByAssigned(kind, value, promise) {
    if (kind === 'error') {
        if (typeof globalThis.onerror !== 'function') { return false; }
        const { message, sourceURL = '', line = 0, column = 0 } = Object(value);
        globalThis.onerror(String(message ?? value), sourceURL, line, column, value);
        return true;
    }
    if (typeof globalThis.onunhandledrejection !== 'function') { return false; }
    const event = { type: 'unhandledrejection', reason: value, promise, defaultPrevented: false };
    event.preventDefault = () => { event.defaultPrevented = true; };
    globalThis.onunhandledrejection(event);
    return true;
}

native.setErrorHook((kind, value, promise) => {
    const handled = handledByAssigned(kind, value, promise);
    return (loaded.has('events') && load('events').dispatchFailure(kind, value, promise)) || handled;
});

// ---- console: one text for the native console; anything but plain texts is left to lazy/inspect.js

const { console } = globalThis;
let indent = '';

function format(args) {
    const plain = args.every(arg => typeof arg === 'string') && !(args.length > 1 && args[0].includes('%'));
    const text = plain ? args.join(' ') : load('inspect').format(args);
    return indent ? indent + text.replaceAll('\n', `\n${indent}`) : text;
}

for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
    const write = console[level].bind(console);
    console[level] = (...args) => write(format(args));
}
const counts = new Map();
const times = new Map();
Object.assign(console, {
    dir: value => console.log(value),
    table: value => console.log(value),
    assert(condition, ...args) {
        if (!condition) { console.error('Assertion failed', ...args); }
    },
    count(label = 'default') {
        counts.set(label, (counts.get(label) ?? 0) + 1);
        console.log(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = 'default') => counts.delete(label),
    time: (label = 'default') => times.set(label, native.now()),
    timeLog: (label = 'default', ...args) =>
        console.log(`${label}: ${(native.now() - (times.get(label) ?? NaN)).toFixed(3)} ms`, ...args),
    timeEnd(label = 'default') {
        console.timeLog(label);
        times.delete(label);
    },
    group(...args) {
        if (args.length) { console.log(...args); }
        indent += '  ';
    },
    groupEnd() { indent = indent.slice(2); },
});
console.groupCollapsed = console.group;

// ---- timers: a heap by due time, then creation, on the context's one wake-up. One callback per wake-up, so that
// microtasks run between two of them.

const heap = [];
const timers = new Map();
let lastOrder = 0;
let armedFor;

function before(a, b) {
    return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function move(timer, index) {
    heap[index] = timer;
    timer.index = index;
}

// Moves the timer up, then down, from this index of the heap to where it belongs.
function place(timer, start) {
    let index = start;
    while (index > 0 && before(timer, heap[(index - 1) >> 1])) {
        move(heap[(index - 1) >> 1], index);
        index = (index - 1) >> 1;
    }
    for (;;) {
        let child = 2 * index + 1;
        if (child + 1 < heap.length && before(heap[child + 1], heap[child])) { child += 1; }
        if (child >= heap.length || !before(heap[child], timer)) { break; }
        move(heap[child], index);
        index = child;
    }
    move(timer, index);
}

function unschedule(timer) {
    const last = heap.pop();
    if (last !== timer) { place(last, timer.index); }
}

function schedule(timer, due) {
    timer.due = due;
    timer.order = lastOrder += 1;
    heap.push(timer);
    place(timer, heap.length - 1);
}

function arm() {
    const due = heap[0]?.due;
    if (due === armedFor) { return; }
    armedFor = due;
    native.setWakeup(due === undefined ? -1 : Math.max(0, due - native.now()));
}

function startTimer(callback, millis, args, repeats) {
    if (typeof callback !== 'function') { throw new TypeError('A timer needs a function'); }
    const delay = Math.min(Math.max(Number(millis) || 0, repeats ? 1 : 0), 0x7fffffff);
    const timer = { id: lastOrder + 1, callback, args, interval: repeats ? delay : undefined };
    timers.set(timer.id, timer);
    schedule(timer, native.now() + delay);
    arm();
    return timer.id;
}

function clearTimer(id) {
    const timer = timers.get(id);
    if (!timer) { return; }
    timers.delete(id);
    unschedule(timer);
    arm();
}

native.setWakeupHook(() => {
    armedFor = undefined;
    const now = native.now();
    const timer = heap[0];
    if (timer && timer.due <= now) {
        unschedule(timer);
        if (timer.interval === undefined) {
            timers.delete(timer.id);
        } else {
            schedule(timer, Math.max(timer.due + timer.interval, now));
        }
        arm();
        callSafely(timer.callback, timer.args);
    } else {
        arm();
    }
});

function callSafely(callback, args) {
    try {
        callback(...args);
    } catch (err) {
        reportError(err);
    }
}

define('setTimeout', (callback, millis, ...args) => startTimer(callback, millis, args, false));
define('setInterval', (callback, millis, ...args) => startTimer(callback, millis, args, true));
define('setImmediate', (callback, ...args) => startTimer(callback, 0, args, false));
define('clearTimeout', clearTimer);
define('clearInterval', clearTimer);
define('clearImmediate', clearTimer);

const resolved = Promise.resolve();
define('queueMicrotask', callback => {
    if (typeof callback !== 'function') { throw new TypeError('queueMicrotask needs a function'); }
    resolved.then(() => callSafely(callback, []));
});

// ---- UTF-8

// Writes text from `start` on to bytes from `at` on while whole characters fit; gives {read, written}.
function writeUtf8(text, start, bytes, at) {
    let i = start;
    let end = at;
    for (; i < text.length; i += 1) {
        let point = text.codePointAt(i);
        if ((point & ~0x7ff) === 0xd800) { point = 0xfffd; }
        const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        if (end + size > bytes.length) { break; }
        if (size === 1) {
            bytes[end] = point;
        } else {
            if (size === 4) { i += 1; }
            for (let k = size - 1; k > 0; k -= 1, point >>= 6) { bytes[end + k] = 0x80 | (point & 0x3f); }
            bytes[end] = ((0xf00 >> size) & 0xff) | point;
        }
        end += size;
    }
    return { read: i - start, written: end - at };
}

define('TextEncoder', class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(input = '') {
        const text = `${input}`;
        const { length } = text;
        const ascii = new Uint8Array(length);
        let i = 0;
        for (let unit; i < length && (unit = text.charCodeAt(i)) < 0x80; i += 1) { ascii[i] = unit; }
        if (i === length) { return ascii; }
        const bytes = new Uint8Array(i + (length - i) * 3);
        bytes.set(ascii.subarray(0, i));
        return bytes.slice(0, i + writeUtf8(text, i, bytes, i).written);
    }
    encodeInto(input, bytes) {
        return writeUtf8(`${input}`, 0, bytes, 0);
    }
});

const units = new Uint16Array(4096);
const ROOM = units.length - 4;

// decode(bytes, isLast, fail) -> text. What is cut is kept for the next call; fail() gives a replacement or throws.
class Utf8Decoder {
    needed = 0;
    point = 0;
    low = 0x80;
    high = 0xbf;
    decode(bytes, isLast, fail) {
        let text = '';
        let count = 0;
        for (let i = 0; i < bytes.length; i += 1) {
            const byte = bytes[i];
            if (count > ROOM) {
                text += fromCharCode.apply(null, units.subarray(0, count));
                count = 0;
            }
            if (this.needed === 0) {
                if (byte < 0x80) {
                    units[count++] = byte;
                } else if (!this.begin(byte)) {
                    units[count++] = fail();
                }
                continue;
            }
            const fits = byte >= this.low && byte <= this.high;
            this.low = 0x80;
            this.high = 0xbf;
            if (!fits) {
                this.needed = 0;
                units[count++] = fail();
                i -= 1;
                continue;
            }
            this.point = (this.point << 6) | (byte & 0x3f);
            if ((this.needed -= 1) > 0) { continue; }
            if (this.point < 0x10000) {
                units[count++] = this.point;
            } else {
                units[count++] = 0xd7c0 + (this.point >> 10);
                units[count++] = 0xdc00 | (this.point & 0x3ff);
            }
        }
        if (isLast && this.needed) {
            this.needed = 0;
            units[count++] = fail();
        }
        return text + fromCharCode.apply(null, units.subarray(0, count));
    }
    begin(byte) {
        if (byte < 0xc2 || byte > 0xf4) { return false; }
        this.needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        this.point = byte & (0x3f >> this.needed);
        this.low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
        this.high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
        return true;
    }
}

define('TextDecoder', class TextDecoder {
    #make;
    #decoder;
    #atStart;
    #fail;
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
        const [encoding, make] = label === 'utf-8' ? [label, Utf8Decoder] : load('decoders').find(label, Utf8Decoder);
        this.#make = make;
        this.#fail = () => {
            if (!fatal) { return 0xfffd; }
            this.#decoder = undefined;
            throw new TypeError(`The bytes are not ${encoding}`);
        };
        for (const [name, value] of entries({ encoding, fatal: !!fatal, ignoreBOM: !!ignoreBOM })) {
            defineProperty(this, name, { value, enumerable: true });
        }
    }
    decode(input = new Uint8Array(0), { stream = false } = {}) {
        const bytes = input instanceof Uint8Array ? input
            : ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
                : new Uint8Array(input);
        if (!this.#decoder) {
            this.#decoder = new this.#make();
            this.#atStart = !this.ignoreBOM && this.encoding !== 'windows-1252';
        }
        const text = this.#decoder.decode(bytes, !stream, this.#fail);
        if (!stream) { this.#decoder = undefined; }
        if (!this.#atStart || !text) { return text; }
        this.#atStart = false;
        return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
});

// ---- random numbers

const MAX_RANDOM = 65536;
define('crypto', Object.freeze({
    getRandomValues(array) {
        if (!ArrayBuffer.isView(array) || array instanceof DataView || /^Float/.test(array.constructor.name)) {
            throw tools.domException('An integer typed array is needed', 'TypeMismatchError');
        }
        const { byteLength, byteOffset, buffer } = array;
        if (byteLength > MAX_RANDOM) {
            throw tools.domException(`${byteLength} bytes are more than ${MAX_RANDOM}`, 'QuotaExceededError');
        }
        new Uint8Array(buffer, byteOffset, byteLength).set(callPort('crypto_random', [byteLength]));
        return array;
    },
    randomUUID() {
        const bytes = callPort('crypto_random', [16]);
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        const hex = Array.from(bytes, byte => (byte + 256).toString(16).slice(1)).join('');
        return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
}));
})();
