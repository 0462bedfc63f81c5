/// What an event tells. A closed list; `docs/inspecting.md` says what each means and which fields it has.
public enum EventKind: String, Sendable, CaseIterable {
    case supervisorStarted = "supervisor-started"
    case supervisorCloses = "supervisor-closes"
    case bootFailed = "boot-failed"
    case login
    case loginRefused = "login-refused"
    case appsChanged = "apps-changed"
    case command
    case componentState = "component-state"
    case componentEnded = "component-ended"
    case componentDied = "component-died"
    case componentRestarts = "component-restarts"
    case componentQuarantined = "component-quarantined"
    case componentFailed = "component-failed"
    case componentBusy = "component-busy"
    case componentSilent = "component-silent"
    case componentRecovered = "component-recovered"
    case componentHung = "component-hung"
    case configReloaded = "config-reloaded"
    case configRefused = "config-refused"
    case memorySoftLimit = "memory-soft-limit"
    case memoryRecovered = "memory-recovered"
    case coreSilent = "core-silent"
    case coreRecovered = "core-recovered"
    case coreStalled = "core-stalled"
    case coreCallLate = "core-call-late"
    case logLoss = "log-loss"
    case logRecovered = "log-recovered"
    /// Never recorded: stands in a reader's stream for the numbers that it cannot have any more.
    case eventsLost = "events-lost"
}
