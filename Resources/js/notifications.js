// What components tell the user: a line in the log and a place in a list, until it is removed or newer ones push it
// out.
'use strict';
{

const maxPerApp = 100;
const maxTitle = 200;
const maxBody = 2000;

const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

function notificationException(flag, message) {
    return { runtimeException: true, type: 'notification', [flag]: true, message };
}

class Notifications {
    #lastId = 0;
    #ofApps = new Map();        // app domain → Map of id → {id, title, body, focusAppWindow, time}
    #observers = new Map();     // app domain → Set of observers

    clear() {
        this.#ofApps.clear();
        for (const observers of this.#observers.values()) {
            for (const observer of [...observers]) { observer.complete?.(); }
        }
        this.#observers.clear();
    }

    counts() { return { notifications: [...this.#ofApps.values()].reduce((sum, { size }) => sum + size, 0) }; }

    /** `w3n.shell.userNotifications` of a component. Those of an app's components are one list. */
    capFor({ appDomain, entrypoint }) {
        return {
            addNotification: async options => this.#add(appDomain, entrypoint, options),
            removeNotification: async id => this.#remove(appDomain, id),
            listNotifications: async () => [...this.#ofApps.get(appDomain)?.values() ?? []],
            watch: observer => {
                const observers = this.#observers.get(appDomain) ?? new Set();
                this.#observers.set(appDomain, observers.add(observer));
                return () => {
                    observers.delete(observer);
                    if (observers.size === 0 && this.#observers.get(appDomain) === observers) {
                        this.#observers.delete(appDomain);
                    }
                };
            },
        };
    }

    #add(appDomain, entrypoint, { title = '', body = '', focusAppWindow = false } = {}) {
        if (typeof title !== 'string' || typeof body !== 'string' || title + body === '') {
            throw notificationException('badNotification', 'a notification needs a "title" or a "body", texts both');
        }
        this.#lastId += 1;
        const notification = {
            id: this.#lastId, title: cut(title, maxTitle), body: cut(body, maxBody),
            focusAppWindow: focusAppWindow === true, time: Date.now(),
        };
        const list = this.#ofApps.get(appDomain) ?? new Map();
        this.#ofApps.set(appDomain, list.set(notification.id, notification));
        if (list.size > maxPerApp) { this.#remove(appDomain, list.keys().next().value); }
        const words = [notification.title, notification.body].filter(text => text !== '').join(': ');
        console.info(`${appDomain}${entrypoint} notifies the user: ${words}`);
        this.#tell(appDomain, { type: 'shown', notificationId: notification.id });
        return notification.id;
    }

    #remove(appDomain, id) {
        const list = this.#ofApps.get(appDomain);
        if (!list?.delete(id)) { return; }
        if (list.size === 0) { this.#ofApps.delete(appDomain); }
        this.#tell(appDomain, { type: 'closed', notificationId: id });
    }

    #tell(appDomain, event) {
        for (const observer of [...this.#observers.get(appDomain) ?? []]) { observer.next?.(event); }
    }
}

Object.assign(globalThis.__platformParts, { Notifications });
}
