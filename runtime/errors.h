// errors.h: the one table of error numbers, shared by llmc and its programs.
// ERROR(name, number, exit code, title, what to do). `llmc explain ENNNN` prints title and advice.
// Families: 01 bug, 02 usage, 03 files and weights, 04 config, tokenizer, target, plan and templates,
// 05 device, 06 memory, 07 verification, 08 numeric, 09 input/output, 10 toolchain.
#pragma once

#define ERROR_TABLE(ERROR) \
    ERROR(INTERNAL, 100, 1, "internal error", \
          "This is a bug in llmc. Please report the whole message and the version; the input that led here helps most.") \
    ERROR(USAGE, 200, 2, "usage", \
          "The command line is not one that this program takes. `--help` lists verbs and options; `--` ends the options.") \
    ERROR(OPTION_UNKNOWN, 201, 2, "unknown option", \
          "The option does not exist here. The message names the nearest one that does; `llmc help VERB` lists all.") \
    ERROR(OPTION_VALUE, 202, 2, "bad value of an option", \
          "The option needs a value of the kind that the message names. `--opt value` and `--opt=value` mean the same.") \
    ERROR(NOT_IN_THIS_VERSION, 203, 2, "not in this version", \
          "The verb or option is planned but this version does not have it. Nothing was done.") \
    ERROR(TRACE_MISSING, 204, 2, "compiled without -ftrace", \
          "--trace and --explain need stamps that the kernels of a program write. `llmc compile MODEL -ftrace` makes such a " \
          "program; without -ftrace there is nothing of it in the kernels.") \
    ERROR(FILE_MISSING, 300, 3, "file not found", "The file named does not exist or may not be read. Check the path.") \
    ERROR(FILE_KIND, 301, 3, "file is not what its name says", \
          "The content of the file is of another kind: a Git LFS pointer, an HTML page saved in its place, an empty or a " \
          "cut-off download. Fetch the file itself again.") \
    ERROR(JSON_SYNTAX, 302, 3, "not JSON", "The file is not valid JSON at the position shown (RFC 8259).") \
    ERROR(JSON_KEY, 303, 3, "a JSON value is missing, of another type or out of range", \
          "The message names the key, what stands there and what was expected.") \
    ERROR(JSON_DUPLICATE, 304, 3, "a JSON key stands twice", \
          "Readers disagree on which of two equal keys counts, so none is taken. Remove one.") \
    ERROR(SAFETENSORS, 310, 3, "broken safetensors file", \
          "The header of a .safetensors file breaks the format: 8 bytes of length, JSON, then data without holes or " \
          "overlaps. The file is damaged or was written by a faulty tool; download or convert it again.") \
    ERROR(SHARD_MISSING, 311, 3, "a shard of the checkpoint is missing", \
          "model.safetensors.index.json names a file that is not in the folder. Download the missing shard.") \
    ERROR(SHARD_INDEX, 312, 3, "index and shards disagree", \
          "The index places a tensor in a shard that does not hold it, or a shard holds a tensor that the index does not " \
          "name. The folder mixes files of two downloads.") \
    ERROR(GGUF, 320, 3, "broken GGUF file", \
          "The file breaks the GGUF format at the offset shown: it is damaged, cut off, or not GGUF.") \
    ERROR(GGUF_VERSION, 321, 3, "GGUF version not read here", \
          "Versions 2 and 3 are read. Convert the model again with a current converter.") \
    ERROR(GGUF_KEY, 322, 3, "a GGUF key is missing, of another type or out of range", \
          "The message names the key, what stands there and what was expected.") \
    ERROR(TENSOR_MISSING, 330, 3, "a tensor is missing", \
          "The model needs a tensor that the weights do not have. The checkpoint is incomplete or of another architecture.") \
    ERROR(TENSOR_SHAPE, 331, 3, "a tensor has another shape", \
          "The shape in the weights is not the one that the config gives. Config and weights are of two models.") \
    ERROR(TENSOR_TYPE, 332, 3, "a tensor's number format is not read here", \
          "The message names the format and those that are read. Use a checkpoint in one of them.") \
    ERROR(TENSOR_UNKNOWN, 333, 3, "a tensor that the model does not use", \
          "A tensor nobody reads may change the mathematics (a bias, an adapter), so it is not skipped.") \
    ERROR(TENSOR_VALUE, 334, 3, "a weight is not a finite number", \
          "A weight is NaN or infinite, in the file or after conversion to the stored format. The checkpoint is damaged.") \
    ERROR(WEIGHTS_MISSING, 335, 3, "no weights", \
          "The program has no weights or no tokenizer yet. `llmc pack MODEL --into PROGRAM` adds them; " \
          "`--weights random:SEED --ids-in 1,2,3` runs without.") \
    ERROR(WEIGHTS_FILE, 336, 3, "broken weights file", \
          "The .llmw file is damaged, cut off or of a newer version. `llmc pack MODEL --into PROGRAM` makes it again.") \
    ERROR(TENSOR_TIED, 337, 3, "config and weights disagree about the head", \
          "tie_word_embeddings says that lm_head is the embedding, but the weights hold another lm_head. Config and weights " \
          "are of two models, or the config is wrong: untie it in a copy.") \
    ERROR(CONFIG_MISSING, 400, 3, "no config.json", "A Hugging Face folder needs config.json beside its weights.") \
    ERROR(CONFIG_VALUE, 401, 3, "a value of the config is not possible", \
          "The message names the key, its value and the condition it breaks.") \
    ERROR(CONFIG_KEY, 402, 3, "a config key that is not known", \
          "A key that llmc does not know may change the mathematics of the model, so it is not skipped. If the model runs " \
          "the same without it, remove it from a copy of the config.") \
    ERROR(CONFIG_ARCH, 403, 3, "architecture not supported", "The message lists the architectures of this version.") \
    ERROR(CONFIG_QUANTISED, 404, 3, "quantised checkpoint", \
          "The config says that the weights are quantised by a method that is not read here. Use the unquantised " \
          "checkpoint, or a GGUF in one of the formats that `llmc help compile` lists.") \
    ERROR(ROPE_TYPE, 412, 3, "unknown rope type", \
          "default needs nothing; linear needs `factor`; llama3 needs `factor`, `low_freq_factor`, `high_freq_factor` and " \
          "`original_max_position_embeddings`. Other types change the mathematics and are refused.") \
    ERROR(ROPE_VALUE, 413, 3, "a rope value is missing or not possible", \
          "Each rope type needs its full set of values: see `llmc explain E0412`.") \
    ERROR(ROPE_TWICE, 414, 3, "rope is described twice", \
          "`rope_scaling`/`rope_theta` and `rope_parameters` say different things. Remove one of them.") \
    ERROR(TOKENIZER, 420, 3, "broken tokenizer", "The message names what is wrong and where.") \
    ERROR(TOKENIZER_KIND, 421, 3, "tokenizer kind not supported", \
          "BPE and unigram are supported. With another tokenizer the program works with --ids-in; -p exits 3.") \
    ERROR(PRE_TOKENIZER, 422, 3, "unknown pre-tokenizer", \
          "How text is split before merging decides the ids. An unknown rule is refused, never replaced by another.") \
    ERROR(CHAT_TEMPLATE, 424, 3, "chat template not supported", \
          "The template of the model does what llmc does not compile, at the line shown, or does it while it runs. " \
          "`--chat-template NAME` takes a built-in one: llama2 llama3 chatml zephyr mistral gemma phi3 qwen; a path takes a " \
          "file, `none` leaves it out: -p works without.") \
    ERROR(CHAT_REFUSED, 425, 3, "the chat template refuses the conversation", \
          "The template of the model raised this itself: often roles must alternate, or it takes no system prompt.") \
    ERROR(CHAT_MISSING, 426, 3, "no chat template", \
          "--chat needs the template with which the model was taught. `llmc pack MODEL --into PROGRAM` takes the model's own, " \
          "with --chat-template NAME a built-in one.") \
    ERROR(CHAT_FILE, 427, 3, "not a conversation", \
          "/load reads what /save wrote: a JSON object with `messages`, each with `role` and `content`.") \
    ERROR(TARGET, 430, 3, "broken target description", "The message names the fact, its value and what was expected.") \
    ERROR(TARGET_UNKNOWN, 431, 3, "unknown target", "`llmc targets` lists the cards; a path to a JSON file works too.") \
    ERROR(TEMPLATE, 440, 3, "broken template", \
          "A template failed while it was rendered. The message gives template, line and the chain of includes.") \
    ERROR(PLAN_FILE, 450, 3, "broken plan file", "The plan.json is not one that this version reads. The message says where.") \
    ERROR(PLAN_KERNEL, 451, 3, "no kernel fits", \
          "No kernel of this version can do the operation at this size on this target. The message says why each one cannot.") \
    ERROR(PACKAGE, 460, 3, "broken program", \
          "The package at the end of the program is missing, cut off or damaged. A strip or a partial copy does that.") \
    ERROR(NO_DEVICE, 500, 5, "no usable GPU", \
          "The NVIDIA driver or a GPU is missing. The program never falls back to the CPU; compile with --target cpu for that.") \
    ERROR(DEVICE_ARCH, 501, 5, "built for another GPU", \
          "A program runs on exactly the architecture it was built for, with at least as many multiprocessors as it has " \
          "workers. Rebuild with the line shown.") \
    ERROR(DEVICE_OCCUPANCY, 502, 5, "workers do not fit on the device together", \
          "All workers must be resident at once, or they would wait for each other for ever. Rebuild for this device.") \
    ERROR(DEVICE_DRIVER, 503, 5, "driver call failed", "The message gives the call, the number and the driver's text.") \
    ERROR(DEVICE_UNKNOWN, 504, 5, "no such device", "`--list-devices` shows index, name and UUID of each.") \
    ERROR(MEMORY, 600, 6, "out of memory", "The machine has no memory left for llmc itself.") \
    ERROR(DEVICE_MEMORY, 601, 6, "does not fit on the GPU", \
          "The size is known at compile time. The message gives need, what is free and the largest context that fits.") \
    ERROR(CONTEXT_FULL, 602, 6, "context exceeded", \
          "Prompt and answer together are longer than the compiled context. Nothing is truncated or shifted.") \
    ERROR(DISK_SPACE, 603, 6, "not enough disk space", "The size is known before packing. Free space or write elsewhere.") \
    ERROR(PLAN_RULE, 700, 7, "the plan breaks a rule", \
          "Each plan is proved before anything is rendered. The message says what the rule demands and names the tasks that " \
          "break it. In a plan edited by hand, what one task gives up another must take, in every schedule that has it; without " \
          "--plan llmc plans again. A plan that llmc made itself breaks no rule: please report one that does.") \
    ERROR(FINGERPRINT, 710, 7, "fingerprints differ", \
          "Program and weights (or plan and model) were made for different things. Pack or compile again.") \
    ERROR(DIGEST, 711, 7, "digests differ", "The bytes are not the ones that were written: damage, or a changed file.") \
    ERROR(VERIFY, 720, 7, "results differ from the reference", \
          "The program's logits leave the bound at the position shown. Do not use this program; please report it.") \
    ERROR(NOT_FINITE, 800, 8, "a value is not finite", \
          "A NaN or infinity appeared in the layer and wave shown. Damaged weights are the usual cause.") \
    ERROR(KV_RANGE, 801, 8, "a K or V value is out of range", \
          "F16 holds at most 65504. Recompile with --kv-type bf16 or f32.") \
    ERROR(WATCHDOG, 802, 8, "a worker waited too long", \
          "A wait inside the kernel ran into its bound. If the GPU is not shared or throttled, please report it.") \
    ERROR(WRITE, 900, 9, "write failed", "The output could not be written. Nothing half-written is left.") \
    ERROR(READ, 901, 9, "read failed", "The input could not be read to its end.") \
    ERROR(LIBRARY_MISSING, 910, 9, "a library is missing", \
          "A program needs libc and the NVIDIA driver; --serve alone needs libmicrohttpd too, which is looked for when it is " \
          "asked for: `apt-get install libmicrohttpd12`.") \
    ERROR(ADDRESS, 911, 9, "an address that cannot be served on", \
          "The host is not one of this machine, or the port is taken or needs more rights. --serve HOST:PORT takes another.") \
    ERROR(TOOL_MISSING, 1000, 4, "no compiler", \
          "nvcc is looked for in --nvcc, PATH, CUDA_HOME and /usr/local/cuda; NVRTC in --nvrtc, the loader's path, the same " \
          "toolkits and pip's folders (VIRTUAL_ENV, ~/.local). `pip install nvidia-cuda-nvrtc` is enough. --target cpu needs g++ or clang++ " \
          "($CXX, then PATH): `apt install g++`.") \
    ERROR(TOOL_FAILED, 1001, 4, "the compiler failed", \
          "The messages above are the compiler's, at template lines. The full log lies in the output folder.") \
    ERROR(TOOL_SPILL, 1002, 4, "registers spill", \
          "ptxas put registers or arrays into local memory. A spill costs up to 17% even on paths that are never taken, so " \
          "the build stops. Plan with fewer --threads.") \
    ERROR(TOOL_OCCUPANCY, 1003, 4, "the worker does not fit on a multiprocessor", \
          "Registers or shared memory of one worker exceed the multiprocessor. Plan with fewer --threads.") \
    ERROR(TOOL_ARCH, 1004, 4, "the compiler does not know this architecture", \
          "The message names the CUDA version that has it.")

#define ERROR_ENUM(name, number, exit_code, title, advice) ERR_##name = number,
typedef enum ErrorId { ERROR_TABLE(ERROR_ENUM) } ErrorId;
#undef ERROR_ENUM
