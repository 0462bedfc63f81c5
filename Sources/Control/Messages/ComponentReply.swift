/// `start`, `stop`, `restart` and `kill`: the component as it is now that it is true.
public struct ComponentReply: JSONShape {
    public static let schema = "corehost.component/1"
    public var component: ComponentRow

    public init(component: ComponentRow) { self.component = component }
    public init(json: JSONValue) throws(JSONShapeError) { component = try json.require("component") }
    public var json: JSONValue { ["schema": .string(ComponentReply.schema), "component": component.json] }
}

/// `call`: what the service's method gave.
public struct CallReply: JSONShape {
    public static let schema = "corehost.call/1"
    public var result: JSONValue

    public init(result: JSONValue) { self.result = result }
    public init(json: JSONValue) throws(JSONShapeError) { result = json["result"] ?? .null }
    public var json: JSONValue { ["schema": .string(CallReply.schema), "result": result] }
}

/// `shutdown`: everything is being closed; the connection ends with the supervisor.
public struct ShutdownReply: JSONShape {
    public static let schema = "corehost.shutdown/1"
    public var pid: Int

    public init(pid: Int) { self.pid = pid }
    public init(json: JSONValue) throws(JSONShapeError) { pid = try json.require("pid") }
    public var json: JSONValue { ["schema": .string(ShutdownReply.schema), "pid": JSONValue(pid)] }
}
