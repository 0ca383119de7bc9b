// cli_chat.c: --chat: turns of a conversation, of which the context keeps what it shares with the last one; commands.
#include "cli_answer.h"
#include "cli_chat_file.h"
#include "cli_file.h"
#include "cli_line.h"
#include "cli_prompt.h"
#include "interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Turns {
    const Cli *cli;
    Rt *rt;
    Package package;
    TokenizerView view;
    Template template;
    Chat chat;
    ChatContext known; // the last prompt and its answer
    LineReader *lines; // NULL: the one message is on the command line
    FILE *answer;      // the text of the answer as it grows
    char *text;
    size_t text_bytes;
    uint32_t *made; // [context + 1] ids of the answer
    Logprobs logprobs; // of them
    bool no_memory;    // for those
    Generate generate;
    Stats stats;    // of the last answer; made 0: there was none
    int kept;       // positions of the last prompt that were in the context already
    int pressed;    // Ctrl-C, one behind the other
    bool told_anew; // the conversation is another one than the context has: that little is kept is no news
    int write_errno;
} Turns;

// ---- an answer ----------------------------------------------------------------------------------------------------

static bool ask_interrupt(void *context)
{
    Turns *t = context;
    if (!t->pressed && interrupt_pending())
        t->pressed = 1;
    return t->pressed != 0;
}

static bool put_text(void *context, const char *text, size_t bytes)
{
    Turns *t = context;
    fwrite(text, 1, bytes, t->answer);
    if (!t->cli->json && !t->cli->ids) {
        fwrite(text, 1, bytes, stdout);
        t->write_errno = fflush(stdout) == 0 ? 0 : errno;
    }
    return !t->write_errno;
}

static bool put_told(void *context, uint32_t id, const Told *told)
{
    Turns *t = context;
    t->no_memory = t->no_memory || !logprobs_add(&t->logprobs, id, told);
    return !t->no_memory;
}

static bool put_id(void *context, uint32_t id)
{
    Turns *t = context;
    if (t->cli->ids && !t->cli->json) {
        printf("%s%u", t->stats.made ? "," : "", id);
        t->write_errno = fflush(stdout) == 0 ? 0 : errno;
    }
    t->made[t->stats.made++] = id;
    t->stats.hash = hash_ids_add(t->stats.hash, &id, sizeof id);
    return !t->write_errno;
}

// What the template tells of the conversation: the prompt of the next answer, of which the context keeps what it has.
static RtStatus make_prompt(Turns *t)
{
    RtError *error = &t->rt->error;
    const int before = rt_position(t->rt);
    if (chat_prompt(&t->template, &t->view, &t->chat, &t->known, error) != RT_OK)
        return RT_FAILED;
    const int n = t->known.n;
    prompt_warn_lost(t->cli, NULL, t->known.lost);
    if (n < 1)
        return rt_fail(error, ERR_CHAT_REFUSED, "the chat template makes nothing of this conversation");
    if (n >= t->rt->context) {
        chat_forget(&t->known);
        rt_fail(error, ERR_CONTEXT_FULL, "the conversation has %d tokens with this message, the context holds %d", n,
                t->rt->context);
        rt_advise(error, "/reset begins another one; nothing was cut off, the message was not sent%s",
                  t->rt->context < (int)t->package.plan->context ? "; a larger -c is possible" : "");
        return RT_FAILED;
    }
    t->kept = rt_keep(t->rt, t->known.ids, n);
    if (t->kept < before && !t->told_anew)
        cli_note(t->cli, "the template tells earlier text differently: %d of %d positions are kept, %d are new", t->kept,
                 before, n - t->kept);
    else if (t->cli->verbose)
        cli_note(t->cli, "%d positions are kept, %d are new", t->kept, n - t->kept);
    t->told_anew = false;
    if (t->cli->verbose_prompt)
        prompt_show(&t->view, t->known.ids + t->kept, n - t->kept);
    return RT_OK;
}

static void print_object(const Turns *t)
{
    const Answered answered = { .text = t->cli->ids ? NULL : t->text, .text_bytes = t->text_bytes, .ids = t->made,
                                .generate = &t->generate, .stats = &t->stats,
                                .logprobs = t->cli->logprobs >= 0 ? &t->logprobs : NULL, .view = &t->view };
    answer_json(t->cli, t->rt, &answered);
}

static void say_end(const Turns *t)
{
    const Cli *cli = t->cli;
    if (cli->json)
        print_object(t);
    else if (t->stats.made)
        putchar('\n');
    fflush(stdout);
    if (t->generate.end == GENERATE_CONTEXT)
        cli_note(cli, "the context is full: %d of %d positions; the answer ends here and nothing was cut off. /reset begins "
                 "another conversation", rt_position(t->rt), t->rt->context);
    if ((cli->verbose || cli->single_turn) && !cli->quiet)
        stats_print(&t->package, &t->stats, stderr);
}

// The answer to the last message, which becomes a message itself.
static RtStatus answer(Turns *t)
{
    const Cli *cli = t->cli;
    RtError *error = &t->rt->error;
    const StopStrings stops = { (const char *const *)cli->stop.at, cli->stop.n };
    RtStatus status = make_prompt(t);
    const int n = t->known.n - t->kept; // new ones
    t->answer = status == RT_OK ? open_memstream(&t->text, &t->text_bytes) : NULL;
    if (status == RT_OK && !t->answer)
        status = rt_fail(error, ERR_MEMORY, "no memory for the answer");
    if (status == RT_OK) {
        t->stats = (Stats){ .load = t->rt->load, .prompt_tokens = n, .hash = hash_ids_start() };
        t->generate = (Generate){ .ids = t->known.ids + t->kept, .n = n, .most = cli->n, .tokenizer = &t->view,
                                  .stops = &stops, .sampling = &cli->sampling, .special = cli->special, .ignore_eos = cli->ignore_eos,
                                  .id = put_id, .told = put_told, .text = put_text, .cancelled = ask_interrupt, .context = t };
        t->logprobs.n = 0;
        t->logprobs.most = cli->sampling.logprobs;
        status = rt_generate(t->rt, &t->generate);
        if (status == RT_OK && t->no_memory)
            status = rt_fail(error, ERR_MEMORY, "no memory for log-probabilities");
        stats_take(&t->stats, &t->generate);
        fclose(t->answer);
        if (status == RT_OK || t->stats.made)
            say_end(t);
        const bool unanswered = t->generate.end == GENERATE_CANCELLED && !t->stats.made;
        if (status == RT_OK && !unanswered)
            status = chat_add(&t->chat, "assistant", t->text, t->text_bytes, error);
        if (status != RT_OK || unanswered || t->generate.end == GENERATE_STOP)
            chat_forget(&t->known);
        else
            chat_answered(&t->known, &t->view, t->text, t->text_bytes, t->made, t->stats.made,
                          t->generate.end == GENERATE_EOS);
        free(t->text);
        t->text = NULL;
    }
    return status;
}

// One message of the user and its answer. What goes wrong takes the message back, and so does Ctrl-C before the answer.
static RtStatus take_turn(Turns *t, const char *text, size_t bytes)
{
    const int before = t->chat.count;
    RtStatus status = chat_add(&t->chat, "user", text, bytes, &t->rt->error);
    if (status == RT_OK)
        status = answer(t);
    if (status == RT_OK && t->chat.count == before + 1)
        cli_note(t->cli, "the message was taken back");
    if (status != RT_OK || t->chat.count == before + 1)
        chat_cut(&t->chat, before);
    return status;
}

// ---- commands -----------------------------------------------------------------------------------------------------

static RtStatus begin(Turns *t)
{
    chat_cut(&t->chat, 0);
    t->told_anew = true;
    return t->cli->system ? chat_add(&t->chat, "system", t->cli->system, strlen(t->cli->system), &t->rt->error) : RT_OK;
}

static void show_help(void)
{
    fputs("  /reset        begins another conversation; the system prompt stays\n"
          "  /save FILE    writes the conversation as JSON\n"
          "  /load FILE    goes on with one that was saved\n"
          "  /stats        times of the last answer, positions taken\n"
          "  /exit         leaves, as Ctrl-D does\n"
          "  \\ at the end of a line: the message goes on in the next one. Ctrl-C stops an answer, twice leaves.\n",
          stderr);
}

static void show_stats(const Turns *t)
{
    if (t->stats.made)
        stats_print(&t->package, &t->stats, stderr);
    fprintf(stderr, "llmc: %d messages; context: %d of %d positions, %d of them kept from before the last answer\n",
            t->chat.count, rt_position(t->rt), t->rt->context, t->kept);
}

// What is there already is replaced where it is a conversation, nothing else.
static RtStatus save(Turns *t, const char *path)
{
    RtError *error = &t->rt->error;
    Chat before = { .count = 0 };
    struct stat st;
    if (cli_file_is_free(t->cli, t->rt, "/save", path, error) != RT_OK)
        return RT_FAILED;
    if (stat(path, &st) == 0 && st.st_size > 0 && chat_read(&before, path, error) != RT_OK)
        return rt_fail(error, ERR_USAGE, "/save %.600s: this file is no conversation, it is not replaced", path);
    chat_free(&before);
    return chat_save(&t->chat, t->package.plan->name, path, error);
}

static RtStatus load(Turns *t, const char *path)
{
    if (chat_read(&t->chat, path, &t->rt->error) != RT_OK)
        return RT_FAILED;
    t->told_anew = true;
    cli_note(t->cli, "%d messages from %s", t->chat.count, path);
    if (!t->chat.count || strcmp(t->chat.messages[t->chat.count - 1].role, "user") != 0)
        return RT_OK;
    return answer(t); // it ends with a question
}

typedef enum Command { COMMAND_NONE, COMMAND_DONE, COMMAND_EXIT } Command;

// "/word argument"; no command: a message of the user.
static Command run_command(Turns *t, char *line)
{
    static const char *const names[] = { "/reset", "/save", "/load", "/stats", "/help", "/?", "/exit", "/quit", "/bye" };
    const size_t word = strcspn(line, " \t");
    char *argument = line + word + strspn(line + word, " \t");
    size_t which = 0;
    RtStatus status = RT_OK;
    if (line[0] != '/')
        return COMMAND_NONE;
    for (size_t bytes = strlen(argument); bytes && strchr(" \t", argument[bytes - 1]);)
        argument[--bytes] = 0;
    while (which < sizeof names / sizeof *names && (strlen(names[which]) != word || strncmp(line, names[which], word) != 0))
        ++which;
    const bool wants = which == 1 || which == 2;
    if (which == sizeof names / sizeof *names)
        status = rt_fail(&t->rt->error, ERR_USAGE, "%.*s is no command: /help lists them; a space in front makes it a message",
                         (int)(word < 40 ? word : 40), line);
    else if (wants != (*argument != 0))
        status = rt_fail(&t->rt->error, ERR_USAGE, "%s takes %s", names[which], wants ? "the name of a file" : "nothing behind it");
    else if (which == 0)
        status = begin(t);
    else if (which == 1)
        status = save(t, argument);
    else if (which == 2)
        status = load(t, argument);
    else if (which == 3)
        show_stats(t);
    else if (which <= 5)
        show_help();
    else
        return COMMAND_EXIT;
    if (status == RT_OK && which == 1)
        cli_note(t->cli, "%d messages in %s", t->chat.count, argument);
    if (status != RT_OK)
        cli_complain(t->cli, &t->rt->error);
    return COMMAND_DONE;
}

// ---- the loop -----------------------------------------------------------------------------------------------------

// A message of the user, which goes on behind each line that ends in a backslash. With -st all that is piped in is one.
static LineEnd read_message(Turns *t, Text *message)
{
    const char *line = NULL;
    size_t bytes = 0;
    *message = (Text){ NULL, 0 };
    for (bool more = true; more;) {
        const bool all = t->cli->single_turn && !line_terminal(t->lines);
        const LineEnd end = all ? line_read_all(t->lines, &line, &bytes)
                                : line_read(t->lines, message->bytes ? ". " : "> ", &line, &bytes);
        if (end != LINE_READ && !(end == LINE_CLOSED && message->bytes))
            return end;
        more = end == LINE_READ && !all && bytes && line[bytes - 1] == '\\';
        char *text = realloc(message->at, message->bytes + bytes + 2);
        if (!text)
            return LINE_FAILED;
        message->at = text;
        memcpy(text + message->bytes, line, end == LINE_READ ? bytes : 0);
        message->bytes += end == LINE_READ ? bytes : 0;
        if (more)
            text[message->bytes - 1] = '\n';
        text[message->bytes] = 0;
    }
    return LINE_READ;
}

static bool is_empty(const Text *text)
{
    return strspn(text->at, " \t\r\n") == text->bytes;
}

// Ctrl-C where a message was expected: two in a row leave, also one that stopped an answer and this one.
static bool leaves(Turns *t)
{
    if (t->pressed++)
        return true;
    cli_note(t->cli, "Ctrl-C again, Ctrl-D or /exit leaves");
    return false;
}

// Errors of a turn are said and the conversation goes on, but for a faulty device and an output that nobody reads.
static int after_failure(Turns *t)
{
    const ErrorId id = t->rt->error.id;
    const int code = cli_complain(t->cli, &t->rt->error);
    const bool goes_on = id == ERR_CONTEXT_FULL || id == ERR_CHAT_REFUSED || id == ERR_CHAT_TEMPLATE || id == ERR_USAGE;
    return goes_on && t->lines && !t->cli->single_turn ? 0 : code;
}

static int run_turns(Turns *t)
{
    for (;;) {
        Text message;
        interrupt_hold();
        const LineEnd end = read_message(t, &message);
        int code = 0;
        if (end == LINE_FAILED) {
            rt_fail(&t->rt->error, ERR_READ, "standard input: %s", strerror(errno));
            code = cli_complain(t->cli, &t->rt->error);
        }
        const bool leave = end == LINE_CLOSED || end == LINE_FAILED || (end == LINE_INTERRUPTED && leaves(t));
        const bool nothing = end == LINE_CLOSED || (end == LINE_READ && is_empty(&message));
        if (leave || (t->cli->single_turn && nothing)) {
            if (t->cli->single_turn && nothing && !line_terminal(t->lines)) {
                rt_fail(&t->rt->error, ERR_USAGE, "-st has no message to answer: standard input is empty");
                code = cli_complain(t->cli, &t->rt->error);
            }
            free(message.at);
            return end == LINE_INTERRUPTED ? 130 : code;
        }
        Command command = COMMAND_DONE;
        if (end == LINE_READ && !is_empty(&message)) {
            t->pressed = 0;
            command = t->cli->single_turn ? COMMAND_NONE : run_command(t, message.at);
        }
        if (command == COMMAND_NONE && take_turn(t, message.at, message.bytes) != RT_OK)
            code = after_failure(t);
        free(message.at);
        if (t->write_errno || code || command == COMMAND_EXIT || t->cli->single_turn)
            return code;
    }
}

// -p or -f is the first message.
static int first_turn(Turns *t)
{
    Text text;
    if (prompt_text(t->cli, &text, &t->rt->error) != RT_OK)
        return cli_complain(t->cli, &t->rt->error);
    const RtStatus status = text.at ? take_turn(t, text.at, text.bytes) : RT_OK;
    free(text.at);
    return status == RT_OK ? 0 : after_failure(t);
}

static int hold_turns(Turns *t)
{
    const bool given = t->cli->prompt || t->cli->file;
    RtError *error = &t->rt->error;
    t->made = malloc(((size_t)t->rt->context + 1) * sizeof *t->made);
    t->lines = t->cli->single_turn && given ? NULL : line_open();
    if (!t->made || begin(t) != RT_OK || (!t->lines && !(t->cli->single_turn && given))) {
        rt_fail(error, ERR_MEMORY, "no memory for a conversation");
        return cli_complain(t->cli, error);
    }
    if (t->lines && line_terminal(t->lines) && !t->cli->single_turn)
        cli_note(t->cli, "%s, context %d; /help lists commands", t->package.plan->name, t->rt->context);
    int code = first_turn(t);
    if (!code && t->lines && !(t->cli->single_turn && given) && !t->write_errno)
        code = run_turns(t);
    if (t->write_errno) {
        clearerr(stdout);
        rt_fail(error, ERR_WRITE, "standard output: %s", strerror(t->write_errno));
        return cli_complain(t->cli, error);
    }
    return !code && t->cli->single_turn && t->pressed ? 130 : code;
}

static RtStatus open_texts(Turns *t, RtError *error)
{
    RtStatus status;
    const PackageBytes tables = t->package.chat_template;
    if (!prompt_tokenizer(&t->package, &t->view, &status, error))
        return status == RT_OK ? prompt_no_tokenizer(t->cli, &t->package, error) : RT_FAILED;
    if (tables.at && template_open(&t->template, tables.at, tables.bytes))
        return RT_OK;
    rt_fail(error, ERR_CHAT_MISSING, "this program has no chat template%s", tables.at ? " that it can read" : "");
    rt_advise(error, "llmc pack MODEL --into %.255s --chat-template chatml puts one in; -p continues a text without",
              t->cli->name);
    return RT_FAILED;
}

int cli_chat(Cli *cli)
{
    Turns t = { .cli = cli };
    RtError error;
    int code = 0;
    if (!cli_package(cli, &t.package, &code))
        return code;
    if (open_texts(&t, &error) != RT_OK)
        code = cli_complain(cli, &error);
    else if ((t.rt = cli_open(cli, &t.package, &code)))
        code = hold_turns(&t);
    line_close(t.lines);
    rt_close(t.rt);
    chat_free(&t.chat);
    chat_forget(&t.known);
    free(t.made);
    logprobs_free(&t.logprobs);
    package_close(&t.package);
    return code;
}
