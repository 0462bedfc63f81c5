internal import Control
internal import CoreHosting
internal import JSEngine
internal import TestSupport
internal import Testing

/// Every argument of every port of the core, with values that no honest caller gives. What the declaration excludes is
/// thrown at once as a bad argument that names the port; whatever it admits gives a value or an exception object. The
/// core goes on, and holds no descriptor more.
@Suite struct HostileArgumentsTests {
    @Test func noArgumentHarmsTheCore() throws {
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(apps: [:], resources: probe.path)
        let ports = CorePortGroups.all.flatMap(\.ports) + CommonPorts.group.ports
        let script = "return (\(Self.script))([\(ports.map(Self.json).joined(separator: ","))]);"
        // A first round makes what is made once.
        let first = try supervisor.evaluate(script)
        let descriptors = try supervisor.settledDescriptors()
        let answer = try supervisor.evaluate(script)
        #expect(answer["faults"] == .array([]), "\(answer)")
        #expect(answer["calls"]?.int ?? 0 > 1000 && answer["calls"] == first["calls"])
        #expect(try supervisor.settledDescriptors() == descriptors)
        try supervisor.end()
    }

    private static func json(_ port: PortSignature) -> String {
        let parameters = port.parameters.map { parameter in
            var (kind, details) = kind(parameter.kind)
            // Nothing listens there.
            if parameter.name == "url" {
                details += ", plain: '\(port.name == "ws_open" ? "ws" : "http")://127.0.0.1:9/'"
            }
            return "{name: '\(parameter.name)', isOptional: \(parameter.isOptional), kind: '\(kind)'\(details)}"
        }
        let acts = actingOnTheMachine.contains(port.name)
        return "{name: '\(port.name)', acts: \(acts), parameters: [\(parameters.joined(separator: ","))]}"
    }

    /// An admitted argument ends the platform, or has it start with the machine: only what is excluded is tried.
    private static let actingOnTheMachine: Set = ["platform_logout", "autostart_set"]

    private static func kind(_ kind: PortSignature.Kind) -> (String, String) {
        switch kind {
        case .text: ("text", "")
        case .word: ("word", "")
        case .path: ("text", ", plain: 'hostile/none'")
        case .bytes: ("bytes", "")
        case .whole(let range): ("whole", ", least: \(range.lowerBound), most: \(range.upperBound)")
        case .number(let range): ("number", ", least: \(range.lowerBound), most: \(range.upperBound)")
        case .flag: ("flag", "")
        case .choice(let words): ("choice", ", words: [\(words.map { "'\($0)'" }.joined(separator: ","))]")
        case .texts: ("texts", "")
        case .record: ("record", "")
        case .function: ("function", "")
        }
    }

    /// A function of declared ports that gives `{calls, faults}`.
    private static let script = #"""
        async ports => {
            const isText = value => typeof value === 'string' && value.isWellFormed();
            const isFixed = value => (value.buffer ?? value).resizable === false;
            const isBytes = value => (value instanceof ArrayBuffer
                || ArrayBuffer.isView(value) && !(value instanceof DataView)) && isFixed(value);
            const isPlain = value => typeof value === 'object' && value !== null && !Array.isArray(value) && !isBytes(value);
            const accepts = {
                text: isText,
                word: value => isText(value) && value !== '' && !value.includes('\0'),
                bytes: isBytes,
                whole: (value, { least, most }) => Number.isSafeInteger(value) && value >= least && value <= most,
                number: (value, { least, most }) => typeof value === 'number' && value >= least && value <= most,
                flag: value => typeof value === 'boolean',
                choice: (value, { words }) => words.includes(value),
                texts: value => Array.isArray(value) && value.length <= 10000 && value.every(isText),
                record: value => isPlain(value) && Object.values(value).every(isText),
                function: value => typeof value === 'function',
            };
            const plain = ({ kind, least, words, plain }) => plain ?? {
                text: 'x', word: 'x', bytes: new Uint8Array(3), whole: least, number: least, flag: false,
                choice: words?.[0], texts: [], record: {}, function() {},
            }[kind];
            const hostile = [
                undefined, null, true, false, 0, -0, -1, 0.5, NaN, Infinity, -Infinity, 2 ** 53, 2 ** 53 - 1, 2 ** 31, 1e308,
                '', 'x', '\0', 'a\0b', '\ud800', 'a\udc00b', 'ok\ufffd', '..', '../x', '/etc/passwd', 'a//b', 'x'.repeat(256),
                'x/'.repeat(2048), 'x'.repeat(1 << 20), [], {}, [1], ['a', 'b'], ['\ud800'], { a: 1 }, { a: 'b' },
                { 'a\r\nb': 'c\r\nd' }, () => 1, Symbol('s'), 10n, new Date(NaN), new Uint8Array(0), new Uint8Array(1 << 16),
                new ArrayBuffer(5), new DataView(new ArrayBuffer(8), 4), new Float64Array(2),
                new ArrayBuffer(5, { maxByteLength: 9 }), new Uint8Array(new ArrayBuffer(5, { maxByteLength: 9 })),
                Object.assign([], { length: 4e9 }), { length: 1e9 }, new Array(10001).fill(''),
                { toString() { throw 1; }, valueOf() { throw 2; }, toJSON() { throw 3; } }, Object.create(null),
                { get a() { throw 4; } }, new Proxy({}, { get() { throw 5; }, ownKeys() { throw 6; } }),
            ];
            const faults = [];
            let calls = 0;
            const describe = value => {
                try { return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value).slice(0, 40).toWellFormed(); } catch { return typeof value; }
            };
            async function check(port, index, value) {
                const parameter = port.parameters[index];
                const args = port.parameters.map(plain);
                if (value === missing) { args.length = index; value = undefined; } else { args[index] = value; }
                const isLeftOut = parameter.isOptional && (value === undefined || value === null);
                let mayPass = isLeftOut;
                try { mayPass ||= accepts[parameter.kind](value, parameter); } catch {}
                if (mayPass && port.acts) { return; }
                calls += 1;
                const fault = text => faults.push(`${port.name} ${parameter.name} = ${describe(value)}: ${text}`);
                let result;
                try {
                    result = __nativeCallDispatch(port.name, args);
                } catch (e) {
                    if (e?.runtimeException !== true) { fault(`threw ${describe(e)}`); }
                    if (!mayPass && !(e.badArgument && e.message.includes(parameter.name))) { fault(`threw ${e.message}`); }
                    return;
                }
                if (!mayPass) { fault('was taken'); }
                const late = {};
                const timer = new Promise(resolve => setTimeout(resolve, 10000, late));
                const close = value => {
                    const fd = { fs_open: value, fs_readStart: value?.fd }[port.name];
                    if (fd !== undefined) { __nativeCallDispatch('fh_close', [fd]); }
                };
                const outcome = await Promise.race([timer, Promise.resolve(result).then(close, e => e)]);
                if (outcome === late) { fault('was not answered within 10 s'); }
                if (outcome !== undefined && outcome !== late && outcome?.runtimeException !== true) {
                    fault(`rejected with ${describe(outcome)}`);
                }
            }
            const missing = Symbol('missing');
            await Promise.all(ports.flatMap(port => port.parameters.flatMap(
                (_, index) => [missing, ...hostile].map(value => check(port, index, value)))));
            return { calls, faults: faults.slice(0, 40) };
        }
        """#
}
