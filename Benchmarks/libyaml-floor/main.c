// What reading a file as YAML costs at least: libyaml's events, each thrown away.
#include <stdio.h>
#include <yaml.h>

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file) return 2;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return 2;
    yaml_parser_set_input_file(&parser, file);
    int isAtEnd = 0;
    while (!isAtEnd) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) return 1;
        isAtEnd = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    fclose(file);
    return 0;
}
