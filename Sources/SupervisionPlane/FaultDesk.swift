internal import Control
internal import EventLoop
internal import Faults
internal import Glibc
internal import Logging
internal import Supervision

/// What there is of injected faults in a supervisor that was started with `--allow-faults`: the book, who asked, who listens.
final class FaultDesk {
    /// What the book does not know of a fault.
    struct Note {
        let by: String
        let began: String
    }

    var book = FaultBook()
    var notes: [Int: Note] = [:]
    /// Who watches a fault that ends with its connection.
    var watchers: [Int: ControlExchange] = [:]
    let timer: Timer
    var isLooking = false
    var lastOwner: UInt64 = 0
    let file: FaultFile
    /// The clock's step that is in force, for processes too that begin meanwhile.
    var clockStep: (id: Int, step: Duration)?
    /// Boot orders that a slow start holds up, by component.
    var heldUp: [ComponentID: Timer] = [:]

    init(folder: String, on loop: Loop) {
        timer = Timer(on: loop)
        file = FaultFile(folder: folder)
    }

    func row(_ entry: FaultEntry, at now: Instant) -> FaultRow {
        let note = notes[entry.id]
        return FaultRow(
            id: entry.id, kind: entry.kind.rawValue, target: "\(entry.order.selector)",
            parameters: entry.order.parameters, seed: Int(clamping: entry.order.seed), count: entry.leash.count,
            rate: entry.leash.rate, duration: entry.leash.duration.inSeconds, most: entry.leash.most,
            isDetached: entry.owner == nil, by: note?.by ?? "", began: note?.began ?? "", applied: entry.applied,
            holds: entry.held.map { "\($0)" },
            endsIn: entry.ending == nil ? max(0, (entry.endsAt - now).inSeconds) : nil, ended: entry.ending?.rawValue)
    }
}

/// Faults in force, in the data folder: a supervisor that was killed cannot say what ended with it; the next one can.
///
/// Written at once: only where faults are allowed, and into the page cache, which outlives the process.
struct FaultFile {
    let path: String

    init(folder: String) { path = folder + "/faults-in-force.json" }

    /// - Returns: why it could not be written, in words.
    func write(_ rows: [FaultRow]) -> String? {
        guard !rows.isEmpty else {
            guard unlink(path) == 0 || errno == ENOENT else { return String(cString: strerror(errno)) }
            return nil
        }
        let text = JSONWriter.text(["faults": JSONValue(rows)]) + "\n"
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count, rename(new, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(new)
            return reason
        }
        return nil
    }

    /// What an earlier run has left there; the file is gone afterwards. Nil: it cannot be read.
    func take() -> [FaultRow]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno == ENOENT ? [] : nil }
        defer {
            close(descriptor)
            unlink(path)
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let json = try? JSONParser.parse(String(decoding: bytes[..<count], as: UTF8.self)),
            let values = json["faults"]?.array
        else { return nil }
        // A row of another version is no reason to say nothing of the others.
        return values.compactMap { try? FaultRow(json: $0) }
    }
}

extension InjectedFault {
    init(_ entry: FaultEntry) {
        self.init(id: entry.id, kind: entry.kind.rawValue, seed: entry.order.seed, effect: entry.order.fault.effect)
    }
}

extension FaultTag {
    init(_ fault: InjectedFault) { self.init(id: fault.id, kind: fault.kind, seed: Int(clamping: fault.seed)) }

    /// Of evidence that is kept of a death.
    init?(kept evidence: JSONValue) {
        guard let fault = evidence["fault"], !fault.isNull, let tag = try? FaultTag(json: fault) else { return nil }
        self = tag
    }
}

extension ControlError {
    init(_ refusal: FaultRefusal) {
        switch refusal {
        case .usage(let text): self.init(code: ControlError.invalidParams, message: text)
        case .noTarget(let text): self.init(.noSuchID, text)
        case .refused(let text): self.init(.refused, text)
        }
    }
}
