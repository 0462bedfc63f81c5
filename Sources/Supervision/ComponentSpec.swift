/// Names a component over all its lives: `<appDomain>/<entry>`, with `#n` behind it for instance n of a service that has
/// one instance per connection.
public struct ComponentID: Hashable, Sendable {
    public let appDomain: String
    /// Starts with `/`.
    public let entrypoint: String
    /// 0: the only instance.
    public let instance: Int

    public init(appDomain: String, entrypoint: String, instance: Int = 0) {
        self.appDomain = appDomain
        self.entrypoint = entrypoint
        self.instance = instance
    }
}

extension ComponentID: CustomStringConvertible {
    public var description: String {
        let entry = entrypoint.hasPrefix("/") ? String(entrypoint.dropFirst()) : entrypoint
        return instance == 0 ? "\(appDomain)/\(entry)" : "\(appDomain)/\(entry)#\(instance)"
    }
}

extension ComponentID: Comparable {
    public static func < (left: ComponentID, right: ComponentID) -> Bool {
        (left.appDomain, left.entrypoint, left.instance) < (right.appDomain, right.entrypoint, right.instance)
    }
}

/// What was asked for: a component and the rules of its life.
public struct ComponentSpec: Hashable, Sendable {
    public let id: ComponentID
    public let policy: RestartPolicy

    public init(id: ComponentID, policy: RestartPolicy) {
        self.id = id
        self.policy = policy
    }

    /// One of several instances, each for one connection: never restarted, and forgotten once it is down.
    public var isForOneConnection: Bool { id.instance != 0 }
}
