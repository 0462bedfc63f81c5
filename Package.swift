// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// One library target; its tests, if any, stand in `Tests/<name>Tests`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Tests read what is in `data` from the checkout.
func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: data, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "corehost",
    products: [
        .executable(name: "corehost", targets: ["corehost"]),
        .executable(name: "corehost-supervisor", targets: ["corehost-supervisor"]),
        .executable(name: "corehost-component", targets: ["corehost-component"]),
        // For tests: put in front of a program's libraries, it has the wall clock jump.
        .library(name: "clock-step", type: .dynamic, targets: ["CClockStep"]),
    ],
    targets: [
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CJSC", pkgConfig: "javascriptcoregtk-4.1", providers: [.apt(["libjavascriptcoregtk-4.1-dev"])]),
        .systemLibrary(name: "CGIO", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CSoup", pkgConfig: "libsoup-3.0", providers: [.apt(["libsoup-3.0-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CGcrypt", pkgConfig: "libgcrypt", providers: [.apt(["libgcrypt20-dev"])]),
        .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .target(name: "CSystem"),
        .target(name: "CConfine"),
        // Optimized in debug builds too: without, a derivation that takes 0.2 s takes 5 s, and tests make many.
        .target(name: "CScrypt", cSettings: [.unsafeFlags(["-O2"])]),
        .target(name: "CUTF8"),
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc")]),

        module("EventLoop", ["CUV", "CGLib", "CSystem"]),
        module("JSEngine", ["CJSC", "EventLoop", "CSystem", "CUTF8", "CICU"]),
        module("Wire"),
        module("Supervision"),
        module("Simulation", ["Supervision"]),
        module("Faults", ["Supervision"]),
        module("Configuration", ["Supervision"]),
        module("Logging", ["CSystem"]),
        module("PostMortems", ["Control", "Logging", "CSystem"]),
        module("Secrets", ["CSystem"]),
        module("Control", ["EventLoop", "Logging", "Secrets", "CGLib", "CSystem"]),
        module("Cryptography", ["EventLoop", "CSodium", "CGcrypt", "CScrypt", "CSecret", "CGIO", "CGLib", "CSystem"]),
        module("PlatformScripts", ["JSEngine"]),
        module("Networking", ["EventLoop", "CSoup", "CGIO", "CGLib", "CSystem"]),
        module("Confinement", ["Wire", "CConfine", "CSystem"]),
        module("SandboxPolicy", ["Wire", "CSeccomp"]),
        module("PortBridge", ["EventLoop", "JSEngine", "Wire"]),
        module(
            "ComponentHosting",
            ["PlatformScripts", "Confinement", "EventLoop", "JSEngine", "Wire", "PortBridge", "CSystem"]),
        module(
            "CoreHosting",
            [
                "PlatformScripts", "EventLoop", "JSEngine", "Wire", "PortBridge", "Supervision", "Networking",
                "Cryptography", "Secrets", "CSystem", "CGIO", "CGLib",
            ]),
        module(
            "SupervisionPlane",
            [
                "EventLoop", "JSEngine", "Wire", "Supervision", "Configuration", "Faults", "Logging", "Control",
                "CoreHosting", "Networking", "PortBridge", "PostMortems", "Secrets", "SandboxPolicy", "Confinement",
                "CSystem",
            ]),
        module("Chaos", ["Configuration", "Control", "EventLoop", "Faults", "Supervision", "CSystem"]),
        module(
            "CoreCheck",
            ["ComponentHosting", "CoreHosting", "EventLoop", "JSEngine", "PlatformScripts", "Supervision"]),
        module(
            "Commands",
            [
                "Configuration", "Faults", "Logging", "Control", "Secrets", "Simulation", "Supervision", "Chaos",
                "CSystem",
            ]),
        module(
            "SupervisorProgram", ["Commands", "Control", "CoreCheck", "Supervision", "SupervisionPlane"]),

        program("corehost", ["Commands"]),
        program("corehost-supervisor", ["SupervisorProgram"]),
        program("corehost-component", ["ComponentHosting"]),
        program("sandbox-probe", ["CProbe", "Confinement", "SandboxPolicy", "Wire", "CSystem"]),
        .target(name: "CProbe"),
        .target(name: "CClockStep", linkerSettings: [.linkedLibrary("dl")]),
        program("port-table", ["CoreHosting", "ComponentHosting", "JSEngine"]),

        module(
            "TestSupport",
            [
                "EventLoop", "JSEngine", "Control", "Wire", "SandboxPolicy", "CProbe", "CSystem", "CGLib", "CGIO",
                "CSoup",
            ]),
        program("causes-of-death", ["TestSupport"]),
        tests("EventLoopTests", ["EventLoop", "CGLib", "CSystem"]),
        tests("JSEngineTests", ["JSEngine", "EventLoop"]),
        tests("WireTests", ["Wire"]),
        tests("NetworkingTests", ["Networking", "CoreHosting", "EventLoop", "JSEngine"]),
        tests("SecretsTests", ["Secrets", "CSystem"]),
        tests("CryptographyTests", ["Cryptography", "EventLoop", "CSodium"]),
        tests("PortBridgeTests", ["PortBridge", "EventLoop", "JSEngine", "Wire"]),
        tests("SupervisionTests", ["Supervision"]),
        tests("SimulationTests", ["Simulation", "Supervision"]),
        tests("FaultsTests", ["Faults", "Supervision"]),
        tests("ConfigurationTests", ["Configuration", "Supervision"]),
        tests("ChaosTests", ["Chaos", "Configuration", "Control", "Faults", "Supervision"]),
        tests("LoggingTests", ["Logging"]),
        tests("PostMortemsTests", ["PostMortems", "Control"]),
        tests("ControlTests", ["Control", "EventLoop", "Logging", "Secrets"]),
        tests(
            "CommandsTests",
            ["Commands", "Control", "Logging", "Secrets", "SupervisionPlane", "SupervisorProgram", "CSystem", "CUV"]),
        tests(
            "ResourcesTests", ["CoreHosting", "PlatformScripts", "JSEngine", "EventLoop"],
            data: ["Globals", "Scripts", "Vectors"]),
        tests(
            "CoreHostingTests", ["CoreHosting", "EventLoop", "JSEngine", "Supervision", "Wire", "CSystem"],
            data: ["Scripts"]),
        tests(
            "IntegrationTests",
            [
                "Control", "CoreHosting", "JSEngine", "Logging", "Secrets", "Wire", "EventLoop", "SandboxPolicy",
                "CProbe", "CSystem",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
