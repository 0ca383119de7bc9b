//$ -- schedule: one entry: tokens of a launch, layers, waves and their barriers.
//$ params "entry what threads workers before layer_waves after layers request_at"
//$ local function numbered(wave, number) wave.number = number return wave end
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
        //$ include("wave.cu", numbered(wave, tostring(k - 1)))
        //$ end
        for (int layer = 0; layer < $(layers); ++layer) {
            //$ for k, wave in ipairs(layer_waves) do
            //$ include("wave.cu", numbered(wave, #before + k - 1 .. " + layer * " .. #layer_waves))
            //$ end
        }
        //$ for k, wave in ipairs(after) do
        //$ include("wave.cu", numbered(wave, tostring(#before + layers * #layer_waves + k - 1)))
        //$ end
        if (request->done)
            return;
    }
}
