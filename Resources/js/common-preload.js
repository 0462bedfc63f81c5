// Globals that the engine lacks, the same in the core and in components (docs/globals.md). Takes __native for itself
// (docs/architecture.md has its contract); rarely used globals are in lazy/, loaded when they are first touched.
(() => {
'use strict';
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
    native, callPort, load, need, record, expose, kindOfArray, startTimer, indent: '',
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

// ---- timers: a heap by due time, then creation, on the context's one wake-up. One callback for each entry from native
// code, so that microtasks run between two of them; true asks for the next entry at once.

const heap = [];
// Timers by id: lists, joined by `next`. A Map will not do: each table that the engine gives up for a new one knows the
// next, so that one that is taken for alive by mistake would keep all that come after it.
const LEAST_TABLE = 64;
let table = new Array(LEAST_TABLE).fill(undefined);
const AT_ONCE = -1;
let lastOrder = 0;
let armedFor = Infinity;
// How many timers led to each other up to the one that runs now.
let nesting = 0;

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

function remember(timer) {
    const slot = timer.id & (table.length - 1);
    timer.next = table[slot];
    table[slot] = timer;
}

function find(id) {
    let timer = table[id & (table.length - 1)];
    while (timer !== undefined && timer.id !== id) { timer = timer.next; }
    return timer;
}

// Of a timer that is not in the heap any more.
function forget(timer) {
    const slot = timer.id & (table.length - 1);
    if (table[slot] === timer) {
        table[slot] = timer.next;
    } else {
        let previous = table[slot];
        while (previous.next !== timer) { previous = previous.next; }
        previous.next = timer.next;
    }
    timer.next = undefined;
    if (table.length > LEAST_TABLE && heap.length * 8 < table.length) { resize(table.length / 4); }
}

function resize(size) {
    table = new Array(size).fill(undefined);
    heap.forEach(remember);
}

// From the seventh on, timers that lead to each other take 4 ms at least, as HTML says.
function delayOf(timer) {
    return timer.nesting > 6 && timer.delay < 4 ? 4 : timer.delay;
}

function schedule(timer, due) {
    timer.due = due;
    timer.order = lastOrder += 1;
    heap.push(timer);
    place(timer, heap.length - 1);
}

function arm() {
    const due = heap.length > 0 ? heap[0].due : Infinity;
    if (due === armedFor || armedFor === AT_ONCE) { return; }
    armedFor = due;
    native.setWakeup(due === Infinity ? -1 : Math.max(0, due - native.now()));
}

function startTimer(callback, delay, args, repeats, level) {
    const timer = {
        id: lastOrder + 1, callback, args, delay, repeats, nesting: level, due: 0, order: 0, index: 0, next: undefined,
    };
    remember(timer);
    schedule(timer, native.now() + delayOf(timer));
    if (heap.length > table.length) { resize(table.length * 4); }
    arm();
    return timer.id;
}

function clearTimer(id) {
    const timer = find(+id);
    if (timer === undefined) { return; }
    unschedule(timer);
    forget(timer);
    arm();
}

function runTimer(timer, now) {
    unschedule(timer);
    ({ nesting } = timer);
    if (timer.repeats) {
        timer.nesting += 1;
        // On its beat, without those that were missed.
        const step = delayOf(timer);
        schedule(timer, step > 0 ? timer.due + step * (Math.floor((now - timer.due) / step) + 1) : now);
    } else {
        forget(timer);
    }
    callSafely(timer.callback, timer.args);
    // What waits for the callback's promises still belongs to it.
    if (nesting > 0) { resolved.then(() => { nesting = 0; }); }
}

native.setWakeupHook(() => {
    armedFor = AT_ONCE;
    const now = native.now();
    if (heap.length > 0 && heap[0].due <= now) { runTimer(heap[0], now); }
    if (heap.length > 0 && heap[0].due <= now) { return true; }
    armedFor = undefined;
    arm();
    return false;
});

function callSafely(callback, args) {
    try {
        Reflect.apply(callback, globalThis, args);
    } catch (err) {
        native.reportError(err);
    }
}

// A delay is a 32-bit number: what is no number, negative or above 2^31 - 1 means at once.
const toDelay = millis => Math.max(millis | 0, 0);
const resolved = Promise.resolve();

defineAll({
    setTimeout(callback, millis = 0, ...args) {
        needFunction(callback, 'setTimeout');
        return startTimer(callback, toDelay(millis), args, false, nesting + 1);
    },
    setInterval(callback, millis = 0, ...args) {
        needFunction(callback, 'setInterval');
        return startTimer(callback, toDelay(millis), args, true, nesting + 1);
    },
    setImmediate(callback, ...args) {
        needFunction(callback, 'setImmediate');
        return startTimer(callback, 0, args, false, 0);
    },
    clearTimeout(id = 0) { clearTimer(id); },
    clearInterval(id = 0) { clearTimer(id); },
    clearImmediate(id = 0) { clearTimer(id); },
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
            : native.decodeUtf8(count, (goesOn ? GOES_ON : 0) | (this.#fatal ? FATAL : 0), source === room ? null : source);
        this.#kept = progress[0] > 0 ? source.slice(count - progress[0], count) : undefined;
        return text;
    }
}));
})();
