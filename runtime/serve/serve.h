// serve.h: --serve: the model behind OpenAI's API over HTTP.
#pragma once
#include "../cli.h"

// Serves until SIGINT or SIGTERM; returns the exit code.
int cli_serve(Cli *cli);
