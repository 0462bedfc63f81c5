/// `doctor`: what the supervisor believes beside what the kernel shows.
public struct DoctorReply: JSONShape {
    public static let schema = "corehost.doctor/1"

    /// Nothing differs.
    public var ok: Bool { differences.isEmpty }
    /// What was compared, in words.
    public var checks: [Check]
    public var differences: [Difference]

    public init(checks: [Check], differences: [Difference]) {
        self.checks = checks
        self.differences = differences
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        checks = try json.require("checks")
        differences = try json.require("differences")
    }

    public var json: JSONValue {
        [
            "schema": .string(DoctorReply.schema), "ok": .bool(ok), "checks": JSONValue(checks),
            "differences": JSONValue(differences),
        ]
    }

    public struct Check: JSONShape {
        /// `processes descriptors socket lock modes timers threads logs`.
        public var name: String
        /// What was found, in words.
        public var found: String

        public init(_ name: String, _ found: String) {
            self.name = name
            self.found = found
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            name = try json.require("name")
            found = try json.require("found")
        }

        public var json: JSONValue { ["name": .string(name), "found": .string(found)] }
    }

    /// One thing that is not as the supervisor believes.
    public struct Difference: JSONShape {
        /// Of the check.
        public var check: String
        /// What it is about: a component's id, a path, a process.
        public var subject: String
        public var believed: String
        public var found: String
        /// What to do.
        public var advice: String

        public init(_ check: String, _ subject: String, believed: String, found: String, advice: String) {
            self.check = check
            self.subject = subject
            self.believed = believed
            self.found = found
            self.advice = advice
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            check = try json.require("check")
            subject = try json.require("subject")
            believed = try json.require("believed")
            found = try json.require("found")
            advice = try json.require("advice")
        }

        public var json: JSONValue {
            [
                "check": .string(check), "subject": .string(subject), "believed": .string(believed),
                "found": .string(found), "advice": .string(advice),
            ]
        }
    }
}
