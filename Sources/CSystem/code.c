#define _GNU_SOURCE
#include "csystem.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

static int unmap_object(struct dl_phdr_info *object, size_t size, void *page_size) {
    (void)size;
    const uintptr_t page = *(const uintptr_t *)page_size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W) != 0) {
            continue;
        }
        const uintptr_t start = (object->dlpi_addr + part->p_vaddr) / page * page;
        const uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) / page * page;
        // What fails stays as it was.
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void chs_unmap_code(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(unmap_object, &page);
}
