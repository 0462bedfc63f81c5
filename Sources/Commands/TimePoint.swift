internal import Logging

/// Moments on the command line: a time ago (`10m`, `1h`, `500ms`; the unit is needed) or a time in UTC
/// (`2026-01-31`, `2026-01-31T23:59`, `…:59`, `….123`, with or without `Z`).
enum TimePoint {
    static let forms = "a time ago like 10m or 2h, or a time in UTC like 2026-01-31T23:59:59"

    static func parse(_ text: String, now: LogTime = .now()) -> LogTime? {
        if text.last?.isASCII == true, text.last?.isLetter == true, text.last != "Z" {
            guard let ago = TimeOption.parse(text) else { return nil }
            let (seconds, attoseconds) = ago.components
            return LogTime(milliseconds: now.milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
        }
        let bare = text.hasSuffix("Z") ? String(text.dropLast()) : text
        let model = "0000-01-01T00:00:00.000"
        guard [10, 16, 19, 23].contains(bare.utf8.count) else { return nil }
        guard let time = LogTime(bare + model.dropFirst(bare.count) + "Z") else { return nil }
        // The 31st of a month that has 30 days would be read as the next month's first.
        return time.description.hasPrefix(bare) ? time : nil
    }
}
