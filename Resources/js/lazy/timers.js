// Timers after HTML: a heap by due time, then creation, on the context's one wake-up. One callback for each entry from
// native code, so that microtasks run between two of them; true asks for the next entry at once.
(() => {
'use strict';
return ({ native, needFunction, callSafely }) => {
const heap = [];
// Timers by id: lists, joined by `next`. A Map will not do: each table that the engine gives up for a new one knows the
// next, so that one that is taken for alive by mistake would keep all that come after it.
const LEAST_TABLE = 64;
let table = new Array(LEAST_TABLE).fill(undefined);
const AT_ONCE = -1;
let lastOrder = 0;
let armedFor = Infinity;
// How many timers led to each other up to the one that runs now.
let nesting = 0;

function before(a, b) {
    return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function move(timer, index) {
    heap[index] = timer;
    timer.index = index;
}

// Moves the timer up, then down, from this index of the heap to where it belongs.
function place(timer, start) {
    let index = start;
    while (index > 0 && before(timer, heap[(index - 1) >> 1])) {
        move(heap[(index - 1) >> 1], index);
        index = (index - 1) >> 1;
    }
    for (;;) {
        let child = 2 * index + 1;
        if (child + 1 < heap.length && before(heap[child + 1], heap[child])) { child += 1; }
        if (child >= heap.length || !before(heap[child], timer)) { break; }
        move(heap[child], index);
        index = child;
    }
    move(timer, index);
}

function unschedule(timer) {
    const last = heap.pop();
    if (last !== timer) { place(last, timer.index); }
}

function remember(timer) {
    const slot = timer.id & (table.length - 1);
    timer.next = table[slot];
    table[slot] = timer;
}

function find(id) {
    let timer = table[id & (table.length - 1)];
    while (timer !== undefined && timer.id !== id) { timer = timer.next; }
    return timer;
}

// Of a timer that is not in the heap any more.
function forget(timer) {
    const slot = timer.id & (table.length - 1);
    if (table[slot] === timer) {
        table[slot] = timer.next;
    } else {
        let previous = table[slot];
        while (previous.next !== timer) { previous = previous.next; }
        previous.next = timer.next;
    }
    timer.next = undefined;
    if (table.length > LEAST_TABLE && heap.length * 8 < table.length) { resize(table.length / 4); }
}

function resize(size) {
    table = new Array(size).fill(undefined);
    heap.forEach(remember);
}

// From the seventh on, timers that lead to each other take 4 ms at least, as HTML says.
function delayOf(timer) {
    return timer.nesting > 6 && timer.delay < 4 ? 4 : timer.delay;
}

function schedule(timer, due) {
    timer.due = due;
    timer.order = lastOrder += 1;
    heap.push(timer);
    place(timer, heap.length - 1);
}

function arm() {
    const due = heap.length > 0 ? heap[0].due : Infinity;
    if (due === armedFor || armedFor === AT_ONCE) { return; }
    armedFor = due;
    native.setWakeup(due === Infinity ? -1 : Math.max(0, due - native.now()));
}

function startTimer(callback, delay, args, repeats, level) {
    const timer = {
        id: lastOrder + 1, callback, args, delay, repeats, nesting: level, due: 0, order: 0, index: 0, next: undefined,
    };
    remember(timer);
    schedule(timer, native.now() + delayOf(timer));
    if (heap.length > table.length) { resize(table.length * 4); }
    arm();
    return timer.id;
}

function clearTimer(id) {
    const timer = find(+id);
    if (timer === undefined) { return; }
    unschedule(timer);
    forget(timer);
    arm();
}

function runTimer(timer, now) {
    unschedule(timer);
    ({ nesting } = timer);
    if (timer.repeats) {
        timer.nesting += 1;
        // On its beat, without those that were missed.
        const step = delayOf(timer);
        schedule(timer, step > 0 ? timer.due + step * (Math.floor((now - timer.due) / step) + 1) : now);
    } else {
        forget(timer);
    }
    callSafely(timer.callback, timer.args);
    // What waits for the callback's promises still belongs to it.
    if (nesting > 0) { resolved.then(() => { nesting = 0; }); }
}

native.setWakeupHook(() => {
    armedFor = AT_ONCE;
    const now = native.now();
    if (heap.length > 0 && heap[0].due <= now) { runTimer(heap[0], now); }
    if (heap.length > 0 && heap[0].due <= now) { return true; }
    armedFor = undefined;
    arm();
    return false;
});

// A delay is a 32-bit number: what is no number, negative or above 2^31 - 1 means at once.
const toDelay = millis => Math.max(millis | 0, 0);

const resolved = Promise.resolve();

const methods = {
    setTimeout(callback, millis = 0, ...args) {
        needFunction(callback, 'setTimeout');
        return startTimer(callback, toDelay(millis), args, false, nesting + 1);
    },
    setInterval(callback, millis = 0, ...args) {
        needFunction(callback, 'setInterval');
        return startTimer(callback, toDelay(millis), args, true, nesting + 1);
    },
    setImmediate(callback, ...args) {
        needFunction(callback, 'setImmediate');
        return startTimer(callback, 0, args, false, 0);
    },
    clearTimeout(id = 0) { clearTimer(id); },
    clearInterval(id = 0) { clearTimer(id); },
    clearImmediate(id = 0) { clearTimer(id); },
};

return { ...methods, startTimer };
};
})()
