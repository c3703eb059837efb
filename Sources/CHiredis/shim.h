#include <hiredis.h>
#include <stdlib.h>

// What Swift cannot say itself about hiredis's parser, whose parts differ between the versions 0.14 and 1.

// A longer array is a protocol error, before memory is taken for what it only promises.
#define PIPE_RUN_MOST_ELEMENTS 65536

#if HIREDIS_MAJOR < 1
static inline void *pipe_run_create_array(const redisReadTask *task, int elements) {
    if (elements > PIPE_RUN_MOST_ELEMENTS) return NULL;
    redisReply *array = (redisReply *)calloc(1, sizeof(redisReply));
    if (array == NULL) return NULL;
    array->type = REDIS_REPLY_ARRAY;
    if (elements > 0) {
        array->element = (redisReply **)calloc((size_t)elements, sizeof(redisReply *));
        if (array->element == NULL) {
            free(array);
            return NULL;
        }
    }
    array->elements = (size_t)elements;
    if (task->parent) ((redisReply *)task->parent->obj)->element[task->idx] = array;
    return array;
}
#endif

static inline redisReader *pipe_run_reader_create(void) {
    redisReader *reader = redisReaderCreate();
    if (reader == NULL) return NULL;
#if HIREDIS_MAJOR < 1
    redisReplyObjectFunctions *functions = (redisReplyObjectFunctions *)malloc(sizeof(redisReplyObjectFunctions));
    if (functions == NULL) {
        redisReaderFree(reader);
        return NULL;
    }
    *functions = *reader->fn;
    functions->createArray = pipe_run_create_array;
    reader->fn = functions;
#else
    reader->maxelements = PIPE_RUN_MOST_ELEMENTS;
#endif
    return reader;
}

static inline void pipe_run_reader_free(redisReader *reader) {
#if HIREDIS_MAJOR < 1
    redisReplyObjectFunctions *functions = reader->fn;
    redisReaderFree(reader);
    free(functions);
#else
    redisReaderFree(reader);
#endif
}

static inline const char *pipe_run_reader_error(const redisReader *reader) { return reader->errstr; }
