internal import Cryptography
internal import JSEngine

/// The arguments of a call that are bytes, as a computation on any thread reads them, and what keeps them until it is over.
struct PortInputs {
    /// Longer ones would keep a thread, and the platform's end, waiting for more than a moment.
    static let longest = 256 << 20
    /// Above so many bytes a copy costs the core's thread more than keeping a reference.
    static let mostCopied = 64 << 10

    let list: [InputBytes]
    private let kept: [JSReference]

    init(of arguments: PortArguments, copyingUpTo most: Int = PortInputs.mostCopied) {
        var list: [InputBytes] = []
        var kept: [JSReference] = []
        for (index, parameter) in arguments.signature.parameters.enumerated() {
            guard case .bytes = parameter.kind else { continue }
            let bytes = arguments.bytes(index)
            if bytes.count <= most {
                list.append(InputBytes(copying: bytes))
            } else {
                list.append(InputBytes(inPlace: bytes))
                kept.append(JSReference(arguments[index]))
            }
        }
        self.list = list
        self.kept = kept
    }
}

extension PortArguments {
    /// Throws for the first argument, by index, that has not so many bytes.
    func require(_ lengths: [Int: Int]) throws(RuntimeException) {
        for (index, length) in lengths.sorted(by: { $0.key < $1.key }) where bytes(index).count != length {
            throw bad(index, "must have \(length) bytes, not \(bytes(index).count)")
        }
    }

    func requireLength(_ index: Int, atMost most: Int) throws(RuntimeException) {
        let count = bytes(index).count
        if count > most { throw bad(index, "has \(count) bytes, the limit is \(most)") }
    }
}

extension JSEngineHost {
    func bytes(_ result: ResultBytes) -> JSValue { bytes(takingOwnershipOf: result.take(), count: result.count) }
}
