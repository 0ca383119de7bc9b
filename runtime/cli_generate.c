// cli_generate.c: a prompt in, text or ids out, statistics behind.
#include "cli_file.h"
#include "cli_answer.h"
#include "cli_prompt.h"
#include "cli_text.h"
#include "cli_trace.h"
#include "generate.h"
#include "interrupt.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Run {
    const Cli *cli;
    Rt *rt;
    TokenizerView view;
    bool text;       // a tokenizer turns ids into text
    FILE *out;       // where text or ids go at once; memory with --json
    char *collected; // by --json
    size_t collected_bytes;
    uint32_t *made; // [context + 1] ids given out
    Logprobs logprobs;
    bool no_memory; // for those
    Prompt prompt;
    Generate generate;
    Stats stats;
    FILE *logits_file; // NULL: not asked for
    float *logits;     // [vocab]; NULL: neither --logits nor --hash
    uint64_t hash_all, hash_logits;
    int logits_errno; // 0: every row has been written
    bool interrupted;
    int write_errno; // 0: everything printed so far has arrived
} Run;

static bool ask_interrupt(void *context)
{
    Run *run = context;
    run->interrupted = run->interrupted || interrupt_pending();
    return run->interrupted;
}

static bool flush_out(Run *run)
{
    if (run->out == stdout && fflush(stdout) != 0)
        run->write_errno = errno;
    return !run->write_errno;
}

static bool put_text(void *context, const char *text, size_t bytes)
{
    Run *run = context;
    if (run->cli->ids)
        return true;
    fwrite(text, 1, bytes, run->out);
    return flush_out(run);
}

static bool put_told(void *context, uint32_t id, const Told *told)
{
    Run *run = context;
    run->no_memory = run->no_memory || !logprobs_add(&run->logprobs, id, told);
    return !run->no_memory;
}

// One id as it becomes known. The id that ends the text is counted, and shown only among ids.
static bool put_id(void *context, uint32_t id)
{
    Run *run = context;
    const uint32_t le = id; // little-endian, as the package is
    if (run->cli->ids || !run->text)
        fprintf(run->out, "%s%u", run->stats.made ? "," : "", id);
    run->made[run->stats.made++] = id;
    run->stats.hash = hash_ids_add(run->stats.hash, &le, sizeof le);
    return flush_out(run);
}

static bool put_logits(void *context, const float *row)
{
    Run *run = context;
    const size_t vocab = run->rt->package.plan->vocab;
    run->hash_logits = hash_ids_add(run->hash_logits, row, vocab * sizeof *row);
    if (run->logits_file && fwrite(row, sizeof *row, vocab, run->logits_file) != vocab)
        run->logits_errno = errno;
    return !run->logits_errno;
}

static RtStatus open_logits(Run *run, bool to_stdout)
{
    const Cli *cli = run->cli;
    RtError *error = &run->rt->error;
    if (cli_file_is_not_read(cli, run->rt, "--logits", cli->logits, error) != RT_OK)
        return RT_FAILED;
    run->logits_file = to_stdout ? stdout : fopen(cli->logits, "wb");
    return run->logits_file ? RT_OK : rt_fail(error, ERR_WRITE, "%.600s: %s", cli->logits, strerror(errno));
}

static RtStatus open_outputs(Run *run)
{
    const Cli *cli = run->cli;
    Rt *rt = run->rt;
    const size_t vocab = rt->package.plan->vocab;
    run->made = malloc(((size_t)rt->context + 1) * sizeof *run->made);
    run->logits = cli->logits || cli->hash ? malloc(vocab * sizeof *run->logits) : NULL;
    const bool to_stdout = cli->logits && strcmp(cli->logits, "-") == 0;
    run->out = cli->json || to_stdout ? open_memstream(&run->collected, &run->collected_bytes) : stdout;
    if (!run->made || !run->out || ((cli->logits || cli->hash) && !run->logits))
        return rt_fail(&rt->error, ERR_MEMORY, "no memory for the output");
    run->stats.hash = run->hash_all = run->hash_logits = hash_ids_start();
    run->stats.prompt_tokens = run->prompt.n;
    run->stats.load = rt->load;
    return cli->logits ? open_logits(run, to_stdout) : RT_OK;
}

static void print_json(const Run *run)
{
    const bool text = run->text && !run->cli->ids;
    const Answered answered = { .text = !text ? NULL : run->collected ? run->collected : "",
                                .text_bytes = run->collected_bytes, .ids = run->made, .generate = &run->generate,
                                .logprobs = run->cli->logprobs >= 0 ? &run->logprobs : NULL, .view = run->text ? &run->view : NULL,
                                .stats = &run->stats, .all_hashes = run->logits != NULL, .hash_all = run->hash_all,
                                .hash_logits = run->hash_logits };
    answer_json(run->cli, run->rt, &answered);
}

static void finish_output(Run *run)
{
    const Cli *cli = run->cli;
    const Stats *s = &run->stats;
    fflush(run->out);
    if (cli->json)
        print_json(run);
    else if (run->out == stdout && s->made)
        putchar('\n');
    if (fflush(stdout) != 0 && !run->write_errno)
        run->write_errno = errno;
    if (run->generate.end == GENERATE_CONTEXT)
        cli_note(cli, "the context is full: %d positions", run->rt->context);
    if (cli->hash && !cli->json)
        fprintf(stderr, "llmc: hash of all ids %016llx, of all logits %016llx\n", (unsigned long long)run->hash_all,
                (unsigned long long)run->hash_logits);
    if (!cli->quiet)
        stats_print(&run->rt->package, s, stderr);
}

// A write that failed leaves no half file behind.
static RtStatus close_outputs(Run *run, RtStatus status)
{
    const Cli *cli = run->cli;
    RtError *error = &run->rt->error;
    if (run->write_errno) {
        clearerr(stdout); // said here, not again at the end
        status = rt_fail(error, ERR_WRITE, "standard output: %s", strerror(run->write_errno));
    }
    if (run->logits_errno)
        status = rt_fail(error, ERR_WRITE, "%.600s: %s", cli->logits, strerror(run->logits_errno));
    if (!run->logits_file || run->logits_file == stdout)
        return status;
    struct stat st;
    const bool is_file = fstat(fileno(run->logits_file), &st) == 0 && S_ISREG(st.st_mode);
    if (fclose(run->logits_file) != 0 && status == RT_OK)
        status = rt_fail(error, ERR_WRITE, "%.600s: %s", cli->logits, strerror(errno));
    if (status != RT_OK && error->id == ERR_WRITE && is_file)
        unlink(cli->logits);
    return status;
}

static RtStatus run_prompt(Run *run)
{
    const Cli *cli = run->cli;
    Stats *stats = &run->stats;
    Generate *g = &run->generate;
    const StopStrings stops = { (const char *const *)cli->stop.at, cli->stop.n };
    if (cli_trace_check(cli, run->rt, &run->rt->error) != RT_OK || open_outputs(run) != RT_OK)
        return RT_FAILED;
    *g = (Generate){ .ids = run->prompt.ids,
                     .n = run->prompt.n,
                     .most = cli->n,
                     .tokenizer = run->text ? &run->view : NULL,
                     .stops = &stops,
                     .sampling = &cli->sampling,
                     .special = cli->special,
                     .id = put_id,
                     .told = put_told,
                     .text = put_text,
                     .cancelled = ask_interrupt,
                     .logits = run->logits ? put_logits : NULL,
                     .row = run->logits,
                     .context = run };
    run->logprobs.most = cli->sampling.logprobs;
    RtStatus status = rt_generate(run->rt, g);
    if (status == RT_OK && run->no_memory)
        status = rt_fail(&run->rt->error, ERR_MEMORY, "no memory for log-probabilities");
    stats_take(stats, g);
    run->hash_all = hash_ids_add(hash_ids_start(), run->prompt.ids, (size_t)run->prompt.n * sizeof *run->prompt.ids);
    run->hash_all = hash_ids_add(run->hash_all, run->made, (size_t)stats->made * sizeof *run->made);
    if (status == RT_OK || (stats->made && !cli->json)) // after a fault, what was made before it
        finish_output(run);
    status = status == RT_OK ? cli_trace_save(cli, run->rt) : status;
    return close_outputs(run, status);
}

static int generate(Run *run, const Package *package)
{
    const Cli *cli = run->cli;
    RtError error;
    RtStatus status;
    int code = 0;
    if (cli->trace && trace_wanted(package, cli->name, "--trace", &error) != RT_OK)
        return cli_complain(cli, &error);
    run->text = prompt_tokenizer(package, &run->view, &status, &error);
    // The prompt comes before the device: it may be refused without one.
    if (status != RT_OK || prompt_load(cli, package, run->text ? &run->view : NULL, &run->prompt, &error) != RT_OK)
        return cli_complain(cli, &error);
    if (!run->text && cli->stop.n) {
        rt_fail(&error, ERR_USAGE, "--stop needs text, and this program has no tokenizer");
        return cli_complain(cli, &error);
    }
    prompt_warn_lost(cli, NULL, run->prompt.lost);
    if (!run->text && !cli->ids)
        cli_note(cli, "this program has no tokenizer: ids are printed");
    if (cli->verbose_prompt)
        prompt_show(run->text ? &run->view : NULL, run->prompt.ids, run->prompt.n);
    run->rt = cli_open(cli, package, &code);
    if (!run->rt)
        return code;
    if (run_prompt(run) == RT_OK)
        return run->interrupted ? 130 : 0;
    return run->write_errno ? cli_tell(cli, &run->rt->error) : cli_complain(cli, &run->rt->error); // an object goes nowhere either
}

int cli_generate(Cli *cli)
{
    Run run = { .cli = cli };
    Package package;
    int code = 0;
    if (!cli_package(cli, &package, &code))
        return code;
    code = generate(&run, &package);
    if (run.out && run.out != stdout)
        fclose(run.out);
    rt_close(run.rt);
    free(run.collected);
    free(run.made);
    logprobs_free(&run.logprobs);
    free(run.logits);
    free(run.prompt.ids);
    package_close(&package);
    return code;
}
