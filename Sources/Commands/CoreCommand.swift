internal import Control

/// `corehost core check DIR`.
package enum CoreCommand {
    package static let timeout = OptionSpec(
        "--timeout", value: "TIME", meaning: "how long one step may take: 10s by default, 500ms, 2m")

    package static let core = CommandSpec(
        "core", [.required("check"), .required("DIR")],
        summary: "check a core's two bundles: names, sign-up, start, storage, close; no supervisor is needed",
        options: [.json, timeout, RunOption.resources],
        exitCodes: [.ok, .failed, .usage, .dataFolderNotUsable, .bootFailed, .coreBundleInvalid],
        example: "corehost core check ~/my-core", run: SupervisorHandover.run)
}
