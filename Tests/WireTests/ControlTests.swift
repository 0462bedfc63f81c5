import Testing
import Wire

extension ControlDecoder {
    func read(_ bytes: ArraySlice<UInt8>, into messages: inout [Message]) throws(ControlError) {
        var rest = bytes
        while !rest.isEmpty {
            let buffer = nextBuffer()
            let count = min(buffer.count, rest.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            try consume(count) { messages.append($0) }
        }
    }
}

@Suite struct ControlMessageTests {
    private static let reports: [ComponentReport] = [
        .hello(version: wireProtocolVersion, generation: .max - 1, pid: 4_000_000_000), .preloaded, .ready,
        .failure(FailureReport(kind: .syntax, message: "unexpected", file: "/a.mjs", line: 7, stack: "at x\nat y")),
        .failure(FailureReport(kind: .start, message: "")), .log(.warn, "größer 😀", place: "a.mjs:7"), .log(.trace, ""),
        .closing,
        .heartbeatReply(.max), .busy(milliseconds: 5000, stack: "spin@a.mjs:1:2"),
        .confined(SandboxReport(walls: [.files, .systemCalls], missing: [.init(.network, "Landlock 3")])),
        .confined(SandboxReport()), .refused(call: 41, architecture: 0xC000_003E), .holds(1 << 40),
        .evaluated(number: 1, value: "", failure: nil), .evaluated(number: 2, value: nil, failure: "threw"),
        .fatal(FatalSignalReport(signal: 11, code: -6, pid: 4_000_000_000, uid: .max, address: .max - 1)),
        .measured(7, MemoryFigures(own: 1, heap: 2, extra: 3, capacity: 4, objects: .max)),
        .gaveUp(data: 1, refused: .max, limit: 3), .status("fetches"), .extendStart(milliseconds: .max),
    ]

    private static let orders: [ComponentOrder] = [
        .boot(
            BootOrder(
                generation: 3, appDomain: "a.b", entrypoint: "/c.mjs", connectorId: "c1", resources: "/r",
                bundles: "/own", code: Array("1 + 1".utf8), frameLimit: 64 << 20, callReportedAfter: 5000,
                callEndedAfter: 30_000)),
        .boot(
            BootOrder(
                generation: 3, appDomain: "a.b", entrypoint: "/c.mjs", connectorId: "c1", resources: "/r",
                code: [1], frameLimit: 1, callReportedAfter: 5000, callEndedAfter: 30_000,
                memory: MemoryOrder(tellAbove: 1 << 33, growth: 3), queue: QueueOrder(highWater: 4, limit: 5),
                acceptsFaults: true, sandbox: SandboxOrder(filter: [1, 2, 3], user: .init(id: 65534, group: 65533)))),
        .heartbeat(5), .stop, .evaluate(number: 7, milliseconds: 5000, "1 + 1"),
        .limits(LiveLimits(tellAbove: .max, callReportedAfter: 1, callEndedAfter: 2)),
        .measure(9, collecting: true), .measure(0, collecting: false),
        .fault(ComponentFault(number: 3, .memoryGrowth, amount: .max, rate: 1 << 40, text: "größer")),
        .fault(ComponentFault(number: .max, .exit)), .undoFault(7),
    ]

    @Test func everyCutDecodesTheSame() throws {
        try everyCut(of: Self.reports)
        try everyCut(of: Self.orders)
    }

    private func everyCut<Message: ControlMessage>(of messages: [Message]) throws {
        let stream = messages.flatMap { $0.encoded() }
        for cut in 0...stream.count {
            let decoder = ControlDecoder<Message>()
            var read: [Message] = []
            try decoder.read(stream[..<cut], into: &read)
            try decoder.read(stream[cut...], into: &read)
            #expect(read == messages)
            #expect(decoder.partialBytes == 0)
        }
    }

    @Test func aBootOrderCarriesTheLargestCode() throws {
        let order = ComponentOrder.boot(
            BootOrder(
                generation: 1, appDomain: "a", entrypoint: "/b", connectorId: "c", resources: "/d",
                code: [UInt8](repeating: 0x20, count: BootOrder.codeLimit), frameLimit: 1, callReportedAfter: 0,
                callEndedAfter: .max))
        let decoder = ControlDecoder<ComponentOrder>()
        var read: [ComponentOrder] = []
        try decoder.read((order.encoded() + ComponentOrder.stop.encoded())[...], into: &read)
        #expect(read == [order, .stop])
        #expect(decoder.nextBuffer().count <= 4096)
    }

    @Test func longTextsAreCutBetweenScalarsAndSaySo() throws {
        let text = String(repeating: "ä", count: 1 << 20)
        let decoder = ControlDecoder<ComponentReport>()
        var read: [ComponentReport] = []
        try decoder.read(ComponentReport.log(.info, text).encoded()[...], into: &read)
        guard case .log(.info, let cut, nil) = read.first else {
            Issue.record("no log line")
            return
        }
        #expect(cut.utf8.count <= 1 << 20)
        #expect(!cut.unicodeScalars.contains("\u{FFFD}"))
        #expect(cut.hasSuffix("… [1048624 bytes cut]"))
        #expect(cut.hasPrefix("ää"))
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0, 0], ControlError.unknownKind(0)),
            ([0, 0, 0, 0, 65], .unknownKind(65)),
            ([1, 0, 0, 0, 2, 0], .malformed(kind: 2, length: 1)),
            ([1, 0, 0, 0, 1, 0], .malformed(kind: 1, length: 1)),
            ([5, 0, 0, 0, 5, 1, 9, 0, 0, 0], .malformed(kind: 5, length: 5)),
            ([5, 0, 0, 0, 5, 99, 0, 0, 0, 0], .unknownValue(field: "log level", 99)),
            ([1, 0, 0, 0, 4, 99], .unknownValue(field: "failure kind", 99)),
            ([255, 255, 255, 255, 5], .tooLong(length: .max, limit: ComponentReport.bodyLimit)),
        ] as [([UInt8], ControlError)])
    func everyBadReportIsItsError(bytes: [UInt8], error: ControlError) {
        let decoder = ControlDecoder<ComponentReport>()
        var read: [ComponentReport] = []
        #expect(throws: error) { try decoder.read(bytes[...], into: &read) }
        #expect(throws: error) { try decoder.consume(0) { _ in } }
        #expect(read.isEmpty)
        #expect(decoder.nextBuffer().count <= 4096)
    }

    @Test func bytesThatAreNotUTF8BecomeReplacementCharacters() throws {
        let decoder = ControlDecoder<ComponentReport>()
        var read: [ComponentReport] = []
        try decoder.read([11, 0, 0, 0, 5, 3, 2, 0, 0, 0, 0x61, 0xFF, 0, 0, 0, 0], into: &read)
        #expect(read == [.log(.info, "a\u{FFFD}")])
    }

    @Test func listMessagesComeBackAsTheyWere() throws {
        for path in [[], ["w3n"], ["w3n", "größe", ""]] {
            let request = ListRequest(call: 7, path: path)
            #expect(try request.encoded().withUnsafeBytes { try ListRequest(decoding: $0) } == request)
        }
        for names in [nil, [], ["a", "b"]] as [[String]?] {
            let reply = ListReply(call: .max, names: names)
            #expect(try reply.encoded().withUnsafeBytes { try ListReply(decoding: $0) } == reply)
        }
    }

    @Test func everyShortenedListMessageIsAnError() {
        let request = ListRequest(call: 7, path: ["w3n", "x"]).encoded()
        for count in 0..<request.count {
            #expect(throws: ListMessageError(length: count)) {
                try request.prefix(count).withUnsafeBytes { try ListRequest(decoding: $0) }
            }
        }
        #expect(throws: ListMessageError.self) {
            try (request + [0]).withUnsafeBytes { try ListRequest(decoding: $0) }
        }
    }

    @Test func exitCodesAreAsDocumented() {
        #expect(ComponentExitCode.allCases.map(\.rawValue) == [0, 2, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    }
}
