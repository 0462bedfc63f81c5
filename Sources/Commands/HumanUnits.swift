/// Figures as people read them.
package enum HumanUnits {
    /// `640 B`, `9.8 KiB`, `12 MiB`: two or three digits.
    package static func size(_ bytes: Int) -> String {
        scaled(Double(bytes), by: 1024, ["B", "KiB", "MiB", "GiB", "TiB"], separator: " ")
    }

    /// `9999`, `12k`, `4.5M`.
    static func count(_ number: Int) -> String {
        number < 10_000 ? String(number) : scaled(Double(number), by: 1000, ["", "k", "M", "G", "T"], separator: "")
    }

    /// `0.4ms`, `12ms`, `1.5s`.
    static func lag(_ seconds: Double) -> String {
        if seconds >= 1 { return duration(seconds) }
        let tenths = Int((seconds * 10_000).rounded())
        return tenths >= 100 ? "\((tenths + 5) / 10)ms" : "\(tenths / 10).\(tenths % 10)ms"
    }

    /// `0.4s`, `12s`, `3m12s`, `2h05m`, `4d03h`.
    static func duration(_ seconds: Double) -> String {
        guard seconds >= 0, seconds.isFinite, seconds < 1e12 else { return "-" }
        if seconds < 10 {
            let tenths = Int((seconds * 10).rounded(.down))
            return tenths % 10 == 0 ? "\(tenths / 10)s" : "\(tenths / 10).\(tenths % 10)s"
        }
        let whole = Int(seconds)
        switch whole {
        case ..<60: return "\(whole)s"
        case ..<3600: return "\(whole / 60)m\(twoDigits(whole % 60))s"
        case ..<86_400: return "\(whole / 3600)h\(twoDigits(whole / 60 % 60))m"
        default: return "\(whole / 86_400)d\(twoDigits(whole / 3600 % 24))h"
        }
    }

    private static func scaled(_ value: Double, by step: Double, _ units: [String], separator: String) -> String {
        var (value, unit) = (value, 0)
        // 999.5 would be written with four digits.
        while value >= (unit == 0 ? step : step - 0.5), unit + 1 < units.count {
            value /= step
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        let digits =
            unit == 0 || tenths >= 100 ? String(Int(value.rounded())) : "\(tenths / 10).\(tenths % 10)"
        return digits + separator + units[unit]
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
