// Times storage from a component, call by call, and logs it: `bench <name> <nanoseconds>`, at the end `bench done`.

function median(times) {
    return times.toSorted()[times.length >> 1];
}

/**
 * Logs the median of `count` calls as `name`. Before them come calls that the engine compiles meanwhile, in the core and
 * here; the median of the first 50 of those is logged as `name`-cold.
 */
async function measure(name, count, call) {
    const warmUp = 300;
    const times = new Float64Array(warmUp + count);
    for (let i = 0; i < times.length; i += 1) {
        const start = performance.now();
        await call(i);
        times[i] = (performance.now() - start) * 1e6;
    }
    console.log('bench', `${name}-cold`, median(times.subarray(0, 50)));
    console.log('bench', name, median(times.subarray(warmUp)));
}

const files = await w3n.storage.getAppLocalFS();
const small = new Uint8Array(4096).fill(7);
const mebibyte = new Uint8Array(1 << 20).fill(7);
await files.writeBytes('small', small);
await files.writeBytes('mebibyte', mebibyte);
await measure('store', 300, () => files.writeBytes('small', small));
await measure('store-new', 300, i => files.writeBytes(`new ${i}`, small));
await measure('load', 300, () => files.readBytes('mebibyte'));
console.log('bench', 'done', 0);
