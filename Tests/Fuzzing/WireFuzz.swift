// Entry of libFuzzer, compiled together with the sources of Wire by scripts/fuzz-wire. Beside memory faults and traps it
// looks for streams that decode differently when they are cut differently.

/// First byte: which decoder. Second byte: how long the pieces are that it is fed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard input.count >= 2 else { return 0 }
    let stream = Array(input.dropFirst(2))
    let piece = Int(input[1]) + 1
    switch input[0] % 5 {
    case 0: sameForAnyCut(stream, piece, decodeFrames)
    case 1: sameForAnyCut(withRightChecks(stream), piece, decodeFrames)
    case 2: sameForAnyCut(stream, piece) { decodeMessages(ComponentReport.self, $0, $1) }
    case 3: sameForAnyCut(stream, piece) { decodeMessages(ComponentOrder.self, $0, $1) }
    default: decodeLists(stream)
    }
    return 0
}

private func sameForAnyCut<Result: Equatable>(
    _ stream: [UInt8], _ piece: Int, _ decode: ([UInt8], Int) -> Result
) {
    let whole = decode(stream, .max)
    let pieces = decode(stream, piece)
    precondition(whole == pieces, "in one piece \(whole), in pieces of \(piece) \(pieces)")
}

private struct Outcome<Value: Equatable, Failure: Equatable>: Equatable {
    var values: [Value] = []
    var failure: Failure?
}

private func decodeFrames(_ stream: [UInt8], _ piece: Int) -> Outcome<[UInt8], FrameError> {
    let decoder = FrameDecoder(generation: 0, limit: 1 << 20)
    var outcome = Outcome<[UInt8], FrameError>()
    feed(stream, piece, decoder.nextBuffer) { count in
        do throws(FrameError) {
            try decoder.consume(count) { header, body in
                outcome.values.append([header.kind.rawValue] + Array(body.bytes))
            }
            return true
        } catch {
            outcome.failure = error
            return false
        }
    }
    return outcome
}

private func decodeMessages<Message: ControlMessage>(
    _ type: Message.Type, _ stream: [UInt8], _ piece: Int
) -> Outcome<Message, ControlError> {
    let decoder = ControlDecoder<Message>()
    var outcome = Outcome<Message, ControlError>()
    feed(stream, piece, decoder.nextBuffer) { count in
        do throws(ControlError) {
            try decoder.consume(count) { outcome.values.append($0) }
            return true
        } catch {
            outcome.failure = error
            return false
        }
    }
    return outcome
}

private func feed(
    _ stream: [UInt8], _ piece: Int, _ nextBuffer: () -> UnsafeMutableRawBufferPointer, consume: (Int) -> Bool
) {
    var rest = stream[...]
    while !rest.isEmpty {
        let buffer = nextBuffer()
        let count = min(piece, buffer.count, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        guard consume(count) else { return }
    }
}

private func decodeLists(_ stream: [UInt8]) {
    stream.withUnsafeBytes { bytes in
        if let request = try? ListRequest(decoding: bytes) {  // an error is as good an end as none
            let again = request.encoded().withUnsafeBytes { try? ListRequest(decoding: $0) }
            precondition(again == request, "\(request) came back as \(String(describing: again))")
        }
        if let reply = try? ListReply(decoding: bytes) {
            let again = reply.encoded().withUnsafeBytes { try? ListReply(decoding: $0) }
            precondition(again == reply, "\(reply) came back as \(String(describing: again))")
        }
    }
}

/// The stream with the checks of its headers put right, so that the fuzzer gets past them: it cannot guess a CRC.
private func withRightChecks(_ stream: [UInt8]) -> [UInt8] {
    var stream = stream
    var place = 0
    while place + FrameHeader.size <= stream.count {
        let words = stream.withUnsafeBytes { bytes in
            (0..<3).map { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place + $0 * 4, as: UInt32.self)) }
        }
        let check = CRC32C.of(words[0], words[1], words[2]).littleEndian
        stream.withUnsafeMutableBytes { $0.storeBytes(of: check, toByteOffset: place + 12, as: UInt32.self) }
        place += FrameHeader.size + Int(words[0])
    }
    return stream
}
