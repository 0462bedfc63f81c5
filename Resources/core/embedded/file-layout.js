// What a file under way is made of: sections of new bytes, of the old content, and of gaps, which are zeros.
'use strict';
{

const { fileException } = globalThis.__embeddedCore;

/** Sections of a layout, bytes of a file, and bytes of its gaps, at most. */
const mostSections = 65_536;
const mostBytes = 2 ** 40;
const mostGapBytes = 2 ** 30;

/** Whether `next` goes on where `section` ends. */
const continues = (section, next) => section.src === next.src
    && (section.src === 'empty' || section.ofs + section.len === next.ofs);

class FileLayout {
    size = 0;
    sections = [];
    #gaps = 0;

    /** Begins with the whole of an old content of that size, if there is one. */
    constructor(baseSize = 0) {
        this.#insert(0, { src: 'base', ofs: 0, len: baseSize });
    }

    /** Refuses `added` bytes at `position` when the file, its gaps or its parts would be too many. */
    requireRoom(path, position, added) {
        const gap = Math.max(0, position - this.size);
        if (Math.max(position, this.size) + added > mostBytes) {
            throw fileException('EFBIG', path, `would be longer than ${mostBytes} bytes`);
        }
        if (this.#gaps + gap > mostGapBytes) {
            throw fileException('EFBIG', path, `would have gaps of more than ${mostGapBytes} bytes`);
        }
        if (this.sections.length + 2 > mostSections) {
            throw fileException('EFBIG', path, `has ${mostSections} parts; complete this sink and open another`);
        }
    }

    /** Deletes `del` bytes at `position`, behind the end after a gap, and puts `len` new bytes there, from `ofs` on. */
    splice(position, del, ofs, len) {
        this.#grow(position);
        this.#remove(position, Math.min(this.size, position + del));
        this.#insert(position, { src: 'new', ofs, len });
    }

    truncate(size) {
        this.#grow(size);
        this.#remove(size, this.size);
    }

    /** Whether it is new bytes alone, in the order in which they came. */
    isNewFromStart(length) {
        if (this.size !== length) { return false; }
        const [first, ...more] = this.sections;
        return !first || (more.length === 0 && first.src === 'new' && first.ofs === 0);
    }

    /** `{base?, sections: [{src, ofs, len}]}`; gaps have their place in the file as `ofs`. */
    show(base) {
        let place = 0;
        const sections = this.sections.map(({ src, ofs, len }) => {
            place += len;
            return { src, ofs: src === 'empty' ? place - len : ofs, len };
        });
        return base === undefined ? { sections } : { base, sections };
    }

    #grow(size) {
        if (size > this.size) { this.#insert(this.size, { src: 'empty', ofs: 0, len: size - this.size }); }
    }

    /** Index of the section that begins at `position`, which is cut there if need be. */
    #cut(position) {
        let start = this.size;
        for (let i = this.sections.length; i > 0; i -= 1) {
            if (position === start) { return i; }
            const section = this.sections[i - 1];
            start -= section.len;
            if (position > start) {
                const head = position - start;
                const { src, ofs, len } = section;
                this.sections.splice(i - 1, 1, { src, ofs, len: head },
                    { src, ofs: src === 'empty' ? 0 : ofs + head, len: len - head });
                return i;
            }
        }
        return 0;
    }

    #remove(from, to) {
        if (from >= to) { return; }
        const first = this.#cut(from);
        const removed = this.sections.splice(first, this.#cut(to) - first);
        for (const { src, len } of removed) { if (src === 'empty') { this.#gaps -= len; } }
        this.size -= to - from;
        this.#join(first);
    }

    #insert(position, section) {
        if (section.len === 0) { return; }
        const index = this.#cut(position);
        this.sections.splice(index, 0, section);
        this.size += section.len;
        if (section.src === 'empty') { this.#gaps += section.len; }
        this.#join(index + 1);
        this.#join(index);
    }

    /** Makes one of the sections on both sides of a border, where the second goes on with the first. */
    #join(index) {
        const [before, after] = [this.sections[index - 1], this.sections[index]];
        if (!before || !after || !continues(before, after)) { return; }
        this.sections.splice(index - 1, 2, { ...before, len: before.len + after.len });
    }
}

Object.assign(globalThis.__embeddedCore, { FileLayout });
}
