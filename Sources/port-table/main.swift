// Prints docs/ports.md from the ports' declarations; `make docs` puts it in its place.
internal import ComponentHosting
internal import CoreHosting
internal import JSEngine

func cell(_ text: String) -> String {
    text.replacing("\n", with: " ").replacing("|", with: "\\|")
}

func table(_ group: PortGroup, heading: String) -> String {
    var text = "\(heading) \(group.title)\n\n| port | arguments | result |\n|---|---|---|\n"
    for port in group.ports {
        let parameters = port.parameters.map { parameter in
            "`\(parameter.name)\(parameter.isOptional ? "?" : "")`: \(cell(parameter.kind.description))"
        }
        var outcome = "\(cell(port.result)). \(cell(port.meaning))"
        if let exceptions = port.exceptions { outcome += " Exceptions: \(cell(exceptions))." }
        let arguments = parameters.isEmpty ? "–" : parameters.joined(separator: "<br>")
        text += "| `\(port.name)` | \(arguments) | \(outcome) |\n"
    }
    return text
}

print(
    """
    # Ports

    JavaScript calls a port as `__nativeCallDispatch(name, [arguments])`. Written by `make docs` from the declarations that check the
    arguments; do not edit. An argument with `?` may be left out: `undefined` and `null` both do that. One that is not as declared
    is refused before anything is done, with `{runtimeException: true, type: "port", port, badArgument: true, message}`, thrown at once; so
    are texts with half of a surrogate pair. A name that is no port: `notImplemented: true` instead of `badArgument`. Whatever is
    a promise rejects with exceptions of the types named.

    \(table(CommonPorts.group, heading: "##"))
    ## Core

    \(CorePortGroups.all.map { table($0, heading: "###") }.joined(separator: "\n"))
    ## Component

    \(table(ComponentPorts.group, heading: "###"))
    """, terminator: "")
