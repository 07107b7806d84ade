/* libsecp256k1's secp256k1_ecdsa_verify over arrays, computed by gecc. */
#ifndef SECP256K1_BATCH_H
#define SECP256K1_BATCH_H

#include <gecc.h>
#include <secp256k1.h>

/* Sets results[i] to the result of secp256k1_ecdsa_verify(ctx, &sigs[i], &msghash32s[32 * i], &pubkeys[i]), 1 or 0:
 * high s is rejected. Returns 1, or 0 if the call failed: then all results are 0, and gecc_last_error returns the
 * reason. */
int secp256k1_ecdsa_verify_batch(const secp256k1_context *ctx, const GeccEngine *engine, int *results,
                                 const secp256k1_ecdsa_signature *sigs, const unsigned char *msghash32s,
                                 const secp256k1_pubkey *pubkeys, size_t n);

#endif
