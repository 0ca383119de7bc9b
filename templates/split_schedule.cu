//$ -- split_schedule: the entry: the feeding thread walks through the worker's stream, eight warps through the waves.
//$ params "entry contexts before layer_waves after layers token_waves request_at workers"
//$ local function numbered(wave, number) wave.number, wave.token_waves = number, token_waves return wave end
// The stream of one worker. The waves behind the layers stand in one more turn of the layers' loop.
__device__ __forceinline__ void $(entry)_stream(Feed& f, const unsigned char* __restrict__ weights, const unsigned char* state)
{
    const int worker = blockIdx.x;
    const Request* request = (const Request*)(state + $(request_at));
    const int tokens = request->tokens, forced = request->forced, all_logits = request->all_logits, start = request->position;
    #pragma unroll 1
    for (int step = 0; step < tokens; ++step) {
        const int position = start + step, turns = step + 1 >= forced || all_logits ? $(layers + 1) : $(layers);
        #pragma unroll 1
        for (int layer = 0; layer < turns; ++layer) {
            #pragma unroll 1
            for (int wave = layer < $(layers) ? 0 : $(#layer_waves); wave < (layer < $(layers) ? $(#layer_waves) : $(#layer_waves + #after)); ++wave) {
                Run run;
                switch (wave) {
                //$ for k, wave in ipairs(layer_waves) do
                //$ include("split_feed_wave.cu", numbered(wave, k - 1))
                //$ end
                //$ for k, wave in ipairs(after) do
                //$ include("split_feed_wave.cu", numbered(wave, #layer_waves + k - 1))
                //$ end
                default: // it streams nothing
                    continue;
                }
                if (!feed_run(f, run))
                    return;
            }
        }
    }
}

//$ for _, text in ipairs(contexts) do
// $(text)
//$ end
extern "C" __global__ void __launch_bounds__(288, 1)
$(entry)(const uint4* __restrict__ weights, unsigned char* state)
{
    Split me;
    me.worker = blockIdx.x;
    me.thread = threadIdx.x;
    me.warp = __shfl_sync(0xffffffffu, me.thread >> 5, 0); // the same in all lanes, and known to be
    me.lane = me.thread & 31;
    me.request = (Request*)(state + $(request_at));
    if (me.thread == 0)
        split_begin(me.request);
    //$ if trace then
    if (me.thread == 0)
        trace_begin(state, me.worker);
    //$ end
    __syncthreads();
    if (me.warp == 8) {
        if (me.lane == 0) {
            Feed f = { 0, 0u, 0, 0, 0, 0, 0, 0u, evict_first() };
            $(entry)_stream(f, (const unsigned char*)weights, state);
            while (f.under_way > 0)
                feed_await(f);
        }
        return;
    }
    //$ for _, wave in ipairs(after) do
    //$ if wave.best then
    //$ include("split_allowed.cu", wave)
    //$ end
    //$ end
    me.slot = 0;
    me.phase = 0u;
    me.flip = 0;
    for (int step = 0; step < me.request->tokens; ++step) {
        //$ for k, wave in ipairs(before) do
        //$ include("split_wave.cu", numbered(wave, tostring(k - 1)))
        //$ end
        #pragma unroll 1
        for (int layer = 0; layer < $(layers); ++layer) {
            //$ for k, wave in ipairs(layer_waves) do
            //$ include("split_wave.cu", numbered(wave, "layer * " .. #layer_waves .. " + " .. #before + k - 1))
            //$ end
        }
        //$ for k, wave in ipairs(after) do
        //$ include("split_wave.cu", numbered(wave, tostring(token_waves - #after + k - 1)))
        //$ end
        if (load_flag(split_flags() + FLAG_DONE))
            break;
    }
    if (me.thread == 0)
        store_flag(split_flags() + FLAG_LEFT, 1u);
}
