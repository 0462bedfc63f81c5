internal import Glibc
internal import Logging

/// Which lines are wanted.
struct LogFilter {
    /// nil = of all.
    var ids: Set<String>?
    var since: LogTime?
    var until: LogTime?
    var level = LogLevel.debug
    var pattern: LinePattern?

    func includes(_ line: LogLine) -> Bool {
        if line.level < level { return false }
        if let since, line.time < since { return false }
        if let until, line.time >= until { return false }
        if let ids, !line.isAbout(ids) { return false }
        return pattern?.matches(line.shown) ?? true
    }
}

/// An extended regular expression as of `grep -E`, by the C library's `regcomp`.
final class LinePattern {
    struct Invalid: Error {
        let reason: String
    }

    private let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    private var isCompiled = false

    init(_ text: String) throws(Invalid) {
        let code = regcomp(compiled, text, REG_EXTENDED | REG_NOSUB)
        guard code != 0 else {
            isCompiled = true
            return
        }
        var reason = [CChar](repeating: 0, count: 200)
        regerror(code, compiled, &reason, reason.count)
        throw Invalid(reason: String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    deinit {
        if isCompiled { regfree(compiled) }
        compiled.deallocate()
    }

    func matches(_ text: String) -> Bool { regexec(compiled, text, 0, nil, 0) == 0 }
}
