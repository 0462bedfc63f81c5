// Names of files and folders as they stand on disk: encrypted, and the same for the same name, so that one file call
// finds one and a move is one rename.
'use strict';
{

const { fileException } = globalThis.__embeddedCore;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes of a name in UTF-8: with nonce and authenticator in base64 they make the 255 that a file system takes. */
const longestName = 159;
const nonceLength = 16;
/** Names that are remembered in either direction. */
const mostRemembered = 4096;

/**
 * The synthetic nonce of a text under a key: who changes the text changes the nonce, so equal nonces mean equal texts.
 * The last 8 of its 24 bytes are zeros and are not kept.
 */
async function nonceOf(cryptor, bytes, key) {
    const nonce = new Uint8Array(24);
    nonce.set(await cryptor.hash.keyed(bytes, key, nonceLength));
    return nonce;
}

/** One tree's names under its `key`. */
class SealedNames {
    #cryptor;
    #key;
    #sealed = new Map();
    #opened = new Map();

    constructor(cryptor, key) {
        this.#cryptor = cryptor;
        this.#key = key;
    }

    /** `name` as it stands on disk; ENAMETOOLONG when it is too long for that. */
    async seal(name) {
        const known = this.#sealed.get(name);
        if (known !== undefined) { return known; }
        if (!name.isWellFormed()) { throw fileException('EPERM', name, 'has half a character; give whole ones'); }
        const bytes = encoder.encode(name);
        if (bytes.length > longestName) {
            throw fileException('ENAMETOOLONG', name,
                `a name has at most ${longestName} bytes in UTF-8, this one ${bytes.length}`);
        }
        const nonce = await nonceOf(this.#cryptor, bytes, this.#key);
        const box = await this.#cryptor.sbox.pack(bytes, nonce, this.#key);
        const all = new Uint8Array(nonceLength + box.length);
        all.set(nonce.subarray(0, nonceLength));
        all.set(box, nonceLength);
        const sealed = all.toBase64({ alphabet: 'base64url', omitPadding: true });
        this.#remember(name, sealed);
        return sealed;
    }

    /** The name that stands on disk as `sealed`; undefined for what is none of this tree's. */
    async open(sealed) {
        const known = this.#opened.get(sealed);
        if (known !== undefined) { return known; }
        try {
            const all = Uint8Array.fromBase64(sealed, { alphabet: 'base64url' });
            const nonce = new Uint8Array(24);
            nonce.set(all.subarray(0, nonceLength));
            const name = decoder.decode(await this.#cryptor.sbox.open(all.subarray(nonceLength), nonce, this.#key));
            this.#remember(name, sealed);
            return name;
        } catch (exception) {
            if (exception.stopped) { throw exception; }
            return undefined;
        }
    }

    /** Overwrites the key and forgets the names. */
    close() {
        this.#key.fill(0);
        this.#sealed.clear();
        this.#opened.clear();
    }

    #remember(name, sealed) {
        if (this.#sealed.size >= mostRemembered) {
            this.#sealed.clear();
            this.#opened.clear();
        }
        this.#sealed.set(name, sealed);
        this.#opened.set(sealed, name);
    }
}

Object.assign(globalThis.__embeddedCore, { SealedNames, longestName });
}
