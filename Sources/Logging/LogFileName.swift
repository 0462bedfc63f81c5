/// Names of log files: one for each source, no two alike, none with a meaning for the file system.
public enum LogFileName {
    private static let maxStemBytes = 180

    /// `supervisor.log`, or the component id with everything but ASCII letters, digits, `.`, `-` and `_` as `%XX`.
    /// A long name is cut and gets a hash of the whole id. All instances of a component share one file, so that there
    /// are no more files than components.
    public static func of(component: String?) -> String {
        guard let component = component.map(withoutInstance) else { return "supervisor.log" }
        var stem = ""
        for byte in component.utf8 {
            if isPlain(byte), byte != UInt8(ascii: ".") || !stem.isEmpty {
                stem.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                stem += hex.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        // An id without a `/` could be spelt like the supervisor's file.
        if stem == "supervisor" { stem = "%73upervisor" }
        guard stem.utf8.count > maxStemBytes else { return stem + ".log" }
        return "\(stem.prefix(maxStemBytes))~\(String(fnv1a(component), radix: 16)).log"
    }

    /// The id in front of `#n`.
    public static func withoutInstance(_ id: String) -> String {
        guard let mark = id.lastIndex(of: "#") else { return id }
        let number = id[id.index(after: mark)...]
        return !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) } ? String(id[..<mark]) : id
    }

    /// `x.log` → x.log, 0; `x.log.2` → x.log, 2; nil for any other name.
    static func split(_ name: String) -> (base: String, number: Int)? {
        if name.hasSuffix(".log") { return (name, 0) }
        guard let dot = name.lastIndex(of: "."), name[..<dot].hasSuffix(".log") else { return nil }
        let digits = name[name.index(after: dot)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits), number > 0 else {
            return nil
        }
        return (String(name[..<dot]), number)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
