// performance: the clock, and marks and measures by name, after High Resolution Time, Performance Timeline and User
// Timing.
(() => {
'use strict';
return ({ native, load, need, record, expose, domException, brands }) => {
    const { EventTarget } = load('events');
    const made = Symbol();
    let list = [];

    class PerformanceEntry {
        #data;
        constructor(token, data) {
            if (token !== made) { throw new TypeError('Illegal constructor'); }
            this.#data = data;
        }
        static has(value) { return #data in value; }
        get name() { return this.#data.name; }
        get entryType() { return this.#data.entryType; }
        get startTime() { return this.#data.startTime; }
        get duration() { return this.#data.duration; }
        toJSON() {
            const { name, entryType, startTime, duration } = this.#data;
            return { name, entryType, startTime, duration };
        }
    }
    brands.push(PerformanceEntry.has);
    delete PerformanceEntry.has;

    function cloned(detail) {
        return detail === undefined || detail === null ? null : load('structured-clone').structuredClone(detail);
    }

    function time(value, what) {
        const number = +value;
        if (!Number.isFinite(number) || number < 0) { throw new TypeError(`${what} must be a time, not ${value}`); }
        return number;
    }

    class PerformanceMark extends PerformanceEntry {
        #detail;
        constructor(name, options = undefined) {
            need(arguments.length, 1, 'PerformanceMark');
            const { detail, startTime } = record(options);
            super(made, {
                name: `${name}`, entryType: 'mark', duration: 0,
                startTime: startTime === undefined ? native.now() : time(startTime, 'startTime'),
            });
            this.#detail = cloned(detail);
        }
        get detail() { return this.#detail; }
    }

    class PerformanceMeasure extends PerformanceEntry {
        #detail;
        constructor(token, data, detail) {
            super(token, data);
            this.#detail = cloned(detail);
        }
        get detail() { return this.#detail; }
    }

    function timeOf(mark, otherwise) {
        if (mark === undefined) { return otherwise(); }
        if (typeof mark === 'number') { return time(mark, 'A time'); }
        const found = list.findLast(entry => entry.entryType === 'mark' && entry.name === `${mark}`);
        if (!found) { throw domException(`There is no mark ${mark}`, 'SyntaxError'); }
        return found.startTime;
    }

    // Entries of a timeline are in the order of their start times.
    function add(entry) {
        const at = list.findLastIndex(each => each.startTime <= entry.startTime) + 1;
        if (at === list.length) { list.push(entry); } else { list.splice(at, 0, entry); }
        return entry;
    }

    function clear(entryType, name) {
        list = list.filter(entry => entry.entryType !== entryType || (name !== undefined && entry.name !== `${name}`));
    }

    class Performance extends EventTarget {
        #is;
        constructor(token) {
            if (token !== made) { throw new TypeError('Illegal constructor'); }
            super();
        }
        get timeOrigin() {
            this.#is;
            return native.timeOrigin;
        }
        now() {
            this.#is;
            return native.now();
        }
        mark(name, options = undefined) {
            this.#is;
            need(arguments.length, 1, 'mark');
            return add(new PerformanceMark(name, options));
        }
        measure(name, startOrOptions = undefined, endMark = undefined) {
            this.#is;
            need(arguments.length, 1, 'measure');
            const isRecord = typeof startOrOptions === 'object' && startOrOptions !== null;
            const { start, end, duration, detail } = isRecord
                ? startOrOptions : { start: startOrOptions, end: endMark };
            const isUsed = [start, end, duration, detail].some(each => each !== undefined);
            if (isRecord && isUsed && (endMark !== undefined || (start === undefined && end === undefined)
                || (start !== undefined && end !== undefined && duration !== undefined))) {
                throw new TypeError('A measure takes start and end, or one of them and a duration');
            }
            const length = duration === undefined ? undefined : time(duration, 'duration');
            const last = end !== undefined || length === undefined
                ? timeOf(end, () => native.now()) : timeOf(start, () => 0) + length;
            const first = start !== undefined || length === undefined ? timeOf(start, () => 0) : last - length;
            const data = { name: `${name}`, entryType: 'measure', startTime: first, duration: last - first };
            return add(new PerformanceMeasure(made, data, detail));
        }
        clearMarks(name = undefined) {
            this.#is;
            clear('mark', name);
        }
        clearMeasures(name = undefined) {
            this.#is;
            clear('measure', name);
        }
        getEntries() {
            this.#is;
            return [...list];
        }
        getEntriesByType(type) {
            this.#is;
            need(arguments.length, 1, 'getEntriesByType');
            return list.filter(entry => entry.entryType === `${type}`);
        }
        getEntriesByName(name, type = undefined) {
            this.#is;
            need(arguments.length, 1, 'getEntriesByName');
            return list.filter(entry => entry.name === `${name}`
                && (type === undefined || entry.entryType === `${type}`));
        }
        toJSON() {
            this.#is;
            return { timeOrigin: native.timeOrigin };
        }
    }

    const performance = new Performance(made);
    return {
        performance, Performance: expose(Performance), PerformanceEntry: expose(PerformanceEntry),
        PerformanceMark: expose(PerformanceMark), PerformanceMeasure: expose(PerformanceMeasure),
    };
};
})()
