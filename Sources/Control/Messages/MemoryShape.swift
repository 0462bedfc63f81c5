/// Memory of a component's process and of its engine, in bytes; null for what is not known.
public struct MemoryShape: JSONShape, Equatable {
    /// Resident, and the process's alone.
    public var own: Int?
    /// The limits that hold for this process.
    public var soft: Int
    public var hard: Int
    /// Live JavaScript; what that keeps beside itself; room for it; number of objects.
    public var heap: Int?
    public var extra: Int?
    public var capacity: Int?
    public var objects: Int?

    public init(
        own: Int? = nil, soft: Int, hard: Int, heap: Int? = nil, extra: Int? = nil, capacity: Int? = nil,
        objects: Int? = nil
    ) {
        self.own = own
        self.soft = soft
        self.hard = hard
        self.heap = heap
        self.extra = extra
        self.capacity = capacity
        self.objects = objects
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        own = try json.optional("own")
        soft = try json.require("soft")
        hard = try json.require("hard")
        heap = try json.optional("heap")
        extra = try json.optional("extra")
        capacity = try json.optional("capacity")
        objects = try json.optional("objects")
    }

    public var json: JSONValue {
        [
            "own": JSONValue(own), "soft": JSONValue(soft), "hard": JSONValue(hard), "heap": JSONValue(heap),
            "extra": JSONValue(extra), "capacity": JSONValue(capacity), "objects": JSONValue(objects),
        ]
    }
}
