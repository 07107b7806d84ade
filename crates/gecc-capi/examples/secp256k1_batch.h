/* libsecp256k1's secp256k1_ecdsa_verify over arrays, computed by gecc. */
#ifndef SECP256K1_BATCH_H
#define SECP256K1_BATCH_H

#include <gecc.h>
#include <secp256k1.h>

/* results[i] is what secp256k1_ecdsa_verify(ctx, &sigs[i], &msghash32s[32 * i], &pubkeys[i]) returns, 1 or 0: high s
 * is refused. Returns 1, or 0 when the call could not run: then all results are 0, and gecc_last_error says why. */
int secp256k1_ecdsa_verify_batch(const secp256k1_context *ctx, const GeccEngine *engine, int *results,
                                 const secp256k1_ecdsa_signature *sigs, const unsigned char *msghash32s,
                                 const secp256k1_pubkey *pubkeys, size_t n);

#endif
