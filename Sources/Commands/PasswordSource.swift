internal import CSystem
internal import Glibc
internal import Secrets

/// Where a password comes from: a descriptor, a file, or the terminal. Never from an argument or the environment, which
/// other processes can read.
struct PasswordSource {
    static let descriptor = OptionSpec(
        "--password-fd", value: "N", meaning: "read the password from file descriptor N")
    static let file = OptionSpec(
        "--password-file", value: "FILE", meaning: "read the password from FILE, which only you may read")
    static let options = [descriptor, file]

    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private let command: String
    private let way: Way

    private enum Way {
        case descriptor(Int32)
        case file(String)
        case terminal
    }

    init(_ arguments: ParsedArguments, of command: String) throws(UsageError) {
        self.command = command
        switch (arguments.value(of: Self.descriptor), arguments.value(of: Self.file)) {
        case (nil, nil): way = .terminal
        case (nil, let path?): way = .file(path)
        case (let text?, nil):
            guard let number = Int32(text), number >= 0 else {
                throw UsageError("\(command): --password-fd must be the number of an open descriptor, not \"\(text)\"")
            }
            way = .descriptor(number)
        case (_?, _?): throw UsageError("\(command): give --password-fd or --password-file, not both")
        }
    }

    /// At the terminal.
    var asks: Bool { if case .terminal = way { true } else { false } }

    /// - Parameter isNew: asked for twice at a terminal.
    func password(for address: String, isNew: Bool) throws -> Secret {
        switch way {
        case .descriptor(let number): return try Self.read(number, "descriptor \(number)")
        case .file(let path): return try Self.file(path)
        case .terminal:
            let terminal = try openTerminal()
            defer { close(terminal) }
            let password = try Self.ask(terminal, "Password of \(address): ")
            if isNew, try Self.ask(terminal, "The same once more: ") != password {
                throw Failure("the two passwords are not the same; nothing was done")
            }
            return password
        }
    }

    private func openTerminal() throws(UsageError) -> Int32 {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw UsageError(
                "\(command): there is no terminal to ask for the password at; give it with --password-fd N or"
                    + " --password-file FILE")
        }
        return terminal
    }

    private static func ask(_ terminal: Int32, _ prompt: String) throws(Failure) -> Secret {
        try withBuffer { bytes throws(Failure) in
            let count = chs_ask_secretly(terminal, prompt, bytes.baseAddress, Secret.maxBytes)
            if count < 0 {
                switch errno {
                case ENODATA: throw Failure("no password was typed; nothing was done")
                case EMSGSIZE: throw Failure("the password \(Secret.Failure.tooLong)")
                default: throw Failure("the terminal cannot be read: \(String(cString: strerror(errno)))")
                }
            }
            return count
        }
    }

    private static func file(_ path: String) throws(Failure) -> Secret {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw Failure("\(path) cannot be opened: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(path) is no file; name one with the password in it")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Failure("\(path) belongs to another user (uid \(status.st_uid)); use a file of your own")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure("\(path) can be read or changed by others; `chmod 600 \(path)` keeps it to you")
        }
        return try read(file, path)
    }

    /// All there is, without one line end behind it.
    private static func read(_ descriptor: Int32, _ name: String) throws(Failure) -> Secret {
        try withBuffer { bytes throws(Failure) in
            var count = 0
            while count < bytes.count {
                let got = Glibc.read(descriptor, bytes.baseAddress! + count, bytes.count - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 {
                    throw Failure("the password cannot be read from \(name): \(String(cString: strerror(errno)))")
                }
                if got == 0 { break }
                count += got
            }
            if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
            guard count <= Secret.maxBytes else { throw Failure("the password in \(name) \(Secret.Failure.tooLong)") }
            return count
        }
    }

    /// The first bytes of a buffer as a password; the buffer is overwritten.
    private static func withBuffer(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Secret {
        // One for a line end, one to see that there is more.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Secret.maxBytes + 2, alignment: 1)
        defer {
            Secret.overwrite(bytes)
            bytes.deallocate()
        }
        let count = try fill(bytes)
        guard count > 0 else { throw Failure("the password is empty") }
        do throws(Secret.Failure) {
            return try Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        } catch {
            throw Failure("the password \(error)")
        }
    }
}
