// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "corehost-benchmarks",
    targets: [
        .executableTarget(
            name: "corehost-bench",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
