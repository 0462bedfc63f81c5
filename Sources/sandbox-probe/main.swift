// sandbox-probe [--walls-without-filter] [--in-older-thread] CALL…: confines itself as a component's process does, makes system calls, and
// prints what each gives, one line a call: a number, or the name of the error. Without the filter of system calls, as
// the first option has it, the first line has the names of the walls that are in force. An older thread is one that was
// there before them.
//
//   CALL        NAME ARGUMENT… ; between two calls stands --
//   NAME        as the kernel has it; #NUMBER; i386#NUMBER by the gate of 32-bit programs; until:NAME repeats the
//               call until it fails, and prints how often it worked and then the error
//   ARGUMENT    a number; s:TEXT a text's address; b:HEX bytes' address; z:COUNT the address of so many zeros;
//               pid, ppid: this process, its parent
//
// Descriptor 4 gets the report of a refused call. Exit codes: 0, those of corehost-component, 2 for wrong arguments.

import CProbe
import CSystem
import Confinement
import Glibc
import SandboxPolicy
import Wire

func fail(_ text: String) -> Never {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(ComponentExitCode.usage.rawValue)
}

func say(_ text: String) { _ = (text + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) } }

struct Call {
    enum Way { case once, untilItFails, i386 }

    let way: Way
    let number: Int
    let arguments: [Int]

    init(_ words: ArraySlice<String>) {
        guard var name = words.first else { fail("a call has no name\n") }
        var way = Way.once
        for (prefix, meaning) in [("until:", Way.untilItFails), ("i386", .i386)] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
            way = meaning
        }
        self.way = way
        let found = name.hasPrefix("#") ? Call.number(name.dropFirst()) : SystemCallFilter.number(ofCall: name)
        guard let found else { fail("\(name): no such call here\n") }
        number = found
        arguments = words.dropFirst().map(Call.argument)
        guard arguments.count <= 6 else { fail("\(name): more than six arguments\n") }
    }

    static func number(_ text: some StringProtocol) -> Int? {
        text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }

    /// Memory is never freed: the process ends soon.
    static func argument(_ word: String) -> Int {
        let text = String(word.dropFirst(2))
        switch word.prefix(2) {
        case "s:": return Int(bitPattern: strdup(text))
        case "b:":
            let digits = Array(text)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            guard let room = malloc(bytes.count) else { fail("no memory\n") }
            bytes.withUnsafeBytes { room.copyMemory(from: $0.baseAddress!, byteCount: bytes.count) }
            return Int(bitPattern: room)
        case "z:": return Int(bitPattern: calloc(Int(text) ?? 0, 1))
        default: break
        }
        switch word {
        case "pid": return Int(getpid())
        case "ppid": return Int(getppid())
        default:
            guard let number = number(word) else { fail("\(word): no argument\n") }
            return number
        }
    }

    func perform() {
        switch way {
        case .i386: say(Call.text(chp_call_i386(number)))
        case .once: say(Call.text(chp_call(number, room)))
        case .untilItFails:
            var count = 0
            var result = chp_call(number, room)
            while result >= 0 {
                count += 1
                result = chp_call(number, room)
            }
            say("\(count) \(Call.text(result))")
        }
    }

    private var room: [Int] { arguments + Array(repeating: 0, count: 6 - arguments.count) }

    static func text(_ result: Int) -> String {
        guard result < 0 else { return "\(result)" }
        return chs_errno_name(Int32(-result)).map { String(cString: $0) } ?? "\(result)"
    }
}

/// Makes the calls in a thread that waits from now on until it is told to begin.
final class OlderThread {
    private var ends: [Int32] = [-1, -1]
    private var thread = pthread_t()
    private let calls: [Call]

    init(_ calls: [Call]) {
        self.calls = calls
        guard pipe(&ends) == 0 else { fail("no pipe\n") }
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            guard let pointer else { return nil }
            let thread = Unmanaged<OlderThread>.fromOpaque(pointer).takeUnretainedValue()
            var byte: UInt8 = 0
            guard read(thread.ends[0], &byte, 1) == 1 else { fail("the older thread was not told to begin\n") }
            for call in thread.calls { call.perform() }
            return nil
        }
        guard pthread_create(&thread, nil, start, Unmanaged.passUnretained(self).toOpaque()) == 0 else {
            fail("no thread\n")
        }
    }

    func run() {
        _ = write(ends[1], "x", 1)
        pthread_join(thread, nil)
    }
}

var words = CommandLine.arguments.dropFirst()
let hasFilter = words.first != "--walls-without-filter"
if !hasFilter { words.removeFirst() }
let usesOlderThread = words.first == "--in-older-thread"
if usesOlderThread { words.removeFirst() }
let calls = words.split(separator: "--").map(Call.init)
let thread = usesOlderThread ? OlderThread(calls) : nil
do {
    let user = getpwnam("nobody").map { SandboxOrder.User(id: $0.pointee.pw_uid, group: $0.pointee.pw_gid) }
    let order = SandboxOrder(
        filter: hasFilter ? try SystemCallFilter.program() : [], user: geteuid() == 0 ? user : nil)
    guard let report = try Confinement.raise(order, supervisor: getppid(), refusals: 4) else {
        exit(ComponentExitCode.parentGone.rawValue)
    }
    if !hasFilter { say(report.walls.map(\.name).joined(separator: " ")) }
} catch {
    _ = "\(error)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(ComponentExitCode.sandbox.rawValue)
}
if let thread {
    thread.run()
} else {
    for call in calls { call.perform() }
}
