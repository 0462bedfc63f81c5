import Cryptography
import TestSupport
import Testing

/// The example of "Cryptography in NaCl" (D. J. Bernstein), whose values NaCl's own tests have.
enum NaClExample {
    static let aliceSecret = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    static let alicePublic = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    static let bobSecret = hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    static let bobPublic = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    static let sharedKey = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389")
    static let nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")
    static let message = hex(
        """
        be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129
        6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
        048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705
        """)
    static let box = hex(
        """
        f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
        c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
        90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
        e355a5
        """)
}

@Suite struct Boxes {
    private let message = input(NaClExample.message)
    private let nonce = input(NaClExample.nonce)
    private let key = input(NaClExample.sharedKey)

    @Test func secretBoxIsThatOfNaCl() throws {
        #expect(try SecretBox.pack(message, nonce: nonce, key: key).array == NaClExample.box)
        #expect(try SecretBox.open(input(NaClExample.box), nonce: nonce, key: key).array == NaClExample.message)
        let withNonce = try SecretBox.pack(message, nonce: nonce, key: key, withNonce: true).array
        #expect(withNonce == NaClExample.nonce + NaClExample.box)
        #expect(try SecretBox.open(withNonce: input(withNonce), key: key).array == NaClExample.message)
    }

    @Test func boxIsThatOfNaCl() throws {
        let (alice, bob) = (input(NaClExample.aliceSecret), input(NaClExample.bobSecret))
        let (alicePublic, bobPublic) = (input(NaClExample.alicePublic), input(NaClExample.bobPublic))
        #expect(try PublicBox.publicKey(of: alice).array == NaClExample.alicePublic)
        #expect(try PublicBox.sharedKey(publicKey: bobPublic, secretKey: alice).array == NaClExample.sharedKey)
        #expect(try PublicBox.sharedKey(publicKey: alicePublic, secretKey: bob).array == NaClExample.sharedKey)
        let box = try PublicBox.pack(message, nonce: nonce, publicKey: bobPublic, secretKey: alice)
        #expect(box.array == NaClExample.box)
        let opened = try PublicBox.open(input(box.array), nonce: nonce, publicKey: alicePublic, secretKey: bob)
        #expect(opened.array == NaClExample.message)
    }

    @Test func newKeyPairsAgree() throws {
        let (one, other) = (try PublicBox.keyPair(), try PublicBox.keyPair())
        #expect(one.secretKey.array != other.secretKey.array)
        let here = try PublicBox.sharedKey(
            publicKey: input(one.publicKey.array), secretKey: input(other.secretKey.array))
        let there = try PublicBox.sharedKey(
            publicKey: input(other.publicKey.array), secretKey: input(one.secretKey.array))
        #expect(here.array == there.array)
    }

    @Test func refusesPointsOfSmallOrder() {
        for first in [0, 1] as [UInt8] {
            let point = input([first] + [UInt8](repeating: 0, count: 31))
            #expect(throws: CryptorError.weakPublicKey) {
                try PublicBox.sharedKey(publicKey: point, secretKey: input(NaClExample.aliceSecret))
            }
        }
    }

    @Test func aChangeOfAnyBitIsSeen() throws {
        let withNonce = NaClExample.nonce + NaClExample.box
        for index in withNonce.indices {
            for bit in 0..<8 {
                var changed = withNonce
                changed[index] ^= 1 << bit
                #expect(throws: CryptorError.failedVerification(bytes: NaClExample.box.count)) {
                    try SecretBox.open(withNonce: input(changed), key: key)
                }
            }
        }
    }

    @Test func everyCutIsSeen() throws {
        let withNonce = NaClExample.nonce + NaClExample.box
        for count in 0..<withNonce.count {
            #expect(throws: CryptorError.self, "\(count) bytes") {
                try SecretBox.open(withNonce: input(Array(withNonce.prefix(count))), key: key)
            }
        }
        for count in 0..<NaClExample.box.count {
            #expect(throws: CryptorError.failedVerification(bytes: count)) {
                try SecretBox.open(input(Array(NaClExample.box.prefix(count))), nonce: nonce, key: key)
            }
        }
    }

    @Test func whatIsPackedOpens() throws {
        var random = SeededRandom(seed: SeededRandom.seed(for: "whatIsPackedOpens"))
        for size in [0, 1, 15, 16, 17, 63, 64, 65, 100_000]
            + (0..<50).map({ _ in Int.random(in: 0...3000, using: &random) })
        {
            let message = random.bytes(size)
            let (nonce, key) = (input(random.bytes(24)), input(random.bytes(32)))
            let box = try SecretBox.pack(input(message), nonce: nonce, key: key)
            #expect(box.count == size + SecretBox.overhead)
            #expect(try SecretBox.open(input(box.array), nonce: nonce, key: key).array == message)
            #expect(throws: CryptorError.failedVerification(bytes: box.count)) {
                try SecretBox.open(input(box.array), nonce: nonce, key: input(random.bytes(32)))
            }
        }
    }
}
