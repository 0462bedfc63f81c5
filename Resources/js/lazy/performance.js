// performance: the clock, and marks and measures by name.
(() => {
'use strict';
return ({ native }) => {
    let list = [];

    function add(entryType, name, startTime, duration, detail = null) {
        const entry = Object.freeze({ entryType, name: String(name), startTime, duration, detail });
        list.push(entry);
        return entry;
    }

    function timeOf(mark, otherwise) {
        if (mark === undefined) { return otherwise; }
        if (typeof mark === 'number') { return mark; }
        const found = list.findLast(entry => entry.entryType === 'mark' && entry.name === mark);
        if (!found) { throw new SyntaxError(`No mark ${mark}`); }
        return found.startTime;
    }

    const clear = entryType => name => {
        list = list.filter(entry => entry.entryType !== entryType || (name !== undefined && entry.name !== name));
    };

    return {
        performance: Object.freeze({
            timeOrigin: native.timeOrigin,
            now: () => native.now(),
            mark: (name, { startTime = native.now(), detail } = {}) => add('mark', name, startTime, 0, detail),
            measure(name, startOrOptions, endMark) {
                const { start, end, detail } = typeof startOrOptions === 'object' && startOrOptions
                    ? startOrOptions : { start: startOrOptions, end: endMark };
                const from = timeOf(start, 0);
                return add('measure', name, from, timeOf(end, native.now()) - from, detail);
            },
            getEntries: () => [...list],
            getEntriesByType: type => list.filter(entry => entry.entryType === type),
            getEntriesByName: name => list.filter(entry => entry.name === name),
            clearMarks: clear('mark'),
            clearMeasures: clear('measure'),
            toJSON: () => ({ timeOrigin: native.timeOrigin }),
        }),
    };
};
})()
