internal import Glibc
internal import Wire

/// The user namespace that this process is in: the machine's own, where every user is, or one that has but a few.
enum UserNamespace {
    /// Whether root of this namespace can become `user` and give up its groups.
    static func has(_ user: SandboxOrder.User) -> Bool {
        contains(user.id, in: "/proc/self/uid_map") && contains(user.group, in: "/proc/self/gid_map")
            && ProcessFigures.read("/proc/self/setgroups")?.hasPrefix("deny") != true
    }

    /// Lines are `first, first outside, count`. A kernel without namespaces has no such file, and every user.
    private static func contains(_ id: UInt32, in map: String) -> Bool {
        guard let text = ProcessFigures.read(map) else { return true }
        return text.split(separator: "\n").contains { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 && UInt64(id) >= numbers[0] && UInt64(id) - numbers[0] < numbers[2]
        }
    }
}
