//$ -- embed: x = the row of the embedding that the token names.
//$ params "name table_at table_words table_lo table_hi y_at request_at threads"
// $(name): x = embedding[id], one row of $(table_words) 16-byte words, by one worker, one word a thread.
__device__ __forceinline__ void $(name)(const uint4* __restrict__ weights, unsigned char* state)
{
    const int thread = thread_index();
    const Request* request = (const Request*)(state + $(request_at));
    const uint4* row = weights + $(table_at) + (size_t)request->id * $(table_words);
    float4* x = (float4*)(state + $(y_at));
    for (int i = thread; i < $(table_words); i += $(threads)) {
        const uint4 q = row[i];
        x[2 * i] = make_float4($(table_lo)(q.x), $(table_hi)(q.x), $(table_lo)(q.y), $(table_hi)(q.y));
        x[2 * i + 1] = make_float4($(table_lo)(q.z), $(table_hi)(q.z), $(table_lo)(q.w), $(table_hi)(q.w));
    }
}
