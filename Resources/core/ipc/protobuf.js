// Protobuf messages of the envelope protocol: bytes <-> plain objects.
// __ipcParts = {
//   msgProtoType: {pack(envelope) -> Uint8Array, unpack(bytes) -> envelope},
//     envelope = {headers: {msgType, fnCallNum?: {value}, path?: [string]}, body?: {value: Uint8Array}}
//   types, encode(type, msg, spare?) -> Uint8Array, decode(type, bytes) -> msg,
//   ipcException(fields) -> {runtimeException: true, type: "ipc", ...fields} }
// decode throws an ipc exception for bytes that are not the message: cut, overlong, wrong wire type, not UTF-8, a number
// above 2^53-1, too many repetitions. Unknown fields are skipped; byte fields are views of the input.
(() => {
'use strict';
const encodeText = TextEncoder.prototype.encode.bind(new TextEncoder());
const decodeText = TextDecoder.prototype.decode.bind(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));
const { fromCharCode } = String;
const bodiesWithSpare = new WeakSet();
const SPARE = 256;
const MAX_PATH = 32;
const MAX_ITEMS = 100000;

function ipcException(fields) {
    return { runtimeException: true, type: 'ipc', ...fields };
}

function malformed(what) {
    return ipcException({ badReply: true, message: `Malformed message: ${what}` });
}

// A type is a list of fields by number; kind is "uint", "bytes", "text" or a type; with max it is repeated.
function type(...fields) {
    return [undefined, ...fields.map(([name, kind, max]) => ({ name, kind, max }))];
}
const UInt64Value = type(['value', 'uint']);
const BytesValue = type(['value', 'bytes']);
const EnvelopeHeaders = type(['msgType', 'text'], ['fnCallNum', UInt64Value], ['path', 'text', MAX_PATH]);
const Envelope = type(['headers', EnvelopeHeaders], ['body', BytesValue]);
const ErrorValue = type(['runtimeExcJson', 'text'], ['err', 'text']);
const StringArrayValue = type(['values', 'text', MAX_ITEMS]);
const ObjectReference = type(['objType', 'text'], ['path', 'text', MAX_PATH]);
const BinaryValue = type(['arr', 'bytes'], ['objLocation', 'text', 128]);
const TransferredObj = type(['objLocation', 'text', 128], ['objRef', ObjectReference]);
const ValuesSequence = type(['values', type(
    ['json', 'text'], ['binaryInJson', BinaryValue, MAX_ITEMS], ['transferredInJson', TransferredObj, MAX_ITEMS],
    ['arr', BinaryValue], ['transferred', TransferredObj]), MAX_ITEMS]);

// ---- reading; input = {bytes, pos}

function readVarint(input, end) {
    for (let value = 0, scale = 1, i = 0; i < 10; i += 1, scale *= 128) {
        if (input.pos >= end) { throw malformed('cut inside a number'); }
        const byte = input.bytes[input.pos++];
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) { return value; }
    }
    throw malformed('overlong number');
}

// The length of a field of this wire type whose content starts at input.pos.
function readLength(input, wireType, end) {
    const length = wireType === 2 ? readVarint(input, end) : wireType === 1 ? 8 : wireType === 5 ? 4 : Infinity;
    if (length > end - input.pos) { throw malformed('cut inside a field'); }
    return length;
}

function readText(bytes, start, end) {
    if (end - start < 64) {
        let text = '';
        let i = start;
        while (i < end && bytes[i] < 0x80) { text += fromCharCode(bytes[i++]); }
        if (i === end) { return text; }
    }
    try {
        return decodeText(bytes.subarray(start, end));
    } catch {
        throw malformed('text is not UTF-8');
    }
}

function readField({ name, kind }, wireType, input, end) {
    if (wireType !== (kind === 'uint' ? 0 : 2)) { throw malformed(`wire type ${wireType} of ${name}`); }
    if (kind === 'uint') {
        const value = readVarint(input, end);
        if (value <= Number.MAX_SAFE_INTEGER) { return value; }
        throw ipcException({ invalidCallNum: true, message: 'Number is greater than 2^53-1' });
    }
    const length = readLength(input, 2, end);
    const start = input.pos;
    if (typeof kind === 'object') { return readMessage(kind, input, start + length); }
    input.pos += length;
    return kind === 'text' ? readText(input.bytes, start, input.pos) : input.bytes.subarray(start, input.pos);
}

function readMessage(fields, input, end) {
    const msg = {};
    while (input.pos < end) {
        const tag = readVarint(input, end);
        const number = Math.floor(tag / 8);
        if (number < 1 || number > 0x1fffffff) { throw malformed(`field number ${number}`); }
        const field = fields[number];
        if (!field) {
            if (tag % 8 === 0) {
                readVarint(input, end);
            } else {
                const length = readLength(input, tag % 8, end);
                input.pos += length;
            }
            continue;
        }
        const value = readField(field, tag % 8, input, end);
        if (!field.max) {
            msg[field.name] = value;
        } else if ((msg[field.name] ??= []).push(value) > field.max) {
            throw malformed(`more than ${field.max} of ${field.name}`);
        }
    }
    return msg;
}

function decode(fields, bytes) {
    if (!(bytes instanceof Uint8Array)) { throw malformed('no bytes'); }
    return readMessage(fields, { bytes, pos: 0 }, bytes.length);
}

// ---- writing; out = {parts: [byte | short ASCII text | Uint8Array], length}

function put(out, part, length) {
    out.parts.push(part);
    out.length += length;
}

function putVarint(out, value) {
    for (; value > 0x7f; value = Math.floor(value / 128)) { put(out, (value % 128) | 0x80, 1); }
    put(out, value, 1);
}

function isShortAscii(text) {
    for (let i = 0; i < text.length; i += 1) {
        if (i > 64 || text.charCodeAt(i) > 0x7f) { return false; }
    }
    return true;
}

function putField(out, tag, kind, value) {
    if (kind === 'uint') {
        putVarint(out, tag);
        putVarint(out, value);
        return;
    }
    putVarint(out, tag + 2);
    if (typeof kind === 'object') {
        const inner = putMessage(kind, value);
        putVarint(out, inner.length);
        out.length += inner.length;
        for (const part of inner.parts) { out.parts.push(part); }
        return;
    }
    const part = kind === 'bytes' || isShortAscii(value) ? value : encodeText(value);
    putVarint(out, part.length);
    put(out, part, part.length);
}

function putMessage(fields, msg) {
    const out = { parts: [], length: 0 };
    for (let number = 1; number < fields.length; number += 1) {
        const { name, kind, max } = fields[number];
        const value = msg[name];
        if (value === undefined) { continue; }
        for (const item of max ? value : [value]) { putField(out, number * 8, kind, item); }
    }
    return out;
}

function fill(bytes, pos, parts) {
    for (const part of parts) {
        if (typeof part === 'number') {
            bytes[pos++] = part;
        } else if (typeof part === 'string') {
            for (let i = 0; i < part.length; i += 1) { bytes[pos++] = part.charCodeAt(i); }
        } else {
            bytes.set(part, pos);
            pos += part.length;
        }
    }
    return bytes;
}

// With spare, room stays free in front of a big result, so that pack puts headers there instead of copying the body.
function encode(fields, msg, spare) {
    const { parts, length } = putMessage(fields, msg);
    if (!spare || length < 0x4000) { return fill(new Uint8Array(length), 0, parts); }
    const body = fill(new Uint8Array(SPARE + length), SPARE, parts).subarray(SPARE);
    bodiesWithSpare.add(body);
    return body;
}

function pack(envelope) {
    const body = envelope.body?.value;
    if (!body || !bodiesWithSpare.delete(body)) { return encode(Envelope, envelope); }
    const inner = { parts: [], length: body.length };
    putVarint(inner, 10);
    putVarint(inner, body.length);
    const out = putMessage(Envelope, { headers: envelope.headers });
    putVarint(out, 18);
    putVarint(out, inner.length);
    out.parts.push(...inner.parts);
    const total = out.length + inner.length;
    const start = SPARE + body.length - total;
    if (start < 0) { return encode(Envelope, envelope); }
    return fill(new Uint8Array(body.buffer, start, total), 0, out.parts);
}

function unpack(bytes) {
    const { headers, body } = decode(Envelope, bytes);
    if (!headers?.msgType) { throw malformed('no envelope'); }
    if (headers.fnCallNum) { headers.fnCallNum.value ??= 0; }
    return body ? { headers, body: { value: body.value ?? new Uint8Array(0) } } : { headers };
}

globalThis.__ipcParts = {
    msgProtoType: Object.freeze({ pack, unpack }),
    types: { Envelope, ErrorValue, StringArrayValue, ObjectReference, ValuesSequence },
    encode, decode, ipcException,
};
})();
