// The core of the file benchmark: no components, only calls of `platform.device_fs`, one after the other. It logs what
// they cost, `bench <name> <nanoseconds>`, at the end `bench done`.

(function () {
    'use strict';

    const fs = platform.device_fs;
    const mebibyte = 1 << 20;

    /** The median of `count` calls, after some that do not count. */
    async function median(count, call) {
        const times = new Float64Array(count);
        for (let i = -Math.ceil(count / 10); i < count; i++) {
            const start = performance.now();
            await call(i);
            times[Math.max(i, 0)] = (performance.now() - start) * 1e6;
        }
        return times.sort()[count >> 1];
    }

    async function missing(path) {
        try {
            await fs.stat(path);
        } catch (exception) {
            if (exception.notFound) { return; }
            throw exception;
        }
        throw new Error(`${path} is there`);
    }

    async function measure() {
        console.log('bench', 'stat-known', await median(10000, () => missing('none')));
        console.log('bench', 'stat-new', await median(10000, i => missing(`none${i}`)));
        const content = new Uint8Array(mebibyte).fill(7);
        console.log('bench', 'write', await median(200, () => fs.writeFile('mebibyte', content)));
        console.log('bench', 'read', await median(500, () => fs.readFile('mebibyte')));
        const file = await fs.open('mebibyte', 'r+');
        console.log('bench', 'read-open', await median(500, () => file.read(content, 0, mebibyte, 0)));
        console.log('bench', 'write-open', await median(200, () => file.write(content, 0, mebibyte, 0)));
        await file.close();
        console.log('bench', 'done', 0);
    }

    const dispatch = {
        async init() {
            setTimeout(() => measure().catch(error => console.error('bench failed', error.message ?? error)), 0);
            return { login: 'logged-in', userId: 'bench' };
        },
        async getSignedUserIdEventually() { return 'bench'; },
        listComponents() { return { components: [], problems: [] }; },
        evaluateRest() {},
        giveStartupCommands() {},
    };

    globalThis.__coreDispatch = dispatch;
    globalThis.__coreCall = (name, arg) => dispatch[name](arg);
    globalThis.__coreCallAsync = async (name, arg) => dispatch[name](arg);
})();
