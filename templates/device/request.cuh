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
    unsigned unused;
    unsigned long long fault;         // smallest fault word
    unsigned long long mailbox;       // address of a Mailbox
    unsigned ids[64];
    unsigned eos[32];
};

struct Mailbox {                      // in host memory
    unsigned stop;                    // the host asks to leave
    unsigned unused;
    unsigned ids[64];                 // chosen after each token that is complete
};
