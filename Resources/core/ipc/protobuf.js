// Protobuf messages of the envelope protocol: bytes <-> plain objects.
// __ipcParts = {
//   msgProtoType: {pack(envelope) -> Uint8Array, unpack(bytes) -> envelope},
//     envelope = {headers: {msgType, fnCallNum?: {value}, path?: [string]}, body?: {value: Uint8Array}}
//   giveAway(bytes): the next message that ends with them may take them in place, and write in front of them
//   types, encode(type, msg) -> Uint8Array, decode(type, bytes) -> msg,
//   ipcException(fields) -> {runtimeException: true, type: "ipc", ...fields} }
// decode throws an ipc exception for bytes that are not the message: cut, overlong, wrong wire type, not UTF-8, a
// number above 2^53-1, too many repetitions. Unknown fields are skipped; byte fields are views of the input.
'use strict';
{
const encodeText = TextEncoder.prototype.encode.bind(new TextEncoder());
const decodeText = TextDecoder.prototype.decode.bind(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));
const { fromCharCode } = String;
const withRoom = new WeakSet();
const SPARE = 1024;
const MAX_INLINE = 512;
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
        if (tag < 8 || tag > 0xffffffff) { throw malformed(`tag ${tag}`); }
        const wireType = tag & 7;
        const field = fields[tag >>> 3];
        if (!field) {
            if (wireType === 0) {
                readVarint(input, end);
            } else {
                const length = readLength(input, wireType, end);
                input.pos += length;
            }
            continue;
        }
        const value = readField(field, wireType, input, end);
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

// ---- writing, from the end to the beginning: a length is known when its turn comes, and what is packed around a body
// goes in front of it. Small messages are made in `scratch` and copied out of it.

const scratch = new Uint8Array(8192);
let out = scratch;
let pos = 0;

function reserve(count) {
    if (pos >= count) { return; }
    const used = out.length - pos;
    const larger = new Uint8Array(Math.max(2 * out.length, used + count + SPARE));
    larger.set(out.subarray(pos), larger.length - used);
    pos = larger.length - used;
    out = larger;
}

function putVarint(value) {
    if (value < 0x80) {
        reserve(1);
        out[pos -= 1] = value;
        return;
    }
    let size = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) { size += 1; }
    reserve(size);
    pos -= size;
    for (let i = pos, rest = value; size > 0; size -= 1, rest = Math.floor(rest / 128)) {
        out[i++] = (rest % 128) | (size > 1 ? 0x80 : 0);
    }
}

function putBytes(bytes) {
    if (pos === out.length && withRoom.delete(bytes)) {
        out = new Uint8Array(bytes.buffer, 0, bytes.byteOffset + bytes.length);
        pos = bytes.byteOffset;
        return;
    }
    reserve(bytes.length);
    pos -= bytes.length;
    out.set(bytes, pos);
}

function putText(text) {
    const { length } = text;
    if (length > MAX_INLINE) {
        putBytes(encodeText(text));
        return;
    }
    reserve(length);
    pos -= length;
    for (let i = 0; i < length; i += 1) {
        const unit = text.charCodeAt(i);
        if (unit > 0x7f) {
            pos += length;
            putBytes(encodeText(text));
            return;
        }
        out[pos + i] = unit;
    }
}

function putField(tag, kind, value) {
    if (kind === 'uint') {
        putVarint(value);
        putVarint(tag);
        return;
    }
    const used = out.length - pos;
    if (kind === 'text') {
        putText(value);
    } else if (kind === 'bytes') {
        putBytes(value);
    } else {
        putMessage(kind, value);
    }
    putVarint(out.length - pos - used);
    putVarint(tag + 2);
}

function putMessage(fields, msg) {
    for (let number = fields.length - 1; number > 0; number -= 1) {
        const { name, kind, max } = fields[number];
        const value = msg[name];
        if (value === undefined) { continue; }
        if (!max) {
            putField(number * 8, kind, value);
            continue;
        }
        for (let i = value.length - 1; i >= 0; i -= 1) { putField(number * 8, kind, value[i]); }
    }
}

// What was written; big messages keep the room in front of them.
function take() {
    const bytes = out === scratch ? out.slice(pos) : out.subarray(pos);
    out = scratch;
    return bytes;
}

function encode(fields, msg) {
    out = scratch;
    pos = out.length;
    putMessage(fields, msg);
    const isBig = out !== scratch;
    const bytes = take();
    if (isBig) { withRoom.add(bytes); }
    return bytes;
}

// A big body of ours stays where it is, and the headers go in front of it, once.
function pack(envelope) {
    const body = envelope.body?.value;
    if (!body || !withRoom.delete(body)) { return encode(Envelope, envelope); }
    out = new Uint8Array(body.buffer, 0, body.byteOffset + body.length);
    pos = body.byteOffset;
    putVarint(body.length);
    putVarint(10);
    putVarint(out.length - pos);
    putVarint(18);
    putMessage(Envelope, { headers: envelope.headers });
    return take();
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
    giveAway: bytes => { withRoom.add(bytes); },
};
}
