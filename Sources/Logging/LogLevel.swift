/// How much a line matters; ordered, `debug` least.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    case debug, info, notice, warning, error, critical, alert, emergency

    /// The word in a written line.
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        case .alert: "alert"
        case .emergency: "emergency"
        }
    }

    public init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Level of a JavaScript console method: `debug trace log info warn error`; any other is `info`.
    public init(consoleMethod: String) {
        self =
            switch consoleMethod {
            case "debug", "trace": .debug
            case "warn": .warning
            case "error": .error
            default: .info
            }
    }

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
