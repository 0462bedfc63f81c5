internal import JSEngine
internal import Supervision
internal import Wire

/// Checks and reads a component's entry file through the core, in chunks.
///
/// The size is asked for only when the first chunk does not hold the whole file: the core learns it by listing the app's
/// folder, which costs every start of a small component more than the reading does.
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
        readChunk(from: 0) { result in
            switch result {
            case .success(let code) where code.count == Self.chunk: readLarge(code, done)
            case .success(let code): done(check(code))
            case .failure(let refusal): done(.failure(refusal))
            }
        }
    }

    private func readLarge(_ first: [UInt8], _ done: @escaping (Result<[UInt8], Refusal>) -> Void) {
        host.appCodeFileSize(connectorId: connectorId, path: path) { result in
            switch result {
            case .failure(let error): done(.failure(refusal(error)))
            case .success(let size) where size > BootOrder.codeLimit:
                done(.failure(Refusal(fault: .tooLarge(path: path, size: size, limit: BootOrder.codeLimit))))
            case .success(let size): readRest(of: size, first, done)
            }
        }
    }

    private func readRest(of size: Int, _ code: [UInt8], _ done: @escaping (Result<[UInt8], Refusal>) -> Void) {
        guard code.count < size else {
            done(check(code))
            return
        }
        readChunk(from: code.count) { result in
            switch result {
            case .failure(let refusal): done(.failure(refusal))
            // A file that has become shorter meanwhile ends here.
            case .success(let bytes) where bytes.isEmpty: done(check(code))
            case .success(let bytes): readRest(of: size, code + bytes, done)
            }
        }
    }

    private func readChunk(from start: Int, _ done: @escaping (Result<[UInt8], Refusal>) -> Void) {
        host.readAppCodeFile(
            connectorId: connectorId, path: path, start: start, end: min(start + Self.chunk, BootOrder.codeLimit)
        ) { done($0.mapError(refusal)) }
    }

    private func check(_ code: [UInt8]) -> Result<[UInt8], Refusal> {
        if code.isEmpty { return .failure(Refusal(fault: .empty(path: path))) }
        if String(validating: code, as: UTF8.self) == nil { return .failure(Refusal(fault: .notUTF8(path: path))) }
        return .success(code)
    }

    private func refusal(_ error: CoreError) -> Refusal {
        let isMissing = [#""notFound":true"#, #""notDirectory":true"#].contains { flag in
            error.exceptionJSON?.contains(flag) == true
        }
        if isMissing { return Refusal(fault: .missing(path: path)) }
        return Refusal(fault: .unreadable(path: path, error.reason))
    }
}
