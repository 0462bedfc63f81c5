internal import CSystem
internal import JSEngine

extension JSArguments {
    func path(_ index: Int, _ port: String) throws -> String {
        guard let path = self[index].string else {
            throw RuntimeException.badArgument(port: port, "a path must be a string, not \(seen(index))")
        }
        return path
    }

    /// False where it is left out.
    func flag(_ index: Int, _ port: String) throws -> Bool {
        if self[index].isUndefined { return false }
        guard let flag = self[index].boolean else {
            throw RuntimeException.badArgument(
                port: port, "argument \(index + 1) must be a boolean, not \(seen(index))")
        }
        return flag
    }

    func content(_ index: Int, _ port: String) throws -> ConfinedContent {
        guard let bytes = self[index].bytes else {
            throw RuntimeException.badArgument(port: port, "content must be a Uint8Array, not \(seen(index))")
        }
        return ConfinedContent(bytes)
    }

    func fileNumber(_ index: Int, _ port: String) throws -> Int {
        guard let number = self[index].integer else {
            throw RuntimeException.badArgument(port: port, "a file must be a number from fs_open, not \(seen(index))")
        }
        return number
    }

    /// Nil, for null or nothing, is where the file's own position is.
    func position(_ index: Int, _ port: String) throws -> Int? {
        if self[index].isUndefined || self[index].isNull { return nil }
        guard let position = self[index].integer, position >= 0 else {
            throw RuntimeException.badArgument(
                port: port, "a position must be null or a whole number from 0 on, not \(seen(index))")
        }
        return position
    }

    /// The argument for a message, cut where it is long.
    func seen(_ index: Int) -> String {
        let text = self[index].json ?? self[index].text ?? "that"
        return text.count > 80 ? "\(text.prefix(80))…" : text
    }
}

extension JSEngineHost {
    func value(of info: ConfinedInfo) -> JSValue {
        let object = makeObject()
        object.set("kind", string(info.kind.rawValue))
        let raw = info.raw
        let numbers: [(String, Double)] = [
            ("size", Double(raw.size)), ("blocks", Double(raw.blocks)), ("blksize", Double(raw.blksize)),
            ("ino", Double(raw.ino)), ("mode", Double(raw.mode)), ("nlink", Double(raw.nlink)),
            ("atimeMs", raw.atime_ms), ("mtimeMs", raw.mtime_ms), ("ctimeMs", raw.ctime_ms),
            ("birthtimeMs", raw.birthtime_ms),
        ]
        for (name, value) in numbers { object.set(name, number(value)) }
        return object
    }
}
