internal import EventLoop
internal import Glibc
public import JSEngine
internal import Supervision

/// The core's context and the calls into it. What each call means is in `docs/architecture.md`, "The core's context".
public final class CoreHost {
    public let engine: JSEngineHost
    let tell: (CoreEvent) -> Void
    let faults: CoreFaults?
    private var lastCall: UInt64 = 0

    init(engine: JSEngineHost, faults: CoreFaults? = nil, tell: @escaping (CoreEvent) -> Void) {
        self.engine = engine
        self.faults = faults
        self.tell = tell
    }

    // MARK: Calls

    /// The number under which a call that answers later is told of; nil = it may take as long as it likes.
    func beginCall(_ name: String, _ limit: Duration?) -> UInt64? {
        guard let limit else { return nil }
        lastCall += 1
        tell(.callBegan(lastCall, name, limit: limit))
        return lastCall
    }

    func listComponents() throws(CoreError) -> Catalog {
        let answer = try call("listComponents", engine.undefined)
        var components: [Catalog.Component] = []
        for index in 0..<(answer["components"]["length"].integer ?? 0) {
            let entry = answer["components"][index]
            guard let appDomain = entry["appDomain"].string, let entrypoint = entry["entrypoint"].string,
                let runtime = entry["runtime"].string
            else { throw .badAnswer(call: "listComponents", entry.json ?? "nothing") }
            let services = entry["services"]
            components.append(
                Catalog.Component(
                    id: ComponentID(appDomain: appDomain, entrypoint: entrypoint), runtime: runtime,
                    startsWithSystem: entry["startup"].boolean ?? false,
                    restart: entry["restart"].string.flatMap(RestartType.init(rawValue:)),
                    services: (0..<(services["length"].integer ?? 0)).compactMap { services[$0].string },
                    perConnection: entry["perConnection"].boolean ?? false, version: entry["version"].string))
        }
        let problems = (0..<(answer["problems"]["length"].integer ?? 0)).map { index in
            let entry = answer["problems"][index]
            return Catalog.Problem(
                appDomain: entry["appDomain"].string ?? "", file: entry["file"].string ?? "",
                message: entry["message"].string ?? "")
        }
        return Catalog(components: components, problems: problems)
    }

    /// Makes a connector; in the course of it the core calls `js_startComponent`.
    func launchComponent(_ id: ComponentID) throws(CoreError) {
        let argument = object(["appDomain": id.appDomain, "entrypoint": id.entrypoint])
        argument.set("instance", engine.number(Double(id.instance)))
        _ = try call("launchComponent", argument)
    }

    /// - Parameter openCalls: how many of the component's calls into the core may be open at once.
    func attachComponentPort(connectorId: String, openCalls: Int) throws(CoreError) {
        let argument = object(["connectorId": connectorId])
        argument.set("openCalls", engine.number(Double(openCalls)))
        _ = try call("attachComponentPortToConnector", argument)
    }

    func appCodeFileSize(connectorId: String, path: String, done: @escaping (Result<Int, CoreError>) -> Void) {
        let name = "getFileSizeInAppCodeFS"
        callAsync(name, object(["connectorId": connectorId, "path": path])) { result in
            done(
                result.flatMap { answer in
                    answer.integer.map { .success($0) }
                        ?? .failure(.badAnswer(call: name, answer.text ?? "something unreadable"))
                })
        }
    }

    /// Bytes `start..<end` of a file in the app's code folder; fewer at its end.
    func readAppCodeFile(
        connectorId: String, path: String, start: Int, end: Int, done: @escaping (Result<[UInt8], CoreError>) -> Void
    ) {
        let name = "readBytesFromFileInAppCodeFS"
        let argument = object(["connectorId": connectorId, "path": path])
        argument.set("start", engine.number(Double(start)))
        argument.set("end", engine.number(Double(end)))
        callAsync(name, argument) { result in
            done(
                result.flatMap { answer in
                    answer.bytes.map { .success(Array($0)) }
                        ?? .failure(.badAnswer(call: name, answer.text ?? "something unreadable"))
                })
        }
    }

    /// Names of the members of the core's object at `path`; nil where there is none.
    func listObjPath(connectorId: String, path: [String]) throws(CoreError) -> [String]? {
        let argument = object(["connectorId": connectorId])
        argument.set("path", engine.array(path, engine.string))
        let answer = try call("listObjPathInConnector", argument)
        guard !answer.isNull, !answer.isUndefined else { return nil }
        return (0..<(answer["length"].integer ?? 0)).compactMap { answer[$0].string }
    }

    /// Calls of the component that the core has not answered; nil where the core's library does not tell.
    func openCalls(connectorId: String) -> Int? {
        do throws(CoreError) {
            return try call("countOpenCalls", object(["connectorId": connectorId])).integer
        } catch {
            engine.report(.error, engine.makeError("counting the calls of connector \(connectorId): \(error)"))
            return nil
        }
    }

    func componentClosed(connectorId: String, cause: String) throws(CoreError) {
        _ = try call("onComponentClosedInAndroid", object(["connectorId": connectorId, "cause": cause]))
    }

    /// Gives the reply as JSON.
    func callService(_ number: UInt64, _ request: ServiceCall, done: @escaping (Result<String, CoreError>) -> Void) {
        let argument = object([
            "appDomain": request.appDomain, "service": request.service, "method": request.method,
        ])
        argument.set("number", engine.number(Double(number)))
        argument.set("args", engine.value(fromJSON: request.argumentsJSON) ?? engine.array([], engine.string))
        callAsync("callService", argument, limit: nil) { result in done(result.map { $0.json ?? "null" }) }
    }

    /// Closes the connection of a call that is under way.
    func abandonCall(_ number: UInt64) throws(CoreError) {
        let argument = engine.makeObject()
        argument.set("number", engine.number(Double(number)))
        _ = try call("abandonCall", argument)
    }

    /// Tells the core and components that watch.
    func connectivityChanged(isOnline: Bool) throws(CoreError) {
        _ = try call("connectivityChanged", object(["state": Self.state(isOnline: isOnline)]))
    }

    /// Scripts that a start does not need.
    func evaluateRest() throws(CoreError) { _ = try call("evaluateRest", engine.undefined) }

    /// As the port `connectivity_isOnline` and the core say it.
    static func state(isOnline: Bool) -> String { isOnline ? "network-present" : "no-network" }

    /// `done` comes when the core is ready for the machine's sleep.
    func deviceSuspends(done: @escaping (Result<Void, CoreError>) -> Void) {
        callAsync("deviceSuspends", engine.undefined) { done($0.map { _ in }) }
    }

    func deviceResumes(done: @escaping (Result<Void, CoreError>) -> Void) {
        callAsync("deviceResumes", engine.undefined) { done($0.map { _ in }) }
    }

    /// Runs a function that does nothing: JavaScript is alive.
    func takeTurn() throws(JSError) { try engine.call(engine.global["Function"]["prototype"], []) }
}

/// Reported to the core as the platform's own.
let platformVersion = "0.1.0"
