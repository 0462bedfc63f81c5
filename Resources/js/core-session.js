// The core's lives: made, started, signed in, closed, made anew for the next user. `core-load.js` takes `CoreSession`
// from here.
'use strict';
{

const { Autologin, overwrite } = globalThis.__platformParts;

const refusal = (flag, message) => ({ runtimeException: true, type: 'login', [flag]: true, message });

/** As the core's library compares addresses. */
const canonical = address => String(address).replace(/\s+/g, '').toLowerCase();
const isSameUser = (left, right) => canonical(left) === canonical(right);

const inWords = reason => String(reason?.message ?? reason?.type ?? reason);

/**
 * `conf`: `{dataDir, shownDir?, local?}`, the core's own; `makeCore(conf)` gives a core; `signedIn(core)` readies the platform for
 * its user; `expectedUser`: who alone is signed in automatically. `report(percent)` and `report(text)` of the methods
 * below say how far a login is.
 */
class CoreSession {
    #conf;
    #makeCore;
    #signedIn;
    #expectedUser;
    #autologin;
    /**
     * `{core, caps, watchBoot, signedIn, isWaiting?, wantsAutologin?, users?}`: caps are those for start-up; `signedIn`
     * resolves with the user's id; `isWaiting`: for a sign-in, so that its failure is told to the log; `users` resolves
     * with those on disk.
     */
    #life;
    #userId;
    #isSigningIn = false;
    /** A password is being looked at for the automatic login. */
    #isChecking = false;
    #nextUser = Promise.withResolvers();

    constructor({ conf, makeCore, signedIn, expectedUser }) {
        this.#conf = conf;
        this.#makeCore = makeCore;
        this.#signedIn = signedIn;
        this.#expectedUser = expectedUser;
        this.#autologin = new Autologin(conf.dataDir);
    }

    /** Undefined until a user is signed in. */
    get userId() { return this.#userId; }

    get isSigningIn() { return this.#isSigningIn; }

    /** The core of the signed-in user. */
    get core() {
        if (this.#userId === undefined) {
            throw refusal('notLoggedIn', 'nobody is logged in; `corehost login ADDRESS` comes first');
        }
        return this.#life.core;
    }

    /** For sign-in and sign-up; undefined while a user is signed in, or being signed in by the device's key. */
    get startupCaps() { return this.#userId === undefined ? this.#life?.caps : undefined; }

    /** Resolves with the next user who gets signed in; at once, if one is. */
    signedInUser() { return this.#nextUser.promise; }

    /**
     * `{login: 'logged-in' | 'logging-in', userId}` or `{login: 'not-logged-in', problem?}`. Rejects where the core can
     * tell that its data folder is of no use.
     */
    async start() {
        if (this.#conf.local) {
            this.#open();
            return { login: 'logged-in', userId: await this.#life.signedIn };
        }
        const { problem, userId } = await this.#startFromCache();
        if (userId !== undefined) { return { login: 'logging-in', userId }; }
        this.#open();
        await this.#life.core.prepare?.();
        this.#life.isWaiting = true;
        return { login: 'not-logged-in', ...(problem ? { problem } : {}) };
    }

    evaluateRest() { this.#life?.core.evaluateRest?.(); }

    /** Waits for the login that `start` has begun: `{userId}`, or `{problem}` once a core waits for a sign-in. */
    async finishAutologin(report) {
        const life = this.#life;
        const stop = watchBoot(life, report);
        try {
            return { userId: await life.signedIn };
        } catch (reason) {
            if (life !== this.#life) { throw reason; }
            await this.#renew(life);
            return { problem: `automatic login failed: ${inWords(reason)}` };
        } finally {
            stop();
            if (life === this.#life) { this.#isSigningIn = false; }
        }
    }

    /** `{userId}` or `{refused: 'wrongPassword' | 'unknownUser'}`; rejects with what goes wrong in the core. */
    signIn(address, password, report) {
        return this.#attempt(report, caps => caps.signIn, async signIn => {
            const known = (await signIn.getUsersOnDisk()).find(user => isSameUser(user, address));
            if (known !== undefined) {
                return (await signIn.useExistingStorage(known, password, report)) ? undefined : 'wrongPassword';
            }
            const isElsewhere = await startRemoteLogin(signIn, address);
            if (isElsewhere === undefined) {
                // A folder from another device: the core finds its user by the password alone.
                return (await signIn.useExistingStorage(address, password, report)) ? undefined : 'unknownUser';
            }
            if (!isElsewhere) { return 'unknownUser'; }
            return (await signIn.completeLoginAndLocalSetup(password, report)) ? undefined : 'wrongPassword';
        });
    }

    /** `{userId}` or `{refused: 'addressTaken'}`: the new user is signed in. */
    signUp(address, password, report) {
        return this.#attempt(report, caps => caps.signUp, async signUp => {
            await signUp.createUserParams(password, report);
            return (await signUp.addUser(address)) ? undefined : 'addressTaken';
        });
    }

    async #attempt(report, capOf, body) {
        const life = this.#life;
        const cap = this.startupCaps && capOf(this.startupCaps);
        if (!cap) { throw refusal('notNow', 'this core takes no sign-in or sign-up now'); }
        if (this.#isSigningIn) { throw refusal('notNow', 'a login is under way'); }
        this.#isSigningIn = true;
        const stop = watchBoot(cap, report);
        try {
            const refused = await body(cap);
            if (life !== this.#life) { throw refusal('givenUp', 'the login was given up'); }
            if (refused !== undefined) { return { refused }; }
            return { userId: await life.signedIn.catch(reason => this.#failed(life, reason)) };
        } finally {
            stop();
            if (life === this.#life) { this.#isSigningIn = false; }
        }
    }

    /** A core that has let a user in, and is no use to him, waits for the next one. */
    async #failed(life, reason) {
        if (life === this.#life) { await this.#renew(life); }
        throw reason;
    }

    async #renew(life) {
        this.#life = undefined;
        this.#isSigningIn = false;
        this.#autologin.forget();
        await life.core.close();
        this.#open();
        this.#life.isWaiting = true;
    }

    /**
     * Ends the user's time: the core is closed and made anew. Automatic login ends with it, for who logs out does not
     * want to be back with the next start. Given in the middle of a login, it ends that.
     */
    async logout() {
        const life = this.#life;
        const userId = this.#userId;
        if (userId !== undefined) { this.#nextUser = Promise.withResolvers(); }
        this.#userId = undefined;
        if (userId !== undefined) {
            await this.setAutologin(false, userId).catch(reason => console.error(
                `the automatic login of ${userId} could not be ended; remove the file of its key:`, reason));
        }
        if (life) { await this.#renew(life); }
    }

    /** `{users: [{address, loggedIn, autologin}], problems: [text]}`; problems are of accounts that are not listed. */
    async users() {
        const { entry } = await this.#autologin.read();
        const onDisk = await this.#usersOnDisk();
        const isUser = (user, other) => other !== undefined && isSameUser(user, other);
        const users = onDisk.map(address => ({
            address, loggedIn: isUser(address, this.#userId), autologin: isUser(address, entry?.userId),
        }));
        return { users, problems: await this.#life?.core.getUserProblems?.() ?? [] };
    }

    async #usersOnDisk() {
        const life = this.#life;
        if (life === undefined) { return []; }
        if (life.caps?.signIn) { return life.caps.signIn.getUsersOnDisk(); }
        // The embedded core tells it after a start from the cache, too.
        if (life.core.getUsersOnDisk) { return life.core.getUsersOnDisk(); }
        // Nobody can sign up until this life ends.
        life.users ??= this.#askAnotherCore();
        return life.users;
    }

    /** A core that was started from the cache gives nothing to sign in with: one that nobody signs in with is asked. */
    async #askAnotherCore() {
        const core = this.#makeCore(this.#conf);
        try {
            const { capsForStartup, coreInit, coreAppsInit } = core.start();
            // Its close may reject them.
            for (const promise of [coreInit, coreAppsInit]) { promise.catch(() => {}); }
            return await capsForStartup.signIn.getUsersOnDisk();
        } finally {
            await core.close();
        }
    }

    /** `{on, user}`: whether the device's key lets a user in, and whom. */
    async autologin() {
        const { entry } = await this.#autologin.read();
        return { on: entry !== undefined, user: entry?.userId ?? null };
    }

    /** Whether apps can set it: the core makes the user's key of his password. The local user has none. */
    get takesPasswordForAutologin() {
        return this.#userId !== undefined && !this.#conf.local && typeof this.#life.core.getRootKey === 'function';
    }

    /** Rejects with `wrongPassword` for one that is not the user's, after the time that the right one takes. */
    async setAutologinByPassword(password, progress) {
        const [life, userId] = [this.#life, this.#userId];
        if (!this.takesPasswordForAutologin) {
            throw refusal('notAvailable', this.#conf.local ? 'the local user has no password, and is always signed in'
                : 'this core makes no key of a password; `corehost autologin on` sets the automatic login');
        }
        if (typeof password !== 'string') { throw refusal('badPassword', 'the password is no text; give a string'); }
        // As many at once as a component asks for would take all the memory that scrypt needs.
        if (this.#isChecking) { throw refusal('notNow', 'a password is being checked; wait for that'); }
        this.#isChecking = true;
        try {
            const key = await life.core.getRootKey(userId, password, percent => progress?.(percent));
            if (key === undefined) { throw refusal('wrongPassword', `the password is not that of ${userId}`); }
            const hasLeft = life !== this.#life || userId !== this.#userId;
            if (!hasLeft) { this.#autologin.hold(userId, key); }
            overwrite(key);
            if (hasLeft) { throw refusal('givenUp', 'the user has logged out meanwhile'); }
            await this.#autologin.set(userId);
        } finally {
            this.#isChecking = false;
        }
    }

    /** From a start-up page: whether the user who signs in next is signed in automatically from then on. */
    wantAutologin(isWanted) {
        if (this.startupCaps === undefined) { throw refusal('notNow', 'this is said before a user signs in'); }
        this.#life.wantsAutologin = isWanted;
    }

    /** Without a user, and in a run for somebody else, it can only be ended. */
    async setAutologin(isOn, userId = this.#userId) {
        if (isOn) {
            await this.#autologin.set(userId);
        } else {
            const { entry } = await this.#autologin.read();
            if (userId === undefined || entry === undefined || isSameUser(entry.userId, userId)) {
                await this.#autologin.remove();
            }
        }
    }

    async #startFromCache() {
        const { entry, problem } = await this.#autologin.read();
        if (!entry) { return { problem }; }
        const { userId, storageKey } = entry;
        if (this.#expectedUser !== undefined && !isSameUser(this.#expectedUser, userId)) {
            return {
                problem: `automatic login is set for ${userId}, and this run is for ${this.#expectedUser} alone; `
                    + `log in with \`corehost login ${this.#expectedUser}\`, or run without --user`,
            };
        }
        const core = this.#makeCore(this.#conf);
        let started;
        try {
            started = await core.startDirectlyFromCache(userId, storageKey);
            if (!started) { throw new Error('nothing of that user is kept here'); }
        } catch (reason) {
            await core.close();
            return { problem: `automatic login of ${userId} failed: ${inWords(reason)}` };
        }
        this.#autologin.hold(userId, storageKey);
        this.#isSigningIn = true;
        this.#begin(core, started, undefined, userId);
        return { userId };
    }

    #open() {
        const core = this.#makeCore(this.#conf);
        const keep = this.#conf.local ? undefined
            : (userId, key) => this.#autologin.renew(userId, key, this.#life?.wantsAutologin === true);
        const started = core.start(keep);
        this.#begin(core, started, started.capsForStartup);
    }

    /** `cached`: whose key the core was started with, as its `coreInit` may tell nothing then. */
    #begin(core, { coreInit, coreAppsInit, watchBoot: watch }, caps, cached) {
        const life = { core, caps, watchBoot: watch, signedIn: undefined };
        life.signedIn = Promise.all([coreInit, coreAppsInit]).then(async ([userId = cached]) => {
            if (this.#life === life) { await this.#signedIn(core); }
            // The user of a core that was closed meanwhile.
            if (this.#life !== life) { throw refusal('givenUp', 'the login was given up'); }
            this.#userId = userId;
            this.#nextUser.resolve(userId);
            return userId;
        });
        life.signedIn.catch(reason => {
            // Whoever signs in is told.
            if (this.#life === life && life.isWaiting && !this.#isSigningIn) {
                console.error('the core that waits for a login has failed:', reason);
            }
        });
        this.#life = life;
    }
}

/** Undefined where the core has no servers to ask. */
async function startRemoteLogin(signIn, address) {
    try {
        return await signIn.startLoginToRemoteStorage(address);
    } catch (exception) {
        if (exception?.notAvailable === true) { return undefined; }
        throw exception;
    }
}

/** What the core tells of its start, as texts for `report`. Gives a function that ends it. */
function watchBoot(source, report) {
    const tell = event => report(String(event?.message ?? event?.type ?? JSON.stringify(event)));
    return source.watchBoot?.({ next: tell, error: () => {}, complete: () => {} }) ?? (() => {});
}

globalThis.__platformParts.CoreSession = CoreSession;
}
