import EventLoop
import Glibc
import Synchronization
import Testing

/// Two connected descriptors.
func socketPair() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

@Suite struct LoopTests {
    @Test(arguments: [false, true])
    func timersFireInTheOrderOfTheirTimes(pumpingGLib: Bool) throws {
        let loop = try Loop(pumpingGLib: pumpingGLib)
        var fired: [Int] = []
        let timers = [30, 10, 20].map { delay in
            let timer = Timer(on: loop)
            timer.start(afterMilliseconds: UInt64(delay)) { fired.append(delay) }
            return timer
        }
        loop.run()
        #expect(fired == [10, 20, 30])
        for timer in timers { timer.close() }
        loop.close()
    }

    @Test func aTimerDoesNotFireBeforeItsTime() throws {
        let loop = try Loop()
        let timer = Timer(on: loop)
        let begin = loop.now
        timer.start(after: .microseconds(2500)) {}
        loop.run()
        #expect(loop.now - begin >= 2_000_000)
        timer.close()
        loop.close()
    }

    /// Timers that start themselves anew, some of whose actions take longer than another's delay.
    @Test(arguments: [[0], [1, 1], [0, 1]])
    func timersThatAreAlwaysDueLeaveTheLoopItsTurns(delays: [UInt64]) throws {
        let loop = try Loop()
        let ends = try socketPair()
        let pipe = try Pipe(takingOwnershipOf: ends.0, on: loop)
        var buffer = [UInt8](repeating: 0, count: 16)
        var received = 0
        var fired = 0
        try buffer.withUnsafeMutableBytes { bytes in
            let bytes = bytes
            try pipe.read(into: { bytes }, received: { received += $0 }, ended: { _ in })
            let timers = delays.map { _ in Timer(on: loop) }
            func start(_ index: Int) {
                timers[index].start(afterMilliseconds: delays[index]) {
                    fired += 1
                    usleep(2000)
                    if received == 0, fired < 1000 { start(index) } else { loop.stop() }
                }
            }
            for index in timers.indices { start(index) }
            try #require(write(ends.1, "x", 1) == 1)
            loop.run()
            for timer in timers { timer.close() }
        }
        #expect(received == 1)
        #expect(fired < 100)
        pipe.close()
        close(ends.1)
        loop.close()
    }

    /// What has come when a limit passes keeps it, though the loop reads it later; and what has not come is missed.
    @Test(arguments: [true, false])
    func aLimitIsMissedOnlyBehindWhatHasCome(comes: Bool) throws {
        let loop = try Loop()
        let ends = try socketPair()
        let pipe = try Pipe(takingOwnershipOf: ends.0, on: loop)
        let limit = Timer(on: loop)
        let writer = Timer(on: loop)
        var buffer = [UInt8](repeating: 0, count: 16)
        var seen: [String] = []
        try buffer.withUnsafeMutableBytes { bytes in
            let bytes = bytes
            try pipe.read(
                into: { bytes },
                received: { _ in
                    seen.append("answer")
                    limit.stop()
                    loop.stop()
                }, ended: { _ in })
            // Both are due before the loop first reads.
            writer.start(afterMilliseconds: 0) { if comes { write(ends.1, "x", 1) } }
            limit.startBehindArrivals(after: .zero) {
                seen.append("missed")
                loop.stop()
            }
            loop.run()
        }
        #expect(seen == (comes ? ["answer"] : ["missed"]))
        for timer in [limit, writer] { timer.close() }
        pipe.close()
        close(ends.1)
        loop.close()
    }

    @Test func endOfTurnWorkRunsBeforeTheLoopWaitsAndOnlyOnce() throws {
        let loop = try Loop()
        var order: [String] = []
        let timer = Timer(on: loop)
        timer.start(afterMilliseconds: 0) {
            loop.atEndOfTurn {
                order.append("end")
                loop.atEndOfTurn { order.append("added") }
            }
            order.append("callback")
        }
        loop.run()
        #expect(order == ["callback", "end", "added"])
        timer.close()
        loop.close()
    }

    @Test func aMailboxDeliversFromOtherThreadsInOrderAndRefusesAfterClose() throws {
        let loop = try Loop()
        let mailbox = Mailbox<Int>()
        mailbox.send(0)
        var got: [Int] = []
        try mailbox.open(on: loop) { value in
            got.append(value)
            if value == 1000 { mailbox.close() }
        }
        let thread = try Thread { for value in 1...1000 { mailbox.send(value) } }
        loop.run()
        thread.join()
        #expect(got == Array(0...1000))
        #expect(!mailbox.send(1))
        loop.close()
    }

    @Test func workRunsElsewhereAndAnswersHere() throws {
        let loop = try Loop()
        let here = UInt(pthread_self())
        var there: UInt?
        loop.work({ UInt(pthread_self()) }, done: { there = $0 })
        loop.run()
        #expect(there != nil && there != here)
        loop.close()
    }

    @Test func aSignalReachesTheLoop() throws {
        let loop = try Loop()
        var seen = 0
        let keepAlive = Timer(on: loop)
        keepAlive.start(after: .seconds(30)) {}
        let signal = try Signal(SIGWINCH, on: loop) {
            seen += 1
            loop.stop()
        }
        kill(getpid(), SIGWINCH)
        loop.run()
        #expect(seen == 1)
        signal.close()
        keepAlive.close()
        loop.close()
    }
}

@Suite struct PipeTests {
    /// Everything that arrives on `descriptor` until its end.
    private func drain(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return all }
            all.append(contentsOf: chunk[..<count])
        }
    }

    @Test func whatIsQueuedArrivesWholeAndInOrderThoughTheReaderIsSlow() throws {
        let (ours, theirs) = try socketPair()
        let received = Mutex<[UInt8]>([])
        let reader = try Thread { [self] in
            let all = drain(theirs)
            received.withLock { $0 = all }
        }
        let loop = try Loop()
        let pipe = try Pipe(takingOwnershipOf: ours, on: loop)
        let large = [UInt8](repeating: 7, count: 3_000_000)
        var released = 0
        withExtendedLifetime(large) {
            large.withUnsafeBytes { bytes in
                for round in 0..<100 {
                    withUnsafeBytes(of: UInt32(round)) { pipe.output.append($0) }
                    if round == 50 { pipe.output.append(lending: bytes) { released += 1 } }
                }
                #expect(pipe.output.queuedBytes == 3_000_400)
                pipe.output.drained = { pipe.close() }
                loop.run()
            }
        }
        reader.join()
        #expect(released == 1)
        let expected: [UInt8] = (0..<100).flatMap { round in
            withUnsafeBytes(of: UInt32(round)) { Array($0) } + (round == 50 ? large : [])
        }
        #expect(received.withLock { $0 == expected })
        close(theirs)
        loop.close()
    }

    @Test func theDeathOfTheOtherSideIsAnEndOfFile() throws {
        let (ours, theirs) = try socketPair()
        let loop = try Loop()
        let pipe = try Pipe(takingOwnershipOf: ours, on: loop)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { buffer.deallocate() }
        var got: [UInt8] = []
        var end: Pipe.End?
        try pipe.read(
            into: { buffer }, received: { got.append(contentsOf: buffer[..<$0]) },
            ended: {
                end = $0
                pipe.close()
            })
        _ = "last words".withCString { write(theirs, $0, 10) }
        close(theirs)
        loop.run()
        #expect(String(decoding: got, as: UTF8.self) == "last words")
        #expect(end == .endOfFile)
        loop.close()
    }

    @Test func writingToADeadPeerFailsOnceAndReleasesWhatWasLent() throws {
        let (ours, theirs) = try socketPair()
        signal(SIGPIPE, SIG_IGN)
        close(theirs)
        let loop = try Loop()
        let pipe = try Pipe(takingOwnershipOf: ours, on: loop)
        var failures: [Int32] = []
        var released = 0
        pipe.output.failed = { failures.append($0.errno) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 1)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 1)
        pipe.output.append(lending: UnsafeRawBufferPointer(bytes)) { released += 1 }
        loop.run()
        pipe.output.append(lending: UnsafeRawBufferPointer(bytes)) { released += 1 }
        #expect(failures == [EPIPE])
        #expect(released == 2)
        pipe.close()
        loop.close()
    }

    @Test func closingAPipeReleasesEveryChunkAndItsDescriptor() async {
        await #expect(processExitsWith: .success) {
            // The first loop of a process opens what all loops share.
            try Loop(pumpingGLib: true).close()
            // The process has threads of its own that open something now and then, so one descriptor more proves nothing.
            let rounds = 32
            let before = try openDescriptors()
            for _ in 0..<rounds { #expect(try Self.closingAPipe() == 2) }
            #expect(try openDescriptors() - before < rounds)
        }
    }

    /// How many of two chunks are released when their pipe is closed, one of them half written.
    private static func closingAPipe() throws -> Int {
        let (ours, theirs) = try socketPair()
        let loop = try Loop(pumpingGLib: true)
        let pipe = try Pipe(takingOwnershipOf: ours, on: loop)
        var released = 0
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_000_000, alignment: 1)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 1)
        pipe.output.append(lending: UnsafeRawBufferPointer(bytes)) { released += 1 }
        pipe.output.flush()
        pipe.output.append(lending: UnsafeRawBufferPointer(bytes)) { released += 1 }
        pipe.close()
        pipe.close()
        loop.close()
        close(theirs)
        return released
    }
}

func openDescriptors() throws -> Int {
    guard let folder = opendir("/proc/self/fd") else { throw UVError(-errno, in: "opendir") }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
