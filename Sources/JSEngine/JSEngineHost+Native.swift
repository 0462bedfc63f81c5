internal import CJSC
internal import EventLoop
internal import Glibc

extension JSEngineHost {
    /// `console` as it is before `common-preload.js` puts formatting in front.
    func installConsole() {
        let console = makeObject()
        for level in ConsoleLevel.allCases {
            let function = makeFunction { [unowned self] arguments in
                let words = (0..<arguments.count).map { arguments[$0].text ?? "unreadable" }
                self.console(level, words.joined(separator: " "))
                return nil
            }
            console.set(level.rawValue, function)
            if level == .debug { console.set("trace", function) }
        }
        global.set("console", console)
    }

    /// `__native`: taken away by `common-preload.js` before any other script runs.
    func installNative() {
        let native = makeObject()
        let origin = loop.now
        native.set(
            "reportError",
            makeFunction { [unowned self] arguments in
                report(.error, arguments[0])
                return nil
            })
        native.set(
            "setErrorHook",
            makeFunction { [unowned self] arguments in
                errorHook = arguments[0].isFunction ? JSReference(arguments[0]) : nil
                return nil
            })
        native.set(
            "setWakeup",
            makeFunction { [unowned self] arguments in
                wakeup.arm(afterMilliseconds: arguments[0].number ?? -1)
                return nil
            })
        native.set(
            "setWakeupHook",
            makeFunction { [unowned self] arguments in
                wakeup.hook = arguments[0].isFunction ? JSReference(arguments[0]) : nil
                return nil
            })
        native.set(
            "now",
            makeFunction { [unowned self] _ in number(Double(loop.now - origin) / 1e6) })
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        native.set("timeOrigin", number(Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6))
        installText(in: native)
        global.set("__native", native)
    }
}
