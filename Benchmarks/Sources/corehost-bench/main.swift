import Foundation
import Glibc

func note(_ text: String) {
    FileHandle.standardError.write(Data("corehost-bench: \(text)\n".utf8))
}

/// Runs every wanted group so many times, one after the other, so that each run's halves meet the same machine.
func measure(_ options: Options, _ places: Places) throws -> [Outcome] {
    var figures: [Figure] = []
    var samples: [String: [Sample]] = [:]
    for group in options.groups {
        switch group {
        case .messages: figures += MessageFigures.roundTrips + MessageFigures.oneWay
        case .lifecycle: figures += LifecycleFigures.all
        case .spawn: figures += SpawnFigures.all
        case .text: figures += TextFigures.all
        case .files: figures += FileFigures.all
        case .storage: figures += StorageFigures.all
        case .requests: figures += RequestFigures.all
        case .cryptor: figures += CryptorFigures.all
        case .login: figures += LoginFigures.all
        case .load: figures += LoadFigures.all
        }
    }
    for run in 1...options.runs {
        for group in options.groups {
            note("run \(run) of \(options.runs): \(group.rawValue)")
            let one =
                switch group {
                case .messages: try MessageFigures.run(places)
                case .lifecycle: try LifecycleFigures.run(places)
                case .spawn: try SpawnFigures.run(places)
                case .text: try TextFigures.run(places)
                case .files: try FileFigures.run(places)
                case .storage: try StorageFigures.run(places)
                case .requests: try RequestFigures.run(places)
                case .cryptor: try CryptorFigures.run(places)
                case .login: try LoginFigures.run(places)
                case .load: try LoadFigures.run(places)
                }
            samples.merge(one.mapValues { [$0] }, uniquingKeysWith: +)
        }
    }
    return figures.map { Outcome(figure: $0, samples: samples[$0.id] ?? []) }
}

let options: Options
do {
    options = try Options(CommandLine.arguments.dropFirst())
} catch {
    note("\(error)\n\(Options.usage)")
    exit(2)
}
if options.help {
    print(Options.usage)
    exit(0)
}
do {
    let root = URL(filePath: options.root).absoluteURL.standardizedFileURL
    let report = Report(outcomes: try measure(options, Places(root: root)), runs: options.runs)
    if options.json {
        try report.printJSON()
    } else {
        report.printTable()
    }
} catch {
    note("\(error)")
    exit(1)
}
