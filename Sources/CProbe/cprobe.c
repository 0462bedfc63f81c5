#define _GNU_SOURCE
#include "cprobe.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

long chp_call(long number, const long arguments[6]) {
    long result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    return result == -1 ? -errno : result;
}

long chp_call_i386(long number) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number) : "memory");
    return result;
#else
    (void)number;
    return -1;
#endif
}

int chp_make_foreign_call(int process, long number, const long arguments[3]) {
#ifdef __x86_64__
    enum { instruction_length = 2 };
    struct user_regs_struct registers;
    int error = 0;
    if (ptrace(PTRACE_ATTACH, process, NULL, NULL) != 0) {
        return errno;
    }
    waitpid(process, NULL, __WALL);
    if (ptrace(PTRACE_GETREGS, process, NULL, &registers) != 0) {
        error = errno;
    } else if (registers.orig_rax != SYS_epoll_wait && registers.orig_rax != SYS_epoll_pwait) {
        error = EAGAIN;
    } else {
        // It stands behind the instruction of the call that it waits in: back to it, with another number.
        registers.rip -= instruction_length;
        registers.orig_rax = (unsigned long long)-1;
        registers.rax = (unsigned long long)number;
        registers.rdi = (unsigned long long)arguments[0];
        registers.rsi = (unsigned long long)arguments[1];
        registers.rdx = (unsigned long long)arguments[2];
        error = ptrace(PTRACE_SETREGS, process, NULL, &registers) == 0 ? 0 : errno;
    }
    ptrace(PTRACE_DETACH, process, NULL, NULL);
    return error;
#else
    (void)process;
    (void)number;
    (void)arguments;
    return ENOSYS;
#endif
}

int chp_make_foreign_fault(int process) {
#ifdef __x86_64__
    struct user_regs_struct registers;
    int error = 0;
    if (ptrace(PTRACE_ATTACH, process, NULL, NULL) != 0) {
        return errno;
    }
    waitpid(process, NULL, __WALL);
    if (ptrace(PTRACE_GETREGS, process, NULL, &registers) != 0) {
        error = errno;
    } else {
        registers.rip = 0;
        registers.orig_rax = (unsigned long long)-1;
        error = ptrace(PTRACE_SETREGS, process, NULL, &registers) == 0 ? 0 : errno;
    }
    ptrace(PTRACE_DETACH, process, NULL, NULL);
    return error;
#else
    (void)process;
    return ENOSYS;
#endif
}
