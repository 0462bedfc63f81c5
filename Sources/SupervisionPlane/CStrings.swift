internal import Glibc

enum CStrings {
    /// Strings as C takes them, a null behind the last one; there during the call.
    static func with<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let list = strings.map { strdup($0) } + [nil]
        defer { for string in list { free(string) } }
        return body(list)
    }
}
