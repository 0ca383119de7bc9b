// cli_chat_file.h: conversations as files: {"model":"...","messages":[{"role":"user","content":"..."}, ...]}.
#pragma once
#include "chat.h"

// Writes a conversation in place of what is there. Error: WRITE.
RtStatus chat_save(const Chat *chat, const char *model, const char *path, RtError *error);

// Reads one in place of what `chat` has, which stays as it is on failure. "messages" may be the whole file, too. Errors: READ,
// FILE_MISSING, CHAT_FILE, those of json_read.
RtStatus chat_read(Chat *chat, const char *path, RtError *error);
