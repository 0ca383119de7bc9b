// request.cuh: what host and kernel exchange: the fields of Request and Mailbox in runtime/package.h.
struct Request {
    unsigned position;                // of the first token of this launch
    unsigned tokens;                  // tokens of this launch
    unsigned forced;                  // the first `forced` come from ids[]
    unsigned all_logits;              // 1: the head runs for every token
    unsigned eos_count;
    unsigned arrived;                 // grid barrier: arrivals of this launch
    unsigned id;                      // the token that the next embed looks up
    unsigned done;                    // no token follows
    unsigned tag;                     // packets: of the first wave's
    unsigned choose;                  // CHOOSE_*; 0: the largest logit
    unsigned long long fault;         // smallest fault word
    unsigned long long mailbox;       // address of a Mailbox
    unsigned long long seed;          // of what is drawn
    unsigned met;                     // meetings of workers that draw: arrivals of this launch
    float shrink, grow, presence, frequency; // penalties: factor of a value above 0, of others; what is taken off
    unsigned window;                  // positions that penalties look back over
    unsigned top_k;                   // entries that stay; 0: all
    unsigned top_p;                   // share of the weight that stays, of 2^32; 0: all
    float reach;                      // distance below the largest value that stays (min-p)
    float scale;                      // log2(e) / temperature
    unsigned logprobs;                // largest logits that are told of each token, at most 20
    unsigned ids[64];
    unsigned eos[32];
};

struct Told {                         // of one token
    float largest, chosen;            // logits
    unsigned long long weight;        // of all ids
    unsigned ids[20];                 // the largest first
    float logits[20];
};

struct Mailbox {                      // in host memory
    unsigned stop;                    // the host asks to leave
    unsigned unused;
    unsigned ids[64];                 // chosen after each token that is complete
    Told told[64];
};
