// What components give as arguments of file calls, checked: they come from JSON, and may be anything.
'use strict';
{

const { fileException } = globalThis.__embeddedCore;
const { hasOwn } = Object;

/** Attributes that one change may name, and units of an attribute's name. */
const mostXattrChanges = 256;
const longestXattrName = 1024;

/** Bytes that one call may read: what fits into a message. */
const mostRead = 60 * 1024 * 1024;

function badArgument(path, message) {
    return fileException('EPERM', path, message, { badFnCallArguments: true });
}

const isRecord = value => typeof value === 'object' && value !== null && !Array.isArray(value)
    && !ArrayBuffer.isView(value);

const isWhole = value => Number.isSafeInteger(value) && value >= 0;

/** The own member `name` of `flags`, which JSON may have as null; `fallback` where it is left out. */
function member(path, flags, name, isRight, what, fallback) {
    const value = hasOwn(flags, name) ? flags[name] ?? undefined : undefined;
    if (value === undefined) { return fallback; }
    if (!isRight(value)) { throw badArgument(path, `flag "${name}" is no ${what}`); }
    return value;
}

function recordOf(path, flags) {
    if (flags === undefined || flags === null) { return {}; }
    if (!isRecord(flags)) { throw badArgument(path, 'flags are no object'); }
    return flags;
}

/** `{create, exclusive, truncate, currentVersion?}` of a write. */
function writeFlags(path, given) {
    const flags = recordOf(path, given);
    const isBoolean = value => typeof value === 'boolean';
    const flag = (name, fallback) => member(path, flags, name, isBoolean, 'boolean', fallback);
    const create = flag('create', true);
    return {
        create, exclusive: create && flag('exclusive', false), truncate: flag('truncate', true),
        currentVersion: member(path, flags, 'currentVersion', isWhole, 'version', undefined),
    };
}

/** `{archivedVersion?}` of a read; there are no remote versions. */
function readFlags(path, given) {
    const flags = recordOf(path, given);
    if (member(path, flags, 'remoteVersion', isWhole, 'version', undefined) !== undefined) {
        throw fileException('ENOSYS', path, 'remote versions are not available in the embedded core',
            { remoteNotSet: true });
    }
    return { archivedVersion: member(path, flags, 'archivedVersion', isWhole, 'version', undefined) };
}

/** Where bytes are to be read: whole numbers, `end` Infinity when it is left out. */
function range(path, start, end) {
    const from = start ?? 0;
    const to = end ?? Infinity;
    if (!isWhole(from) || !(isWhole(to) || to === Infinity) || to < from) {
        throw badArgument(path, 'no range to read; give whole numbers, start <= end');
    }
    return { from, to };
}

/** Refuses to read more at once than a message carries. */
function requireReadable(path, length) {
    if (length <= mostRead) { return; }
    throw fileException('EFBIG', path, `${length} bytes are more than one call gives (${mostRead}); read parts of it`);
}

function bytesOf(path, bytes) {
    if (bytes instanceof Uint8Array) { return bytes; }
    throw badArgument(path, 'content is no Uint8Array; give bytes or use writeTxtFile');
}

const encoder = new TextEncoder();

function bytesOfText(path, text) {
    if (typeof text !== 'string') { throw badArgument(path, 'content is no string'); }
    return encoder.encode(text);
}

function bytesOfJSON(path, value) {
    const text = JSON.stringify(value);
    if (text === undefined) { throw badArgument(path, 'content has no form in JSON'); }
    return encoder.encode(text);
}

function xattrName(path, name) {
    const isName = typeof name === 'string' && name !== '' && name.length <= longestXattrName && name.isWellFormed();
    if (isName) { return name; }
    throw badArgument(path, `an attribute's name is no text of 1 to ${longestXattrName} units`);
}

/** `{set, remove}` of a change of attributes, as the tree takes them. */
function xattrChanges(path, given) {
    if (given === undefined || given === null) { return { set: {}, remove: [] }; }
    if (!isRecord(given)) { throw badArgument(path, 'changes of attributes are no object {set?, remove?}'); }
    const set = member(path, given, 'set', isRecord, 'object', {});
    const remove = member(path, given, 'remove', Array.isArray, 'array', []);
    const entries = Object.entries(set);
    if (entries.length + remove.length > mostXattrChanges) {
        throw badArgument(path, `more than ${mostXattrChanges} attributes in one change`);
    }
    return {
        set: Object.fromEntries(entries.map(([name, value]) => {
            if (value === undefined) { throw badArgument(path, 'an attribute has no value; name it under "remove"'); }
            return [xattrName(path, name), value];
        })),
        remove: remove.map(name => xattrName(path, name)),
    };
}

Object.assign(globalThis.__embeddedCore, {
    badArgument, isRecord, isWhole, writeFlags, readFlags, range, requireReadable, bytesOf, bytesOfText, bytesOfJSON,
    xattrName, xattrChanges,
});
}
