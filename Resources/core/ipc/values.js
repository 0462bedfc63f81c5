// Values of calls <-> ValuesSequence bytes, and errors <-> ErrorValue bytes.
// __ipcParts += {
//   packValues(values, refOf?) -> Uint8Array; refOf(object) -> {ref: {objType, path}, props?} of a referenced object
//   unpackValues(bytes?, objectOf?) -> [values]; objectOf(ref, props?) -> the referenced object, or throws
//   packError(err) -> Uint8Array; unpackError(bytes?) -> exception object, or Error with what was thrown as cause
//   parseJSON(text) -> value, nested at most 100 deep }
// A typed array travels as bytes beside the JSON and arrives as Uint8Array. A referenced object leaves its plain
// properties (or null) at its place. packValues throws TypeError for what cannot travel, the others ipc exceptions.
'use strict';
{
const parts = globalThis.__ipcParts;
const { types, encode, decode, ipcException } = parts;
const { parse, stringify } = JSON;
const { hasOwn } = Object;
const { isArray } = Array;
const MAX_DEPTH = 100;

function malformed(what) {
    return ipcException({ badReply: true, message: `Malformed value: ${what}` });
}

// ---- JSON with a bound on its depth

function checkDepth(json) {
    for (let i = 0, depth = 0; i < json.length; i += 1) {
        const char = json.charCodeAt(i);
        if (char === 0x22) {
            i = endOfString(json, i);
        } else if (char === 0x5d || char === 0x7d) {
            depth -= 1;
        } else if ((char === 0x5b || char === 0x7b) && (depth += 1) > MAX_DEPTH) {
            throw malformed(`nested deeper than ${MAX_DEPTH}`);
        }
    }
}

function endOfString(json, start) {
    for (let end = start; ;) {
        end = json.indexOf('"', end + 1);
        if (end < 0) { return json.length; }
        let escapes = 0;
        while (json.charCodeAt(end - 1 - escapes) === 0x5c) { escapes += 1; }
        if (escapes % 2 === 0) { return end; }
    }
}

function parseJSON(json) {
    if (json.length > MAX_DEPTH) { checkDepth(json); }
    try {
        return parse(json);
    } catch {
        throw malformed('not JSON');
    }
}

// ---- packing

function bytesOf(value) {
    if (value instanceof Uint8Array) { return value; }
    if (ArrayBuffer.isView(value)) { return new Uint8Array(value.buffer, value.byteOffset, value.byteLength); }
    return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

// The value with what JSON cannot hold moved to `found`; copied only along the way to such places.
function strip(value, location, found, refOf) {
    if (value === null || typeof value !== 'object') { return value; }
    if (location.length > MAX_DEPTH) {
        throw new TypeError(`Cannot send a value that is cyclic or nested deeper than ${MAX_DEPTH}`);
    }
    const arr = bytesOf(value);
    if (arr) {
        found.binaryInJson.push({ arr, objLocation: [...location] });
        return null;
    }
    const known = refOf?.(value);
    if (known) {
        found.transferredInJson.push({ objLocation: [...location], objRef: known.ref });
        return known.props ?? null;
    }
    if (typeof value.toJSON === 'function') { return value; }
    let copy;
    for (const key of Object.keys(value)) {
        const member = value[key];
        if (member === null || typeof member !== 'object') { continue; }
        location.push(key);
        const stripped = strip(member, location, found, refOf);
        location.pop();
        if (stripped !== member) {
            copy ??= isArray(value) ? [...value] : Object.assign(Object.create(null), value);
            copy[key] = stripped;
        }
    }
    return copy ?? value;
}

function packValue(value, refOf) {
    if (value === undefined) { return {}; }
    if (value instanceof Uint8Array) { return { arr: { arr: value } }; }
    const found = { binaryInJson: [], transferredInJson: [] };
    const json = stringify(strip(value, [], found, refOf));
    const { binaryInJson: [binary], transferredInJson: [transferred] } = found;
    if (binary?.objLocation.length === 0) { return { arr: binary }; }
    if (transferred?.objLocation.length === 0) { return json === 'null' ? { transferred } : { json, transferred }; }
    if (json === undefined) { throw new TypeError(`Cannot send a ${typeof value}`); }
    return { json, ...found };
}

function packValues(values, refOf) {
    return encode(types.ValuesSequence, { values: Array.from(values, value => packValue(value, refOf)) });
}

// ---- unpacking

function hasMember(holder, key) {
    if (holder === null || typeof holder !== 'object') { return false; }
    return hasOwn(holder, key) && !(isArray(holder) && key === 'length');
}

// Replaces what stands at the location, which must exist, by `make` of it. Own members only.
function replaceAt(root, location, make) {
    let holder = root;
    for (let i = 0; ; i += 1) {
        const key = location?.[i];
        if (!hasMember(holder, key)) { throw malformed('no such location'); }
        if (i === location.length - 1) {
            holder[key] = make(holder[key]);
            return;
        }
        holder = holder[key];
    }
}

function objectAt({ objRef }, props, objectOf) {
    if (objRef?.objType && objRef.path && objectOf) { return objectOf(objRef, props ?? undefined); }
    throw ipcException({ invalidReference: true, message: 'Reference to no object' });
}

function unpackValue({ json, binaryInJson = [], transferredInJson = [], arr, transferred }, objectOf) {
    if (arr) { return arr.arr ?? new Uint8Array(0); }
    const value = json ? parseJSON(json) : undefined;
    if (transferred) { return objectAt(transferred, value, objectOf); }
    for (const { arr: bytes, objLocation } of binaryInJson) {
        replaceAt(value, objLocation, () => bytes ?? new Uint8Array(0));
    }
    for (const found of transferredInJson) {
        replaceAt(value, found.objLocation, props => objectAt(found, props, objectOf));
    }
    return value;
}

function unpackValues(bytes, objectOf) {
    if (!bytes) { return []; }
    return (decode(types.ValuesSequence, bytes).values ?? []).map(value => unpackValue(value, objectOf));
}

// ---- errors

function textOfError(err) {
    try {
        return err instanceof Error ? `${err.name}: ${err.message}` : stringify(err) ?? String(err);
    } catch {
        return 'error that cannot be described';
    }
}

function packError(err) {
    try {
        if (err?.runtimeException === true) {
            const runtimeExcJson = stringify(err, (key, value) => value instanceof Error ? textOfError(value) : value);
            return encode(types.ErrorValue, { runtimeExcJson });
        }
    } catch {
        // cyclic, or with a getter that throws: goes as text
    }
    return encode(types.ErrorValue, { err: textOfError(err) });
}

function unpackError(bytes) {
    try {
        const { runtimeExcJson, err } = bytes ? decode(types.ErrorValue, bytes) : {};
        if (!runtimeExcJson) { return errorFromText(err); }
        const exc = parseJSON(runtimeExcJson);
        return exc?.runtimeException === true ? exc : malformed('no exception');
    } catch (err) {
        return err;
    }
}

function errorFromText(text = '') {
    let cause = text;
    try {
        cause = parseJSON(text);
    } catch {
        // the text of an Error
    }
    return new Error(`Error from other side of ipc: ${typeof cause === 'string' ? cause : text}`, { cause });
}

Object.assign(parts, { packValues, unpackValues, packError, unpackError, parseJSON });
}
