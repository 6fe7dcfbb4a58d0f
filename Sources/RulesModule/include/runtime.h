#ifndef NAVSTATE_RULES_RUNTIME_H
#define NAVSTATE_RULES_RUNTIME_H

#include <stdint.h>

// The texts of a call. The caller reads and writes them in the memory of the module.

// Where the texts of the next call are, with room for so many bytes.
unsigned char *_Nonnull rules_input(int32_t length);
// Copies the text that the call returns.
void rules_answer(const unsigned char *_Nullable bytes, int32_t length);

#endif
