#pragma once

#include <signal.h>
#include <stdatomic.h>

/// A message is on its way through the descriptor that signal handlers report on: nothing may go between.
extern atomic_int chf_channel_is_busy;

/// The handler of fatal signals: tells where this one came from, then has it do what it does by default.
void chf_die(int number, siginfo_t *info, void *context);
