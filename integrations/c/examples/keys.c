/* Makes a key pair, signs, and verifies; the signature goes through DER, and the public key through PEM: `keys`. */
#include <gecc.h>
#include <stdio.h>
#include <string.h>

/* A public key as openssl and other programs write it: RFC 7517, appendix A.1. */
static const char PEM[] = "-----BEGIN PUBLIC KEY-----\n"
                          "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMKBCTNIcKUSDii11ySs3526iDZ8A\n"
                          "iTo7Tu6KPAqv7D7gS2XpJFbZiItSs3m9+9Ue6GnvHw/GW2ZZaVtszggXIw==\n"
                          "-----END PUBLIC KEY-----\n";

/* Signs a message with a fresh key, and verifies the signature as it comes out of DER. */
static GeccStatus sign_and_verify(const GeccEngine *engine, int32_t curve, uint8_t *code) {
    uint8_t secret[32], point[64], signature[64], der[GECC_DER_SIZE], length, from_der[64];
    const GeccBytes message = {(const uint8_t *)"a message", 9};
    const GeccRows no_data = {NULL, 0};
    GeccStatus status = gecc_generate_keys(engine, curve, 1, secret, point);
    if (status == GECC_STATUS_OK) {
        GeccRows key = {secret, sizeof secret};
        int32_t form = GECC_S_FORM_CURVE_DEFAULT;
        status = gecc_ecdsa_sign_messages(engine, curve, 1, &message, key, no_data, form, signature, code);
    }
    /* The key is the program's to wipe. Compilers leave out a memset whose result nobody reads. */
    volatile uint8_t *wiped = secret;
    for (size_t i = 0; i < sizeof secret; i++) {
        wiped[i] = 0;
    }
    if (status == GECC_STATUS_OK) {
        status = gecc_signatures_to_der(1, (GeccRows){signature, sizeof signature}, der, &length);
    }
    if (status == GECC_STATUS_OK) {
        status = gecc_signatures_from_der(1, &(GeccBytes){der, length}, from_der, code);
    }
    if (status == GECC_STATUS_OK) {
        GeccKeys keys = {point, sizeof point, GECC_KEY_ENCODING_RAW};
        GeccRows signatures = {from_der, sizeof from_der};
        status = gecc_ecdsa_verify_messages(engine, curve, 1, &message, signatures, keys, GECC_POLICY_STANDARD, code);
    }
    return status;
}

int main(void) {
    GeccEngineOptions options = {.size = sizeof options};
    GeccEngine *engine = NULL;
    GeccCurve curve;
    uint8_t point[64], code = GECC_CODE_NONE;
    GeccStatus status = gecc_engine_new(&options, &engine);
    if (status == GECC_STATUS_OK) {
        status = gecc_curve_by_name("prime256v1", &curve);
    }
    if (status == GECC_STATUS_OK) {
        status = sign_and_verify(engine, curve, &code);
    }
    if (status == GECC_STATUS_OK) {
        printf("the signature: %s\n", gecc_code_text(code));
        const GeccBytes pem = {(const uint8_t *)PEM, strlen(PEM)};
        status = gecc_public_keys_read(engine, curve, 1, &pem, point, &code);
    }
    if (status == GECC_STATUS_OK) {
        printf("the key in PEM: %s, x begins with %02x%02x\n", gecc_code_text(code), point[0], point[1]);
    } else {
        fprintf(stderr, "status %d: %s\n", (int)status, gecc_last_error());
    }
    gecc_engine_free(engine);
    return status == GECC_STATUS_OK ? 0 : 1;
}
