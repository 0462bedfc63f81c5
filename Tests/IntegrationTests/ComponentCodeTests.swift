import Glibc
import TestSupport
import Testing
import Wire

@Suite struct ComponentCodeTests {
    private static let file = ComponentFixture.appDomain + ComponentFixture.entrypoint

    /// Runs `code` to its end: exit code and failure.
    private func end(
        of code: String
    ) throws -> (exit: ComponentFixture.Exit, failure: FailureReport?, component: ComponentFixture) {
        let component = try ComponentFixture(code: code)
        return (try component.waitForExit(), component.failure, component)
    }

    @Test func anErrorThrownAtOnceNamesFileAndLine() throws {
        let (exit, failure, component) = try end(of: "let a;\n\na.b.c")
        #expect(exit == .code(.uncaughtError))
        #expect(failure?.kind == .uncaughtError)
        #expect(failure?.message.hasPrefix("TypeError: ") == true)
        #expect(failure?.file == Self.file)
        #expect(failure?.line == 3)
        #expect(!component.reports.contains(.ready))
    }

    @Test func columnsOfTheFirstLineAreThoseOfTheFile() throws {
        let (_, failure, _) = try end(of: "throw new Error('first')")
        #expect(failure?.line == 1)
        #expect(failure?.stack?.split(separator: "\n").first?.hasSuffix("\(Self.file):1:16") == true)
        let (_, second, _) = try end(of: "\nthrow new Error('second')")
        #expect(second?.stack?.split(separator: "\n").first?.hasSuffix("\(Self.file):2:16") == true)
    }

    @Test func anErrorThrownLaterComesAfterReady() throws {
        let (exit, failure, component) = try end(of: "setTimeout(() => {\n    throw new RangeError('later')\n}, 1)")
        #expect(exit == .code(.uncaughtError))
        #expect(failure?.message == "RangeError: later")
        #expect(failure?.line == 2)
        #expect(component.reports.contains(.ready))
    }

    @Test func anUnhandledRejection() throws {
        let (exit, failure, component) = try end(of: "\nPromise.reject(new Error('nobody cares'))")
        #expect(exit == .code(.unhandledRejection))
        #expect(failure?.kind == .unhandledRejection)
        #expect(failure?.message == "Error: nobody cares")
        #expect(failure?.line == 2)
        _ = component
    }

    @Test func aRejectedTopLevelAwait() throws {
        let (exit, failure, component) = try end(
            of: "await new Promise(done => setTimeout(done, 5));\nthrow new Error('after the wait')")
        #expect(exit == .code(.unhandledRejection))
        #expect(failure?.line == 2)
        #expect(component.reports.contains(.ready))
    }

    @Test func anExceptionObjectIsReportedInWordsAndWhole() throws {
        let (_, failure, _) = try end(
            of: "throw { runtimeException: true, type: 'file', code: 'ENOENT', notFound: true, path: 'a' }")
        #expect(failure?.message == "file exception ENOENT, notFound: path a")
        #expect(
            failure?.stack
                == #"{"runtimeException":true,"type":"file","code":"ENOENT","notFound":true,"path":"a"}"#)
    }

    @Test func handlersOfTheComponentTakeErrorsAndRejections() throws {
        let component = try ComponentFixture(
            code: """
                self.onerror = message => { console.log('error', message) };
                self.onunhandledrejection = event => { console.log('rejection', event.reason) };
                setTimeout(() => { throw new Error('taken') }, 1);
                Promise.reject('refused');
                await null;
                throw 'at the top';
                """)
        try component.wait(for: "three lines") { $0.logLines.count == 3 || $0.exit != nil }
        #expect(Set(component.logLines) == ["error taken", "rejection refused", "rejection at the top"])
        try component.order(.stop)
        #expect(try component.waitForExit() == .code(.closed))
    }

    @Test func aSyntaxErrorNamesItsLine() throws {
        let (exit, failure, component) = try end(of: "let a = 1;\nlet b = = 2;\nlet c")
        #expect(exit == .code(.syntax))
        #expect(failure?.kind == .syntax)
        #expect(failure?.file == Self.file && failure?.line == 2)
        #expect(failure?.message.hasPrefix("\(Self.file):2: SyntaxError: ") == true)
        #expect(!component.reports.contains(.ready))
    }

    @Test func anEndThatComesTooEarlyIsOnALineOfTheFile() throws {
        let (exit, failure, _) = try end(of: "if (true) {\n  let a")
        #expect(exit == .code(.syntax))
        #expect(failure?.line == 2)
    }

    @Test(arguments: [
        ("\nimport x from './x.js'", 2), ("import './x.js'", 1), ("let a\nimport { b } from 'b'", 2),
        ("import * as c from 'c'", 1), ("\n\nexport const a = 1", 3), ("export default 1", 1),
        ("export { a } from 'a'", 1), ("let url =\nimport.meta.url", 2),
    ])
    func moduleSyntaxIsRefusedInWords(_ code: String, _ line: UInt32) throws {
        let (exit, failure, _) = try end(of: code)
        #expect(exit == .code(.syntax))
        #expect(failure?.message.contains("components are not ES modules") == true, "\(failure?.message ?? "")")
        #expect(failure?.file == Self.file && failure?.line == line)
    }

    @Test func bytesThatAreNotUTF8() throws {
        let component = try ComponentFixture()
        try component.boot(code: [0x22, 0xFF, 0x22])
        #expect(try component.waitForExit() == .code(.syntax))
        #expect(component.failure?.message == "\(Self.file): not UTF-8")
    }

    @Test func codeThatEndsInACommentOrBeginsWithAMark() throws {
        for code in ["console.log('ran') // the end", "\u{FEFF}console.log('ran')", "console.log('ran')\n/* end */"] {
            let component = try ComponentFixture(code: code)
            try component.waitForReady()
            #expect(component.logLines == ["ran"])
        }
    }

    @Test func topLevelAwaitAndLaterWork() throws {
        let component = try ComponentFixture(
            code: """
                const before = performance.now();
                await new Promise(done => setTimeout(done, 20));
                console.log(performance.now() - before >= 20 ? 'waited' : 'too early');
                setTimeout(() => console.log('later'), 10);
                """)
        try component.wait(for: "both lines") { $0.logLines == ["waited", "later"] }
        let ready = component.reports.firstIndex(of: .ready)
        #expect(ready.map { component.reports[..<$0].contains(.log(.log, "waited")) } == false)
    }

    @Test func codeThatNeverSettlesIsReadyAndStops() throws {
        let component = try ComponentFixture(code: "await new Promise(() => {})")
        try component.waitForReady()
        try component.order(.stop)
        #expect(try component.waitForExit() == .code(.closed))
        #expect(component.frames.last?.kind == .bye)
    }

    @Test func aLoopEndsBySIGTERM() throws {
        let component = try ComponentFixture(code: "console.log('looping'); for (;;);")
        try component.wait(for: "its last line") { $0.logLines == ["looping"] }
        component.signal(SIGTERM)
        let exit = try component.waitForExit()
        #expect(exit == .signal(SIGTERM))
        #expect(!component.reports.contains(.ready))
    }
}
