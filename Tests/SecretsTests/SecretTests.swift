import Glibc
import Testing

@testable import Secrets

@Suite struct SecretTests {
    @Test func givesBackWhatItWasGiven() throws {
        for text in ["", "a", "pässwörd 🔑", String(repeating: "x", count: Secret.maxBytes)] {
            let secret = try Secret(text)
            #expect(secret.text == text && secret.count == text.utf8.count)
        }
    }

    @Test func refusesWhatIsTooLong() {
        #expect(throws: Secret.Failure.tooLong) { try Secret(String(repeating: "x", count: Secret.maxBytes + 1)) }
        #expect("\(Secret.Failure.tooLong)" == "is longer than 1024 bytes; use a shorter one")
    }

    @Test func nothingThatPrintsShowsIt() throws {
        struct Holder { let password: Secret }
        let secret = try Secret("open sesame")
        var dumped = ""
        dump(Holder(password: secret), to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(Holder(password: secret))", "\([secret])", dumped] {
            #expect(!text.contains("sesame"))
        }
    }

    @Test func isComparedByItsBytes() throws {
        #expect(try Secret("a") == Secret("a"))
        #expect(try Secret("a") != Secret("b"))
        #expect(try Secret("a") != Secret("ab"))
    }

    @Test func overwritesWhatHeldIt() {
        var bytes = Array("open sesame".utf8)
        bytes.withUnsafeMutableBytes { Secret.overwrite($0) }
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    /// The mapping is gone with the secret, so only its flags can be looked at: `dd` = not dumped, `lo` = locked.
    @Test func isNeitherDumpedNorSwapped() throws {
        let secret = try Secret("open sesame")
        try withExtendedLifetime(secret) {
            let flags = try #require(Self.flags(of: secret.address))
            #expect(flags.contains("dd"))
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
            if limit.rlim_cur > 1 << 20 { #expect(flags.contains("lo")) }
        }
    }

    /// Of the mapping that begins at `address`, from `/proc/self/smaps`.
    private static func flags(of address: UInt) -> [Substring]? {
        guard let file = fopen("/proc/self/smaps", "r") else { return nil }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        var isThere = false
        while getline(&line, &capacity, file) > 0, let line {
            let text = String(cString: line)
            if let range = text.split(separator: " ").first?.split(separator: "-"), range.count == 2,
                let start = UInt(range[0], radix: 16), let end = UInt(range[1], radix: 16)
            {
                isThere = (start..<end).contains(address)
            }
            if isThere, text.hasPrefix("VmFlags:") { return text.split { $0 == " " || $0 == "\n" } }
        }
        return nil
    }
}
