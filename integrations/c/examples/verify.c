/* Verifies the signatures of Ethereum blocks: `verify ethereum_blocks.rows`.
 *
 * The file has rows of 129 bytes: 32 of a digest, 33 of a compressed key, 64 of a signature. They are verified as they
 * lie. */
#include <gecc.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORD = 32 + 33 + 64 };

/* The bytes of a file, to be freed by the caller; NULL if it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file == NULL) {
        return NULL;
    }
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end > 0 && fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)end)) != NULL) {
        *size = fread(bytes, 1, (size_t)end, file);
    }
    fclose(file);
    return bytes;
}

/* Prints how many of the records have which code. */
static void print_counts(const uint8_t *codes, size_t items) {
    size_t counts[256] = {0};
    for (size_t item = 0; item < items; item++) {
        counts[codes[item]]++;
    }
    for (int code = 0; code < 256; code++) {
        if (counts[code] > 0) {
            printf("%zu: %s\n", counts[code], gecc_code_text((uint8_t)code));
        }
    }
}

static GeccStatus verify(const GeccEngine *engine, const uint8_t *records, size_t items, uint8_t *codes) {
    GeccRows digests = {records, RECORD};
    GeccKeys keys = {records + 32, RECORD, GECC_KEY_ENCODING_COMPRESSED};
    GeccRows signatures = {records + 65, RECORD};
    return gecc_ecdsa_verify(engine, GECC_CURVE_SECP256K1, items, digests, signatures, keys, GECC_POLICY_LOW_S, codes);
}

int main(int argc, char **argv) {
    size_t size = 0;
    uint8_t *records = argc == 2 ? read_file(argv[1], &size) : NULL;
    if (records == NULL) {
        fprintf(stderr, "usage: verify FILE, with rows of %d bytes\n", RECORD);
        return 2;
    }
    size_t items = size / RECORD;
    uint8_t *codes = malloc(items + 1);
    GeccEngineOptions options = {.size = sizeof options};
    GeccEngine *engine = NULL;
    GeccStatus status = gecc_abi_version() == GECC_ABI_VERSION ? gecc_engine_new(&options, &engine) : GECC_STATUS_OTHER;
    if (status == GECC_STATUS_OK && codes != NULL) {
        status = verify(engine, records, items, codes);
    }
    if (status != GECC_STATUS_OK || codes == NULL) {
        fprintf(stderr, "status %d: %s\n", (int)status, gecc_last_error());
    } else {
        print_counts(codes, items);
        /* One wrong bit is found, and disturbs no other item. */
        records[0] ^= 1;
        status = verify(engine, records, items, codes);
        print_counts(codes, items);
    }
    gecc_engine_free(engine);
    free(codes);
    free(records);
    return status == GECC_STATUS_OK ? 0 : 1;
}
