internal import CSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Programs and folders that nobody has let go when the tests' process exits, such as those of static properties: the
/// programs are killed, the folders removed.
enum Leftovers {
    private struct State {
        /// By descriptors of the processes.
        var programs: Set<Int32> = []
        var folders: Set<String> = []
    }

    private static let state = Mutex(State())
    private static let isArmed = atexit { Leftovers.clear() } == 0

    static func add(program: Int32) {
        precondition(isArmed, "atexit refused")
        state.withLock { _ = $0.programs.insert(program) }
    }

    static func add(folder: String) {
        precondition(isArmed, "atexit refused")
        state.withLock { _ = $0.folders.insert(folder) }
    }

    static func remove(program: Int32) { state.withLock { _ = $0.programs.remove(program) } }

    static func remove(folder: String) { state.withLock { _ = $0.folders.remove(folder) } }

    private static func clear() {
        let left = state.withLock { $0 }
        for program in left.programs { chs_pidfd_send_signal(program, SIGKILL) }
        for folder in left.folders {
            do { try FileManager.default.removeItem(atPath: folder) } catch {
                print("left behind: \(folder): \(error)")
            }
        }
    }
}
