/* table.c: the room's variants, from variants.def. */
#include "stage/interp/interp.h"

#define VARIANT(room, stem, note) extern const struct variant room##_##stem;
#include "stage/interp/variants.def"
#undef VARIANT

static const struct variant_row rows[] = {
#define VARIANT(room, stem, note) {#stem, note, &room##_##stem},
#include "stage/interp/variants.def"
#undef VARIANT
    {NULL, NULL, NULL}};

const struct stage interp_stage = {"interp", rows};
