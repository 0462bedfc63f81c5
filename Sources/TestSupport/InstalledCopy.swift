internal import FoundationEssentials
internal import Glibc

/// The programs in a folder of the test's own, for tests that put something else in a program's place.
public struct InstalledCopy: Sendable {
    public let corehost: String
    public let component: String
    /// The real program, which `component` is a copy of at first.
    public let realComponent: String

    public init(in folder: TemporaryFolder) throws {
        let bin = folder.path + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        corehost = bin + "/corehost"
        component = bin + "/corehost-component"
        realComponent = RunningProgram.folder + "/corehost-component"
        for program in ["corehost", "corehost-supervisor"] {
            try FileManager.default.copyItem(
                atPath: "\(RunningProgram.folder)/\(program)", toPath: "\(bin)/\(program)")
        }
        try FileManager.default.copyItem(atPath: realComponent, toPath: component)
    }

    /// Puts a shell script in the component program's place; `$REAL` is the real one.
    ///
    /// - Parameter zygote: what it does to be a zygote; by default there is none, so that each start runs the script.
    public func replaceComponent(byScript body: String, asZygote zygote: String = "exit") throws {
        let text = "#!/bin/sh\nREAL='\(realComponent)'\n[ \"$1\" = zygote ] && \(zygote)\n\(body)\n"
        try replaceComponent(by: Data(text.utf8))
    }

    public func restoreComponent() throws {
        try replaceComponent(by: try Data(contentsOf: URL(filePath: realComponent)))
    }

    private func replaceComponent(by bytes: Data) throws {
        let new = component + ".new"
        try bytes.write(to: URL(filePath: new))
        guard chmod(new, 0o700) == 0, rename(new, component) == 0 else {
            throw TestFailure("\(component) cannot be replaced: errno \(errno)")
        }
    }
}

/// The repository's `Resources` with changed scripts.
public enum ChangedResources {
    /// Copies them to `resources` in `folder`; gives that path.
    ///
    /// - Parameter changes: by the path of a file, a text in it and what to put in its place.
    public static func copy(
        to folder: TemporaryFolder, _ changes: [String: (text: String, replacement: String)]
    ) throws -> String {
        let path = folder.path + "/resources"
        try FileManager.default.copyItem(atPath: RunningSupervisor.resources, toPath: path)
        for (name, change) in changes {
            let file = URL(filePath: path).appending(path: name)
            let text = try String(contentsOf: file, encoding: .utf8)
            guard let place = text.firstRange(of: change.text) else {
                throw TestFailure("\(name) has no text \"\(change.text)\" to replace")
            }
            let changed = text[..<place.lowerBound] + change.replacement + text[place.upperBound...]
            try Data(changed.utf8).write(to: file)
        }
        return path
    }
}
