// json_check.c: is standard input one JSON object with these keys? json_check KEY...
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char text[1 << 20];
    const size_t bytes = fread(text, 1, sizeof text - 1, stdin);
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(text, bytes + 1, &end, 1);
    if (!json || !cJSON_IsObject(json)) {
        printf("not one JSON object: %s\n", text);
        return 1;
    }
    for (int i = 1; i < argc; ++i)
        if (!cJSON_GetObjectItemCaseSensitive(json, argv[i])) {
            printf("no key \"%s\" in: %s\n", argv[i], text);
            return 1;
        }
    cJSON_Delete(json);
    return 0;
}
