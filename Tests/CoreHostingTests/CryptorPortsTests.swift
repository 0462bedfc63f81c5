import CoreHosting
import Foundation
import JSEngine
import TestSupport
import Testing

/// A context with the ports of the cryptor group, and what `script`, the body of an async function, returns there.
private func onCryptor(_ script: String) throws -> String {
    try withCryptor { engine, _ in try engine.settle("(async () => { \(script) })()") }
}

private func withCryptor<Value: Sendable>(
    _ body: @escaping @Sendable (JSEngineHost, CryptorInjectedFns) throws -> Value
) throws -> Value {
    try withEngine { engine, _ in
        let cryptor = CryptorInjectedFns(loop: engine.loop)
        cryptor.registerAll(on: engine)
        defer { cryptor.close() }
        try engine.evaluate(
            """
            const port = async (name, ...args) => __nativeCallDispatch(`nacl_${name}`, args);
            const random = n => __nativeCallDispatch("crypto_random", [n]);
            const text = bytes => bytes.toHex();
            const bytes = text => Uint8Array.from(text, c => c.charCodeAt(0));
            const failure = promise => promise.then(() => "none", e => [e.type, ...Object.keys(e).filter(
                key => e[key] === true && key !== "runtimeException")].join(" "));
            const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
            """, sourceName: "cryptor-fixture.js")
        return try body(engine, cryptor)
    }
}

@Suite struct CryptorPorts {
    @Test func packAndOpenShortAndLongMessages() throws {
        let result = try onCryptor(
            """
            const [n, k] = [random(24), random(32)];
            const alice = await port("box_keypair"), bob = await port("box_keypair");
            const shared = await port("box_sharedKey", bob.pkey, alice.skey);
            const results = [];
            for (const size of [0, 1, 16384, 16385, 65537, 1048576]) {
                const m = random(size);
                const c = await port("sbox_pack", m, n, shared);
                const cn = await port("sbox_packWN", m, n, k);
                const box = await port("box_pack", m, n, bob.pkey, alice.skey);
                results.push([c.length - size, cn.length - size, same(c, box), same(cn.subarray(0, 24), n),
                    same(await port("sbox_open", c, n, shared), m), same(await port("sbox_openWN", cn, k), m),
                    same(await port("box_open", box, n, alice.pkey, bob.skey), m)].join(" "));
            }
            return results;
            """)
        #expect(
            result == "[" + Array(repeating: #""16 40 true true true true true""#, count: 6).joined(separator: ",")
                + "]")
    }

    @Test func piecesOpenInTheirPlaceAlone() throws {
        let result = try onCryptor(
            """
            const call = async (name, ...args) => __nativeCallDispatch(`pieces_${name}`, args);
            const k = random(32);
            const results = [];
            for (const size of [0, 1, 999, 1000, 1001, 16384, 16385, 200000, 1048576]) {
                const m = random(size);
                const c = await call("seal", m, k, 1000, 5);
                const pieces = Math.ceil(size / 1000);
                const behind = await call("open", c, k, 1000, 5, 77);
                results.push([c.length - size === 16 * pieces, same(await call("open", c, k, 1000, 5), m),
                    same(behind.subarray(77), m) && behind.subarray(0, 77).every(byte => byte === 0),
                    size === 0 || await failure(call("open", c, k, 1000, 6)),
                    size === 0 || await failure(call("open", c, random(32), 1000, 5)),
                    size === 0 || await failure(call("open", c.subarray(0, -1), k, 1000, 5))].join(" "));
            }
            const c = await call("seal", random(3000), k, 1000, 0);
            const swapped = c.slice();
            swapped.set(c.subarray(0, 1016), 1016);
            swapped.set(c.subarray(1016, 2032), 0);
            results.push(await failure(call("open", swapped, k, 1000, 0)));
            results.push(same(await call("open", c.subarray(1016), k, 1000, 1), (await call("open", c, k, 1000, 0)).subarray(1000)));
            results.push(await failure(call("open", random(15), k, 1000, 0)));
            return results;
            """)
        let refused = "cryptor failedCipherVerification"
        let expected =
            [#""true true true true true true""#]
            + Array(repeating: #""true true true \#(refused) \#(refused) \#(refused)""#, count: 8)
            + [#""\#(refused)""#, "true", #""\#(refused)""#]
        #expect(result == "[" + expected.joined(separator: ",") + "]")
    }

    @Test func sign() throws {
        let result = try onCryptor(
            """
            const { skey, pkey } = await port("sign_keypair", new Uint8Array(32).fill(7));
            const results = [skey.length, pkey.length, same(skey.subarray(32), pkey)];
            for (const size of [0, 20, 100000]) {
                const m = random(size);
                const sig = await port("sign_signature", m, skey);
                results.push(sig.length, await port("sign_verify", sig, m, pkey),
                    await port("sign_verify", sig, random(size + 1), pkey));
            }
            return results.join(" ");
            """)
        #expect(result == #""64 32 true 64 true false 64 true false 64 true false""#)
    }

    /// The first two by Python's `hashlib.blake2b(message, key=key, digest_size=n)`, which is another implementation.
    @Test func hashWithAKey() throws {
        let result = try onCryptor(
            """
            const key = Uint8Array.from({ length: 32 }, (_, i) => i);
            const hash = async (m, k, n) => text(await port("hash_keyed", m, k, n));
            return [await hash(bytes("abc"), key, 32), await hash(new Uint8Array(100000).fill(7), key, 24),
                await hash(bytes("abc"), key.toReversed(), 16) === await hash(bytes("abc"), key, 16),
                await port("hash_keyed", key, key.subarray(1), 32).catch(e => e.message),
                await port("hash_keyed", key, key, 65).catch(e => e.message)];
            """)
        #expect(
            result == #"["d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f","#
                + #""b5ba5dd70f9076aa28fef10942e0b84baf82a5bf025ba2e3",false,"#
                + #""nacl_hash_keyed: k must have 32 bytes, not 31","#
                + #""nacl_hash_keyed: length must be a whole number from 16 to 64, not 65"]"#)
    }

    @Test func tellWhatDoesNotOpen() throws {
        let result = try onCryptor(
            """
            const [n, k] = [random(24), random(32)];
            const results = [];
            for (const size of [10, 100000]) {
                const c = await port("sbox_pack", random(size), n, k);
                c[size] ^= 1;
                results.push(await failure(port("sbox_open", c, n, k)));
            }
            results.push(await failure(port("sbox_open", new Uint8Array(0), n, k)),
                await failure(port("sbox_openWN", new Uint8Array(39), k)),
                await failure(port("box_sharedKey", new Uint8Array(32), k)),
                (await port("sbox_open", new Uint8Array(20), n, k).catch(e => e)).message);
            return results;
            """)
        #expect(
            result == #"["cryptor failedCipherVerification","cryptor failedCipherVerification","#
                + #""cryptor failedCipherVerification","cryptor failedCipherVerification","cryptor weakPublicKey","#
                + #""20 bytes do not open: they were changed, or packed with another key or nonce"]"#)
    }

    @Test func checkLengthsAndLimits() throws {
        let result = try onCryptor(
            """
            const b = n => new Uint8Array(n);
            const results = [];
            for (const call of [["sbox_pack", b(1), b(23), b(32)], ["sbox_open", b(1), b(24), b(33)],
                ["sbox_openWN", b(1), b(0)], ["box_publicKey", b(31)], ["sign_keypair", b(64)],
                ["sign_verify", b(63), b(1), b(32)], ["sign_signature", b(1), b(32)],
                ["scrypt", b(1), b(1), 24, 8, 1, 32], ["scrypt", b(1), b(1), 21, 8, 1, 32],
                ["scrypt", b(1), b(1), 10, 8, 1, 0], ["scrypt", b(1), b(1), 10, 8, 1, 32, 5],
                ["sbox_pack", "text", b(24), b(32)], ["scrypt", b(1), b(1), 19, 8, 1024, 32]]) {
                results.push(await port(...call).catch(e => e.type === "port" && e.badArgument && e.message));
            }
            return results;
            """)
        let messages = [
            "nacl_sbox_pack: n must have 24 bytes, not 23", "nacl_sbox_open: k must have 32 bytes, not 33",
            "nacl_sbox_openWN: k must have 32 bytes, not 0", "nacl_box_publicKey: sk must have 32 bytes, not 31",
            "nacl_sign_keypair: seed must have 32 bytes, not 64", "nacl_sign_verify: sig must have 64 bytes, not 63",
            "nacl_sign_signature: sk must have 64 bytes, not 32",
            "nacl_scrypt: logN must be a whole number from 1 to 23, not 24",
            "nacl_scrypt: logN with r needs 2147483648 bytes of memory, the limit is 1073741824",
            "nacl_scrypt: dkLen must be a whole number from 1 to 65536, not 0",
            "nacl_scrypt: progress must be a function, not 5", #"nacl_sbox_pack: m must be a Uint8Array, not \"text\""#,
            "nacl_scrypt: logN with r and p makes 2^logN × r × p = 4294967296, the limit is 134217728",
        ]
        #expect(result == "[" + messages.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    }

    @Test func deriveWithProgress() throws {
        let result = try onCryptor(
            """
            const told = [];
            const [passwd, salt] = ["pleaseletmein", "SodiumChloride"].map(s => Uint8Array.from(s, c => c.charCodeAt(0)));
            const asked = port("scrypt", passwd, salt, 14, 8, 1, 64, percent => { told.push(percent); });
            passwd.fill(0);
            salt.fill(0);
            const key = text(await asked);
            return [key.slice(0, 16), told[0], told.at(-1), told.every((p, i) => i === 0 || p > told[i - 1]),
                told.length > 10, text(await port("scrypt", new Uint8Array(0), new Uint8Array(0), 4, 1, 1, 8))].join(" ");
            """)
        #expect(result == #""7023bdcb3afd7348 0 100 true true 77d6576238657b20""#)
    }

    /// What the core's library is given, over the same ports.
    @Test func makeTheCryptorOfTheLibrary() throws {
        let text = try String(contentsOfFile: "\(RunningSupervisor.resources)/js/core-cryptor.js", encoding: .utf8)
        let result = try withCryptor { engine, _ in
            try engine.evaluate("globalThis.__platformParts = {};", sourceName: "parts.js")
            try engine.evaluate(text, sourceName: "js/core-cryptor.js")
            return try engine.settle(
                """
                (async () => {
                    const { cryptor, close } = __platformParts.makeCryptor();
                    const { scrypt, box, sbox, signing } = cryptor;
                    const [m, n, k, sk] = [random(100000), random(24), random(32), random(32)];
                    const pair = await signing.generate_keypair(random(32));
                    const other = await port("box_keypair");
                    const results = [
                        same(await sbox.open(await sbox.pack(m, n, k, 1), n, k, 1), m),
                        same(await sbox.formatWN.open(await sbox.formatWN.pack(m, n, k, 1), k, 1), m),
                        same(await box.calc_dhshared_key(await box.generate_pubkey(sk), other.skey),
                            await box.calc_dhshared_key(other.pkey, sk)),
                        await signing.verify(await signing.signature(m, pair.skey), m, pair.pkey),
                        (await scrypt(sk, n, 10, 3, 1, 20, () => {})).length,
                        (await sbox.open(m, n, k, 1).catch(e => e)).failedCipherVerification];
                    const threads = await port("threads");
                    results.push(sbox.canStartUnderWorkLabel(1) === threads);
                    const underWay = Array.from({ length: threads }, () => sbox.pack(m, n, k, 1));
                    results.push(sbox.canStartUnderWorkLabel(1), sbox.canStartUnderWorkLabel(2));
                    await Promise.all(underWay);
                    results.push(sbox.canStartUnderWorkLabel(1) === threads);
                    await close();
                    results.push(await failure(sbox.pack(m, n, k, 1)));
                    return results.join(" ");
                })()
                """)
        }
        #expect(result == #""true true true true 20 true true 0 1 true cryptor stopped""#)
    }

    /// A derivation that goes on would take minutes: 4 of them, with the most work that is allowed.
    @Test func endAtOnceWhenTheyAreClosed() throws {
        let took = try withCryptor { engine, cryptor in
            try engine.evaluate(
                """
                globalThis.running = 0;
                globalThis.settled = 0;
                for (let i = 0; i < 4; i += 1) {
                    port("scrypt", random(8), random(8), 17, 8, 100, 32, () => { running += 1; })
                        .finally(() => { settled += 1; });
                }
                """, sourceName: "test.js")
            let isRunning = engine.turn(until: { (engine.global["running"].integer ?? 0) > 2 })
            #expect(isRunning)
            let start = ContinuousClock.now
            cryptor.close()
            let took = ContinuousClock.now - start
            #expect(engine.global["settled"].integer == 0)
            let late = try engine.settle("failure(port('scrypt', random(8), random(8), 4, 1, 1, 8))")
            #expect(late == #""cryptor stopped""#)
            return took
        }
        print("closing during 4 derivations: \(took)")
        #expect(took < .milliseconds(500))
    }
}
