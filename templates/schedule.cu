//$ -- schedule: the entry: tokens of a launch, layers, waves and their barriers.
//$ params "entry contexts threads workers before layer_waves after layers token_waves request_at"
//$ local function numbered(wave, number) wave.number = number return wave end
//$ for _, text in ipairs(contexts) do
// $(text)
//$ end
extern "C" __global__ void __launch_bounds__($(threads), 1)
$(entry)(const uint4* __restrict__ weights, unsigned char* state)
{
    const int worker = blockIdx.x;
    Request* request = (Request*)(state + $(request_at));
    //$ if trace then
    if (threadIdx.x == 0)
        trace_begin(state, worker);
    //$ end
    for (int step = 0; step < request->tokens; ++step) {
        const int position = request->position + step;
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
