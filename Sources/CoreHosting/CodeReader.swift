internal import JSEngine
internal import Supervision
internal import Wire

/// Checks and reads a component's entry file through the core, in chunks.
struct CodeReader {
    static let chunk = 1 << 20

    /// Why there is nothing to start.
    struct Refusal: Error {
        let fault: CodeFault
    }

    let host: CoreHost
    let connectorId: String
    let path: String

    func read(done: @escaping (Result<[UInt8], Refusal>) -> Void) {
        host.appCodeFileSize(connectorId: connectorId, path: path) { result in
            switch result {
            case .failure(let error): done(.failure(refusal(error)))
            case .success(0): done(.failure(Refusal(fault: .empty(path: path))))
            case .success(let size) where size > BootOrder.codeLimit:
                done(.failure(Refusal(fault: .tooLarge(path: path, size: size, limit: BootOrder.codeLimit))))
            case .success(let size): read(size, [], done)
            }
        }
    }

    private func read(_ size: Int, _ code: [UInt8], _ done: @escaping (Result<[UInt8], Refusal>) -> Void) {
        let end = min(size, code.count + Self.chunk)
        host.readAppCodeFile(connectorId: connectorId, path: path, start: code.count, end: end) { result in
            switch result {
            case .failure(let error): done(.failure(refusal(error)))
            case .success(let bytes):
                let all = code + bytes
                // A file that has become shorter meanwhile ends here.
                guard !bytes.isEmpty, all.count < size else {
                    done(check(all))
                    return
                }
                read(size, all, done)
            }
        }
    }

    private func check(_ code: [UInt8]) -> Result<[UInt8], Refusal> {
        if code.isEmpty { return .failure(Refusal(fault: .empty(path: path))) }
        if String(validating: code, as: UTF8.self) == nil { return .failure(Refusal(fault: .notUTF8(path: path))) }
        return .success(code)
    }

    private func refusal(_ error: CoreError) -> Refusal {
        if error.exceptionJSON?.contains(#""notFound":true"#) == true { return Refusal(fault: .missing(path: path)) }
        return Refusal(fault: .unreadable(path: path, "\(error)"))
    }
}
