// template_code.h: the bytecode of a chat template: what compiler/chat writes and runtime/template_*.c runs.
#pragma once
#include <stdint.h>

// ---- the section PKG_TEMPLATE -------------------------------------------------------------------------------------

enum { TEMPLATE_VERSION = 1 };

// Offsets count from the start of this struct; arrays of words lie at multiples of 4.
typedef struct PkgTemplate {
    uint32_t version;
    uint32_t strings, string_at;     // uint32_t[strings + 1]: where each string begins in text
    uint32_t text_at, text_bytes;    // UTF-8
    uint32_t functions, function_at; // PkgFunction[functions]; the first is the template itself
    uint32_t ints, int_at;           // uint32_t[ints]: parameter and slot names of the functions, as string numbers
    uint32_t code_at, code_bytes;
    uint32_t line_at, lines;         // PkgLine[lines], by code offset
    uint32_t globals, global_at;     // uint32_t[2 * globals]: name and text of a variable that the model gives (bos_token)
    uint32_t source_at, source_bytes; // where the template came from, for people
} PkgTemplate;

typedef struct PkgFunction {
    uint32_t code, code_bytes; // from the start of the code
    uint32_t outer;            // the function it stands in
    uint32_t slots;            // of its frame; parameters come first
    uint32_t parameters;       // named ones; behind them in this order, where flags say so: caller, kwargs, varargs
    uint32_t flags;            // FUNCTION_*
    uint32_t name;             // string number + 1; 0: none
    uint32_t first_int;        // in ints: names of parameters and then of all other slots
} PkgFunction;

enum { FUNCTION_CALLER = 1, FUNCTION_KWARGS = 2, FUNCTION_VARARGS = 4 };

typedef struct PkgLine {
    uint32_t code, line; // code from this offset on comes from this line of the template
} PkgLine;

// ---- instructions -------------------------------------------------------------------------------------------------

// One byte, then its operands, each a LEB128 number. S: string number, L: slot, D: how many functions outward,
// J: code offset, N: a count. The comment says what is taken from the stack and what is left there, top at the right.
#define TEMPLATE_OPS(OP) \
    OP(TEXT, "S")        /* : writes a string */ \
    OP(PRINT, "")        /* x : writes str(x) */ \
    OP(STRING, "S")      /* : string */ \
    OP(INT, "N")         /* : int, zigzag */ \
    OP(FLOAT, "S")       /* : float, from its text */ \
    OP(NONE, "")         /* : none */ \
    OP(TRUE, "")         /* : true */ \
    OP(FALSE, "")        /* : false */ \
    OP(UNDEFINED, "S")   /* : undefined; the string says why */ \
    OP(ABSENT, "")       /* : an argument that was not given */ \
    OP(GLOBAL, "S")      /* : the variable of that name, or undefined */ \
    OP(GLOBAL_RAW, "S")  /* : the same, absent where there is none */ \
    OP(LOAD, "L")        /* : slot, undefined where it is absent */ \
    OP(LOAD_RAW, "L")    /* : slot as it is */ \
    OP(LOAD_OUTER, "DL") /* : slot of a function further out */ \
    OP(LOAD_OUTER_RAW, "DL") \
    OP(STORE, "L")       /* x : */ \
    OP(CLEAR, "L")       /* : slot is absent */ \
    OP(ATTRIBUTE, "S")   /* x : x.name */ \
    OP(ITEM, "")         /* x key : x[key] */ \
    OP(SLICE, "")        /* x start stop step : x[start:stop:step] */ \
    OP(SET_ATTRIBUTE, "S") /* value namespace : */ \
    OP(LIST, "N")        /* N values : list */ \
    OP(TUPLE, "N")       /* N values : tuple */ \
    OP(DICT, "N")        /* N keys and values : dict */ \
    OP(UNPACK, "N")      /* x : its N items, the first on top */ \
    OP(POP, "")          /* x : */ \
    OP(NIP, "")          /* x y : y */ \
    OP(NOT, "")          /* x : bool */ \
    OP(NEGATE, "")       /* x : -x */ \
    OP(PLUS, "")         /* x : +x */ \
    OP(ADD, "")          /* x y : x + y, and so on */ \
    OP(SUBTRACT, "") \
    OP(MULTIPLY, "") \
    OP(DIVIDE, "") \
    OP(FLOOR_DIVIDE, "") \
    OP(MODULO, "") \
    OP(POWER, "") \
    OP(CONCAT, "N")      /* N values : str of each, joined */ \
    OP(COMPARE, "N")     /* x y : bool; N is a TEMPLATE_COMPARE */ \
    OP(CHAIN, "N")       /* x y : y bool */ \
    OP(JUMP, "J") \
    OP(JUMP_FALSE, "J")  /* x : */ \
    OP(FALSE_OR_POP, "J") /* x : x and jump where x is false, else nothing */ \
    OP(TRUE_OR_POP, "J") \
    OP(JUMP_GIVEN, "JL") /* : jump where the slot is not absent */ \
    OP(FILTER, "NN")     /* x args : filter N1 with N2 arguments */ \
    OP(TEST, "NN")       /* x args : bool */ \
    OP(CALL, "NN")       /* callee args kwargs : result; N1 positional ones, N2 pairs of name and value */ \
    OP(FUNCTION, "N")    /* : macro of function N */ \
    OP(LOOP, "")         /* x : begins a loop over x */ \
    OP(LOOP_FILTER, "N") /* x : the same, over the items for which function N returns true */ \
    OP(NEXT, "J")        /* : next item; at the end the loop is left and it jumps */ \
    OP(LOOP_VALUE, "")   /* : the innermost loop */ \
    OP(LEAVE, "")        /* : leaves the innermost loop */ \
    OP(CAPTURE, "")      /* : output is kept from here on */ \
    OP(CAPTURED, "")     /* : the output kept, as a string */ \
    OP(RETURN, "")       /* x : the function returns x */ \
    OP(END, "")          /* : the template ends */

#define TEMPLATE_OP_ENUM(name, operands) TOP_##name,
enum TemplateOp { TEMPLATE_OPS(TEMPLATE_OP_ENUM) TEMPLATE_OP_COUNT };
#undef TEMPLATE_OP_ENUM

enum TemplateCompare { TCMP_EQ, TCMP_NE, TCMP_LT, TCMP_LE, TCMP_GT, TCMP_GE, TCMP_IN, TCMP_NOT_IN };

// ---- names --------------------------------------------------------------------------------------------------------

// Filters: name, names of the parameters, how many of these are needed. The arguments of one that is called always
// stand in this order, TOP_ABSENT where one is not given. MAP's come as: the number of a filter, then its arguments;
// those of SELECT and REJECT as: the number of a test or -1, then its arguments; of *ATTR: the attribute before that.
#define TEMPLATE_FILTERS(F) \
    F(ABS, "abs", "", 0) \
    F(CAPITALIZE, "capitalize", "", 0) \
    F(DEFAULT, "default", "default_value boolean", 0) \
    F(DICTSORT, "dictsort", "case_sensitive by reverse", 0) \
    F(ESCAPE, "escape", "", 0) \
    F(FIRST, "first", "", 0) \
    F(FLOAT, "float", "default", 0) \
    F(INDENT, "indent", "width first blank", 0) \
    F(INT, "int", "default base", 0) \
    F(ITEMS, "items", "", 0) \
    F(JOIN, "join", "d attribute", 0) \
    F(LAST, "last", "", 0) \
    F(LENGTH, "length", "", 0) \
    F(LIST, "list", "", 0) \
    F(LOWER, "lower", "", 0) \
    F(MAP, "map", "", 0) \
    F(MAP_ATTRIBUTE, " map attribute", "attribute default", 1) \
    F(MAX, "max", "case_sensitive attribute", 0) \
    F(MIN, "min", "case_sensitive attribute", 0) \
    F(REJECT, "reject", "", 0) \
    F(REJECTATTR, "rejectattr", "", 0) \
    F(REPLACE, "replace", "old new count", 2) \
    F(REVERSE, "reverse", "", 0) \
    F(SAFE, "safe", "", 0) \
    F(SELECT, "select", "", 0) \
    F(SELECTATTR, "selectattr", "", 0) \
    F(SORT, "sort", "reverse case_sensitive attribute", 0) \
    F(STRING, "string", "", 0) \
    F(SUM, "sum", "attribute start", 0) \
    F(TITLE, "title", "", 0) \
    F(TOJSON, "tojson", "ensure_ascii indent separators sort_keys", 0) \
    F(TRIM, "trim", "chars", 0) \
    F(UNIQUE, "unique", "case_sensitive attribute", 0) \
    F(UPPER, "upper", "", 0)

#define TEMPLATE_FILTER_ENUM(id, name, parameters, needed) TFILTER_##id,
enum TemplateFilter { TEMPLATE_FILTERS(TEMPLATE_FILTER_ENUM) TEMPLATE_FILTER_COUNT };
#undef TEMPLATE_FILTER_ENUM

enum { TEMPLATE_FILTER_ARGUMENTS = 4 }; // most parameters of a filter in the table

// Tests: name, how many arguments.
#define TEMPLATE_TESTS(T) \
    T(BOOLEAN, "boolean", 0) \
    T(CALLABLE, "callable", 0) \
    T(DEFINED, "defined", 0) \
    T(DIVISIBLEBY, "divisibleby", 1) \
    T(EQ, "eq", 1) \
    T(ESCAPED, "escaped", 0) \
    T(EVEN, "even", 0) \
    T(FALSE, "false", 0) \
    T(FLOAT, "float", 0) \
    T(GE, "ge", 1) \
    T(GT, "gt", 1) \
    T(IN, "in", 1) \
    T(INTEGER, "integer", 0) \
    T(ITERABLE, "iterable", 0) \
    T(LE, "le", 1) \
    T(LT, "lt", 1) \
    T(MAPPING, "mapping", 0) \
    T(NE, "ne", 1) \
    T(NONE, "none", 0) \
    T(NUMBER, "number", 0) \
    T(ODD, "odd", 0) \
    T(SAMEAS, "sameas", 1) \
    T(SEQUENCE, "sequence", 0) \
    T(STRING, "string", 0) \
    T(TRUE, "true", 0) \
    T(UNDEFINED, "undefined", 0)

#define TEMPLATE_TEST_ENUM(id, name, arguments) TTEST_##id,
enum TemplateTest { TEMPLATE_TESTS(TEMPLATE_TEST_ENUM) TEMPLATE_TEST_COUNT };
#undef TEMPLATE_TEST_ENUM

// Methods that can be called: name, types that have it, names of the parameters, how many are needed, how many can only
// be given by position.
enum { ON_STRING = 1, ON_LIST = 2, ON_TUPLE = 4, ON_DICT = 8, ON_LOOP = 16 };
#define TEMPLATE_METHODS(M) \
    M(CAPITALIZE, "capitalize", ON_STRING, "", 0, 0) \
    M(COPY, "copy", ON_LIST | ON_DICT, "", 0, 0) \
    M(COUNT, "count", ON_STRING | ON_LIST | ON_TUPLE, "sub start end", 1, 3) \
    M(CYCLE, "cycle", ON_LOOP, "*", 1, 0) \
    M(ENDSWITH, "endswith", ON_STRING, "suffix start end", 1, 3) \
    M(FIND, "find", ON_STRING, "sub start end", 1, 3) \
    M(FORMAT, "format", ON_STRING, "*", 0, 0) \
    M(GET, "get", ON_DICT, "key default", 1, 2) \
    M(INDEX, "index", ON_STRING | ON_LIST | ON_TUPLE, "sub start end", 1, 3) \
    M(ITEMS, "items", ON_DICT, "", 0, 0) \
    M(JOIN, "join", ON_STRING, "iterable", 1, 1) \
    M(KEYS, "keys", ON_DICT, "", 0, 0) \
    M(LOWER, "lower", ON_STRING, "", 0, 0) \
    M(LSTRIP, "lstrip", ON_STRING, "chars", 0, 1) \
    M(PARTITION, "partition", ON_STRING, "sep", 1, 1) \
    M(REMOVEPREFIX, "removeprefix", ON_STRING, "prefix", 1, 1) \
    M(REMOVESUFFIX, "removesuffix", ON_STRING, "suffix", 1, 1) \
    M(REPLACE, "replace", ON_STRING, "old new count", 2, 3) \
    M(RFIND, "rfind", ON_STRING, "sub start end", 1, 3) \
    M(RPARTITION, "rpartition", ON_STRING, "sep", 1, 1) \
    M(RSPLIT, "rsplit", ON_STRING, "sep maxsplit", 0, 0) \
    M(RSTRIP, "rstrip", ON_STRING, "chars", 0, 1) \
    M(SPLIT, "split", ON_STRING, "sep maxsplit", 0, 0) \
    M(SPLITLINES, "splitlines", ON_STRING, "keepends", 0, 0) \
    M(STARTSWITH, "startswith", ON_STRING, "prefix start end", 1, 3) \
    M(STRIP, "strip", ON_STRING, "chars", 0, 1) \
    M(TITLE, "title", ON_STRING, "", 0, 0) \
    M(UPPER, "upper", ON_STRING, "", 0, 0) \
    M(VALUES, "values", ON_DICT, "", 0, 0)

#define TEMPLATE_METHOD_ENUM(id, name, types, parameters, needed, positional) TMETHOD_##id,
enum TemplateMethod { TEMPLATE_METHODS(TEMPLATE_METHOD_ENUM) TEMPLATE_METHOD_COUNT };
#undef TEMPLATE_METHOD_ENUM

enum { TEMPLATE_METHOD_ARGUMENTS = 3 };

// Names that stand for functions where no variable has them.
#define TEMPLATE_FUNCTIONS(G) \
    G(DICT, "dict") \
    G(NAMESPACE, "namespace") \
    G(RAISE_EXCEPTION, "raise_exception") \
    G(RANGE, "range") \
    G(STRFTIME_NOW, "strftime_now")

#define TEMPLATE_FUNCTION_ENUM(id, name) TFUNCTION_##id,
enum TemplateFunction { TEMPLATE_FUNCTIONS(TEMPLATE_FUNCTION_ENUM) TEMPLATE_FUNCTION_COUNT };
#undef TEMPLATE_FUNCTION_ENUM
