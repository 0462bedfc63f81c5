// What a file is on disk: encrypted in pieces, so that any part can be read alone, and not cut or changed unnoticed.
//
//     offset       bytes   what
//     0            8       "sealed-2"
//     8            24      nonce of the head
//     32           96      head: a secret box under the tree's key for heads, of 80 bytes:
//                          file's id 16, content's key 32, size 8, version 8, bytes of attributes 4, zeros 12
//     128          …       content: each 128 KiB, the last ones perhaps less, sealed by ChaCha20-Poly1305 under the
//                          content's key: as many bytes, and 16 of tag
//     behind that  …       attributes, if there are any: nonce 24, secret box of their JSON under a key that is made of
//                          the content's: its keyed hash of "attributes"
//
// Numbers are big-endian. The nonce of a piece is its index; a content's key is used for one content only, of which
// nothing is ever changed in place, and a copy has the same bytes in the same place. The size in the head tells where
// the content ends.
'use strict';
{

const { fileException } = globalThis.__embeddedCore;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const magic = encoder.encode('sealed-2');
const headLength = 128;
const headBody = 80;
const overhead = 16;
const pieceLength = 128 * 1024;
const sealedPiece = pieceLength + overhead;
/** Pieces that are in work at once: some 2 MiB of memory for any file. */
const piecesAtOnce = 8;
/** Read with the head: the content of small files is in there, and that it ends there. */
const firstRead = headLength + 16 * 1024 + overhead + 1;
/** The same where the content is wanted. */
const wholeRead = headLength + piecesAtOnce * sealedPiece + 1;
/** Memory for pieces as they stand on disk, which the next read finds warm. */
const buffers = [];
const mostBuffers = 4;
/** Readers that hold such a buffer. However many files are read at once, no more than `mostBuffers` do. */
let wholeReaders = 0;
/** Shorter ones are cheaper new. */
const shortBuffer = 64 * 1024;

function takeBuffer(length) {
    const buffer = length > shortBuffer ? buffers.pop() ?? new Uint8Array(wholeRead) : undefined;
    return buffer ? buffer.subarray(0, length) : new Uint8Array(length);
}

function giveBack(bytes) {
    const isOurs = bytes.buffer.byteLength === wholeRead;
    if (isOurs && buffers.length < mostBuffers) { buffers.push(new Uint8Array(bytes.buffer)); }
}

/** Bytes that all attributes of a file may take. */
const mostXattrs = 256 * 1024;

const contentEnd = size => headLength + size + Math.ceil(size / pieceLength) * overhead;

/** `head` is `{id, key, size, version, xattrsLength}`, the first two bytes. */
async function packHead(cryptor, random, headKey, head) {
    const body = new Uint8Array(headBody);
    const view = new DataView(body.buffer);
    body.set(head.id);
    body.set(head.key, 16);
    view.setBigUint64(48, BigInt(head.size));
    view.setBigUint64(56, BigInt(head.version));
    view.setUint32(64, head.xattrsLength);
    const nonce = random(24);
    const box = await cryptor.sbox.pack(body, nonce, headKey);
    body.fill(0);
    const bytes = new Uint8Array(headLength);
    bytes.set(magic);
    bytes.set(nonce, 8);
    bytes.set(box, 32);
    return bytes;
}

/** The head in `bytes`, which begin a file; undefined when they are none of this tree's. */
async function openHead(cryptor, headKey, bytes) {
    if (bytes.length < headLength || !magic.every((byte, i) => bytes[i] === byte)) { return undefined; }
    const body = await opened(cryptor, bytes.subarray(32, headLength), bytes.subarray(8, 32), headKey);
    if (!body) { return undefined; }
    const view = new DataView(body.buffer, body.byteOffset);
    return {
        id: body.slice(0, 16),
        key: body.slice(16, 48),
        size: Number(view.getBigUint64(48)),
        version: Number(view.getBigUint64(56)),
        xattrsLength: view.getUint32(64),
    };
}

/** What is in `box`, undefined when it was changed. */
const opened = (cryptor, box, nonce, key) => orUndefined(cryptor.sbox.open(box, nonce, key));

/** Undefined for what did not open because it was changed. */
async function orUndefined(opening) {
    try {
        return await opening;
    } catch (exception) {
        if (exception.failedCipherVerification) { return undefined; }
        throw exception;
    }
}

/** The pieces of `bytes`, the first of which is number `index`, as they stand on disk. */
const packPieces = (cryptor, key, bytes, index) => cryptor.pieces.seal(bytes, key, pieceLength, index);

/** Of a message that is made around what was read, without a copy. */
const roomInFront = 1024;

/**
 * Bytes `start` to `end` of a content of `size` bytes; `readAt(place, length)` gives what the file has there.
 * Undefined when a piece was changed or is missing. `release(bytes)` gets back what `readAt` gave.
 */
async function readPieces(cryptor, key, size, start, end, readAt, release = () => {}) {
    const first = Math.floor(start / pieceLength);
    const last = Math.ceil(end / pieceLength);
    const isOneGo = last - first <= piecesAtOnce;
    const result = new Uint8Array(isOneGo ? 0 : end - start);
    for (let index = first; index < last; index += piecesAtOnce) {
        const stop = Math.min(index + piecesAtOnce, last);
        const place = headLength + index * sealedPiece;
        const length = Math.min(headLength + stop * sealedPiece, contentEnd(size)) - place;
        const sealed = await readAt(place, length);
        const bytes = sealed.length === length ? await orUndefined(
            cryptor.pieces.open(sealed, key, pieceLength, index, roomInFront)) : undefined;
        release(sealed);
        if (!bytes) { return undefined; }
        const at = index * pieceLength;
        const part = bytes.subarray(roomInFront + Math.max(start - at, 0), roomInFront + end - at);
        if (isOneGo) { return part; }
        result.set(part, Math.max(at - start, 0));
    }
    return result;
}

async function writeAll(file, bytes, position) {
    for (let offset = 0; offset < bytes.length;) {
        offset += (await file.write(bytes, offset, bytes.length - offset, position + offset)).bytesWritten;
    }
}

/** What was only read, or is on disk, loses nothing by a close that fails. */
function closeQuietly(file) { file.close().catch(() => {}); }

// ---- attributes: name → JSON value or bytes

/** `xattrs` with the changes of `{set, remove}`. */
function changedXattrs(xattrs, { set = {}, remove = [] }) {
    const entries = new Map(Object.entries(xattrs));
    for (const name of remove) { entries.delete(name); }
    for (const [name, value] of Object.entries(set)) { entries.set(name, value); }
    return Object.fromEntries(entries);
}

const attributesKey = (cryptor, key) => cryptor.hash.keyed(encoder.encode('attributes'), key, 32);

/** As they stand on disk; no bytes for no attributes. */
async function packXattrs(cryptor, random, key, xattrs, path) {
    const entries = Object.entries(xattrs).map(([name, value]) => value instanceof Uint8Array
        ? [name, null, value.toBase64()] : [name, value]);
    if (entries.length === 0) { return new Uint8Array(0); }
    const body = encoder.encode(JSON.stringify(entries));
    if (body.length > mostXattrs) {
        throw fileException('EPERM', path,
            `attributes of ${body.length} bytes are too many; all of a file may have ${mostXattrs}`);
    }
    const nonce = random(24);
    const box = await cryptor.sbox.pack(body, nonce, await attributesKey(cryptor, key));
    const bytes = new Uint8Array(24 + box.length);
    bytes.set(nonce);
    bytes.set(box, 24);
    return bytes;
}

async function openXattrs(cryptor, key, bytes) {
    const body = await opened(
        cryptor, bytes.subarray(24), bytes.subarray(0, 24), await attributesKey(cryptor, key));
    return body && Object.fromEntries(JSON.parse(decoder.decode(body)).map(
        ([name, value, base64]) => [name, base64 === undefined ? value : Uint8Array.fromBase64(base64)]));
}

// ---- reading

/**
 * A file as it was when it was opened; what is written later is in another one. `damaged()` makes the exception of one
 * that was changed.
 */
class SealedReader {
    #cryptor;
    #file;
    #first;
    #head;
    #damaged;
    #isClosed = false;
    #reads = 0;

    /**
     * Opens the file at `place`, a path of `fs`; `readsAll` has up to 1 MiB of its content read with the head. Exceptions are
     * those of the file ports, and `damaged()`.
     */
    static async open({ fs, cryptor, headKey, place, damaged, readsAll }) {
        const isWhole = readsAll && wholeReaders < mostBuffers;
        const buffer = isWhole ? takeBuffer(wholeRead) : new Uint8Array(firstRead);
        if (isWhole) { wholeReaders += 1; }
        let file;
        try {
            const start = await fs.readStart(place, buffer);
            const { bytesRead } = start;
            ({ file } = start);
            const first = buffer.subarray(0, bytesRead);
            const head = await openHead(cryptor, headKey, first);
            if (!head) { throw damaged('its head was changed or is missing'); }
            const reader = new SealedReader(cryptor, file, first, head, damaged);
            reader.xattrs = await reader.#readXattrs();
            return reader;
        } catch (exception) {
            if (file) { closeQuietly(file); }
            if (isWhole) { wholeReaders -= 1; }
            throw exception;
        }
    }

    constructor(cryptor, file, first, head, damaged) {
        this.#cryptor = cryptor;
        this.#file = file;
        this.#first = first;
        this.#head = head;
        this.#damaged = damaged;
    }

    get head() { return this.#head; }
    get size() { return this.#head.size; }
    get version() { return this.#head.version; }

    /** Bytes from `start` up to `end` or the file's end. */
    async read(start, end) {
        const { key, size } = this.#head;
        const stop = Math.min(end, size);
        this.#reads += 1;
        let bytes;
        try {
            bytes = await readPieces(this.#cryptor, key, size, Math.min(start, stop), stop,
                (place, length) => this.#readAt(place, length),
                sealed => { if (sealed.buffer !== this.#first.buffer) { giveBack(sealed); } });
        } finally {
            this.#reads -= 1;
        }
        if (!bytes) { throw this.#damaged('a piece of its content was changed or is missing'); }
        return bytes;
    }

    /** Nobody waits for it. A small file is all in memory and closed already. */
    async close() {
        if (this.#isClosed) { return; }
        this.#isClosed = true;
        if (this.#file) { closeQuietly(this.#file); }
        if (this.#first.buffer.byteLength === wholeRead) { wholeReaders -= 1; }
        if (this.#reads === 0) { giveBack(this.#first); }
    }

    async #readXattrs() {
        const { key, size, xattrsLength } = this.#head;
        if (xattrsLength === 0) { return {}; }
        const bytes = await this.#readAt(contentEnd(size), xattrsLength);
        const xattrs = bytes.length === xattrsLength ? await openXattrs(this.#cryptor, key, bytes) : undefined;
        if (!xattrs) { throw this.#damaged('its attributes were changed or are missing'); }
        return xattrs;
    }

    async #readAt(place, length) {
        if (place + length <= this.#first.length) { return this.#first.subarray(place, place + length); }
        if (!this.#file) { return this.#first.subarray(place); }
        const bytes = takeBuffer(length);
        const { bytesRead } = await this.#file.read(bytes, 0, length, place);
        return bytes.subarray(0, bytesRead);
    }
}

Object.assign(globalThis.__embeddedCore, {
    SealedReader, packHead, openHead, packPieces, readPieces, changedXattrs, packXattrs, contentEnd,
    writeAll, closeQuietly, headLength, pieceLength, sealedPiece, piecesAtOnce,
});
}
