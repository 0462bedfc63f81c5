import Control
import Foundation
import TestSupport
import Testing

private let domain = "watcher.test"
private let id = "watcher.test/watcher.mjs"

private let code = """
    console.log(`is ${await w3n.connectivity.isOnline()}`);
    w3n.connectivity.watch({ next: event => console.log(`saw ${JSON.stringify(event)}`) });
    w3nRPC.serve('Net', { isOnline: () => w3n.connectivity.isOnline() });
    console.log('watches');
    """

@Suite struct ConnectivityTests {
    @Test func aChangeOfTheNetworkReachesAComponentThatWatches() throws {
        guard let namespace = try NetworkNamespace() else { return }
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                domain, ["watcher.mjs": code], services: ["watcher.mjs": ["Net"]], caps: #"{"connectivity": true}"#),
            program: namespace.program)
        let pid = supervisor.program.pid
        try supervisor.console("is offline_99%", of: id)
        try supervisor.console("watches", of: id)
        // The loopback device is the one that every kernel has.
        for command in ["link set lo up", "addr add 192.0.2.1/24 dev lo", "route add default via 192.0.2.254 dev lo"] {
            try namespace.ip(command, of: pid)
        }
        try supervisor.console(#"saw {"isOnline":true}"#, of: id)
        #expect(try supervisor.call(domain, "Net", "isOnline") == "online_80%")
        // Another route is no change of the state; a link that goes takes the routes along, and is one.
        try namespace.ip("route add 198.51.100.0/24 dev lo", of: pid)
        try namespace.ip("link set lo down", of: pid)
        try supervisor.console(#"saw {"isOnline":false}"#, of: id)
        #expect(try supervisor.call(domain, "Net", "isOnline") == "offline_99%")
        let seen = try supervisor.corehost("logs", id).lines.filter { $0.contains("saw ") }
        #expect(seen.count == 2, "\(seen)")
        #expect(try supervisor.end() == 0)
    }
}
