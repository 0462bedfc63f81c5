import Cryptography
import EventLoop
import Synchronization
import TestSupport
import Testing

@Suite struct Pool {
    /// A pool on a loop of this thread's own.
    private func withPool(threads: Int, _ body: (CryptorPool, Loop) throws -> Void) throws {
        let loop = try Loop()
        let pool = CryptorPool(on: loop, threads: threads)
        defer {
            pool.close()
            loop.close()
        }
        try body(pool, loop)
    }

    /// A long job that goes on until `end` is set.
    private func runLong(
        on pool: CryptorPool, until end: Box, progress: ((Int) -> Void)? = nil,
        done: @escaping (Result<Int, CryptorError>) -> Void = { _ in }
    ) throws {
        try pool.runLong(
            { pause throws(CryptorError) in
                while !end.isSet.load(ordering: .relaxed) { try pause(0.5) }
                return 7
            }, progress: progress, done: done)
    }

    final class Box: Sendable {
        let isSet = Atomic(false)
    }

    @Test func givesResultsAndErrors() throws {
        try withPool(threads: 2) { pool, loop in
            var results: [Result<Int, CryptorError>] = []
            for number in 0..<100 {
                try pool.run({ () throws(CryptorError) in
                    if number % 2 == 1 { throw .failedVerification(bytes: number) }
                    return number
                }) { results.append($0) }
            }
            while pool.count > 0 { loop.runOnce() }
            let values = results.compactMap { if case .success(let value) = $0 { value } else { nil } }
            #expect(values.sorted() == stride(from: 0, to: 100, by: 2).map { $0 })
            #expect(results.count == 100)
        }
    }

    @Test func shortWorkDoesNotWaitForLongWork() throws {
        try withPool(threads: 2) { pool, loop in
            let end = Box()
            var isDone = 0
            for _ in 0..<4 { try runLong(on: pool, until: end, done: { _ in isDone += 1 }) }
            var short = 0
            for _ in 0..<50 { try pool.run({ 1 }) { _ in short += 1 } }
            while short < 50 { loop.runOnce() }
            #expect(isDone == 0)
            end.isSet.store(true, ordering: .relaxed)
            while isDone < 4 { loop.runOnce() }
        }
    }

    @Test func tellsEachPercentageOnce() throws {
        try withPool(threads: 1) { pool, loop in
            var told: [Int] = []
            var isDone = false
            try pool.runLong(
                { pause throws(CryptorError) in
                    for part in 0...1000 { try pause(Double(part) / 1000) }
                }, progress: { told.append($0) }
            ) { _ in isDone = true }
            while !isDone { loop.runOnce() }
            #expect(told == Array(0...100))
        }
    }

    @Test func closingEndsWhatIsUnderWay() throws {
        let loop = try Loop()
        let pool = CryptorPool(on: loop, threads: 2)
        let end = Box()
        var isAnswered = false
        var isRunning = false
        for _ in 0..<4 {
            try runLong(
                on: pool, until: end, progress: { _ in isRunning = true }, done: { _ in isAnswered = true })
        }
        while !isRunning { loop.runOnce() }
        let start = ContinuousClock.now
        pool.close()
        #expect(ContinuousClock.now - start < .seconds(1))
        loop.close()
        #expect(!isAnswered)
        #expect(throws: CryptorError.stopped) { try pool.run({ 1 }) { _ in } }
    }

    @Test func takesSoMuchAndNoMore() throws {
        try withPool(threads: 1) { pool, loop in
            let end = Box()
            var isRunning = false
            try runLong(on: pool, until: end, progress: { _ in isRunning = true })
            while !isRunning { loop.runOnce() }
            var done = 0
            for _ in 0..<CryptorPool.mostWaiting { try runLong(on: pool, until: end, done: { _ in done += 1 }) }
            #expect(throws: CryptorError.busy(waiting: CryptorPool.mostWaiting)) {
                try pool.run({ 1 }) { _ in }
            }
            end.isSet.store(true, ordering: .relaxed)
            while done < CryptorPool.mostWaiting { loop.runOnce() }
            try pool.run({ 1 }) { _ in done += 1 }
            while done == CryptorPool.mostWaiting { loop.runOnce() }
        }
    }
}
