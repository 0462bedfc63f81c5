import Glibc
import TestSupport

/// A resources folder whose last preload script leaves the port itself to the component, as `send(bytes)` and
/// `globalThis.receive = bytes => …`, and the ports as `port(name, …arguments)`.
final class RawResources {
    let folder: String

    init(
        client: String = "",
        appPreload: String = """
        globalThis.send = globalThis.__portSend_core;
        globalThis.__portRecv_core = bytes => globalThis.receive?.(bytes);
        const callPort = globalThis.__nativeCallDispatch;
        globalThis.port = (name, ...args) => callPort(name, args);
        globalThis._awaitPreloadInit = async () => {};
        """
    ) throws {
        var template = Array("/tmp/corehost-test-XXXXXX\0".utf8CString)
        guard mkdtemp(&template) != nil else { throw ComponentFixture.Failure(description: "mkdtemp: errno \(errno)") }
        folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in ["js", "core"] { mkdir("\(folder)/\(name)", 0o700) }
        for name in ["js/common-preload.js", "js/lazy"] {
            symlink("\(ComponentFixture.resources)/\(name)", "\(folder)/\(name)")
        }
        try write("core/bundle.json", #"{"client": ["client.js"]}"#)
        try write("core/client.js", client)
        try write("js/app-preload.js", appPreload)
    }

    func write(_ name: String, _ text: String) throws {
        guard let file = fopen("\(folder)/\(name)", "w") else {
            throw ComponentFixture.Failure(description: "\(name): errno \(errno)")
        }
        fputs(text, file)
        fclose(file)
    }

    deinit {
        for name in ["js/common-preload.js", "js/lazy", "js/app-preload.js", "core/bundle.json", "core/client.js"] {
            unlink("\(folder)/\(name)")
        }
        for name in ["js", "core", ""] { rmdir("\(folder)/\(name)") }
    }
}
