/// How a user gets signed in.
public enum LoginKind: String, Hashable, Sendable {
    case signIn
    case signUp
    /// By the key that the device keeps.
    case automatic
}

/// What the core does once it is made.
public enum CoreStart: Hashable, Sendable {
    /// For a sign-in or sign-up.
    case waiting
    /// For the user whom the device's key opens.
    case cached(userId: String)
}

/// Why a login or logout is not done.
public enum LoginRefusal: Error, Hashable, Sendable {
    case wrongPassword(address: String)
    case unknownUser(address: String)
    case addressTaken(address: String)
    /// In the core's words.
    case failed(String)
    case underWay(address: String, since: Duration)
    case loggedInAlready(String)
    case logoutUnderWay
    case nobodyLoggedIn
    case otherUserExpected(String)
    case localRun
    /// Somebody logged out while it was under way.
    case givenUp
    case booting
    case closing
    case stuck(String)
}

extension LoginRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongPassword(let address): "the password is not that of \(address); try again"
        case .unknownUser(let address):
            "there is no user \(address) with that password here; `corehost users` lists them,"
                + " `corehost signup \(address)` makes one"
        case .addressTaken(let address): "\(address) is taken; log in with `corehost login \(address)`"
        case .failed(let reason): reason
        case .underWay(let address, let since):
            "a login of \(address) has been under way for \(since.text); wait for it, or give it up with"
                + " `corehost logout`"
        case .loggedInAlready(let userId): "\(userId) is logged in; `corehost logout` comes first"
        case .logoutUnderWay: "a logout is under way; ask again when `corehost status` shows that nobody is logged in"
        case .nobodyLoggedIn: "nobody is logged in"
        case .otherUserExpected(let userId):
            "this supervisor was started for \(userId) alone (run --user); start another one for other users"
        case .localRun: "this supervisor runs with a local user; for accounts start it without --local"
        case .givenUp: "the login was given up by a logout"
        case .booting: "the platform is booting; `corehost status` shows when it runs"
        case .closing: "the platform is shutting down; start it again with `corehost run`"
        case .stuck(let reason):
            "the core could not be closed after the last logout (\(reason)); end the platform with `corehost shutdown`"
                + " and start it again"
        }
    }
}

/// Addresses of users, like `ada@example.org`.
public enum Address {
    /// Bytes of an address in a request.
    public static let maxBytes = 512

    /// Letters of either case are one, and blanks do not count.
    public static func isSame(_ left: String, _ right: String) -> Bool { canonical(left) == canonical(right) }

    private static func canonical(_ address: String) -> String {
        String(address.lowercased().filter { !$0.isWhitespace })
    }

    /// Whether it can be asked for at all: a name and a domain. What they may be is the core's to say.
    public static func problem(_ address: String) -> String? {
        if address.utf8.count > maxBytes { return "has more than \(maxBytes) bytes" }
        if address.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            return "has control characters"
        }
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.allSatisfy(\.isWhitespace) }) else {
            return "is no address; write it like ada@example.org"
        }
        return nil
    }
}
