// template_vm.h: the parts of a chat template's interpreter: values, text, memory, limits. Only template_*.c see it.
//
// Values are those of Python as far as a template can tell. All memory of a rendering comes from one list of blocks and is
// given back at its end; a step that fails leaves through tpl_fail, so nothing here has to be undone.
#pragma once
#include "rt_error.h"
#include "template.h"
#include "template_code.h"

#include <setjmp.h>
#include <time.h>

// What a template may use up before it is stopped.
enum {
    TPL_STEPS = 100 * 1000 * 1000, // an instruction is one, and so are 16 bytes that are looked at
    TPL_MEMORY = 256 << 20,        // bytes
    TPL_OUTPUT = 64 << 20,         // bytes of one text
    TPL_DEPTH = 100,               // macros in macros, filters in filters
    TPL_NESTING = 200,             // lists in lists
    TPL_STACK = 1 << 12,           // values under work in one function
    TPL_RANGE = 100000,            // numbers of a range(), as Jinja's sandbox allows
};

typedef enum TplType {
    TPL_ABSENT, // a slot nothing was stored in, an argument that was not given; never seen by a template
    TPL_UNDEFINED,
    TPL_NONE,
    TPL_BOOL,
    TPL_INT,
    TPL_FLOAT,
    TPL_STRING,
    TPL_LIST,
    TPL_TUPLE,
    TPL_DICT,
    TPL_VIEW, // what dict.items() gives: of a dict, not subscriptable
    TPL_RANGE_OF,
    TPL_ITERATOR, // what filters like map give: read once
    TPL_NAMESPACE,
    TPL_MACRO,
    TPL_METHOD, // of a value, not yet called
    TPL_FUNCTION,
    TPL_LOOP,
} TplType;

typedef struct TplText TplText;
typedef struct TplList TplList;
typedef struct TplDict TplDict;
typedef struct TplRange TplRange;
typedef struct TplIterator TplIterator;
typedef struct TplMacro TplMacro;
typedef struct TplMethod TplMethod;
typedef struct TplLoop TplLoop;

typedef struct TplValue {
    uint32_t type;
    uint32_t number; // FUNCTION: which; VIEW: TPL_KEYS ...
    union {
        bool truth;
        int64_t whole;
        double real;
        TplText *text; // STRING; UNDEFINED: what a message says of it, or NULL
        TplList *list; // LIST, TUPLE
        TplDict *dict; // DICT, VIEW, NAMESPACE
        TplRange *range;
        TplIterator *iterator;
        TplMacro *macro;
        TplMethod *method;
        TplLoop *loop;
    };
} TplValue;

enum { TPL_KEYS, TPL_VALUES, TPL_ITEMS };

// Bytes under construction; texts may point into it while it grows at its end.
typedef struct TplBuffer {
    uint8_t *at, *marks; // marks[i] 1: byte i came from the conversation; NULL: none did
    size_t bytes, cap;
    struct TplBuffer *outer; // of the one in which output is kept
} TplBuffer;

struct TplText {
    const uint8_t *at, *marks; // as in TplBuffer
    TplBuffer *buffer;         // what it lies in, or NULL
    uint32_t bytes;
    uint32_t count; // characters; TPL_UNCOUNTED until somebody asks
    bool markup;    // `safe`: what is added to it is escaped for HTML first
};
enum { TPL_UNCOUNTED = 0xffffffffu };

struct TplList {
    TplValue *at;
    uint32_t n;
};

typedef struct TplEntry {
    TplValue key, value;
    uint64_t hash;
} TplEntry;

struct TplDict { // in order of insertion
    TplEntry *at;
    uint32_t n, cap;
    uint32_t *slots; // [slot_mask + 1]: entry + 1, 0 free
    uint32_t slot_mask;
};

struct TplRange {
    int64_t start, step, stop;
    uint32_t n;
};

struct TplIterator {
    const TplList *list;
    uint32_t next;
};

typedef struct TplFrame {
    TplValue *slots;
    struct TplFrame *outer; // of the function this one stands in
    uint32_t function;
} TplFrame;

struct TplMacro {
    TplFrame *outer;
    uint32_t function;
};

struct TplMethod {
    TplValue of;
    int number; // TMETHOD_*, or -1: Python has it, this interpreter does not
    const TplText *name;
};

// A walk over anything that can be iterated.
typedef struct TplCursor {
    TplValue over;
    uint64_t next; // index; of a string: byte
} TplCursor;

struct TplLoop {
    TplCursor cursor;
    TplFrame *frame;
    uint32_t filter; // function + 1; 0: none
    int64_t index0;
    int64_t length; // -1: not asked for
    TplValue after, current, before;
    TplValue changed;
    struct TplLoop *outer;
};

typedef struct Tpl {
    const PkgTemplate *head;
    const uint8_t *code;
    const PkgFunction *functions;
    TplText **strings; // [head->strings], NULL until used
    TplDict *variables;
    TplBuffer *out;
    TplFrame *root;
    struct TplBlock *blocks;
    uint8_t *block_at, *block_end;
    size_t memory;
    int64_t steps;
    int depth;
    uint32_t at; // offset of the instruction that runs, for messages
    const struct tm *now;
    const uint8_t *ones; // [ones_bytes] all 1: the marks of texts of the conversation
    size_t ones_bytes;
    RtError *error;
    jmp_buf failed;
} Tpl;

// ---- template_memory.c
void *tpl_alloc(Tpl *t, size_t bytes);  // zeroed; fails where TPL_MEMORY is used up
void tpl_free_all(Tpl *t);
static inline void tpl_spend(Tpl *t, uint64_t steps);
_Noreturn void tpl_fail(Tpl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void tpl_refuse(Tpl *t, const TplText *why); // raise_exception
_Noreturn void tpl_out_of_steps(Tpl *t);

static inline void tpl_spend(Tpl *t, uint64_t steps)
{
    t->steps -= (int64_t)steps;
    if (t->steps < 0)
        tpl_out_of_steps(t);
}

// ---- template_text.c: text and buffers. A character is a code point, or one byte that is no UTF-8.
TplBuffer *tpl_buffer(Tpl *t, size_t room);
void tpl_put(Tpl *t, TplBuffer *b, const void *from, size_t bytes, const uint8_t *marks); // marks NULL: none
void tpl_put_text(Tpl *t, TplBuffer *b, const TplText *from);
void tpl_put_code(Tpl *t, TplBuffer *b, uint32_t code, uint8_t mark); // one code point
TplValue tpl_text_of(Tpl *t, TplBuffer *b);                           // all of it
TplValue tpl_string(Tpl *t, const char *from);
TplValue tpl_string_bytes(Tpl *t, const void *from, size_t bytes, const uint8_t *marks);
TplValue tpl_part(Tpl *t, const TplText *of, size_t from, size_t to); // bytes [from, to)
TplValue tpl_joined(Tpl *t, const TplText *left, const TplText *right);
int tpl_take(const uint8_t *at, size_t bytes, uint32_t *code); // bytes of the next character; a stray byte b is 0xdc00 + b
uint32_t tpl_count(Tpl *t, TplText *of);                       // characters
size_t tpl_offset(Tpl *t, TplText *of, uint64_t index);        // of the character at an index; its bytes where it is over the end
int64_t tpl_find(Tpl *t, const TplText *in, const TplText *what, size_t from, size_t to); // byte offset, -1: not there
int64_t tpl_find_last(Tpl *t, const TplText *in, const TplText *what, size_t from, size_t to);
bool tpl_text_equal(const TplText *a, const TplText *b);
bool tpl_text_is(const TplText *a, const char *b);
bool tpl_is_space(uint32_t code);
TplValue tpl_strip(Tpl *t, const TplText *of, const TplText *chars, bool left, bool right); // chars NULL: whitespace
TplValue tpl_escaped(Tpl *t, const TplText *of); // for HTML
TplValue tpl_replaced(Tpl *t, const TplText *in, const TplText *old, const TplText *with, int64_t most);

// ---- template_case.c
enum TplCase { TPL_LOWER, TPL_UPPER, TPL_TITLE };
TplValue tpl_cased(Tpl *t, const TplText *of, enum TplCase as);
TplValue tpl_capitalized(Tpl *t, const TplText *of); // the first character as a title, the others lower
bool tpl_is_cased(uint32_t code);                     // it has another case
bool tpl_is_printable(uint32_t code);                 // as str.isprintable

// ---- template_value.c
static inline TplValue tpl_none(void) { return (TplValue){ .type = TPL_NONE }; }
static inline TplValue tpl_bool(bool truth) { return (TplValue){ .type = TPL_BOOL, .truth = truth }; }
static inline TplValue tpl_int(int64_t whole) { return (TplValue){ .type = TPL_INT, .whole = whole }; }
static inline TplValue tpl_float(double real) { return (TplValue){ .type = TPL_FLOAT, .real = real }; }
TplValue tpl_undefined(Tpl *t, const char *why);
TplValue tpl_list(Tpl *t, uint32_t n, TplType type); // LIST or TUPLE of n absent values
TplValue tpl_iterator(Tpl *t, TplValue list);
bool tpl_truth(TplValue v);
bool tpl_equal(Tpl *t, TplValue a, TplValue b);
bool tpl_less(Tpl *t, TplValue a, TplValue b, bool or_equal); // fails where Python has no order
bool tpl_contains(Tpl *t, TplValue in, TplValue what);
bool tpl_compare(Tpl *t, uint32_t how, TplValue a, TplValue b); // TCMP_*
bool tpl_is_whole(TplValue v);  // int or bool; tpl_whole then gives it
int64_t tpl_whole(TplValue v);
bool tpl_is_number(TplValue v);
double tpl_real(TplValue v);
const char *tpl_type_name(TplValue v);
_Noreturn void tpl_fail_undefined(Tpl *t, TplValue v);
void tpl_want_defined(Tpl *t, TplValue v); // fails with what the value is where it is undefined

// ---- template_dict.c
TplDict *tpl_dict_new(Tpl *t, uint32_t room);
TplValue *tpl_dict_find(Tpl *t, const TplDict *d, TplValue key); // NULL: not there. Fails for a key without a hash
TplValue *tpl_dict_find_text(Tpl *t, const TplDict *d, const char *key);
void tpl_dict_set(Tpl *t, TplDict *d, TplValue key, TplValue value);
bool tpl_has_hash(TplValue v);

// ---- template_walk.c: items, attributes, iteration
bool tpl_can_iterate(TplValue v);
TplCursor tpl_walk(Tpl *t, TplValue over); // fails where it cannot
bool tpl_next(Tpl *t, TplCursor *c, TplValue *item);
int64_t tpl_length(Tpl *t, TplValue of); // -1: it has none
TplValue tpl_items(Tpl *t, TplValue of); // a new list of all
TplValue tpl_attribute(Tpl *t, TplValue of, const TplText *name);
TplValue tpl_item(Tpl *t, TplValue of, TplValue key);
TplValue tpl_slice(Tpl *t, TplValue of, TplValue start, TplValue stop, TplValue step);
TplValue tpl_path(Tpl *t, TplValue of, TplValue path, TplValue otherwise); // "a.b.0": names and numbers; where a step finds
                                                                           // nothing, `otherwise` unless that is none

// ---- template_math.c
TplValue tpl_math(Tpl *t, int op, TplValue a, TplValue b); // TOP_ADD to TOP_POWER
TplValue tpl_negated(Tpl *t, TplValue v);
bool tpl_text_to_int(const TplText *text, int base, int64_t *out);
bool tpl_text_to_float(const TplText *text, double *out);

// ---- template_print.c
void tpl_print(Tpl *t, TplBuffer *to, TplValue v); // str(v)
TplValue tpl_str(Tpl *t, TplValue v);              // a string as it is, else str(v)
void tpl_print_float(Tpl *t, TplBuffer *to, double real);

// ---- template_json.c, template_json_read.c
void tpl_write_json(Tpl *t, TplBuffer *to, TplValue v, bool ascii, TplValue indent, TplValue separators, bool sorted);
TplValue tpl_read_json(Tpl *t, const char *text, const char *what); // strings are marked as of the conversation

// ---- template_filters.c, template_lists.c, template_tests.c, template_methods.c, template_call.c
TplValue tpl_filter(Tpl *t, uint32_t number, TplValue v, const TplValue *args, uint32_t n);
TplValue tpl_list_filter(Tpl *t, uint32_t number, TplValue v, const TplValue *args, uint32_t n);
void tpl_sort(Tpl *t, TplList *values, const TplValue *keys, bool reversed); // stable; keys[values->n]
bool tpl_test(Tpl *t, uint32_t number, TplValue v, const TplValue *args, uint32_t n);
TplValue tpl_method(Tpl *t, const TplMethod *m, const TplValue *args, uint32_t n);
TplValue tpl_find_method(Tpl *t, TplValue of, const TplText *name); // absent: Python has no such attribute
TplValue tpl_call(Tpl *t, TplValue callee, const TplValue *args, uint32_t n, uint32_t pairs);
TplValue tpl_format(Tpl *t, const TplText *format, const TplValue *args, uint32_t n, const TplDict *named);
TplValue tpl_lines(Tpl *t, const TplText *in, bool keep); // str.splitlines

// ---- template_loop.c
TplLoop *tpl_loop(Tpl *t, TplValue over, TplFrame *frame, uint32_t filter);
bool tpl_loop_next(Tpl *t, TplLoop *loop, TplValue *item);
int64_t tpl_loop_length(Tpl *t, TplLoop *loop);
TplValue tpl_loop_attribute(Tpl *t, TplLoop *loop, const TplText *name); // absent: it has no such one

// ---- template_names.c
TplText *tpl_const(Tpl *t, uint32_t number);
TplFrame *tpl_frame(Tpl *t, uint32_t function, TplFrame *outer);
TplValue tpl_global(Tpl *t, TplText *name); // absent: there is none
TplValue tpl_undefined_name(Tpl *t, const TplText *name);
TplValue tpl_loaded(Tpl *t, const TplFrame *frame, const TplValue *at); // a slot's value, undefined where it is absent

// ---- template_run.c
TplValue tpl_run(Tpl *t, TplFrame *frame); // a function whose parameters are in their slots
