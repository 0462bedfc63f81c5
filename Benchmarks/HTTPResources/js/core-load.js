// The core of the request benchmark: no components, only requests of the port `http_request`, one after the other. It logs
// what they cost, `bench <name> <nanoseconds>`, at the end `bench done`. The driver puts the server's URL in.

(function () {
    'use strict';

    const count = 5000;

    async function measure() {
        const times = new Float64Array(count);
        for (let i = -500; i < count; i++) {
            const start = performance.now();
            const { status, body } = await globalThis.__nativeCallDispatch('http_request', ['GET', '{{URL}}', 'arraybuffer']);
            times[Math.max(i, 0)] = (performance.now() - start) * 1e6;
            if (status !== 200 || body.length !== 1024) { throw new Error(`status ${status}, ${body.length} bytes`); }
        }
        console.log('bench', 'request-1024', times.sort()[count >> 1]);
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
