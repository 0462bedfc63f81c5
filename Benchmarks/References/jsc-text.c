// Reference for texts: what the engine's own C API takes to give 1 MiB of text as UTF-8 and to take it back, a plain copy
// beside it.
//
//   jsc-text    for ascii and mixed: encode_<name>_p50_ns (the string's UTF-8, copied once more into new memory),
//               decode_<name>_p50_ns (a string of the bytes, copied once before)

#include "measure.h"

#include <JavaScriptCore/JavaScript.h>

enum { rounds = 60 };

static void measure(JSContextRef context, const char *name, const char *script) {
    static uint64_t encode[rounds], decode[rounds];
    char label[64];
    JSStringRef source = JSStringCreateWithUTF8CString(script);
    JSValueRef value = JSEvaluateScript(context, source, NULL, NULL, 1, NULL);
    JSStringRelease(source);
    JSValueProtect(context, value);
    for (int i = 0; i < rounds; i++) {
        uint64_t start = now_ns();
        JSStringRef text = JSValueToStringCopy(context, value, NULL);
        size_t room = JSStringGetMaximumUTF8CStringSize(text);
        char *bytes = take(room);
        size_t size = JSStringGetUTF8CString(text, bytes, room);
        char *copy = take(size);
        memcpy(copy, bytes, size);
        JSStringRelease(text);
        free(bytes);
        encode[i] = now_ns() - start;

        start = now_ns();
        char *again = take(size);
        memcpy(again, copy, size);
        text = JSStringCreateWithUTF8CString(again);
        JSValueRef back = JSValueMakeString(context, text);
        JSStringRelease(text);
        free(again);
        decode[i] = now_ns() - start;
        free(copy);
        if (!JSValueIsStrictEqual(context, back, value)) {
            fprintf(stderr, "%s came back changed\n", name);
            exit(1);
        }
    }
    snprintf(label, sizeof label, "encode_%s", name);
    print_percentiles(label, encode, rounds);
    snprintf(label, sizeof label, "decode_%s", name);
    print_percentiles(label, decode, rounds);
}

int main(void) {
    JSGlobalContextRef context = JSGlobalContextCreate(NULL);
    measure(context, "ascii", "'text of 16 chars'.repeat(1 << 16)");
    measure(context, "mixed", "'a\\u65e5\\u672c text '.repeat(80660)");
    JSGlobalContextRelease(context);
    return 0;
}
