/* The first steps of a new user of the interface: what works at once, and the messages for common mistakes. */
#include <gecc.h>
#include <stdio.h>
#include <string.h>

static void say(const char *what, GeccStatus status) {
    printf("%s: status %d%s%s\n", what, (int)status, status == GECC_STATUS_OK ? "" : ", ",
           status == GECC_STATUS_OK ? "" : gecc_last_error());
}

static bool stop(void *context, size_t done, size_t items) {
    (void)items;
    *(size_t *)context = done;
    return true;
}

int main(void) {
    GeccEngineOptions options = {.size = sizeof options, .backend = GECC_BACKEND_CPU};
    GeccEngine *engine = NULL;
    enum { ITEMS = 200000 };
    static uint8_t secrets[ITEMS][32], points[ITEMS][64], digests[2][32], signatures[2][64], codes[ITEMS];
    const GeccRows no_data = {NULL, 0};
    const int32_t curve = GECC_CURVE_P256;

    say("an engine", gecc_engine_new(&options, &engine));
    say("keys", gecc_generate_keys(engine, curve, 2, secrets[0], points[0]));
    GeccRows keys = {secrets[0], 32}, rows = {digests[0], 32}, signed_rows = {signatures[0], 64};
    GeccKeys points_of = {points[0], 64, GECC_KEY_ENCODING_RAW};
    const int32_t form = GECC_S_FORM_CURVE_DEFAULT;
    say("sign", gecc_ecdsa_sign(engine, curve, 2, rows, keys, no_data, form, signatures[0], codes));
    say("verify", gecc_ecdsa_verify(engine, curve, 2, rows, signed_rows, points_of, GECC_POLICY_STANDARD, codes));
    printf("%zu of 2 valid\n", gecc_count_valid(codes, 2));

    GeccEngineOptions no_size = {0};
    GeccEngine *none = NULL;
    say("1. options without their size", gecc_engine_new(&no_size, &none));
    say("2. no engine", gecc_ecdsa_verify(none, curve, 2, rows, signed_rows, points_of, 0, codes));
    GeccKeys wrong = {points[0], 64, GECC_KEY_ENCODING_UNCOMPRESSED};
    say("3. keys of 65 bytes at a distance of 64",
        gecc_ecdsa_verify(engine, curve, 2, rows, signed_rows, wrong, 0, codes));
    wrong.encoding = 0;
    say("4. keys without an encoding", gecc_ecdsa_verify(engine, curve, 2, rows, signed_rows, wrong, 0, codes));
    say("5. ECDSA on SM2's curve",
        gecc_ecdsa_verify(engine, GECC_CURVE_SM2, 2, rows, signed_rows, points_of, 0, codes));
    say("6. a key of another curve",
        gecc_ecdsa_verify(engine, GECC_CURVE_SECP256K1, 2, rows, signed_rows, points_of, 0, codes));
    printf("   %s\n", gecc_code_text(codes[0]));
    GeccCurve named;
    say("7. a curve that there is not", gecc_curve_by_name("P-384", &named));
    say("8. results in the memory of an argument",
        gecc_ecdsa_sign(engine, curve, 2, rows, keys, no_data, form, secrets[0], codes));
    uint8_t der[GECC_DER_SIZE], lengths[2], row[64];
    gecc_signatures_to_der(1, signed_rows, der, lengths);
    say("9. DER cut short", gecc_signatures_from_der(1, &(GeccBytes){der, lengths[0] - 1u}, row, codes));
    printf("   %s\n", gecc_code_text(codes[0]));
    const char *text = "-----BEGIN PUBLIC KEY-----";
    say("10. truncated PEM",
        gecc_public_keys_read(engine, curve, 1, &(GeccBytes){(const uint8_t *)text, strlen(text)}, points[0], codes));

    size_t done = 0;
    gecc_on_progress(stop, &done);
    GeccStatus status = gecc_generate_keys(engine, curve, ITEMS, secrets[0], points[0]);
    gecc_on_progress(NULL, NULL);
    const char *part = done > 0 && done < ITEMS ? "some" : "none or all";
    printf("a long call, ended after a part: status %d, %s\n", (int)status, part);
    gecc_engine_free(engine);
    return 0;
}
