// presets.c: the rules of splitting that have names.
//
// The expressions are those of the models' own tokenizer.json files; llama.cpp lists most of them with the names that
// GGUF files give them (src/llama-vocab.cpp).
#include "presets.h"

#include <string.h>
#include <utf8proc.h>

// 's 't 're 've 'm 'll 'd, which many expressions tell from other letters, whatever their case.
#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define SPACES "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASED "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+"
#define CAPITAL "[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*"
#define SYMBOLS " ?[^\\s\\p{L}\\p{N}]+"
#define ASCII_SYMBOL "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]"

const char rule_gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const char rule_llama3[] = CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|" SYMBOLS "[\\r\\n]*|" SPACES;
const char rule_qwen2[] = CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|" SYMBOLS "[\\r\\n]*|" SPACES;
const char rule_gpt4o[] = CASED CONTRACTIONS "?|" CAPITAL CONTRACTIONS "?|\\p{N}{1,3}|" SYMBOLS "[\\r\\n/]*|" SPACES;
const char rule_tekken[] = CASED "|" CAPITAL "|\\p{N}|" SYMBOLS "[\\r\\n/]*|" SPACES;
static const char rule_qwen35[] =
    CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" SPACES;
static const char rule_deepseek3[] =
    ASCII_SYMBOL "[A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" SPACES;
static const char cjk_kana[] = "[一-龥぀-ゟ゠-ヿ]+", cjk_hangul[] = "[一-龥ࠀ-一가-퟿]+";
static const char not_punctuation[] = " ?[^(\\s|.,!?…。，、।۔،)]+";
// The scripts that have upper and lower case.
static const char cased_letters[] =
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ"
    "-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛ"
    "ὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-"
    "ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ"
    "-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-"
    "𐳲𑢠-𑣟𞤀-𞥃]+";

// clang-format off
static const Preset presets[] = {
    { .names = " llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano ",
      .patterns = { rule_llama3 }, .whole_words = true, .bos = true },
    { .names = " glm4 glm5 ", .patterns = { rule_llama3 }, .whole_words = true },
    { .names = " dbrx smaug-bpe chatglm-bpe ", .patterns = { rule_llama3 } },
    { .names = " gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jais trillion "
               "granite-docling exaone4 ",
      .patterns = { rule_gpt2 } },
    { .names = " mpt olmo ", .patterns = { rule_gpt2 }, .compose = true },
    { .names = " smollm starcoder refact codeshell exaone minerva-7b mellum2 ", .patterns = { "0-9", rule_gpt2 } },
    { .names = " command-r ", .patterns = { "0-9", rule_gpt2 }, .compose = true },
    { .names = " qwen2 deepseek-r1-qwen megrez kormo f2llmv2 ", .patterns = { rule_qwen2 }, .compose = true },
    { .names = " stablelm2 hunyuan solar-open grok-2 ", .patterns = { rule_qwen2 } },
    { .names = " qwen35 ", .patterns = { rule_qwen35 } },
    { .names = " tekken ", .patterns = { rule_tekken }, .whole_words = true, .bos = true },
    { .names = " gpt-4o llama4 kanana2 talkie minimax-m2 ", .patterns = { rule_gpt4o } },
    { .names = " deepseek-llm ",
      .patterns = { "[\r\n]", cased_letters, "\\s?[!-/:-~！-／：-～‘-‟　-。]+", "\\s+$", cjk_hangul, "\\p{N}+" } },
    { .names = " deepseek-coder ",
      .patterns = { "[\r\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", cjk_hangul, "\\p{N}" } },
    { .names = " deepseek-v3 hunyuan-dense joyai-llm hy_v4 ", .patterns = { "\\p{N}{1,3}", cjk_kana, rule_deepseek3 } },
    { .names = " falcon ", .patterns = { "[\\p{P}\\$\\+<=>\\^~\\|`]+", rule_gpt2, "[0-9][0-9][0-9]" } },
    { .names = " poro-chat bloom gpt3-finnish ", .patterns = { not_punctuation } },
    { .names = " viking ", .patterns = { not_punctuation, "\\p{N}" } },
    { .names = " bailingmoe bailingmoe2 llada-moe ",
      .patterns = { "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|"
                    "\\s*[\\r\\n]|\\s+(?!\\S)|\\s+" } },
    { .names = " seed-coder ",
      .patterns = { CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" SPACES } },
    { .names = " ufakzeka ",
      .patterns = { "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|" SYMBOLS "[\\r\\n]*|" SPACES } },
    { .names = " exaone-moe ",
      .patterns = { CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}|" SYMBOLS
                    "[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+" } },
    { .names = " laguna ", .patterns = { "[^\\n]+|[\\n]+", rule_qwen2 } },
    { .names = " minicpm5 ",
      .patterns = { "\\p{N}{1,3}", CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}+|" SYMBOLS "[\\r\\n]*|" SPACES },
      .whole_words = true },
    { .names = " jais-2 ",
      .patterns = { CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|" SYMBOLS "[\\r\\n]*|\\s*[\\r\\n]+|"
                    "\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|\\s{32}(?!\\S)|\\s{16}(?!\\S)|"
                    "\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s{1}" } },
    { .names = " spark2_5 ",
      .patterns = { "\\p{N}{1,3}", cjk_kana,
                    ASCII_SYMBOL "[A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+|[\\r\\n]|"
                    "\\s+(?!\\S)|\\s+",
                    "\\p{N}" } },
    { .names = " youtu ",
      .patterns = { "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+",
                    CASED CONTRACTIONS "?|" CAPITAL CONTRACTIONS "?|\\p{N}|" SYMBOLS "[\\r\\n/]*|" SPACES },
      .whole_words = true },
    { .names = " chameleon ",
      .patterns = { "<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )", "\\p{N}",
                    "[\\p{P}!-/:-@\\[-`{-~]", rule_gpt2 },
      .bos = true },
};
// clang-format on

typedef struct Refused {
    const char *name, *why;
} Refused;

static const Refused refused[] = {
    { "superbpe", "it groups digits from the right, which needs to look ahead over all of them" },
    { "tiny_aya", "it groups digits from the right, which needs to look ahead over all of them" },
    { "cohere2moe", "it groups digits from the right, which needs to look ahead over all of them" },
    { "afmoe", "it groups digits from the right, which needs to look ahead over all of them" },
    { "kimi-k2", "it tells Han characters from others" },
    { "default", "it stands for any rule: convert the model again with a tool that knows its tokenizer" },
};

const Preset *preset_find(const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; i < ARRAY_LEN(presets) && n && !strchr(name, ' '); ++i)
        for (const char *at = presets[i].names; (at = strstr(at, name)) != NULL; at += n)
            if (at[-1] == ' ' && at[n] == ' ')
                return &presets[i];
    return NULL;
}

const char *preset_why_not(const char *name)
{
    for (int i = 0; i < ARRAY_LEN(refused); ++i)
        if (strcmp(name, refused[i].name) == 0)
            return refused[i].why;
    return NULL;
}

// \p{N} of Unicode 17.0: unlike a regular expression of Hugging Face's, its step Digits knows the newest digits.
CharSet rule_digits(Vocab *v)
{
    CharSet set;
    charset_named(v->regexes->unicode, "N", 1, &set);
    charset_add(v->arena, &set, 0x11de0, 0x11de9);
    charset_add(v->arena, &set, 0x16ff4, 0x16ff6);
    return set;
}

// Punctuation that is newer than Unicode 8.0, which Hugging Face's step Punctuation does not know.
static const CodeRange newer_punctuation[] = {
    { 0x61d, 0x61d }, { 0x9fd, 0x9fd }, { 0xa76, 0xa76 }, { 0xc77, 0xc77 }, { 0xc84, 0xc84 }, { 0x1b4e, 0x1b4f },
    { 0x1b7d, 0x1b7f }, { 0x2e43, 0x2e4f }, { 0x2e52, 0x2e5d }, { 0x10d6e, 0x10d6e }, { 0x10ead, 0x10ead },
    { 0x10f55, 0x10f59 }, { 0x10f86, 0x10f89 }, { 0x113d4, 0x113d5 }, { 0x113d7, 0x113d8 }, { 0x1144b, 0x1144f },
    { 0x1145a, 0x1145b }, { 0x1145d, 0x1145d }, { 0x11660, 0x1166c }, { 0x116b9, 0x116b9 }, { 0x1183b, 0x1183b },
    { 0x11944, 0x11946 }, { 0x119e2, 0x119e2 }, { 0x11a3f, 0x11a46 }, { 0x11a9a, 0x11a9c }, { 0x11a9e, 0x11aa2 },
    { 0x11b00, 0x11b09 }, { 0x11be1, 0x11be1 }, { 0x11c41, 0x11c45 }, { 0x11c70, 0x11c71 }, { 0x11ef7, 0x11ef8 },
    { 0x11f43, 0x11f4f }, { 0x11fff, 0x11fff }, { 0x12ff1, 0x12ff2 }, { 0x16d6d, 0x16d6f }, { 0x16e97, 0x16e9a },
    { 0x16fe2, 0x16fe2 }, { 0x1e5ff, 0x1e5ff }, { 0x1e95e, 0x1e95f },
};

CharSet rule_punctuation(Vocab *v)
{
    CharSet set, newer = { 0 };
    charset_named(v->regexes->unicode, "P", 1, &set);
    for (uint32_t c = '!'; c <= '~'; ++c)
        if (strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)c))
            charset_add(v->arena, &set, c, c);
    charset_add(v->arena, &set, 0x166d, 0x166d); // punctuation in Unicode 8.0, no longer
    charset_add(v->arena, &set, 0x111c9, 0x111c9);
    for (int i = 0; i < ARRAY_LEN(newer_punctuation); ++i)
        charset_add(v->arena, &newer, newer_punctuation[i].first, newer_punctuation[i].last);
    charset_unite(v->arena, &newer, charset_inverse(v->arena, set));
    return charset_inverse(v->arena, newer);
}

void preset_apply(const Preset *p, Vocab *v)
{
    for (int i = 0; i < ARRAY_LEN(p->patterns) && p->patterns[i]; ++i) {
        const char *pattern = p->patterns[i];
        if (strcmp(pattern, "0-9") == 0)
            vocab_add_step_at(v, PKG_ISOLATED, regex_add_set(v->regexes, rule_digits(v)));
        else if (vocab_add_step(v, PKG_ISOLATED, pattern, strlen(pattern), DIALECT_ONIGURUMA))
            error_at(NOWHERE, ERR_INTERNAL, "the rule \"%.100s\" is wrong", pattern);
    }
    v->whole_words = p->whole_words;
    v->form = p->compose ? FORM_NFC : FORM_NONE;
}
