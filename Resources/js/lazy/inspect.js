// Formatting of what console functions get: % patterns, and values as text with bounds on depth and size. No getter and
// no function of a value is called, but those of a proxy cannot be avoided; whatever it throws, there is a text.
(() => {
'use strict';
const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object;
const { isArray } = Array;
const { ownKeys } = Reflect;
const MAX_DEPTH = 4;
const MAX_MEMBERS = 100;
const MAX_NODES = 2000;
const MAX_TEXT = 10000;
const MAX_TOTAL = 200000;
const LINE = 76;

function getter(prototype, name) {
    const { get } = getOwnPropertyDescriptor(prototype, name);
    return value => Reflect.apply(get, value, []);
}
const tagOfArray = getter(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const lengthOfArray = getter(getPrototypeOf(Uint8Array.prototype), 'length');
const sizeOfMap = getter(Map.prototype, 'size');
const sizeOfSet = getter(Set.prototype, 'size');
const sizeOfBuffer = getter(ArrayBuffer.prototype, 'byteLength');
const sizeOfView = getter(DataView.prototype, 'byteLength');

function brackets(open, items, close) {
    if (!items.length) { return open + close; }
    const line = `${open} ${items.join(', ')} ${close}`;
    if (line.length < LINE && !line.includes('\n')) { return line; }
    return `${open}\n  ${items.join(',\n').replaceAll('\n', '\n  ')}\n${close}`;
}

function shorten(text, most = MAX_TEXT) {
    return text.length > most ? `${text.slice(0, most)}… ${text.length - most} more` : text;
}

function rest(items, size) {
    return size > items.length ? [...items, `… ${size - items.length} more`] : items;
}

// A name of the value's class, from data properties alone.
function classOf(value) {
    for (let object = value, steps = 0; object !== null && steps < 100; object = getPrototypeOf(object), steps += 1) {
        const descriptor = getOwnPropertyDescriptor(object, 'constructor');
        if (typeof descriptor?.value === 'function') {
            const name = getOwnPropertyDescriptor(descriptor.value, 'name')?.value;
            return typeof name === 'string' && name !== '' ? shorten(name, 100) : 'Object';
        }
    }
    return '[Object: null prototype]';
}

// Data of the first of value and its prototypes that has this property.
function dataOf(value, name) {
    for (let object = value, steps = 0; object !== null && steps < 100; object = getPrototypeOf(object), steps += 1) {
        const descriptor = getOwnPropertyDescriptor(object, name);
        if (descriptor) { return descriptor.value; }
    }
    return undefined;
}

function nameOf(key) {
    if (typeof key === 'symbol') { return `[${String(key)}]`; }
    return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(shorten(key, 200));
}

const ACCESSOR = { get: { set: '[Getter/Setter]', none: '[Getter]' }, none: { set: '[Setter]' } };
function showProperty({ value, get, set }, show) {
    return get || set ? ACCESSOR[get ? 'get' : 'none'][set ? 'set' : 'none'] : show(value);
}

function enumerableKeys(object) {
    return ownKeys(object).filter(key => getOwnPropertyDescriptor(object, key)?.enumerable);
}

// Own enumerable members as texts.
function showMembers(object, show, isHidden = () => false) {
    const names = enumerableKeys(object).filter(key => !isHidden(key));
    const items = [];
    for (const key of names.slice(0, MAX_MEMBERS)) {
        const descriptor = getOwnPropertyDescriptor(object, key);
        if (descriptor) { items.push(`${nameOf(key)}: ${showProperty(descriptor, show)}`); }
    }
    return rest(items, names.length);
}

const isIndex = key => typeof key === 'string' && /^(?:0|[1-9]\d{0,9})$/.test(key);

// The index of the next element from a hole on, or the size. Many holes are not gone through one by one.
function nextIndex(list, hole, size) {
    const end = Math.min(size, hole + MAX_TEXT);
    let i = hole;
    while (i < end && !hasOwn(list, i)) { i += 1; }
    if (i < end || end === size) { return i; }
    return Number(enumerableKeys(list).find(key => isIndex(key) && key >= hole) ?? size);
}

// The elements of an array; runs of holes as one item.
function showArray(list, show) {
    const size = getOwnPropertyDescriptor(list, 'length').value;
    const items = [];
    let shown = 0;
    for (let i = 0; i < size && items.length < MAX_MEMBERS;) {
        if (hasOwn(list, i)) {
            items.push(showProperty(getOwnPropertyDescriptor(list, i), show));
            i += 1;
        } else {
            const start = i;
            i = nextIndex(list, start, size);
            items.push(`<${i - start} empty item${i - start > 1 ? 's' : ''}>`);
        }
        shown = i;
    }
    if (size > shown) { items.push(`… ${size - shown} more`); }
    return [...items, ...showMembers(list, show, isIndex)];
}

function showIterated(iterator, size, show) {
    const items = [];
    for (let step = iterator.next(); !step.done && items.length < MAX_MEMBERS; step = iterator.next()) {
        items.push(show(step.value));
    }
    return rest(items, size);
}

// The engine's stack has neither name nor message, and these are own properties of an error.
const OF_ERROR = new Set(['name', 'message', 'stack', 'cause', 'errors', 'line', 'column', 'sourceURL']);
function showError(error, show) {
    const textOf = name => {
        const value = dataOf(error, name);
        return value === undefined ? '' : shorten(typeof value === 'string' ? value : show(value));
    };
    // A DOMException has its name and message behind getters of ours.
    const isOurs = show.isDOMException(error);
    const name = isOurs ? error.name : textOf('name') || classOf(error);
    const message = isOurs ? error.message : textOf('message');
    const stack = textOf('stack').split('\n').filter(Boolean).map(line => `\n    at ${line}`).join('');
    const members = showMembers(error, show, key => OF_ERROR.has(key));
    const cause = getOwnPropertyDescriptor(error, 'cause');
    const errors = getOwnPropertyDescriptor(error, 'errors')?.value;
    return `${name}${message && `: ${message}`}${stack}${members.length ? ` ${brackets('{', members, '}')}` : ''}`
        + (isArray(errors) ? `\nof ${show(errors)}` : '')
        + (cause ? `\ncaused by ${showProperty(cause, show)}` : '');
}

function showFunction(value, show) {
    const name = getOwnPropertyDescriptor(value, 'name')?.value;
    const isClass = /^class\b/.test(Function.prototype.toString.call(value).slice(0, 10));
    const kind = isClass ? 'class' : 'Function';
    const text = `[${kind} ${typeof name === 'string' && name ? shorten(name, 200) : '(anonymous)'}]`;
    const members = showMembers(value, show);
    return members.length ? brackets(`${text} {`, members, '}') : text;
}

const attempt = (read, value) => {
    try {
        return read(value);
    } catch {
        return undefined;
    }
};

// What has data in internal slots: [how to know it, how to show it].
const KINDS = [
    [tagOfArray, (value, show, kind) => brackets(`${kind}(${lengthOfArray(value)}) [`,
        rest(Array.from({ length: Math.min(lengthOfArray(value), MAX_MEMBERS) }, (_, i) => show(value[i])),
            lengthOfArray(value)),
        ']')],
    [value => sizeOfMap(value) + 1, (value, show, kind) => brackets(`${kind}(${sizeOfMap(value)}) {`,
        showIterated(Map.prototype.entries.call(value), sizeOfMap(value),
            ([key, member]) => `${show(key)} => ${show(member)}`), '}')],
    [value => sizeOfSet(value) + 1, (value, show, kind) => brackets(`${kind}(${sizeOfSet(value)}) {`,
        showIterated(Set.prototype.values.call(value), sizeOfSet(value), show), '}')],
    [value => `${Date.prototype.getTime.call(value)}`, value =>
        attempt(each => Date.prototype.toISOString.call(each), value) ?? 'Invalid Date'],
    [value => `/${getter(RegExp.prototype, 'source')(value)}`, value => shorten(RegExp.prototype.toString.call(value))],
    [value => sizeOfBuffer(value) + 1, (value, show, kind) => `${kind}(${sizeOfBuffer(value)})`],
    [value => sizeOfView(value) + 1, (value, show, kind) => `${kind}(${sizeOfView(value)})`],
    [value => `${Number.prototype.valueOf.call(value)}`, (value, show, kind) =>
        `[${kind}: ${show(Number.prototype.valueOf.call(value))}]`],
    [value => `${Boolean.prototype.valueOf.call(value)}`, (value, show, kind) =>
        `[${kind}: ${Boolean.prototype.valueOf.call(value)}]`],
    [value => `"${String.prototype.valueOf.call(value)}`, (value, show, kind) =>
        `[${kind}: ${show(String.prototype.valueOf.call(value))}]`],
    [value => Symbol.prototype.toString.call(value), (value, show, kind) =>
        `[${kind}: ${Symbol.prototype.toString.call(value)}]`],
    [value => `${BigInt.prototype.valueOf.call(value)}`, (value, show, kind) =>
        `[${kind}: ${show(BigInt.prototype.valueOf.call(value))}]`],
];

function showObject(value, show) {
    if (typeof value === 'function') { return showFunction(value, show); }
    if (Error.isError(value)) { return showError(value, show); }
    const kind = classOf(value);
    if (isArray(value)) {
        const items = showArray(value, show);
        return brackets(kind === 'Array' ? '[' : `${kind}(${value.length}) [`, items, ']');
    }
    const prototype = getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
        for (const [read, write] of KINDS) {
            if (attempt(read, value)) { return write(value, show, kind); }
        }
        const tag = kind === 'Promise' || kind.startsWith('Weak') ? dataOf(value, Symbol.toStringTag) : undefined;
        if (typeof tag === 'string') { return `${tag} {}`; }
    }
    return brackets(kind === 'Object' ? '{' : `${kind} {`, showMembers(value, show), '}');
}

function makeInspect(isDOMException) {
    return (root, depth = MAX_DEPTH, quotes = false) => {
        const above = [];
        const deepest = typeof depth === 'number' && depth >= 0 ? Math.min(depth, 100) : MAX_DEPTH;
        let nodes = 0;
        let total = 0;
        function show(value) {
            const text = showAny(value);
            if (typeof value !== 'object' || value === null) { total += text.length; }
            return text;
        }
        show.isDOMException = isDOMException;
        function showAny(value) {
            if (total > MAX_TOTAL) { return '…'; }
            if (typeof value === 'string') { return JSON.stringify(shorten(value)); }
            if (typeof value === 'bigint') { return `${shorten(value.toString())}n`; }
            if (typeof value === 'symbol') { return shorten(String(value)); }
            if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
                return Object.is(value, -0) ? '-0' : String(value);
            }
            if (above.includes(value)) { return '[Circular]'; }
            nodes += 1;
            if (typeof value === 'object' && (above.length > deepest || nodes > MAX_NODES)) {
                return isArray(value) ? '[Array]' : '[Object]';
            }
            above.push(value);
            try {
                return showObject(value, show);
            } catch {
                return '[Object that cannot be shown]';
            } finally {
                above.pop();
            }
        }
        return typeof root === 'string' && !quotes ? root : show(root);
    };
}

// Own enumerable members with names as texts; getters are not called.
function membersOf(object) {
    return enumerableKeys(object).filter(key => typeof key === 'string').map(key => {
        const { value, get, set } = getOwnPropertyDescriptor(object, key);
        return [key, get || set ? showProperty({ get, set }) : value];
    });
}

function numberOf(value, parse) {
    if (typeof value === 'bigint') { return `${value}n`; }
    return ['object', 'function', 'symbol'].includes(typeof value) ? 'NaN' : String(parse(value));
}

return ({ load }) => {
    const inspect = makeInspect(value => load('dom-exception').isDOMException(value));
    const PATTERNS = {
        s: value => typeof value === 'bigint' ? `${value}n` : inspect(value, 1),
        o: value => inspect(value, undefined, true),
        O: value => inspect(value, undefined, true), c: () => '', d: value => numberOf(value, Number),
        i: value => numberOf(value, parseInt), f: value => numberOf(value, parseFloat),
    };

    function format(args) {
        const others = [...args];
        if (typeof others[0] === 'string' && others.length > 1) {
            const pattern = others.shift();
            others.unshift(pattern.replace(/%([sdifoOc%])/g, (text, kind) => {
                if (kind === '%') { return '%'; }
                return others.length ? PATTERNS[kind](others.shift()) : text;
            }));
        }
        return others.map(value => inspect(value)).join(' ');
    }

    return { format, inspect, membersOf };
};
})()
