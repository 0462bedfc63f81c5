// Formatting of what console functions get: % patterns, and values as text with bounds on depth and size.
(() => {
'use strict';
const { keys, getOwnPropertyDescriptor } = Object;
const { isArray } = Array;
const MAX_DEPTH = 4;
const MAX_MEMBERS = 100;
const MAX_NODES = 2000;
const MAX_TEXT = 10000;
const LINE = 76;

function brackets(open, items, close) {
    if (!items.length) { return open + close; }
    const line = `${open} ${items.join(', ')} ${close}`;
    if (line.length < LINE && !line.includes('\n')) { return line; }
    return `${open}\n  ${items.join(',\n').replaceAll('\n', '\n  ')}\n${close}`;
}

function showList(list, size, show) {
    const items = [];
    for (const item of list) {
        if (items.length === MAX_MEMBERS) { break; }
        items.push(show(item));
    }
    return size > items.length ? [...items, `… ${size - items.length} more`] : items;
}

// Own members as texts; getters are not called.
function showMembers(object, show, hidden = []) {
    const names = keys(object).filter(name => !hidden.includes(name));
    const items = names.slice(0, MAX_MEMBERS).map(name => {
        const descriptor = getOwnPropertyDescriptor(object, name);
        const shown = descriptor && 'value' in descriptor ? show(descriptor.value) : '[Getter]';
        return `${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}: ${shown}`;
    });
    return names.length > items.length ? [...items, `… ${names.length - items.length} more`] : items;
}

// The engine's stack has neither name nor message, and these are own properties of an error.
const OF_ERROR = ['name', 'message', 'stack', 'cause', 'line', 'column', 'sourceURL'];
function showError(error, show) {
    const stack = String(error.stack ?? '').split('\n').filter(Boolean).map(line => `\n    at ${line}`).join('');
    const members = showMembers(error, show, OF_ERROR);
    const cause = getOwnPropertyDescriptor(error, 'cause');
    return `${error.name}: ${error.message}${stack}${members.length ? ` ${brackets('{', members, '}')}` : ''}`
        + (cause ? `\ncaused by ${show(cause.value)}` : '');
}

function showObject(value, show) {
    const kind = value.constructor?.name ?? 'null';
    if (value instanceof Error) { return showError(value, show); }
    if (value instanceof RegExp) { return String(value); }
    if (value instanceof Date) { return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString(); }
    if (isArray(value)) { return brackets('[', showList(value, value.length, show), ']'); }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
        return brackets(`${kind}(${value.length}) [`, showList(value, value.length, show), ']');
    }
    if (value instanceof ArrayBuffer) { return `ArrayBuffer(${value.byteLength})`; }
    if (value instanceof Set) { return brackets(`Set(${value.size}) {`, showList(value, value.size, show), '}'); }
    if (value instanceof Map) {
        return brackets(`Map(${value.size}) {`, showList(value, value.size, pair => pair.map(show).join(' => ')), '}');
    }
    return brackets(kind === 'Object' ? '{' : `${kind} {`, showMembers(value, show), '}');
}

function shorten(text) {
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… ${text.length - MAX_TEXT} more` : text;
}

function inspect(root) {
    const above = [];
    let nodes = 0;
    function show(value) {
        if (typeof value === 'string') { return JSON.stringify(shorten(value)); }
        if (typeof value === 'bigint') { return `${value}n`; }
        if (typeof value === 'function') { return `[Function ${value.name || '(anonymous)'}]`; }
        if (typeof value !== 'object' || value === null) { return Object.is(value, -0) ? '-0' : String(value); }
        if (above.includes(value)) { return '[Circular]'; }
        nodes += 1;
        if (above.length > MAX_DEPTH || nodes > MAX_NODES) { return isArray(value) ? '[Array]' : '[Object]'; }
        above.push(value);
        try {
            return showObject(value, show);
        } catch {
            return '[Object that cannot be shown]';
        } finally {
            above.pop();
        }
    }
    return typeof root === 'string' ? root : show(root);
}

function numberOf(value) {
    return typeof value === 'object' ? NaN : Number(value);
}

const PATTERNS = {
    s: inspect, o: inspect, O: inspect, c: () => '', d: value => String(numberOf(value)),
    i: value => String(Math.trunc(numberOf(value))), f: value => String(numberOf(value)),
};

function format(args) {
    const rest = [...args];
    if (typeof rest[0] === 'string' && rest.length > 1) {
        const pattern = rest.shift();
        rest.unshift(pattern.replace(/%([sdifoOc%])/g, (text, kind) => {
            if (kind === '%') { return '%'; }
            return rest.length ? PATTERNS[kind](rest.shift()) : text;
        }));
    }
    return rest.map(inspect).join(' ');
}

return () => ({ format, inspect });
})()
