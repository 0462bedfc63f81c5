// A file's content on its way to the disk.
'use strict';
{

const {
    packHead, packPieces, readPieces, packXattrs, writeAll, closeQuietly, headLength, pieceLength,
    sealedPiece, piecesAtOnce,
} = globalThis.__embeddedCore;

/**
 * Content under way in a scratch file, of which nothing is visible before it has a place. Whole pieces are on disk,
 * the last one waits in memory; up to one piece there is no file. Calls are done one after the other; one that fails
 * abandons it.
 */
class SealedContent {
    size = 0;
    #fs;
    #files;
    #cryptor;
    #random;
    #headKey;
    #key;
    #waiting = new Uint8Array(0);
    #waitingLength = 0;
    #place;
    #file;
    #written = 0;
    #line = Promise.resolve();
    #isOver = false;

    constructor({ fs, files, cryptor, random, headKey }) {
        this.#fs = fs;
        this.#files = files;
        this.#cryptor = cryptor;
        this.#random = random;
        this.#headKey = headKey;
        this.#key = random(32);
    }

    /** Adds `bytes`, which must not change before this resolves. */
    append(bytes) { return this.#inLine(() => this.#orDrop(this.#append(bytes))); }

    /** Bytes from `start` up to `end` or the end of what is there. */
    read(start, end) { return this.#inLine(() => this.#read(start, Math.min(end, this.size))); }

    /**
     * Puts head and attributes, `{id, version, xattrs, path}`, to the content; gives `{scratch}`, the path of a scratch
     * file with all of it, synced, or `{bytes}`, all of it, where there is no such file. With it this object is over, as
     * with a failure.
     */
    finish(given) {
        return this.#inLine(async () => {
            this.#isOver = true;
            return this.#orDrop(this.#finish(given));
        });
    }

    /**
     * All of it, as `finish` gives it where there is no scratch file; undefined where there is one. This object goes on.
     */
    bytesFor(given) {
        return this.#inLine(() => this.#file ? undefined : this.#orDrop(this.#inMemory(given)));
    }

    /** Removes what there is of it; harmless when it is over. */
    abandon() {
        this.#line = this.#line.then(() => {
            if (!this.#isOver) { return this.#drop(); }
        });
        return this.#line;
    }

    async #orDrop(step) {
        try {
            return await step;
        } catch (exception) {
            await this.#drop();
            throw exception;
        }
    }

    #inLine(step) {
        const done = this.#line.then(() => {
            if (this.#isOver) { throw new Error('this content was committed or abandoned; make a new one'); }
            return step();
        });
        this.#line = done.catch(() => {});
        return done;
    }

    async #append(bytes) {
        for (let offset = 0; offset < bytes.length;) {
            const whole = Math.min(Math.floor((bytes.length - offset) / pieceLength), piecesAtOnce) * pieceLength;
            if (this.#waitingLength === 0 && whole > 0) {
                await this.#writePieces(bytes.subarray(offset, offset + whole));
                offset += whole;
                continue;
            }
            const part = bytes.subarray(offset, offset + pieceLength - this.#waitingLength);
            this.#wait(part);
            offset += part.length;
            if (this.#waitingLength < pieceLength) { continue; }
            await this.#writePieces(this.#waiting.subarray(0, pieceLength));
            this.#waitingLength = 0;
        }
        this.size += bytes.length;
    }

    #wait(part) {
        const needed = this.#waitingLength + part.length;
        if (needed > this.#waiting.length) {
            const roomier = new Uint8Array(Math.min(pieceLength, Math.max(needed, 2 * this.#waiting.length)));
            roomier.set(this.#waiting.subarray(0, this.#waitingLength));
            this.#waiting = roomier;
        }
        this.#waiting.set(part, this.#waitingLength);
        this.#waitingLength = needed;
    }

    async #writePieces(bytes) {
        await this.#open();
        const sealed = await packPieces(this.#cryptor, this.#key, bytes, this.#written);
        await writeAll(this.#file, sealed, headLength + this.#written * sealedPiece);
        this.#written += bytes.length / pieceLength;
    }

    async #read(start, end) {
        const onDisk = this.#written * pieceLength;
        const result = new Uint8Array(Math.max(0, end - start));
        if (start < onDisk) {
            const stop = Math.min(end, onDisk);
            const readAt = async (place, length) => {
                const bytes = new Uint8Array(length);
                await this.#file.read(bytes, 0, length, place);
                return bytes;
            };
            const bytes = await readPieces(this.#cryptor, this.#key, onDisk, start, stop, readAt);
            if (!bytes) { throw new Error(`${this.#place}: the scratch file was changed by somebody else`); }
            result.set(bytes);
        }
        if (end > onDisk) {
            const from = Math.max(start, onDisk);
            result.set(this.#waiting.subarray(from - onDisk, end - onDisk), from - start);
        }
        return result;
    }

    async #inMemory(given) {
        const { head, pieces, attributes } = await this.#sealed(given);
        return joined(head, pieces, attributes);
    }

    /** The head, the last pieces and the attributes, as they stand on disk. */
    async #sealed({ id, version, xattrs, path }) {
        const attributes = await packXattrs(this.#cryptor, this.#random, this.#key, xattrs, path);
        const head = await packHead(this.#cryptor, this.#random, this.#headKey,
            { id, version, key: this.#key, size: this.size, xattrsLength: attributes.length });
        const pieces = await packPieces(
            this.#cryptor, this.#key, this.#waiting.subarray(0, this.#waitingLength), this.#written);
        return { head, pieces, attributes };
    }

    async #finish(given) {
        if (!this.#file) { return { bytes: await this.#inMemory(given) }; }
        const { head, pieces, attributes } = await this.#sealed(given);
        await writeAll(this.#file, joined(pieces, attributes), headLength + this.#written * sealedPiece);
        await writeAll(this.#file, head, 0);
        await this.#file.sync();
        closeQuietly(this.#file);
        return { scratch: this.#place };
    }

    async #open() {
        if (this.#file) { return; }
        const place = this.#files.scratchName();
        this.#file = await this.#fs.open(place, 'wx+');
        this.#place = place;
    }

    async #drop() {
        this.#isOver = true;
        if (!this.#file) { return; }
        // The failure that led here is the news; the next sweep removes what stays.
        await this.#fs.unlink(this.#place).catch(() => {});
        closeQuietly(this.#file);
    }
}

function joined(...parts) {
    const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let offset = 0;
    for (const part of parts) {
        all.set(part, offset);
        offset += part.length;
    }
    return all;
}

Object.assign(globalThis.__embeddedCore, { SealedContent });
}
