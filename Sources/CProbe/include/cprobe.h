#pragma once

// System calls as they are, for the tests of the sandbox. Results are the kernel's: an errno value is negative.

long chp_call(long number, const long arguments[6]);

/// The same by the gate of 32-bit programs, with their numbers. -1 on other machines than x86.
long chp_call_i386(long number);

/// Has a process whose loop waits (epoll_wait) make another system call, as code that was smuggled into it would: by
/// ptrace, for which root is needed. 0, or an errno value; EAGAIN: it does not wait now; ENOSYS on other machines than
/// x86-64.
int chp_make_foreign_call(int process, long number, const long arguments[3]);

/// Has the main thread of another process go on at address 0, where nothing is. 0 or an errno value.
int chp_make_foreign_fault(int process);
