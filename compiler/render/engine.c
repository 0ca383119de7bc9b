// engine.c: hosts the template language: Lua state, sandbox, traceback -> chain of includes.
#include "engine.h"

#include "../base/embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

typedef struct Host {
    Arena *arena;
    const char *folder;
} Host;

static const Host *host_of(lua_State *L)
{
    return *(Host **)lua_getextraspace(L);
}

static void close_state(void *what)
{
    lua_close(what);
}

// The text of a template; at NULL: there is none. A template is read from the folder of templates and from nowhere else.
static Bytes template_text(const Host *host, const char *name)
{
    if (strstr(name, ".."))
        return (Bytes){ NULL, 0 };
    if (!host->folder)
        return embedded_file(str_format(host->arena, "templates/%s", name));
    const char *path = file_in_folder(host->arena, host->folder, name);
    return path ? file_read(host->arena, path) : (Bytes){ NULL, 0 };
}

static int read_template(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    const Bytes text = template_text(host_of(L), name);
    if (!text.at)
        return luaL_error(L, "no template %s", name);
    lua_pushlstring(L, (const char *)text.at, text.bytes);
    return 1;
}

static int keep_traceback(lua_State *L)
{
    luaL_traceback(L, L, lua_isstring(L, 1) ? lua_tostring(L, 1) : "an error that is no text", 1);
    return 1;
}

// Lines "templates/x.cu:12:" of the traceback behind the first, as "from templates/x.cu:12", each once.
static const char *include_chain(Arena *a, const char *traceback, const char *file, int line)
{
    Str chain = str_new(a);
    const char *last = str_format(a, "%s:%d", file, line);
    for (const char *s = traceback; (s = strstr(s, "\n\ttemplates/"));) {
        s += 2;
        const char *colon = strchr(s, ':');
        const char *end = colon ? colon + 1 + strspn(colon + 1, "0123456789") : s;
        const char *place = str_copy(a, s, (size_t)(end - s));
        if (colon && !str_equal(place, last)) {
            str_add(&chain, "        from %s\n", place);
            last = place;
        }
    }
    return chain.text;
}

static const char *line_of(Arena *a, const char *text, int number)
{
    for (; text && number > 1; --number) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text ? str_copy(a, text, strcspn(text, "\n")) : NULL;
}

// "engine.lua:12: message", or one without a place, gets the place of the innermost template in the traceback.
static const char *with_place(Arena *a, const char *message, const char *stack)
{
    const char *at = strstr(stack, "\n\ttemplates/");
    if (str_starts(message, "templates/") || !at)
        return message;
    if (str_starts(message, "engine.lua:"))
        message += strcspn(message, " ") + 1;
    const char *colon = strchr(at + 2, ':');
    if (!colon)
        return message;
    return str_format(a, "%.*s: %s", (int)(colon + 1 + strspn(colon + 1, "0123456789") - (at + 2)), at + 2, message);
}

// "templates/x.cu:12: message" + traceback -> error_at with the template's line and the chain.
static _Noreturn void report(lua_State *L)
{
    const Host *host = host_of(L);
    Arena *a = host->arena;
    const char *text = lua_tostring(L, -1), *stack = strstr(text, "\nstack traceback:");
    const char *message = str_copy(a, text, stack ? (size_t)(stack - text) : strlen(text));
    message = with_place(a, message, stack ? stack : "");
    const char *colon = str_starts(message, "templates/") ? strchr(message, ':') : NULL;
    if (!colon)
        error_at(NOWHERE, ERR_TEMPLATE, "%s", message);
    const char *file = str_copy(a, message, (size_t)(colon - message));
    char *end = NULL;
    const int line = (int)strtol(colon + 1, &end, 10);
    const Bytes source = template_text(host, file + strlen("templates/"));
    const char *shown = line_of(a, (const char *)source.at, line);
    const char *chain = include_chain(a, stack ? stack : "", file, line);
    Loc at = loc_file(str_format(a, "%s:%d", file, line));
    at.below = str_format(a, "%s%s%s", shown ? str_format(a, "%6d | %s\n", line, shown) : "", chain, "");
    error_at(at, ERR_TEMPLATE, "%s", end + strspn(end, ": "));
}

lua_State *engine_open(Arena *a, const char *folder)
{
    if (folder && !file_is_dir(folder))
        error_at(loc_file(folder), ERR_FILE_MISSING, "is no folder of templates");
    if (folder && !file_exists(str_join(a, folder, "decode.cu")))
        error_at(loc_file(folder), ERR_FILE_MISSING, "is no folder of templates: decode.cu, where they begin, is not in it");
    lua_State *L = luaL_newstate();
    if (!L)
        error_at(NOWHERE, ERR_MEMORY, "out of memory");
    arena_defer(a, close_state, L);
    Host *host = arena_alloc(a, sizeof *host);
    *host = (Host){ a, folder };
    *(Host **)lua_getextraspace(L) = host;
    luaL_requiref(L, "_G", luaopen_base, 1);
    luaL_requiref(L, "string", luaopen_string, 1);
    luaL_requiref(L, "table", luaopen_table, 1);
    luaL_requiref(L, "math", luaopen_math, 1);
    luaL_requiref(L, "debug", luaopen_debug, 1); // for the indentation of include
    lua_settop(L, 0);
    const Bytes engine = embedded_file("compiler/render/engine.lua");
    lua_pushcfunction(L, keep_traceback);
    if (luaL_loadbufferx(L, (const char *)engine.at, engine.bytes, "=engine.lua", "t") || lua_pcall(L, 0, 1, 1))
        report(L);
    lua_pushcfunction(L, read_template);
    if (lua_pcall(L, 1, 1, 1))
        report(L);
    return L; // 1: the message handler, 2: render
}

// Emits `#line` only where the numbering of the template and of the text part.
static void add_line_marks(Source *s, Str *out, lua_State *L)
{
    const char *file = "";
    int next = 0;
    for (int i = 0; i < s->lines; ++i) {
        lua_rawgeti(L, -3, i + 1);
        if (s->from_line[i] != next || !str_equal(s->from_file[i], file))
            str_add(out, "#line %d \"%s\"\n", s->from_line[i], s->from_file[i]);
        str_add(out, "%s\n", lua_tostring(L, -1));
        lua_pop(L, 1);
        file = s->from_file[i];
        next = s->from_line[i] + 1;
    }
}

// The output of render on the stack: lines, files, numbers.
static Source take_output(Arena *a, lua_State *L, bool line)
{
    Source s = { .lines = (int)luaL_len(L, -3) };
    const char **files = arena_alloc(a, (size_t)(s.lines + 1) * sizeof *files);
    int *numbers = arena_alloc(a, (size_t)(s.lines + 1) * sizeof *numbers);
    Str text = str_new(a);
    const char *last = "";
    for (int i = 0; i < s.lines; ++i) {
        lua_rawgeti(L, -3, i + 1);
        lua_rawgeti(L, -3, i + 1);
        lua_rawgeti(L, -3, i + 1);
        size_t bytes;
        const char *from = lua_tostring(L, -2), *out = lua_tolstring(L, -3, &bytes);
        numbers[i] = (int)lua_tointeger(L, -1);
        files[i] = str_ends(last, from) && strlen(last) == strlen(from) + strlen("templates/")
                       ? last
                       : str_format(a, "templates/%s", from);
        last = files[i];
        if (!line) {
            str_add_bytes(&text, out, bytes);
            str_add_bytes(&text, "\n", 1);
        }
        lua_pop(L, 3);
    }
    s.from_file = files;
    s.from_line = numbers;
    if (line)
        add_line_marks(&s, &text, L);
    s.text = text.text;
    s.bytes = text.bytes;
    lua_pop(L, 3);
    return s;
}

Source engine_render(Arena *a, lua_State *L, const char *name, bool line)
{
    lua_pushvalue(L, 2);
    lua_insert(L, -2);
    lua_pushstring(L, name);
    lua_insert(L, -2);
    if (lua_pcall(L, 2, 3, 1))
        report(L);
    return take_output(a, L, line);
}
