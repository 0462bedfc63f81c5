// The core of the cryptor benchmark: no components, only calls of the cryptor's ports, one after the other. It logs what
// they cost, `bench <name> <nanoseconds>`, at the end `bench done`.

(function () {
    'use strict';

    const call = async (port, ...args) => __nativeCallDispatch(port, args);

    /** The median of `count` calls, after some that do not count. */
    async function median(count, run) {
        const times = new Float64Array(count);
        for (let i = -Math.ceil(count / 10); i < count; i++) {
            const start = performance.now();
            await run();
            times[Math.max(i, 0)] = (performance.now() - start) * 1e6;
        }
        return times.sort()[count >> 1];
    }

    async function measure() {
        const [key, nonce] = [new Uint8Array(32).fill(1), new Uint8Array(24).fill(2)];
        const pack = size => {
            const message = new Uint8Array(size);
            return median(2000, () => call('nacl_sbox_pack', message, nonce, key));
        };
        // The last that is done at once, and the first that is done on a thread.
        console.log('bench', 'box-at-once', await pack(16384));
        console.log('bench', 'box-on-thread', await pack(16385));
        console.log('bench', 'scrypt', await median(9, () => call('nacl_scrypt', key, nonce, 17, 3, 1, 32)));
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
