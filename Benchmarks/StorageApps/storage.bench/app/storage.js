// Times storage from a component, call by call, and logs it: `bench <name> <nanoseconds>`, at the end `bench done`.

async function median(count, call) {
    const times = new Float64Array(count);
    for (let i = -Math.ceil(count / 10); i < count; i += 1) {
        const start = performance.now();
        await call(i);
        times[Math.max(i, 0)] = (performance.now() - start) * 1e6;
    }
    return times.sort()[count >> 1];
}

const files = await w3n.storage.getAppLocalFS();
const small = new Uint8Array(4096).fill(7);
const mebibyte = new Uint8Array(1 << 20).fill(7);
await files.writeBytes('small', small);
await files.writeBytes('mebibyte', mebibyte);
console.log('bench', 'store', await median(200, () => files.writeBytes('small', small)));
console.log('bench', 'store-new', await median(200, i => files.writeBytes(`new ${i}`, small)));
console.log('bench', 'load', await median(200, () => files.readBytes('mebibyte')));
console.log('bench', 'load-small', await median(500, () => files.readBytes('small')));
console.log('bench', 'done', 0);
