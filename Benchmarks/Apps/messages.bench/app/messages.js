// Sends messages to the benchmark core and logs what it cost: `bench <name> <number>`, at the end `bench done`.

const send = globalThis.__portSend_core;

/** Nanoseconds of each of `count` round trips, one message of `size` bytes at a time. */
function roundTrips(size, count) {
    return new Promise(done => {
        const message = new Uint8Array(size);
        const times = new Float64Array(count);
        let received = -1;
        let sentAt = 0;
        const next = () => {
            const now = performance.now();
            if (received >= 0) {
                times[received] = (now - sentAt) * 1e6;
            }
            if (++received === count) {
                done(times);
                return;
            }
            sentAt = now;
            send(message);
        };
        globalThis.__portRecv_core = next;
        next();
    });
}

/** Messages per second in one direction; every window ends with a message that the core answers, two are open at most. */
function oneWay(size, count, window) {
    return new Promise(done => {
        const plain = new Uint8Array(size).fill(1);
        const last = new Uint8Array(size).fill(2);
        const windows = Math.ceil(count / window);
        let sent = 0;
        let answered = 0;
        const sendWindow = () => {
            if (sent === windows) {
                return;
            }
            sent++;
            for (let i = 1; i < window; i++) {
                send(plain);
            }
            send(last);
        };
        const startedAt = performance.now();
        globalThis.__portRecv_core = () => {
            if (++answered === windows) {
                done(windows * window / (performance.now() - startedAt) * 1e3);
            } else {
                sendWindow();
            }
        };
        sendWindow();
        sendWindow();
    });
}

function percentile(times, share) {
    return times.sort()[Math.ceil(share * times.length) - 1];
}

async function report(size, count) {
    await roundTrips(size, Math.ceil(count / 10));
    const times = await roundTrips(size, count);
    console.log('bench', `round-trip-${size}-p50`, percentile(times, 0.5));
    console.log('bench', `round-trip-${size}-p99`, percentile(times, 0.99));
}

await report(64, 20000);
await report(1024, 20000);
await report(1048576, 500);
console.log('bench', 'one-way-64', await oneWay(64, 400000, 1024));
console.log('bench', 'one-way-1048576', await oneWay(1048576, 1000, 4));
console.log('bench', 'done', 0);
