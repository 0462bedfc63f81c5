internal import Glibc

/// The machine's time zone by name, for a process that cannot look at the machine's files.
enum TimeZoneName {
    private static let folder = "/usr/share/zoneinfo/"

    /// `Europe/Berlin`: what `TZ` says, else what `/etc/localtime` is a link to. Nil: neither is the name of a zone.
    static var current: String? {
        if let variable = getenv("TZ") { return zone(String(cString: variable).drop { $0 == ":" }) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/etc/localtime", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let folder = target.firstRange(of: "/zoneinfo/") else { return nil }
        return zone(target[folder.upperBound...])
    }

    private static func zone(_ name: some StringProtocol) -> String? {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard isName, !name.isEmpty, access(folder + name, R_OK) == 0 else { return nil }
        return String(name)
    }
}
