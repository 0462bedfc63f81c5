import Control
import Foundation
import Glibc
import PostMortems
import TestSupport
import Testing

/// What is kept of deaths on the disk.
@Suite struct DeathFilesTests {
    private let folder: TemporaryFolder
    private var place: String { folder.path + "/deaths" }
    private let id = "a.b/c.mjs"

    init() throws { folder = try TemporaryFolder() }

    private func files(_ change: (inout DeathFiles.Limits) -> Void = { _ in }) -> DeathFiles {
        var limits = DeathFiles.Limits()
        change(&limits)
        return DeathFiles(folder: place, limits: limits)
    }

    private func death(_ tag: Int, of id: String = "a.b/c.mjs", padding: Int = 0) -> [JSONValue.Member] {
        [
            .init("component", .string(id)), .init("tag", JSONValue(tag)),
            .init("padding", .string(String(repeating: "x", count: padding))),
        ]
    }

    private func tags(_ deaths: [JSONValue]) -> [Int64?] { deaths.map { $0["tag"]?.int } }

    @Test func theyAreNumberedOverRunsAndTheLastHundredStay() {
        for run in 0..<4 {
            let files = files()
            for number in 0..<60 { files.append(death(run * 60 + number), of: id) }
            #expect(
                files.report
                    == {
                        var report = DeathFiles.Report(); report.written = 60; return report
                    }())
        }
        let deaths = files().read(id)
        #expect(tags(deaths) == (140..<240).map { Int64($0) })
        #expect(deaths.map { $0["number"]?.int } == (141...240).map { Int64($0) })
        #expect(deaths.allSatisfy { $0["schema"]?.string == "corehost.death/1" })
    }

    @Test func aFileKeepsItsSize() throws {
        let files = files { $0.fileBytes = 20_000 }
        for number in 0..<100 { files.append(death(number, padding: 1000), of: id) }
        let size = try FileManager.default.attributesOfItem(atPath: "\(place)/a.b%2Fc.mjs.jsonl")[.size] as? Int
        #expect(size ?? .max <= 22_000)
        let kept = tags(files.read(id))
        #expect(kept.last == 99 && kept.count >= 8 && kept == Array((100 - Int64(kept.count))..<100))
    }

    @Test func theFileThatWasLongestUnchangedGoes() {
        let files = files { $0.files = 3 }
        for name in ["a", "b", "c"] {
            files.append(death(1, of: "\(name)/x.mjs"), of: "\(name)/x.mjs")
            usleep(20_000)  // times of files are as coarse as the kernel's tick
        }
        files.append(death(2, of: "a/x.mjs"), of: "a/x.mjs")
        files.append(death(1, of: "d/x.mjs"), of: "d/x.mjs")
        #expect(folder.names(in: "deaths") == ["a%2Fx.mjs.jsonl", "c%2Fx.mjs.jsonl", "d%2Fx.mjs.jsonl"])
    }

    @Test func instancesShareAFile() {
        let files = files()
        files.append(death(1, of: "a.b/c.mjs#1"), of: "a.b/c.mjs#1")
        files.append(death(2, of: "a.b/c.mjs#2"), of: "a.b/c.mjs#2")
        #expect(tags(files.read("a.b/c.mjs")) == [1, 2] && tags(files.read("a.b/c.mjs#2")) == [1, 2])
        #expect(files.latest(1).mapValues(tags) == ["a.b/c.mjs": [2]])
    }

    @Test func damagedLinesAreSkippedAndCountedAndACutOneDoesNotSpoilTheNext() throws {
        files().append(death(1), of: id)
        let name = "deaths/a.b%2Fc.mjs.jsonl"
        let good = folder.text(of: name)
        let bad = [
            "{\"schema\":\"corehost.death/1\"", "\u{0}\u{1}\u{2}", "[]",
            "{\"schema\":\"corehost.death/2\",\"number\":9}", "",
        ]
        try folder.write(bad.joined(separator: "\n") + "\n" + good + good.dropLast(20), to: name)
        let files = files()
        files.append(death(2), of: id)
        #expect(files.report.damaged == 5 && files.report.lost == 0)
        #expect(tags(files.read(id)) == [1, 2])
        #expect(files.read(id).last?["number"]?.int == 2)
    }

    /// Any cut and any changed byte: nothing traps, and what is whole is read.
    @Test func anyDamageIsSurvived() throws {
        let writer = files()
        for number in 1...5 { writer.append(death(number), of: id) }
        let name = "deaths/a.b%2Fc.mjs.jsonl"
        let good = Array(folder.text(of: name).utf8)
        let seed = SeededRandom.seed(for: "anyDamageIsSurvived")
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            var bytes = good
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...good.count, using: &random)) }
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try folder.write(bytes, to: name)
            let files = files()
            files.append(death(77), of: id)
            #expect(tags(files.read(id)).last == 77, "seed \(seed)")
        }
    }

    /// As with a full disk or a read-only folder: a folder in the file's place takes nothing.
    @Test func whatTheDiskDoesNotTakeWaitsInMemoryAndIsWrittenLater() throws {
        let files = files()
        let inTheWay = "\(place)/a.b%2Fc.mjs.jsonl"
        try FileManager.default.createDirectory(atPath: inTheWay, withIntermediateDirectories: true)
        for number in 0..<13 { files.append(death(number), of: id) }
        #expect(files.report.lost == 3 && files.report.written == 0)
        #expect(files.report.failure?.hasPrefix("open \(inTheWay): ") == true, "\(files.report.failure ?? "")")
        #expect(tags(files.read(id)) == (3..<13).map { Int64($0) })
        try FileManager.default.removeItem(atPath: inTheWay)
        files.append(death(13), of: id)
        #expect(files.report.failure == nil && files.report.written == 11 && files.report.lost == 3)
        #expect(tags(files.read(id)) == (3..<14).map { Int64($0) })
    }

    @Test func aLinkInAFilesPlaceIsNotFollowed() throws {
        let secret = try folder.write("untouched", to: "secret")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(place)/a.b%2Fc.mjs.jsonl", withDestinationPath: secret)
        let files = files()
        files.append(death(1), of: id)
        #expect(folder.text(of: "secret") == "untouched" && files.report.failure != nil)
    }
}
