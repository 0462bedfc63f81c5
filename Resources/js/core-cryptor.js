// The cryptor that the core's library is given, on the ports of the cryptor group.
'use strict';
{

/**
 * The library labels the secret boxes of one job (reading a file, for example), and asks how many operations it may start
 * under a label, so that a big job leaves room for the others.
 */
class WorkLabels {
    #threads;
    #underWay = new Map();
    #all = 0;

    constructor(threads) { this.#threads = threads; }

    /** At least one for a label that has nothing under way. */
    canStart(label) {
        const free = Math.max(0, this.#threads - this.#all);
        return this.#underWay.has(label) ? free : Math.max(1, free);
    }

    async during(label, start) {
        this.#all += 1;
        this.#underWay.set(label, (this.#underWay.get(label) ?? 0) + 1);
        try {
            return await start();
        } finally {
            const left = this.#underWay.get(label) - 1;
            this.#all -= 1;
            if (left > 0) { this.#underWay.set(label, left); } else { this.#underWay.delete(label); }
        }
    }
}

/**
 * `{cryptor, close}`. All operations of `cryptor` but `sbox.canStartUnderWorkLabel` are promises of `Uint8Array`s, of a
 * boolean (`signing.verify`) or of `{skey, pkey}` (`signing.generate_keypair`); they are rejected with `cryptor`
 * exceptions, of which a box that does not open has `failedCipherVerification`. `progressCB` gets whole percentages.
 * `hash` and `pieces` are what the embedded core uses beside what the library knows.
 */
function makeCryptor() {
    let isClosed = false;
    const callPort = async (port, ...args) => {
        if (isClosed) {
            throw { runtimeException: true, type: 'cryptor', stopped: true, message: 'the cryptor was closed' };
        }
        return __nativeCallDispatch(port, args);
    };
    const call = (port, ...args) => callPort(`nacl_${port}`, ...args);
    const labels = new WorkLabels(__nativeCallDispatch('nacl_threads', []));
    const during = (label, port, ...args) => labels.during(label, () => call(port, ...args));
    const cryptor = {
        scrypt: (passwd, salt, logN, r, p, dkLen, progressCB) =>
            call('scrypt', passwd, salt, logN, r, p, dkLen, progressCB),
        hash: { keyed: (m, k, length) => call('hash_keyed', m, k, length) },
        box: {
            generate_pubkey: sk => call('box_publicKey', sk),
            calc_dhshared_key: (pk, sk) => call('box_sharedKey', pk, sk),
        },
        sbox: {
            canStartUnderWorkLabel: label => labels.canStart(label),
            open: (c, n, k, label) => during(label, 'sbox_open', c, n, k),
            pack: (m, n, k, label) => during(label, 'sbox_pack', m, n, k),
            formatWN: {
                open: (cn, k, label) => during(label, 'sbox_openWN', cn, k),
                pack: (m, n, k, label) => during(label, 'sbox_packWN', m, n, k),
            },
        },
        pieces: {
            open: (c, k, pieceLength, first, room) => callPort('pieces_open', c, k, pieceLength, first, room),
            seal: (m, k, pieceLength, first) => callPort('pieces_seal', m, k, pieceLength, first),
        },
        signing: {
            generate_keypair: seed => call('sign_keypair', seed),
            signature: (m, sk) => call('sign_signature', m, sk),
            verify: (sig, m, pk) => call('sign_verify', sig, m, pk),
        },
    };
    return { cryptor, close: async () => { isClosed = true; } };
}

Object.assign(globalThis.__platformParts ??= {}, { makeCryptor });
}
