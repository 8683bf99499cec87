/*===- check.h - expectations of the tests in C -------------------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
|* A test is a program that ends with `return failures();`.                 *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#ifndef TILEC_TEST_CAPI_CHECK_H
#define TILEC_TEST_CAPI_CHECK_H

#include "tilec-c/tilec-types.h"

#include <stdio.h>
#include <string.h>

static int failed_checks;

/** What the last calls reported. */
typedef struct messages {
  char text[4096];
  unsigned count, line, column;
  size_t num_notes;
} messages;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);           \
      ++failed_checks;                                                         \
    }                                                                          \
  } while (0)

/** A call succeeds; its message is shown if not. */
#define CHECK_OK(call)                                                         \
  do {                                                                         \
    messages_.text[0] = 0;                                                     \
    if ((call) != TILEC_OK) {                                                  \
      printf("%s:%d: failed: %s\n  %s\n", __FILE__, __LINE__, #call,           \
             messages_.text);                                                  \
      ++failed_checks;                                                         \
    }                                                                          \
  } while (0)

/** A call fails with a status and a message that has `part` in it. */
#define CHECK_FAILS(call, status, part)                                        \
  do {                                                                         \
    messages_.text[0] = 0;                                                     \
    messages_.count = 0;                                                       \
    int got_ = (call);                                                         \
    if (got_ != (status) || !strstr(messages_.text, part)) {                   \
      printf("%s:%d: failed: %s\n  status %d, message: %s\n", __FILE__,        \
             __LINE__, #call, got_, messages_.text);                           \
      ++failed_checks;                                                         \
    }                                                                          \
  } while (0)

static messages messages_;

static void keep_message(const tilec_diagnostic *diagnostic, void *user) {
  messages *to = (messages *)user;
  size_t used = strlen(to->text);
  snprintf(to->text + used, sizeof to->text - used, "%s%s", used ? "\n" : "",
           diagnostic->message);
  ++to->count;
  to->line = diagnostic->line;
  to->column = diagnostic->column;
  to->num_notes = diagnostic->num_notes;
}

/** Keeps messages in `messages_`. */
static const tilec_sink sink_ = {keep_message, &messages_};

static int failures(void) {
  if (!failed_checks)
    printf("all checks passed\n");
  return failed_checks != 0;
}

#endif /* TILEC_TEST_CAPI_CHECK_H */
