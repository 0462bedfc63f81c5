/// One of the walls around a component's process. Raw values are what the wire has; names are what users see.
public enum SandboxWall: UInt8, Sendable, CaseIterable {
    case parentDeath, noDumps, limits, componentUser, noNewPrivileges, files, network, scopes, noExecutableGain,
        systemCalls

    public var name: String {
        switch self {
        case .parentDeath: "parent-death"
        case .noDumps: "no-dumps"
        case .limits: "limits"
        case .componentUser: "component-user"
        case .noNewPrivileges: "no-new-privileges"
        case .files: "landlock-files"
        case .network: "landlock-network"
        case .scopes: "landlock-scopes"
        case .noExecutableGain: "no-executable-gain"
        case .systemCalls: "system-calls"
        }
    }
}

/// What a component's process is to confine itself by.
public struct SandboxOrder: Equatable, Sendable {
    /// A user and a group; `nobody`'s by default.
    public struct User: Equatable, Sendable {
        public let id: UInt32
        public let group: UInt32

        public init(id: UInt32, group: UInt32) {
            self.id = id
            self.group = group
        }
    }

    /// Instructions of a filter of system calls, 8 bytes each; empty: the kernel takes none.
    public let filter: [UInt8]
    /// What a supervisor that is root has its components be; nil: they stay who they are.
    public let user: User?

    public init(filter: [UInt8], user: User?) {
        self.filter = filter
        self.user = user
    }
}

/// What stands around a component's process, told by itself.
public struct SandboxReport: Equatable, Sendable {
    public struct Missing: Equatable, Sendable {
        public let wall: SandboxWall
        public let reason: String

        public init(_ wall: SandboxWall, _ reason: String) {
            self.wall = wall
            self.reason = reason
        }
    }

    /// In force.
    public var walls: [SandboxWall]
    /// What this kernel, or the way the supervisor was started, does not give.
    public var missing: [Missing]

    public init(walls: [SandboxWall] = [], missing: [Missing] = []) {
        self.walls = walls
        self.missing = missing
    }
}

extension SandboxOrder {
    public static let instructionSize = 8
    /// Stands in `filter` where the id of the process belongs; no process has it.
    public static let anyProcess: UInt32 = 0x7fff_fffe
    /// The kernel's code of "jump if equal to a constant".
    private static let jumpIfEqual: [UInt8] = [0x15, 0]

    /// `filter` with the id of one process in its place. Nil when it has no such place, or is no program.
    public func filterProgram(for process: Int32) -> [UInt8]? {
        guard !filter.isEmpty, filter.count <= Self.filterLimit, filter.count % Self.instructionSize == 0 else {
            return nil
        }
        let mark = withUnsafeBytes(of: Self.anyProcess.littleEndian) { Array($0) }
        var program = filter
        var places = 0
        for start in stride(from: 0, to: program.count, by: Self.instructionSize)
        where program[start..<start + 2].elementsEqual(Self.jumpIfEqual)
            && program[start + 4..<start + 8].elementsEqual(mark)
        {
            withUnsafeBytes(of: process.littleEndian) { program.replaceSubrange(start + 4..<start + 8, with: $0) }
            places += 1
        }
        return places == 1 ? program : nil
    }

    /// A filter that is longer than the kernel takes (4,096 instructions) is none.
    public static let filterLimit = 4096 * 8
    private static let nobodyElse = UInt32.max

    func write(to writer: inout ByteWriter) {
        writer.put(user?.id ?? Self.nobodyElse)
        writer.put(user?.group ?? Self.nobodyElse)
        writer.put(filter)
    }

    init(_ fields: inout ControlFields) throws(ControlError) {
        let id: UInt32 = try fields.number()
        let group: UInt32 = try fields.number()
        self.init(filter: try fields.data(), user: id == Self.nobodyElse ? nil : User(id: id, group: group))
    }
}

extension SandboxReport {
    static let reasonLimit = 1024

    func write(to writer: inout ByteWriter) {
        writer.put(walls.map(\.rawValue))
        writer.put(UInt8(missing.count))
        for item in missing {
            writer.put(item.wall.rawValue)
            writer.put(item.reason, limit: Self.reasonLimit)
        }
    }

    init(_ fields: inout ControlFields) throws(ControlError) {
        self.init()
        for number in try fields.data() { walls.append(try Self.wall(number)) }
        let count: UInt8 = try fields.number()
        for _ in 0..<count {
            let wall = try Self.wall(try fields.number())
            missing.append(Missing(wall, try fields.text()))
        }
    }

    private static func wall(_ number: UInt8) throws(ControlError) -> SandboxWall {
        guard let wall = SandboxWall(rawValue: number) else { throw .unknownValue(field: "wall", number) }
        return wall
    }
}
