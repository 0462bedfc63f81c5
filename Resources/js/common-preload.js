// Globals that the engine lacks, the same in the core and in components (docs/globals.md). Takes __native for itself
// (docs/architecture.md has its contract); rarely used globals are in lazy/, loaded when they are first touched.
'use strict';
{
const native = globalThis.__native;
delete globalThis.__native;
const callPort = globalThis.__nativeCallDispatch;
const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, keys } = Object;
const { fromCharCode } = String;

function define(name, value) {
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

// The functions of `methods` as globals: under their names, and no constructors.
function defineAll(methods) {
    for (const name of keys(methods)) { define(name, methods[name]); }
}

// ---- what every global has in common, after Web IDL

function need(count, least, name) {
    if (count < least) { throw new TypeError(`${name} needs ${least} argument${least > 1 ? 's' : ''}, not ${count}`); }
}

function needFunction(value, name) {
    if (typeof value !== 'function') { throw new TypeError(`${name} needs a function, not a ${typeof value}`); }
}

// A dictionary argument: null and undefined mean one without members.
function record(value) {
    if (value === undefined || value === null) { return {}; }
    if (typeof value !== 'object' && typeof value !== 'function') { throw new TypeError('Options must be an object'); }
    return value;
}

// Members of a class are enumerable, and its objects have its name.
function expose(made, tag = made.name) {
    for (const [owner, hidden] of [[made, ['prototype', 'name', 'length']], [made.prototype, ['constructor']]]) {
        for (const name of getOwnPropertyNames(owner)) {
            if (!hidden.includes(name)) { defineProperty(owner, name, { enumerable: true }); }
        }
    }
    defineProperty(made.prototype, Symbol.toStringTag, { value: tag, configurable: true });
    return made;
}

// 'Uint8Array' for one, whatever its prototype; undefined for what is no typed array.
const kindOfArray = Function.prototype.call.bind(
    getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
const sizeOfBuffer = Function.prototype.call.bind(
    getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get);

define('self', globalThis);
defineAll({
    reportError(error) {
        need(arguments.length, 1, 'reportError');
        native.reportError(error);
    },
});

// ---- lazy scripts: each gives a function that takes these tools and gives an object

const tools = {
    native, callPort, load, need, needFunction, record, expose, kindOfArray, callSafely, indent: '',
    // Tell objects of a platform class, which are no plain data: each script adds its own.
    brands: [],
};
const loaded = new Map();
tools.domException = (message, name) => new (load('dom-exception').DOMException)(message, name);

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
defineLazy('events', 'Event', 'EventTarget', 'CustomEvent', 'ErrorEvent', 'PromiseRejectionEvent',
    'addEventListener', 'removeEventListener', 'dispatchEvent');
defineLazy('abort', 'AbortController', 'AbortSignal');
defineLazy('timers', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate');
defineLazy('structured-clone', 'structuredClone');
defineLazy('url', 'URL');
defineLazy('url-search-params', 'URLSearchParams');
defineLazy('base64', 'atob', 'btoa');
defineLazy('performance', 'performance', 'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure');
defineLazy('crypto', 'crypto', 'Crypto');

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
const LONGEST_LINE = 1 << 21;

function format(args) {
    const plain = args.every(arg => typeof arg === 'string') && !(args.length > 1 && args[0].includes('%'));
    let text = plain ? args.join(' ') : load('inspect').format(args);
    if (text.length > LONGEST_LINE) {
        text = `${text.slice(0, LONGEST_LINE)}... ${text.length - LONGEST_LINE} characters more`;
    }
    return tools.indent ? tools.indent + text.replaceAll('\n', `\n${tools.indent}`) : text;
}

tools.print = {};
for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
    const write = console[level];
    tools.print[level] = (...args) => write(format(args));
    if (level !== 'trace') { Object.assign(console, { [level](...args) { write(format(args)); } }); }
}
for (const name of ['trace', 'dir', 'dirxml', 'table', 'assert', 'count', 'countReset', 'time', 'timeLog', 'timeEnd',
    'group', 'groupCollapsed', 'groupEnd', 'clear']) {
    Object.assign(console, { [name](...args) { load('console')[name](...args); } });
}
defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });

// ---- microtasks

const resolved = Promise.resolve();

function callSafely(callback, args) {
    try {
        Reflect.apply(callback, globalThis, args);
    } catch (err) {
        native.reportError(err);
    }
}

defineAll({
    queueMicrotask(callback) {
        needFunction(callback, 'queueMicrotask');
        resolved.then(() => callSafely(callback, []));
    },
});

// ---- UTF-8: texts of a few characters here, others in native code. Bytes go through the room that both see, so that
// native code never pins an array of the caller's.

const { room, progress } = native;
const SHORT = 32;
const CHUNK = 1 << 14;

define('TextEncoder', expose(class TextEncoder {
    #is;
    get encoding() {
        this.#is;
        return 'utf-8';
    }
    encode(input = '') {
        this.#is;
        const text = `${input}`;
        const { length } = text;
        if (length <= SHORT) {
            const bytes = new Uint8Array(length);
            let i = 0;
            for (let unit; i < length && (unit = text.charCodeAt(i)) < 0x80; i += 1) { bytes[i] = unit; }
            if (i === length) { return bytes; }
        }
        return native.encodeUtf8(text);
    }
    encodeInto(source, destination) {
        this.#is;
        need(arguments.length, 2, 'encodeInto');
        const text = `${source}`;
        if (kindOfArray(destination) !== 'Uint8Array') { throw new TypeError('encodeInto needs a Uint8Array'); }
        let read = 0;
        let written = 0;
        for (let end; read < text.length; read += progress[0], written += progress[1]) {
            end = read + CHUNK;
            if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) { end -= 1; }
            native.encodeUtf8Into(text.slice(read, end), destination.length - written);
            if (progress[0] === 0) { break; }
            destination.set(room.subarray(0, progress[1]), written);
        }
        return { read, written };
    }
}));

const NO_BYTES = new Uint8Array(0);

function bytesOf(source) {
    if (kindOfArray(source) === 'Uint8Array') { return source; }
    const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(source)
        ? source : { buffer: source, byteOffset: 0, byteLength: sizeOfBuffer(source) };
    return buffer.detached ? NO_BYTES : new Uint8Array(buffer, byteOffset, byteLength);
}

const GOES_ON = 1;
const FATAL = 2;

define('TextDecoder', expose(class TextDecoder {
    #encoding = 'utf-8';
    #fatal;
    #ignoreBOM;
    #other;
    // Bytes of a character that the next call goes on with, and whether this call follows another one.
    #kept;
    #begun = false;
    constructor(label = 'utf-8', options = undefined) {
        const name = `${label}`;
        const { fatal = false, ignoreBOM = false } = record(options);
        this.#fatal = !!fatal;
        this.#ignoreBOM = !!ignoreBOM;
        if (name !== 'utf-8') { [this.#encoding, this.#other] = load('decoders').find(name); }
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = NO_BYTES, options = undefined) {
        const bytes = bytesOf(input);
        const goesOn = !!record(options).stream;
        const { length } = bytes;
        if (length <= SHORT && this.#kept === undefined && this.#other === undefined) {
            let text = '';
            let i = 0;
            for (; i < length && bytes[i] < 0x80; i += 1) { text += fromCharCode(bytes[i]); }
            if (i === length) {
                this.#begun = goesOn && (this.#begun || length > 0);
                return text;
            }
        }
        const text = this.#convert(bytes, goesOn);
        if (text === null) {
            this.#kept = undefined;
            this.#begun = false;
            throw new TypeError(`The bytes are not ${this.#encoding}`);
        }
        const hasMark = !this.#begun && !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff;
        this.#begun = goesOn && (this.#begun || text !== '');
        return hasMark ? text.slice(1) : text;
    }
    #convert(bytes, goesOn) {
        const head = this.#kept ?? NO_BYTES;
        const count = head.length + bytes.length;
        const source = count <= room.length ? room : new Uint8Array(count);
        source.set(head);
        source.set(bytes, head.length);
        const text = this.#other ? this.#other(source.subarray(0, count), goesOn, this.#fatal, progress)
            : native.decodeUtf8(
                count, (goesOn ? GOES_ON : 0) | (this.#fatal ? FATAL : 0), source === room ? null : source);
        this.#kept = progress[0] > 0 ? source.slice(count - progress[0], count) : undefined;
        return text;
    }
}));
}
