/// Files of records beside the lines: one record a line, written and rotated as the lines are.
extension LogStore {
    /// Sends a record to its file, if there are files. Names do not end in `.log`: those are of lines.
    public func write(record: String, to file: String) {
        precondition(!file.hasSuffix(".log"), "\(file) would be taken for a file of lines")
        put(Array(record.utf8) + [UInt8(ascii: "\n")], to: file)
    }

    /// The last records of a file, oldest first: at most about `maxBytes`. What cannot be read is left out.
    public static func records(in file: String, of folder: String, maxBytes: Int) -> [String] {
        let limits = LogLimits()
        let file = LogFile(path: "\(folder)/\(file)", maxBytes: limits.maxFileBytes, maxFiles: limits.maxFiles)
        let bytes = file.tail(maxBytes)
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        // The first may be the end of a record only.
        return lines.dropFirst(bytes.count == maxBytes ? 1 : 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
