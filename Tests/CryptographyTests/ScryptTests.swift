import CSodium
import Cryptography
import TestSupport
import Testing

@Suite struct ScryptTests {
    private func derive(
        _ password: [UInt8], _ salt: [UInt8], _ parameters: Scrypt.Parameters,
        pause: (Double) throws(CryptorError) -> Void = { _ in }
    ) throws(CryptorError) -> [UInt8] {
        try Scrypt.derive(password: input(password), salt: input(salt), parameters, pause: pause).array
    }

    /// RFC 7914, section 12; the fourth there takes 1 GiB and seconds.
    static let vectors: [(password: String, salt: String, logN: Int, r: Int, p: Int, result: String)] = [
        (
            "", "", 4, 1, 1,
            """
            77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17
            e8d3e0fb2e0d3628cf35e20c38d18906
            """
        ),
        (
            "password", "NaCl", 10, 8, 16,
            """
            fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da
            c727afb94a83ee6d8360cbdfa2cc0640
            """
        ),
        (
            "pleaseletmein", "SodiumChloride", 14, 8, 1,
            """
            7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9
            e61e85dc0d651e40dfcf017b45575887
            """
        ),
    ]

    @Test(arguments: vectors) func isThatOfTheStandard(
        _ vector: (password: String, salt: String, logN: Int, r: Int, p: Int, result: String)
    ) throws {
        let parameters = try Scrypt.Parameters(logN: vector.logN, r: vector.r, p: vector.p, length: 64)
        #expect(try derive(Array(vector.password.utf8), Array(vector.salt.utf8), parameters) == hex(vector.result))
    }

    @Test func isThatOfLibsodium() throws {
        var random = SeededRandom(seed: SeededRandom.seed(for: "scrypt isThatOfLibsodium"))
        for _ in 0..<200 {
            let logN = Int.random(in: 1...10, using: &random)
            let (r, p) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...4, using: &random))
            let length = Int.random(in: 1...200, using: &random)
            let password = random.bytes(Int.random(in: 1...150, using: &random))
            let salt = random.bytes(Int.random(in: 1...150, using: &random))
            var expected = [UInt8](repeating: 0, count: length)
            let code = crypto_pwhash_scryptsalsa208sha256_ll(
                password, password.count, salt, salt.count, 1 << UInt64(logN), UInt32(r), UInt32(p), &expected, length)
            try #require(code == 0)
            let parameters = try Scrypt.Parameters(logN: logN, r: r, p: p, length: length)
            #expect(try derive(password, salt, parameters) == expected, "logN \(logN), r \(r), p \(p), \(length) bytes")
        }
    }

    @Test func tellsHowFarItIs() throws {
        let parameters = try Scrypt.Parameters(logN: 14, r: 3, p: 2, length: 32)
        var parts: [Double] = []
        _ = try derive([1], [2], parameters) { parts.append($0) }
        #expect(parts == parts.sorted() && parts.first == 0 && parts.last == 1)
        #expect(parts.count > 20, "slices of 1 MiB in 24 MiB")
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $1 - $0 < 0.1 })
    }

    @Test func endsWherePauseThrows() throws {
        let parameters = try Scrypt.Parameters(logN: 20, r: 8, p: 1, length: 32)
        var pauses = 0
        #expect(throws: CryptorError.stopped) {
            _ = try derive([1], [2], parameters) { _ throws(CryptorError) in
                pauses += 1
                if pauses == 5 { throw .stopped }
            }
        }
        #expect(pauses == 5)
    }

    @Test func refusesWhatTakesTooMuch() throws {
        _ = try Scrypt.Parameters(logN: 20, r: 8, p: 16, length: 1)
        #expect(throws: ScryptLimit.memory(wanted: 1 << 31)) {
            try Scrypt.Parameters(logN: 21, r: 8, p: 1, length: 1)
        }
        #expect(throws: ScryptLimit.lanes(wanted: 128 << 20)) {
            try Scrypt.Parameters(logN: 1, r: 1024, p: 1024, length: 1)
        }
        #expect(throws: ScryptLimit.work(wanted: 1 << 28)) {
            try Scrypt.Parameters(logN: 18, r: 1, p: 1024, length: 1)
        }
        #expect(
            ScryptLimit.memory(wanted: 5).description
                == "with r needs 5 bytes of memory, the limit is 1073741824")
    }
}
