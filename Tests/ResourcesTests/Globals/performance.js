// performance, after High Resolution Time, Performance Timeline and User Timing.
check('the clock goes forward, from its origin', async () => {
    const first = performance.now();
    await pause(5);
    const second = performance.now();
    same([second - first >= 4.5, Math.abs(performance.timeOrigin + second - Date.now()) < 1000,
        performance.toJSON()], [true, true, { timeOrigin: performance.timeOrigin }]);
    let last = 0;
    for (let i = 0; i < 10000; i += 1) {
        const now = performance.now();
        if (now < last) { throw new Error('went back'); }
        last = now;
    }
});

check('marks and measures', () => {
    performance.clearMarks();
    const detail = { list: [1] };
    const mark = performance.mark('m', { startTime: 5, detail });
    same([mark.name, mark.entryType, mark.startTime, mark.duration, mark.detail, mark.detail !== detail,
        mark instanceof PerformanceMark, mark instanceof PerformanceEntry],
        ['m', 'mark', 5, 0, { list: [1] }, true, true, true]);
    performance.mark('n', { startTime: 9 });
    const read = ({ startTime, duration }) => [startTime, duration];
    same([read(performance.measure('a', 'm', 'n')), read(performance.measure('b', { start: 'm', duration: 3 })),
        read(performance.measure('c', { end: 'n', duration: 2 })),
        read(performance.measure('d', { start: 1, end: 4, detail: 7 }))],
        [[5, 4], [5, 3], [7, 2], [1, 3]]);
    const whole = performance.measure('e');
    same([whole.startTime, whole.duration > 0, whole.detail, whole instanceof PerformanceMeasure],
        [0, true, null, true]);
    same(performance.getEntries().map(({ name }) => name), ['e', 'd', 'm', 'a', 'b', 'c', 'n']);
    same([performance.getEntriesByType('mark').length, performance.getEntriesByName('a')[0].duration,
        performance.getEntriesByName('a', 'mark').length, performance.getEntriesByType('none')], [2, 4, 0, []]);
    same(JSON.parse(JSON.stringify(mark)), { name: 'm', entryType: 'mark', startTime: 5, duration: 0 });
    performance.clearMarks('m');
    performance.clearMeasures();
    same(performance.getEntries().map(({ name }) => name), ['n']);
    performance.clearMarks();
    same(performance.getEntries(), []);
});

check('wrong arguments are refused', () => {
    throws(() => performance.measure('x', 'none'), 'SyntaxError');
    same(throws(() => performance.measure('x', { end: 'none' }), 'SyntaxError') instanceof DOMException, true);
    for (const wrong of [-1, NaN, Infinity]) {
        throws(() => performance.mark('x', { startTime: wrong }));
        throws(() => performance.measure('x', { start: wrong, end: 1 }));
    }
    throws(() => performance.measure('x', { start: 1, end: 2, duration: 3 }));
    throws(() => performance.measure('x', { detail: 1 }));
    throws(() => performance.measure('x', { start: 1 }, 'end'));
    throws(() => performance.mark('x', { detail: () => {} }), 'DataCloneError');
    same(performance.getEntries(), []);
});
