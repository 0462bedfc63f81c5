// Entry of libFuzzer, compiled together with a part of Control's sources by scripts/fuzz-control. Beside memory faults and traps
// it looks for streams that are read differently when they are cut differently, and for values and requests that do not come back
// as they were written.

/// First byte: what is tried. Second byte: how long the pieces are in which it comes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard input.count >= 2 else { return 0 }
    let text = Array(input.dropFirst(2))
    switch input[0] % 4 {
    case 0: sameForAnyCut(text, piece: Int(input[1]) + 1)
    case 1: value(text)
    case 2: request(text)
    // A request's params alone: the envelope is there already.
    default: request(Array(#"{"jsonrpc":"2.0","id":1,"method":"#.utf8) + text + [UInt8(ascii: "}")])
    }
    return 0
}

private struct Outcome: Equatable {
    var lines: [[UInt8]] = []
    var refusals = 0
    var isTooLong = false
}

private func sameForAnyCut(_ stream: [UInt8], piece: Int) {
    let whole = serve(stream, piece: .max)
    let pieces = serve(stream, piece: piece)
    precondition(whole == pieces, "in one piece \(whole), in pieces of \(piece) \(pieces)")
}

private func serve(_ stream: [UInt8], piece: Int) -> Outcome {
    var framing = Framing(maxBytes: 1000)
    var outcome = Outcome()
    var rest = stream[...]
    while !rest.isEmpty {
        let bytes = Array(rest.prefix(piece))
        rest = rest.dropFirst(bytes.count)
        do {
            try bytes.withUnsafeBytes { bytes in
                try framing.append(bytes) { line in
                    outcome.lines.append(line)
                    if (try? RPCMessage.parse(line)) == nil { outcome.refusals += 1 }
                    return true
                }
            }
        } catch {
            outcome.isTooLong = true
            return outcome
        }
    }
    return outcome
}

private func value(_ text: [UInt8]) {
    guard let value = try? JSONParser.parse(text) else { return }
    let written = JSONWriter.text(value)
    // 2.0 and 2 are one number, so what is written is compared.
    let again = (try? JSONParser.parse(written)).map { JSONWriter.text($0) }
    precondition(again == written, "\(value) was written as \(written), read, and written as \(again ?? "nothing")")
    _ = JSONWriter.indented(value)
}

private func request(_ line: [UInt8]) {
    let call: RPCMessage.Call
    do throws(RPCMessage.Refusal) {
        call = try RPCMessage.parse(line)
    } catch {
        precondition(error.error.message.utf8.count < 20_000, "a refusal repeats what it refuses")
        _ = error.id.map { JSONWriter.text(RPCMessage.error(id: $0, error.error)) }
        return
    }
    _ = call.request.changes
    // Passwords are equal to nothing.
    switch call.request {
    case .signup, .login: return
    default: break
    }
    let written = Array(JSONWriter.text(RPCMessage.request(id: 1, call.request)).utf8)
    let again = try? RPCMessage.parse(written)
    precondition(again?.request == call.request, "\(call.request) came back as \(String(describing: again?.request))")
}
