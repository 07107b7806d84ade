/* Verifies the signatures of Ethereum blocks with libsecp256k1 one by one and with gecc at once, and compares the
 * results: `verify_secp256k1 ethereum_blocks.rows`. */
#include "secp256k1_batch.h"
#include <stdio.h>

enum { RECORD = 32 + 33 + 64, MOST = 600 };

static unsigned char records[MOST][RECORD], digests[MOST][32];
static secp256k1_ecdsa_signature signatures[MOST];
static secp256k1_pubkey keys[MOST];
static int results[MOST];

int main(int argc, char **argv) {
    FILE *file = fopen(argc == 2 ? argv[1] : "", "rb");
    size_t items = file == NULL ? 0 : fread(records, RECORD, MOST, file);
    secp256k1_context *ctx = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    GeccEngine *engine = NULL;
    if (file != NULL) {
        fclose(file);
    }
    int done = items > 0 && gecc_engine_new(NULL, &engine) == GECC_STATUS_OK;
    for (size_t i = 0; done && i < items; i++) {
        /* Every fifth digest is changed. */
        for (size_t byte = 0; byte < 32; byte++) {
            digests[i][byte] = records[i][byte] ^ (i % 5 == 0);
        }
        done = secp256k1_ec_pubkey_parse(ctx, &keys[i], &records[i][32], 33) &&
               secp256k1_ecdsa_signature_parse_compact(ctx, &signatures[i], &records[i][65]);
    }
    done = done && secp256k1_ecdsa_verify_batch(ctx, engine, results, signatures, digests[0], keys, items);
    size_t same = 0, valid = 0;
    for (size_t i = 0; done && i < items; i++) {
        same += results[i] == secp256k1_ecdsa_verify(ctx, &signatures[i], digests[i], &keys[i]);
        valid += (size_t)results[i];
    }
    printf("%zu of %zu valid, %zu as libsecp256k1 says\n", valid, items, same);
    gecc_engine_free(engine);
    secp256k1_context_destroy(ctx);
    return done && same == items ? 0 : 1;
}
