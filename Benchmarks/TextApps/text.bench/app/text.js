// Times TextEncoder and TextDecoder on 1 MiB and logs it: `bench <name> <nanoseconds>`, at the end `bench done`.

const ROUNDS = 60;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function median(work) {
    const times = new Float64Array(ROUNDS);
    for (let i = 0; i < ROUNDS; i += 1) {
        const start = performance.now();
        work();
        times[i] = (performance.now() - start) * 1e6;
    }
    return times.sort()[ROUNDS / 2];
}

const texts = { ascii: 'text of 16 chars'.repeat(1 << 16), mixed: 'a日本 text '.repeat(80660) };
for (const [name, text] of Object.entries(texts)) {
    const bytes = encoder.encode(text);
    console.log('bench', `encode-${name}`, median(() => encoder.encode(text)));
    console.log('bench', `decode-${name}`, median(() => decoder.decode(bytes)));
}
console.log('bench', 'done', 0);
