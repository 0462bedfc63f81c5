internal import Supervision

extension ChaosReport {
    /// JUnit XML: one test suite, one case for each promise. Broken ones are failures; a run that taught nothing is one
    /// error, and its promises are skipped.
    public var junit: String {
        var cases: [String] = []
        var errors = 0
        if let reason = outcome.reason {
            errors = 1
            cases.append(element("the run", #"<error message="\#(Self.escaped(reason))"/>"#))
        }
        for promise in promises {
            let detail = Self.escaped(promise.detail)
            let inner =
                switch promise.verdict {
                case .held: "<system-out>\(detail)</system-out>"
                case .broken: #"<failure message="\#(detail)"/>"#
                case .notJudged: "<skipped/>"
                }
            cases.append(element(promise.name, inner))
        }
        let skipped = promises.count { $0.verdict == .notJudged }
        let counts = #"tests="\#(cases.count)" failures="\#(broken.count)" errors="\#(errors)" skipped="\#(skipped)""#
        let time = #"time="\#(max(.zero, took) / .seconds(1))""#
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites \(counts) \(time)>
            <testsuite name="\(Self.escaped(scenario.name))" \(counts) \(time)>
            <properties><property name="seed" value="\(seed)"/></properties>
            \(cases.joined(separator: "\n"))
            </testsuite>
            </testsuites>

            """
    }

    private func element(_ name: String, _ inner: String) -> String {
        let group = Self.escaped("corehost.chaos.\(scenario.name)")
        return #"<testcase classname="\#(group)" name="\#(Self.escaped(name))">\#(inner)</testcase>"#
    }

    /// For text and attributes; what XML 1.0 has no form for becomes U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{20}"..."\u{FFFD}", "\u{10000}"...: escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }
}
