// The functions of console beside those that write what they get.
(() => {
'use strict';
return tools => {
    const { native, load, print } = tools;
    const counts = new Map();
    const times = new Map();
    const MOST_ROWS = 1000;
    const MOST_CELL = 100;

    function label(args) { return args.length > 0 && args[0] !== undefined ? `${args[0]}` : 'default'; }

    // What one row has: name of column to text.
    function cells(row) {
        const { inspect, membersOf } = load('inspect');
        const show = value => {
            const text = inspect(value, 1).replaceAll('\n', ' ');
            return text.length > MOST_CELL ? `${text.slice(0, MOST_CELL - 1)}…` : text;
        };
        if (typeof row !== 'object' || row === null) { return new Map([['Values', show(row)]]); }
        return new Map(membersOf(row).map(([name, value]) => [name, show(value)]));
    }

    function tableText(rows, columns) {
        const names = columns ?? [...new Set(rows.flatMap(([, row]) => [...row.keys()]))];
        const grid = [['(index)', ...names],
            ...rows.map(([index, row]) => [index, ...names.map(name => row.get(name) ?? '')])];
        const widths = grid[0].map((_, column) => Math.max(...grid.map(line => line[column].length)));
        const rule = (left, middle, right) => left + widths.map(width => '─'.repeat(width + 2)).join(middle) + right;
        const lines = grid.map(line => `│ ${line.map((cell, i) => cell.padEnd(widths[i])).join(' │ ')} │`);
        return [rule('┌', '┬', '┐'), lines[0], rule('├', '┼', '┤'), ...lines.slice(1), rule('└', '┴', '┘')].join('\n');
    }

    function elapsed(name, args, ends) {
        if (!times.has(name)) {
            print.warn(`Timer '${name}' does not exist`);
            return;
        }
        print.log(`${name}: ${(native.now() - times.get(name)).toFixed(3)} ms`, ...args);
        if (ends) { times.delete(name); }
    }

    function group(...args) {
        if (args.length) { print.log(...args); }
        tools.indent += '  ';
    }

    return {
        trace(...args) {
            const stack = new Error().stack.split('\n').filter(line =>
                !/@?js\/(common-preload|lazy\/console)\.js/.test(line));
            const heading = args.length ? `Trace: ${load('inspect').format(args)}` : 'Trace';
            print.trace([heading, ...stack.filter(Boolean).map(line => `    at ${line}`)].join('\n'));
        },
        dir(value, options) {
            const depth = typeof options === 'object' && options !== null ? options.depth : undefined;
            print.log(load('inspect').inspect(value, depth === null ? Infinity : depth, true));
        },
        dirxml: (...args) => print.log(...args),
        table(data, columns) {
            const { membersOf } = load('inspect');
            if (typeof data !== 'object' || data === null) {
                print.log(data);
                return;
            }
            let text;
            try {
                const all = data instanceof Map || data instanceof Set
                    ? Array.from(data, (value, i) => [String(i), value]) : membersOf(data);
                const wanted = Array.isArray(columns) ? columns.map(String) : undefined;
                text = tableText(all.slice(0, MOST_ROWS).map(([index, row]) => [index, cells(row)]), wanted);
                if (all.length > MOST_ROWS) { text += `\n… ${all.length - MOST_ROWS} more`; }
            } catch {
                print.log(data);
                return;
            }
            print.log(text);
        },
        assert(condition, ...args) {
            if (condition) { return; }
            const [first, ...rest] = args;
            if (typeof first === 'string') {
                print.error(`Assertion failed: ${first}`, ...rest);
            } else {
                print.error('Assertion failed', ...args);
            }
        },
        count(...args) {
            const name = label(args);
            counts.set(name, (counts.get(name) ?? 0) + 1);
            print.log(`${name}: ${counts.get(name)}`);
        },
        countReset(...args) {
            const name = label(args);
            if (counts.has(name)) { counts.set(name, 0); } else { print.warn(`Count for '${name}' does not exist`); }
        },
        time(...args) {
            const name = label(args);
            if (times.has(name)) {
                print.warn(`Timer '${name}' already exists`);
            } else {
                times.set(name, native.now());
            }
        },
        timeLog(...args) { elapsed(label(args), args.slice(1), false); },
        timeEnd(...args) { elapsed(label(args), [], true); },
        group,
        groupCollapsed: group,
        groupEnd() { tools.indent = tools.indent.slice(2); },
        clear() { tools.indent = ''; },
    };
};
})()
