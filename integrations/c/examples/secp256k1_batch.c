#include "secp256k1_batch.h"
#include <stdlib.h>
#include <string.h>

/* As libsecp256k1 serialises them: its own structs have no fixed form. */
typedef struct {
    unsigned char signature[64];
    unsigned char key[65];
} Record;

static int serialize(const secp256k1_context *ctx, Record *record, const secp256k1_ecdsa_signature *sig,
                     const secp256k1_pubkey *pubkey) {
    size_t length = sizeof record->key;
    return secp256k1_ecdsa_signature_serialize_compact(ctx, record->signature, sig) &&
           secp256k1_ec_pubkey_serialize(ctx, record->key, &length, pubkey, SECP256K1_EC_UNCOMPRESSED);
}

int secp256k1_ecdsa_verify_batch(const secp256k1_context *ctx, const GeccEngine *engine, int *results,
                                 const secp256k1_ecdsa_signature *sigs, const unsigned char *msghash32s,
                                 const secp256k1_pubkey *pubkeys, size_t n) {
    memset(results, 0, n * sizeof *results);
    Record *records = calloc(n + 1, sizeof *records);
    uint8_t *codes = malloc(n + 1);
    int done = records != NULL && codes != NULL;
    for (size_t i = 0; done && i < n; i++) {
        /* Items that cannot be serialised become zeros, which are not a valid signature. */
        if (!serialize(ctx, &records[i], &sigs[i], &pubkeys[i])) {
            memset(&records[i], 0, sizeof records[i]);
        }
    }
    if (done) {
        GeccRows digests = {msghash32s, 32};
        GeccRows signatures = {records->signature, sizeof *records};
        GeccKeys keys = {records->key, sizeof *records, GECC_KEY_ENCODING_UNCOMPRESSED};
        done = gecc_ecdsa_verify(engine, GECC_CURVE_SECP256K1, n, digests, signatures, keys, GECC_POLICY_LOW_S, codes) ==
               GECC_STATUS_OK;
    }
    for (size_t i = 0; done && i < n; i++) {
        results[i] = codes[i] == GECC_CODE_VALID;
    }
    free(codes);
    free(records);
    return done;
}
