internal import CSystem
internal import JSEngine

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
