import Glibc
import TestSupport
import Testing
import Wire

/// What the engine and the platform's globals do must not need anything that the sandbox has closed: each of these is
/// touched for the first time when it has.
@Suite struct SandboxEngineTests {
    private func run(_ code: String, environment: [String] = []) throws -> ComponentFixture {
        let component = try ComponentFixture(environment: environment)
        try component.boot(code: Array(code.utf8))
        try component.wait(for: "its last line", seconds: 120) {
            $0.exit != nil || $0.logLines.contains { $0.hasPrefix("done") }
        }
        #expect(component.exit == nil, "\(component.failure?.message ?? "") \(component.strayText)")
        return component
    }

    private func expect(_ lines: [String], of code: String, environment: [String] = []) throws {
        let component = try run(code, environment: environment)
        #expect(component.logLines.filter { $0 != "done" } == lines)
        try component.order(.stop)
        #expect(try component.waitForExit() == .code(.closed))
    }

    @Test func compiledCodeAndCollections() throws {
        try expect(
            ["sum -1234297216", "kept 1000", "match 20001", "made 42"],
            of: """
                const hot = n => { let s = 0; for (let i = 0; i < n; i++) { s = (s * 31 + i) | 0; } return s; };
                let sum = 0;
                for (let i = 0; i < 2000; i++) { sum = (sum + hot(5000)) | 0; }
                console.info('sum', sum === (hot(5000) * 2000 | 0) ? -1234297216 : sum);
                let kept = [];
                for (let i = 0; i < 3e6; i++) { const o = { i, more: [i] }; if (i % 3000 === 0) { kept.push(o); } }
                console.info('kept', kept.length);
                console.info('match', /^(?:a+b?)*(\\d+)$/.exec('a'.repeat(20000) + '7')?.[0].length);
                console.info('made', new Function('return 6 * 7')());
                kept = new ArrayBuffer(256 << 20);
                new Uint8Array(kept).fill(1);
                kept = undefined;
                console.info('done');
                """)
    }

    @Test func webAssembly() throws {
        try expect(
            ["sync 5", "async 5", "hot 3000000", "trap RuntimeError"],
            of: """
                const head = [0, 97, 115, 109, 1, 0, 0, 0];
                const add = Uint8Array.from([...head, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0,
                    7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
                const get = Uint8Array.from([...head, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1,
                    7, 7, 1, 3, 103, 101, 116, 0, 0, 10, 9, 1, 7, 0, 32, 0, 40, 2, 0, 11]);
                const sync = new WebAssembly.Instance(new WebAssembly.Module(add)).exports.add;
                console.info('sync', sync(2, 3));
                const { instance } = await WebAssembly.instantiate(add);
                console.info('async', instance.exports.add(2, 3));
                let n = 0;
                for (let i = 0; i < 3e6; i++) { n = sync(n, 1); }
                console.info('hot', n);
                const load = new WebAssembly.Instance(new WebAssembly.Module(get)).exports.get;
                try { load(0x7fffffff); } catch (error) { console.info('trap', error.constructor.name); }
                console.info('done');
                """)
    }

    @Test func datesAndLanguages() throws {
        try expect(
            [
                "offset 300 240", "zone America/New_York", "Thu Jan 01 1970 09:00:00", "1.234,5", "ä,z z,ä",
                "Donnerstag, 1. Januar 1970", "in 2 Tagen",
            ],
            of: """
                console.info('offset', new Date(2026, 0, 1).getTimezoneOffset(), new Date(2026, 6, 1).getTimezoneOffset());
                console.info('zone', new Intl.DateTimeFormat().resolvedOptions().timeZone);
                console.info(new Date(14 * 3600e3).toString().slice(0, 24));
                console.info(new Intl.NumberFormat('de').format(1234.5));
                console.info(['z', 'ä'].sort(new Intl.Collator('de').compare).join(), ['z', 'ä'].sort(new Intl.Collator('sv').compare).join());
                console.info(new Intl.DateTimeFormat('de', { dateStyle: 'full', timeZone: 'Asia/Tokyo' }).format(0));
                console.info(new Intl.RelativeTimeFormat('de').format(2, 'day'));
                console.info('done');
                """, environment: ["TZ=America/New_York"])
    }

    /// Without `TZ` the engine asks the machine, before the sandbox closes.
    @Test func theMachinesTimeZone() throws {
        var now = time(nil)
        var here = tm()
        localtime_r(&now, &here)
        try expect(
            ["offset \(-here.tm_gmtoff / 60)"],
            of: "console.info('offset', new Date().getTimezoneOffset()); console.info('done')")
    }

    @Test func stackOverflowsAndErrors() throws {
        try expect(
            ["RangeError", "RangeError", "stack true"],
            of: """
                const deep = () => deep() + 1;
                try { deep(); } catch (error) { console.info(error.name); }
                try { JSON.stringify((() => { let o = {}; for (let i = 0; i < 1e5; i++) { o = { o }; } return o; })()); }
                catch (error) { console.info(error.name); }
                console.info('stack', new Error('here').stack.includes('main.js'));
                console.info('done');
                """)
    }

    /// Every own name of the global object is read; those that scripts are loaded for are used, too.
    @Test func globalsThatAreLoadedWhenTheyAreTouched() throws {
        try expect(
            [
                "names true", "https://xn--4ca.example/?q=1", "7", "aborted true", "0061", "aGk= hi", "36", "event 1",
                "true", "DataCloneError", "timer", "{ a: [ 1 ] }",
            ],
            of: """
                let names = 0;
                for (const name of Object.getOwnPropertyNames(globalThis)) { void globalThis[name]; names += 1; }
                console.info('names', names > 80);
                console.info(new URL('https://ä.example?q=1').href);
                console.info(structuredClone(new Map([[1, 7]])).get(1));
                const aborter = new AbortController();
                aborter.abort();
                console.info('aborted', aborter.signal.aborted);
                console.info(new TextDecoder('utf-16le').decode(Uint8Array.of(0x61, 0)).charCodeAt().toString(16).padStart(4, '0'));
                console.info(btoa('hi'), atob('aGk='));
                console.info(crypto.randomUUID().length);
                const target = new EventTarget();
                target.addEventListener('a', event => console.info('event', event.detail));
                target.dispatchEvent(new CustomEvent('a', { detail: 1 }));
                console.info(performance.now() > 0);
                try { structuredClone(() => 1); } catch (error) { console.info(error.name); }
                await new Promise(resolve => setTimeout(resolve, 1));
                console.info('timer');
                console.info('%o', { a: [1] });
                console.info('done');
                """)
    }

    /// Threads that the engine makes, also those that it made before and that it makes again.
    @Test(.enabled(if: geteuid() == 0, "only root may look into a process that cannot be dumped"))
    func everyThreadIsConfined() throws {
        let component = try run(
            """
            const hot = n => { let s = 0; for (let i = 0; i < n; i++) { s = (s * 31 + i) | 0; } return s; };
            for (let i = 0; i < 2000; i++) { hot(5000); }
            for (let i = 0, kept = []; i < 1e6; i++) { kept = [kept.length, i]; }
            console.info('done');
            """)
        let tasks = try entries("/proc/\(component.pid)/task")
        #expect(tasks.count > 1)
        for task in tasks {
            let status = try read("/proc/\(component.pid)/task/\(task)/status")
            for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"] {
                #expect(status.contains(line), "\(status)")
            }
            let user = getpwnam("nobody").pointee.pw_uid
            #expect(status.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)"), "\(status)")
            #expect(status.contains("Groups:\t \n"), "\(status)")
        }
        let limits = try read("/proc/\(component.pid)/limits").split(separator: "\n")
        for (name, most) in [
            ("Max core file size", 0), ("Max open files", 128), ("Max file size", 0), ("Max processes", 16384),
        ] {
            let line = limits.first { $0.hasPrefix(name) }?.dropFirst(name.count).split(separator: " ") ?? []
            #expect(line.count > 1 && Int(line[0]) ?? .max <= most && line[0] == line[1], "\(name): \(line)")
        }
    }

    private func entries(_ folder: String) throws -> [String] {
        let listing = try #require(opendir(folder))
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.first != "." { names.append(name) }
        }
        return names
    }

    private func read(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"), "\(path): errno \(errno)")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }
}
