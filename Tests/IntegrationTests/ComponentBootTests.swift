import Glibc
import TestSupport
import Testing
import Wire

@Suite struct ComponentBootTests {
    @Test func saysHelloThenPreloadedThenReady() throws {
        let component = try ComponentFixture(code: "console.info('in', typeof w3n)")
        try component.waitForReady()
        #expect(
            component.reports.filter { if case .confined = $0 { false } else { true } } == [
                .hello(
                    version: wireProtocolVersion, generation: ComponentFixture.generation, pid: UInt32(component.pid)),
                .preloaded, .log(.info, "in object", place: "main.js:1"), .ready,
            ])
    }

    @Test func refusesToRunByHand() throws {
        for arguments in [[], ["--help"], ["1", "2", "20"], ["1", "2", "3", "4"], ["x", "1"]] {
            let component = try ComponentFixture(arguments: arguments)
            let exit = try component.waitForExit()
            #expect(exit == .code(.usage))
            #expect(component.strayText.contains("corehost-component is started by corehost"))
        }
    }

    @Test func endsWhenItsParentIsNotTheSupervisor() throws {
        let component = try ComponentFixture(arguments: ["1", "1"])
        #expect(try component.waitForExit() == .code(.parentGone))
    }

    @Test(.enabled(if: geteuid() == 0, "only root may look into a process that cannot be dumped"))
    func holdsItsOwnDescriptorsAndEnvironmentOnly() throws {
        let component = try ComponentFixture(code: "")
        try component.waitForReady()
        let process = "/proc/\(component.pid)"
        let links = try entries("\(process)/fd").compactMap { name in
            Int32(name).map { ($0, target("\(process)/fd/\(name)")) }
        }.sorted { $0.0 < $1.0 }
        #expect(links.prefix(5).map(\.0) == [0, 1, 2, 3, 4])
        #expect(links.first?.1 == "/dev/null")
        #expect(links[1].1.hasPrefix("pipe:") && links[1].1 == links[2].1)
        #expect(links[3].1.hasPrefix("socket:") && links[4].1.hasPrefix("socket:"))
        // Beyond these the loop's and the engine's own alone, and scripts that may be wanted later.
        for (_, link) in links.dropFirst(5) {
            #expect(
                link.hasPrefix("anon_inode:") || link.hasPrefix("pipe:")
                    || ["/dev/null", "/dev/urandom", "\(process)/statm"].contains(link)
                    || link.hasPrefix("\(ComponentFixture.resources)/js/lazy/"), "\(link)")
        }
        #expect(try read("\(process)/environ") == "COREHOST_TEST=1\0")
    }

    @Test func isTheFirstToGoWhenMemoryIsShort() throws {
        let component = try ComponentFixture(code: "")
        try component.waitForReady()
        #expect(try read("/proc/\(component.pid)/oom_score_adj") == "500\n")
        #expect(component.logLines.isEmpty)
    }

    @Test func stopBeforeTheBootOrderIsANormalEnd() throws {
        let component = try ComponentFixture()
        try component.order(.stop)
        #expect(try component.waitForExit() == .code(.closed))
        #expect(component.reports.last == .closing)
    }

    @Test func answersHeartbeatsBeforeAndAfterTheBoot() throws {
        let component = try ComponentFixture()
        try component.order(.heartbeat(1))
        try component.wait(for: "first reply") { $0.reports.contains(.heartbeatReply(1)) }
        try component.boot(code: [])
        try component.waitForReady()
        try component.order(.heartbeat(2))
        try component.wait(for: "second reply") { $0.reports.contains(.heartbeatReply(2)) }
    }

    @Test func namesAMissingScript() throws {
        let component = try ComponentFixture(code: "", resources: "/nowhere")
        #expect(try component.waitForExit() == .code(.engineMissing))
        #expect(component.failure?.kind == .engine)
        #expect(component.failure?.message.contains("/nowhere/js/common-preload.js: no such file") == true)
    }

    @Test func namesAScriptThatFails() throws {
        let resources = try RawResources(client: "\n\nnull.x")
        let component = try ComponentFixture(code: "", resources: resources.folder)
        #expect(try component.waitForExit() == .code(.engineMissing))
        #expect(component.failure?.message.contains("core/client.js:3") == true)
    }

    @Test func aConnectionThatFailsIsThePlatformsFault() throws {
        let resources = try RawResources(
            appPreload: "globalThis._awaitPreloadInit = async () => { throw new Error('no w3n') }")
        let component = try ComponentFixture(code: "", resources: resources.folder)
        #expect(try component.waitForExit() == .code(.engineMissing))
        #expect(component.failure?.message.contains("no w3n") == true)
    }

    private func entries(_ folder: String) throws -> [String] {
        guard let list = opendir(folder) else {
            throw ComponentFixture.Failure(description: "\(folder): errno \(errno)")
        }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    private func target(_ link: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(link, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func read(_ path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ComponentFixture.Failure(description: "\(path): errno \(errno)") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}
