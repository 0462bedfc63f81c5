internal import CProbe
internal import Control
internal import Glibc

/// One way in which a component's life can end, and the verdict that it must have.
public struct DeathKind: Sendable {
    /// What the kind is done to.
    public struct Life: Sendable {
        let rig: DeathRig
        let id: String
        let pid: Int32
        let connector: String

        /// Has the component's service do something; the answer may be lost with the component.
        func call(_ method: String) {
            // Its end is the verdict's to tell.
            _ = try? rig.supervisor.call(rig.domain(of: id), "Die", method, within: .seconds(20))
        }

        func ask(_ request: ControlRequest) throws {
            _ = try rig.supervisor.client().ask(request, as: ComponentReply.self, within: .seconds(60))
        }

        /// Has the process make a system call, once its loop waits.
        func makeCall(_ number: Int, _ arguments: Int...) throws {
            for _ in 0..<20_000 {
                let error = chp_make_foreign_call(pid, number, arguments + [0, 0, 0].dropFirst(arguments.count))
                if error == 0 { return }
                guard error == EAGAIN else { throw TestFailure("ptrace of \(pid): errno \(error)") }
                usleep(1000)
            }
            throw TestFailure("the loop of process \(pid) never waits")
        }
    }

    enum Manner: Sendable {
        /// The component is ready, then this is done.
        case running(@Sendable (Life) throws -> Void)
        /// The start itself ends in death.
        case starting
        /// This is done while it starts, and it never becomes ready.
        case whileStarting(@Sendable (Life) throws -> Void)
    }

    /// Bytes of the entry file.
    enum Code: Sendable {
        case text(String)
        case bytes([UInt8])
        case missing
        case tooLarge
        case folder
    }

    public let name: String
    public let cause: String
    /// `proved`, `told` or `likely`; nil: depends on what the kernel lets us read.
    let certainty: String?
    /// A part of the verdict's sentence.
    let words: String
    var code: Code = .text(DeathKind.service)
    /// Members of the component's policy besides `restart`.
    var policy: String = ""
    /// Nil: the real program.
    var script: String?
    let manner: Manner
    /// Only root can make other processes do things.
    var needsRoot = false

    init(
        _ name: String, _ cause: String, _ certainty: String?, _ words: String, _ manner: Manner,
        code: Code = .text(DeathKind.service), policy: String = "", script: String? = nil, needsRoot: Bool = false
    ) {
        self.name = name
        self.cause = cause
        self.certainty = certainty
        self.words = words
        self.manner = manner
        self.code = code
        self.policy = policy
        self.script = script
        self.needsRoot = needsRoot
    }

    static let service = """
        const kept = [];
        w3nRPC.serve('Die', {
            close: async () => { setTimeout(() => w3n.closeSelf(), 0); },
            closeAndSpin: async () => { setTimeout(() => { w3n.closeSelf(); for (;;); }, 0); },
            throwLater: async () => { setTimeout(() => { throw new Error('later'); }, 0); },
            rejectLater: async () => { Promise.reject(new Error('refused')); },
            spin: async () => { for (;;); },
            microtasks: async () => { const next = () => Promise.resolve().then(next); next(); },
            hog: async () => { for (;;) { kept.push(new Uint8Array(1 << 20).fill(1)); } },
            nothing: async () => 'nothing',
            burn: async millis => { for (const end = Date.now() + millis; Date.now() < end;); return 'x'.repeat(10_000); },
        });
        """
}
