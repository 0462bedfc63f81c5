internal import Glibc

/// Node's flags of `open`: `s` = synchronous writes, `x` = fails if it exists.
enum OpenFlags {
    static let names = bits.map(\.name)

    /// Nil for what is none of them.
    static func bits(_ name: String) -> Int32? { bits.first { $0.name == name }?.bits }

    private static let bits: [(name: String, bits: Int32)] = [
        ("r", O_RDONLY),
        ("rs", O_RDONLY | O_SYNC),
        ("r+", O_RDWR),
        ("rs+", O_RDWR | O_SYNC),
        ("w", O_WRONLY | O_CREAT | O_TRUNC),
        ("wx", O_WRONLY | O_CREAT | O_TRUNC | O_EXCL),
        ("w+", O_RDWR | O_CREAT | O_TRUNC),
        ("wx+", O_RDWR | O_CREAT | O_TRUNC | O_EXCL),
        ("a", O_WRONLY | O_CREAT | O_APPEND),
        ("ax", O_WRONLY | O_CREAT | O_APPEND | O_EXCL),
        ("as", O_WRONLY | O_CREAT | O_APPEND | O_SYNC),
        ("a+", O_RDWR | O_CREAT | O_APPEND),
        ("ax+", O_RDWR | O_CREAT | O_APPEND | O_EXCL),
        ("as+", O_RDWR | O_CREAT | O_APPEND | O_SYNC),
    ]
}
