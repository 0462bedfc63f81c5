internal import CSodium

public enum Sodium {
    private static let code = sodium_init()

    /// Makes libsodium choose what is fastest on this processor; to be called before anything else of it.
    public static func prepare() { precondition(code >= 0, "libsodium could not be initialised") }
}
