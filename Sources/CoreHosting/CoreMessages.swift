public import Secrets
public import Supervision

/// What the supervision plane asks of the core plane.
public enum CoreRequest: Sendable {
    /// Answered by `signedIn` or `attemptFailed`, after any number of `loginNews`.
    case signIn(SignInRequest)
    /// All components are down: close the core and make it anew, for the next user. Answered by `renewed` or `notRenewed`.
    case renew
    /// Answered by `called`.
    case ask(number: UInt64, CoreQuestion)
    /// Answered by `called` with `{"app", "outcome"}`.
    case openURL(number: UInt64, String)
    /// Have the core launch the component; answered by `startRequested` or `launchFailed`.
    case launch(ComponentID)
    /// Read the code, make and attach the port; answered by `prepared` or `prepareFailed`.
    case prepare(connector: String, generation: UInt64, QueuePolicy)
    /// Settles the promise of the `js_startComponent` call that `startRequested` told of.
    case settleStart(connector: String, StartOutcome)
    /// Close the port now; what still arrives is dropped. Answered by `portClosed`.
    case closePort(connector: String, cause: String)
    /// The process is gone: handle what it had written, tell the core. Answered by `portClosed`.
    case childExited(connector: String, cause: String)
    /// Call a service as the platform's user; answered by `called`.
    case call(number: UInt64, ServiceCall)
    /// Nobody waits for that call any more: its connection is closed. Not answered.
    case abandonCall(number: UInt64)
    /// What crossed the port, now; answered by `traffic` and then `called`.
    case figures(number: UInt64, connector: String)
    /// Evaluate in the core's context; answered by `called`, `rejected` with a reason in words.
    case evaluate(number: UInt64, String, within: Duration)
    /// Inject a fault; answered by `called`, `refused` with a reason in words.
    case injectFault(Int, CoreFault, number: UInt64)
    /// Not answered. `connector`: of a port's.
    case undoFault(Int, connector: String?)
    /// Take a turn of JavaScript; answered by `heartbeat` with the same number. After `soft` without an answer the stack will be wanted.
    case heartbeat(UInt32, soft: Duration)
    /// Collect garbage now, and give memory back. Not answered.
    case collect
    /// Close every port and the core, and end the plane; answered by `stopped`.
    case stop
}

/// What the core plane tells the supervision plane.
public enum CoreEvent: Sendable {
    case bootStep(String, milliseconds: Double)
    /// The last step was done. `problem`: why the automatic login that is set does not happen.
    case coreReady(CoreStart, ports: [String], problem: String?)
    /// Apps were installed, updated or removed.
    case catalogChanged(Catalog)
    case bootFailed(step: String, reason: String)
    case signedIn(userId: String, Catalog)
    case attemptFailed(UInt64, LoginRefusal)
    case loginNews(UInt64, LoginProgress)
    case renewed
    case notRenewed(reason: String)
    /// A call into the core that answers later; `limit` = how long that may take.
    case callBegan(UInt64, String, limit: Duration)
    case callEnded(UInt64)
    case startRequested(connector: String, ComponentID)
    case launchFailed(ComponentID, String)
    case prepared(connector: String, PreparedChild)
    case prepareFailed(connector: String, CodeFault)
    case portClosed(connector: String, PortEnd, PortTraffic)
    /// Figures that have changed, at most ten times a second.
    case traffic([String: PortTraffic])
    /// The core wants the component closed.
    case closeRequested(connector: String)
    case called(number: UInt64, CallOutcome)
    case userInterface(UserInterfaceEvent)
    /// The first key of a store is used: `secret-service` or `file`, and why it is not the other one.
    case keyStore(String, reason: String?)
    case console(CoreConsoleLevel, String)
    case heartbeat(UInt32)
    /// Where a call is that takes long; the answer to `CorePlane.wantStack`.
    case stack(String)
    case stopped
}

public struct SignInRequest: Sendable {
    /// Of the attempt; never 0.
    public let number: UInt64
    /// Not `automatic`.
    public let kind: LoginKind
    public let address: String
    public let password: Secret

    public init(number: UInt64, kind: LoginKind, address: String, password: Secret) {
        self.number = number
        self.kind = kind
        self.address = address
        self.password = password
    }
}

/// How far a login is.
public enum LoginProgress: Sendable, Equatable {
    /// Of the work on the password: 0 to 100.
    case percent(Int)
    /// What the core does, in its words.
    case message(String)
}

/// What the core is asked besides logins and components; answers are JSON.
public enum CoreQuestion: Sendable, Equatable {
    /// `{"users": [{"address", "loggedIn", "autologin"}]}`.
    case users
    /// `{"on", "user"}`; nil changes nothing.
    case autologin(on: Bool?)
    /// `{"apps": [{"app", "name", "version", "from", "pack"}]}`.
    case apps
    /// `{"app", "version"}`.
    case installApp(String)
    case uninstallApp(String)
    /// `{"app", "version", "manifest"}`.
    case showApp(String)
}

/// What a child needs of the core plane. Whoever receives it owns `dataDescriptor`, the child's end of its data pipe.
public struct PreparedChild: Sendable {
    public let code: [UInt8]
    public let dataDescriptor: Int32
}

public enum StartOutcome: Sendable {
    case ready
    case refused(StartRefusal)
    case failed(String)
}

public struct ServiceCall: Sendable {
    public let appDomain: String
    public let service: String
    public let method: String
    /// A JSON array.
    public let argumentsJSON: String

    public init(appDomain: String, service: String, method: String, argumentsJSON: String) {
        self.appDomain = appDomain
        self.service = service
        self.method = method
        self.argumentsJSON = argumentsJSON
    }
}

/// JSON texts, and the platform's own refusal in words.
public enum CallOutcome: Sendable {
    case returned(String)
    case rejected(exception: String)
    case refused(String)
}

/// Counted from the component's side: `in` is what it sent. Bytes with headers.
public struct PortTraffic: Equatable, Sendable {
    public var framesIn = 0
    public var framesOut = 0
    public var bytesIn = 0
    public var bytesOut = 0
    /// Messages that arrived after the port was closed.
    public var dropped = 0
    /// Bytes for the component that its socket did not take yet, and the most that these were.
    public var queued = 0
    public var mostQueued = 0
    /// Time in which its socket took no more.
    public var blockedNanoseconds: UInt64 = 0
    /// Of the bytes for the component, those that it had read when that was looked at last.
    public var bytesRead = 0
    /// Its calls that the core has not answered; nil where the core does not tell.
    public var openCalls: Int?
    /// Oldest first; known once the port is closed.
    public var lastFrames: [FrameNote] = []

    public init() {}
}

/// A frame's header as it crossed a port.
public struct FrameNote: Equatable, Sendable {
    public let isFromComponent: Bool
    public let kind: String
    /// Bytes of body.
    public let length: UInt32
    public let sequence: UInt32
    /// Monotonic nanoseconds, to the millisecond.
    public let time: Int64
}

public enum CoreConsoleLevel: Sendable { case debug, info, warning, error }

/// What a window would do; without one it is an event.
public enum UserInterfaceEvent: Sendable, Equatable {
    case startActivity(connector: String, ComponentID)
    case focusActivity(connector: String)
    case systemErrorBox(title: String, content: String)
    case scanUrlQr
    case logout(closePlatform: Bool)
    case exitAll
}

/// What the manifests of the apps folder give.
public struct Catalog: Sendable {
    public struct Component: Sendable {
        public let id: ComponentID
        public let runtime: String
        /// In the manifest's `launchOnSystemStartup`.
        public let startsWithSystem: Bool
        /// Named by the manifest; nil = by what the component is.
        public let restart: RestartType?
        public let services: [String]
        public let perConnection: Bool
        public let version: String?
    }

    public struct Problem: Sendable, Equatable {
        public let appDomain: String
        /// Beneath the apps folder.
        public let file: String
        /// Begins with `file`.
        public let message: String
    }

    /// Start-up components first, in manifest order.
    public let components: [Component]
    public let problems: [Problem]
}
