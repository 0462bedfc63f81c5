#pragma once

// Domain names by ICU, which the JavaScript engine brings along. Its own headers rename every function to one of the
// version at hand, so they are used in C alone.

#include <stdint.h>

/// "Domain to ASCII" of the URL Standard, not strict: UTS #46 processing without transitional mapping, with the checks
/// for bidirectional text and joiners, without those for hyphens, lengths and STD3.
///
/// Gives the number of units of the result, which is written if it is at most `room`; -1 when the domain is not valid.
/// Any thread may call.
int32_t chi_domain_to_ascii(const uint16_t *domain, int32_t count, uint16_t *ascii, int32_t room);
