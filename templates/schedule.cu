//$ -- schedule: one entry: tokens of a launch, layers, waves and their barriers.
//$ params "entry what threads workers before layer_waves after layers request_at poll_limit"
//$ local function guard(w) return w.tasks < workers and "if (worker < " .. w.tasks .. ")" or "" end
//$ local function depth(w, k) return w.layered and "1 + layer * " .. #layer_waves .. " + " .. k - 1 or tostring(k - 1) end
// $(entry): $(what)
extern "C" __global__ void __launch_bounds__($(threads), 1)
$(entry)(const uint4* __restrict__ weights, unsigned char* state)
{
    const int worker = blockIdx.x;
    Request* request = (Request*)(state + $(request_at));
    const int tokens = request->tokens, start = request->position;
    const int head_from = request->all_logits ? 0 : (int)request->forced - 1;
    unsigned arrivals = 0; // that complete the next barrier
    for (int step = 0; step < tokens; ++step) {
        const int position = start + step;
        const bool head_runs = step >= head_from;
        //$ for k, wave in ipairs(before) do
        //$ include("wave.cu", { wave = wave, number = tostring(k - 1), workers = workers, poll_limit = poll_limit })
        //$ end
        for (int layer = 0; layer < $(layers); ++layer) {
            //$ for k, wave in ipairs(layer_waves) do
            //$ include("wave.cu", { wave = wave, number = #before + k - 1 .. " + layer * " .. #layer_waves, workers = workers, poll_limit = poll_limit })
            //$ end
        }
        //$ for k, wave in ipairs(after) do
        //$ include("wave.cu", { wave = wave, number = tostring(#before + layers * #layer_waves + k - 1), workers = workers, poll_limit = poll_limit })
        //$ end
        if (request->done)
            return;
    }
}
