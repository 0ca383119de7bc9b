# corpus.py: texts that try the rules of splitting: scripts, emoji, code, white space, digits, controls, long runs.
import random

PIECES = [
    # plain words, contractions in odd case, the long s (which folds to s)
    "the", "Hello", " world", "don't", "DON'T", "I'LL", "we'Ve", "they'RE", "it's", "IT'S", "'s", "'S", "'\u017f",
    "'D", "'m",
    "'M", "'t", "'T", "'re", "'rE", "'ll", "'lL", "'L", "'r", "'v", "''s", "x'\u017fy", "o'clock", "'tis",
    "rock'n'roll", "\u2019s",
    # scripts
    "français", "naïve", "über", "straße", "Ελληνικά", "Русский язык", "עברית", "العَرَبِيَّة", "हिन्दी", "ภาษาไทย",
    "한국어", "日本語", "テスト",
    "ひらがな", "中文字符", "漢字", "tiếng Việt", "ქართული", "አማርኛ", "e\u0301", "a\u030a\u0327", "Ǆ", "ǈ", "ß", "İ", "ﬁ", "ﬆ",
    "ª", "ʰ",
    # emoji: modifiers, joiners, flags, variation selectors
    "😀", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "❤️", "☃", "✈️", "🏴\U000e0067\U000e0062\U000e007f",
    # numbers of several kinds
    "0", "7", "42", "123", "1234", "1234567890", "3.14159", "1,000,000", "0xDEADBEEF", "1e-9", "٣٤٥", "५६", "Ⅷ",
    "½", "②", "10²", "𝟙𝟚",
    "1st", "v2", "2024-05-06", " 5", "  12", "\t9",
    # code and markup
    "def f(x):\n    return x**2\n", "for(int i=0;i<n;++i){a[i]+=b[i];}", "</div>", "<a href=\"#\">",
    "#include <stdio.h>\n",
    "a->b", "::", "...", "!!!", "?!", "--", "==", "!=", "/*", "*/", "\\n", "\\\\", "$x", "@user", "#tag", "a_b_c",
    "snake_case", "{}",
    "http://example.com/?q=1&r=2", "%d%s", "`code`", "\"quoted\"", "'quoted'", "(", ")", "[", "]", "~", "^", "|",
    "\u2014", "\u2026", "«", "»",
    # white space: every member of White_Space, and what only looks like it
    " ", "  ", "   ", "    ", "\t", "\t\t", "\n", "\n\n", "\r\n", "\r", "\n \n", " \n", "\n ", "\t\n\t", "\x0b",
    "\x0c", "\x85", "\xa0",
    "\u1680", "\u2000", "\u2003", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\u200b",
    "\ufeff", "\u180e", "\u2060",
    # controls, private use, unassigned, the ends of planes
    "\x01", "\x04", "\x04\x06\x04", "\x1b[0m", "\x1c", "\x1f", "\x7f", "\x80", "\x9f", "\xad", "\ue000", "\uffff", "\ufffd",
    "\u0378", "\U0010ffff",
    "\U0001ffff", "\U000e0001",
    # what special tokens look like
    "<|endoftext|>", "<|im_start|>", "<|begin_of_text|>", "<|eot_id|>", "<s>", "[INST]", "<|im_start|>user\n",
    "<think>", "</think>",
    "<|start|>", "<|start|><think>", "<|start|><|endoftext|><th", "<thing>", "<<th>>", "caf\u00e9 noir", ":::",
]


def random_code(rng):
    kind = rng.random()
    while True:
        if kind < 0.3:
            c = rng.randrange(1, 0x250)
        elif kind < 0.7:
            c = rng.randrange(1, 0x10000)
        else:
            c = rng.randrange(1, 0x110000)
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def one_text(rng):
    kind = rng.randrange(10)
    if kind == 0:  # one piece, often repeated
        return rng.choice(PIECES) * rng.choice([1, 1, 2, 3, 7, 40, 300])
    if kind == 1:  # any code points
        return "".join(random_code(rng) for _ in range(rng.randrange(1, 40)))
    if kind == 2:  # an apostrophe before anything
        letters = "stmdlrveSTMDLRVE\u017f\u212a"
        return "".join(rng.choice(["'", " '", "''"]) + rng.choice([random_code(rng), rng.choice(letters)])
                       + rng.choice(["", "e", "E", "l", "L", " ", "x"]) for _ in range(rng.randrange(1, 8)))
    if kind == 3:  # white space between words
        spaces = [p for p in PIECES if p.isspace()]
        words = ["", "a", "1", "!", "é", "中", "'s"]
        return "".join(rng.choice(words) + "".join(rng.choice(spaces) for _ in range(rng.randrange(5)))
                       for _ in range(rng.randrange(1, 12)))
    if kind == 4:  # few letters, many merges
        return "".join(rng.choice("aehinorst ") for _ in range(rng.randrange(1, 120)))
    if kind == 5:  # words as in prose
        words = [p for p in PIECES if p.isalpha()]
        return " ".join(rng.choice(words) for _ in range(rng.randrange(1, 30))) + rng.choice([".", "?", "!\n", "", " "])
    return "".join(rng.choice(PIECES) + rng.choice(["", "", " ", "\n"]) for _ in range(rng.randrange(1, 15)))


def texts(n, seed):
    rng = random.Random(seed)
    yield ""
    yield from PIECES
    for _ in range(n - 1 - len(PIECES)):
        yield one_text(rng)
