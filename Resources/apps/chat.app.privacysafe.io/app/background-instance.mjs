// Chat: a folder per conversation in local storage, in it conversation.json and messages/<number>.json.
// Numbers count from 1 in each conversation; what is in memory is an index.

const contactsApp = 'contacts.app.privacysafe.io';
const folderOf = id => `conversations/${id}`;
const fileOf = (id, number) => `${folderOf(id)}/messages/${String(number).padStart(10, '0')}.json`;

const me = await w3n.mailerid.getUserId();
const files = await w3n.storage.getAppLocalFS();
const watchers = new Set();
const conversations = await readConversations();
await w3n.log('info', `${conversations.size} conversations`);

async function readConversations() {
    await files.makeFolder('conversations');
    const read = new Map();
    for (const { name: id } of await files.listFolder('conversations')) {
        try {
            if (await files.checkFilePresence(`${folderOf(id)}/conversation.json`)) {
                read.set(id, await readConversation(id));
            } else {
                await files.deleteFolder(folderOf(id), true);  // its start was never answered
            }
        } catch (exception) {
            await w3n.log('error', `conversations/${id} is left out: ${exception.message}`);
        }
    }
    return read;
}

async function readConversation(id) {
    const conversation = await files.readJSONFile(`${folderOf(id)}/conversation.json`);
    const lastFile = (await files.listFolder(`${folderOf(id)}/messages`)).at(-1)?.name;
    const last = lastFile && await files.readJSONFile(`${folderOf(id)}/messages/${lastFile}`);
    return { ...conversation, lastNumber: last?.number ?? 0, activeAt: last?.sentAt ?? conversation.startedAt };
}

const failure = (flag, message, fields) =>
    ({ runtimeException: true, type: 'chat', [flag]: true, message, ...fields });

/** Changes one after the other, so that messages have the order of their numbers. */
let lastChange = Promise.resolve();
function inOrder(change) {
    const result = lastChange.then(change);
    lastChange = result.catch(() => {});  // its caller has the exception
    return result;
}

/** One connection to Contacts, made anew when that component has ended meanwhile. */
let contacts;
async function contactWith(id) {
    for (let attempt = 1; ; attempt += 1) {
        contacts ??= w3nRPC.connect(w3n.rpc.otherAppsRPC(contactsApp, 'AppContacts'));
        try {
            return await contacts.call('get', id);
        } catch (exception) {
            if (exception.type === 'rpc') { contacts = undefined; }
            if (!exception.connectionClosed || attempt === 2) { throw exception; }
        }
    }
}

function conversationWith(id) {
    const conversation = conversations.get(id);
    if (!conversation) {
        throw failure('conversationNotFound', `no conversation ${JSON.stringify(id)}; list them for ids`, { id });
    }
    return conversation;
}

function checkedText(text) {
    if (typeof text === 'string' && text.trim() !== '' && text.length <= 10_000) { return text; }
    throw failure('badMessage', 'a message is a string of 1 to 10000 characters that are not all blank');
}

w3nRPC.serve('ChatConversations', {
    /** Starts a conversation with contacts, whose names are looked up in Contacts. */
    start: async (contactIds, title = '') => {
        if (!Array.isArray(contactIds) || contactIds.length === 0) {
            throw failure('badConversation', `members are ${JSON.stringify(contactIds)}; give a list of contact ids`);
        }
        if (typeof title !== 'string') { throw failure('badConversation', 'the title is no string; give one or none'); }
        const members = [];
        for (const id of new Set(contactIds)) {
            const { name, mail } = await contactWith(id);
            members.push({ id, name, mail });
        }
        const id = crypto.randomUUID();
        const startedAt = Date.now();
        const names = members.map(({ name }) => name).join(', ');
        const conversation = { id, title: title.trim() || names, members, startedAt };
        await files.makeFolder(`${folderOf(id)}/messages`);
        await files.writeJSONFile(`${folderOf(id)}/conversation.json`, conversation);
        conversations.set(id, { ...conversation, lastNumber: 0, activeAt: startedAt });
        return conversations.get(id);
    },

    /** All conversations, the one with the newest message first. */
    list: async () => [...conversations.values()].sort((a, b) => b.activeAt - a.activeAt || a.id.localeCompare(b.id)),

    send: (conversationId, text) => inOrder(async () => {
        const conversation = conversationWith(conversationId);
        const number = conversation.lastNumber + 1;
        const message = { conversationId, number, from: me, text: checkedText(text), sentAt: Date.now() };
        await files.writeJSONFile(fileOf(conversationId, number), message);
        Object.assign(conversation, { lastNumber: number, activeAt: message.sentAt });
        for (const watcher of watchers) { watcher.next(message); }
        return message;
    }),

    /** Up to `limit` messages with numbers above `after`, in order. */
    messages: async (conversationId, { after = 0, limit = 100 } = {}) => {
        const { lastNumber } = conversationWith(conversationId);
        if (!Number.isSafeInteger(after) || !Number.isSafeInteger(limit) || after < 0 || limit < 1 || limit > 1000) {
            throw failure('badRange', `no range after ${after}, limit ${limit}; give whole numbers, limit 1 to 1000`);
        }
        const length = Math.max(0, Math.min(limit, lastNumber - after));
        const numbers = Array.from({ length }, (_, i) => after + 1 + i);
        return Promise.all(numbers.map(number => files.readJSONFile(fileOf(conversationId, number))));
    },
}, {
    observables: {
        /** Each message from now on, of all conversations. */
        watchMessages: observer => {
            watchers.add(observer);
            return () => watchers.delete(observer);
        },
    },
});
