#pragma once

#include <JavaScriptCore/JavaScript.h>

#include <stdbool.h>
#include <stddef.h>

// What JavaScriptCoreGTK exports without a header. Weak, so that a build without one of them still loads; each
// wrapper says whether the engine had it.

typedef bool (*chj_should_terminate)(JSContextRef ctx, void *context);

extern void _ZN3WTF20initializeMainThreadEv(void) __attribute__((weak));
extern void JSContextGroupSetExecutionTimeLimit(JSContextGroupRef group, double limit, chj_should_terminate callback,
                                                void *context) __attribute__((weak));
extern JSObjectRef JSGetMemoryUsageStatistics(JSContextRef ctx) __attribute__((weak));
extern void JSSynchronousGarbageCollectForDebugging(JSContextRef ctx) __attribute__((weak));
extern void JSGlobalContextSetUnhandledRejectionCallback(JSGlobalContextRef ctx, JSObjectRef function,
                                                         JSValueRef *exception) __attribute__((weak));
extern JSObjectRef JSObjectGetProxyTarget(JSObjectRef object) __attribute__((weak));
extern JSStringRef JSContextCreateBacktrace(JSContextRef ctx, unsigned maxStackSize) __attribute__((weak));

/// `WTF::initializeMainThread()`: the calling thread becomes the one whose GLib context runs the collector's timers.
static inline bool chj_initialize_main_thread(void) {
    if (_ZN3WTF20initializeMainThreadEv == NULL) {
        return false;
    }
    _ZN3WTF20initializeMainThreadEv();
    return true;
}

/// `limit` in seconds.
static inline bool chj_set_execution_time_limit(JSContextGroupRef group, double limit, chj_should_terminate callback,
                                                void *context) {
    if (JSContextGroupSetExecutionTimeLimit == NULL) {
        return false;
    }
    JSContextGroupSetExecutionTimeLimit(group, limit, callback, context);
    return true;
}

/// An object with `heapSize`, `heapCapacity`, `extraMemorySize`, `objectCount` …; NULL where the engine has it not.
static inline JSObjectRef chj_memory_statistics(JSContextRef ctx) {
    return JSGetMemoryUsageStatistics == NULL ? NULL : JSGetMemoryUsageStatistics(ctx);
}

static inline bool chj_collect_synchronously(JSContextRef ctx) {
    if (JSSynchronousGarbageCollectForDebugging == NULL) {
        return false;
    }
    JSSynchronousGarbageCollectForDebugging(ctx);
    return true;
}

static inline bool chj_set_unhandled_rejection_callback(JSGlobalContextRef ctx, JSObjectRef function) {
    if (JSGlobalContextSetUnhandledRejectionCallback == NULL) {
        return false;
    }
    JSGlobalContextSetUnhandledRejectionCallback(ctx, function, NULL);
    return true;
}

/// The JavaScript stack, innermost frame first; to be released by the caller; NULL where the engine has it not.
static inline JSStringRef chj_backtrace(JSContextRef ctx, unsigned frames) {
    return JSContextCreateBacktrace == NULL ? NULL : JSContextCreateBacktrace(ctx, frames);
}

/// Whether the object is a `Proxy` that was not revoked; false where the engine does not tell.
static inline bool chj_is_proxy(JSObjectRef object) {
    return JSObjectGetProxyTarget != NULL && JSObjectGetProxyTarget(object) != NULL;
}

extern unsigned jsc_get_major_version(void) __attribute__((weak));
extern unsigned jsc_get_minor_version(void) __attribute__((weak));
extern unsigned jsc_get_micro_version(void) __attribute__((weak));

/// Version of the library that is loaded. Declared in <jsc/jsc.h>, which would bring all of GObject along.
static inline bool chj_version(unsigned *major, unsigned *minor, unsigned *micro) {
    if (jsc_get_major_version == NULL || jsc_get_minor_version == NULL || jsc_get_micro_version == NULL) {
        return false;
    }
    *major = jsc_get_major_version();
    *minor = jsc_get_minor_version();
    *micro = jsc_get_micro_version();
    return true;
}
