/*
 * gecc: batches of elliptic-curve operations (ECDSA, BIP 340, SM2, ECDH and masks on secp256k1,
 * P-256, brainpoolP256r1 and SM2, Ed25519 and X25519) on NVIDIA GPUs and CPUs, for C and languages
 * that call C.
 *
 * A call takes a batch of `items` items in columns, and returns results in columns. A malformed
 * item gets its own code and does not affect other items.
 *
 * **Input columns** are `GeccRows` or `GeccKeys`: the first row, and the distance from each row to
 * the next in bytes. Fields of records can be passed in place: in records of `32 digest | 33 key |
 * 64 signature`, all three columns have a stride of 129. With a stride of 0, all items have the
 * same row. Numbers, coordinates and digests have 32 bytes, big-endian; signatures have 64 bytes
 * `r || s`. Ed25519 and X25519 have their own encodings.
 *
 * **Output columns** are memory of the caller for adjacent rows: `items` times the width of a row.
 * Their previous contents are ignored. `codes` has one byte per item, a `GeccCode`. Other results
 * of an item are meaningless unless its code is `GECC_CODE_VALID`. Sums over all items have one
 * result and one code instead. **Codes are not truth values**: `if (codes[i])` is also true for
 * rejected items. Compare with `GECC_CODE_VALID`, or use `gecc_count_valid`.
 *
 * **The return value** of a call is a `GeccStatus`, which does not depend on the validity of
 * items. After any status but `GECC_STATUS_OK` results are meaningless: codes are 0, or untouched
 * if an argument was rejected. `gecc_last_error` returns the text of the error. Every call can
 * return `GECC_STATUS_NULL_POINTER` and `GECC_STATUS_INVALID_ARGUMENT`; calls with an engine also
 * `GECC_STATUS_FORKED`, `GECC_STATUS_PANIC` and `GECC_STATUS_OTHER`, and with `GECC_BACKEND_GPU`
 * `GECC_STATUS_DEVICE` and `GECC_STATUS_KERNELS`. No panic or exception leaves a call. As in any
 * program, running out of memory elsewhere than in `gecc_buffer_new` ends the process.
 *
 * **Requirements on the caller**, which calls cannot check: non-null pointers refer to memory that
 * may be read or written, in the documented sizes; no other thread writes to it during a call; an
 * engine or buffer is from its `_new` function, and is freed once, and not while a call uses it.
 * Memory is used only during a call. It remains the caller's, including the secrets in it. Calls
 * check everything else: null, numbers, strides below the width of a row, sizes beyond the address
 * space, alignment, and overlaps of written memory with other memory of the call (a column extends
 * from its first byte to its last). Without items, columns are not examined: pointers may be null,
 * and strides and encodings may have any value.
 *
 * **Threads.** Any number of threads may make calls concurrently, with the same engine or
 * different ones. A call returns when its results are complete. Large batches are the most
 * efficient: a call may have one item or millions.
 *
 * **Long calls** can be cancelled and report their progress: see `gecc_on_progress`.
 *
 * **Secrets.** The documentation of calls that are **constant-time** in private keys states so;
 * other calls are for public data. The library wipes its own memory of secrets, and no text
 * contains a secret.
 *
 * **Versions.** `GECC_ABI_VERSION` is increased by changes of this interface, but not by
 * additions. A program that loads the library itself compares it with `gecc_abi_version`.
 *
 * Written by cbindgen from the sources of gecc-capi.
 */

#ifndef GECC_H
#define GECC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of this interface.
#define GECC_ABI_VERSION 2

/// The maximum length of a signature in DER, in bytes.
#define GECC_DER_SIZE 72

/// The status of a call. Numbers never change and are never reused. Later versions may add numbers.
enum GeccStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The call succeeded. The codes contain the results of checking the items.
  GECC_STATUS_OK = 0,
  /// A required pointer is null.
  GECC_STATUS_NULL_POINTER = 1,
  /// A number, size, stride or alignment is invalid, memory that is written overlaps other memory
  /// of the call, or a text is not UTF-8.
  GECC_STATUS_INVALID_ARGUMENT = 2,
  /// The curve does not support the scheme: there is no ECDSA on the curve of SM2.
  GECC_STATUS_NO_SCHEME = 3,
  /// GPUs were requested, and none can be used.
  GECC_STATUS_NO_DEVICE = 4,
  /// All GPUs failed, and the engine may not use the CPU instead.
  GECC_STATUS_DEVICE = 5,
  /// Kernels could not be compiled, stored or loaded.
  GECC_STATUS_KERNELS = 6,
  /// The operating system refused to start threads.
  GECC_STATUS_THREADS = 7,
  /// The engine was created before this process was forked. Create another one after the fork.
  GECC_STATUS_FORKED = 8,
  /// There is not enough memory for a buffer.
  GECC_STATUS_OUT_OF_MEMORY = 9,
  /// A defect of the library ended the call. Its results are meaningless. Other calls continue.
  /// Free the engine when they have ended, create another one, and report the library's output on
  /// standard error.
  GECC_STATUS_PANIC = 10,
  /// An error for which this version of the interface has no number. `gecc_last_error` describes
  /// it.
  GECC_STATUS_OTHER = 11,
  /// The caller's function ended the call (`gecc_on_progress`).
  GECC_STATUS_CANCELLED = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccStatus GeccStatus;
#else
typedef int32_t GeccStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A curve. Calls take it as a number, and reject other numbers with
/// `GECC_STATUS_INVALID_ARGUMENT`.
enum GeccCurve
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// secp256k1 (SEC 2 v2, section 2.4.1).
  GECC_CURVE_SECP256K1 = 1,
  /// P-256 (NIST SP 800-186, section 3.2.1.3).
  GECC_CURVE_P256 = 2,
  /// brainpoolP256r1 (RFC 5639, section 3.4).
  GECC_CURVE_BRAINPOOL_P256R1 = 3,
  /// The curve of SM2 (GB/T 32918.5-2017). It does not support ECDSA.
  GECC_CURVE_SM2 = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccCurve GeccCurve;
#else
typedef int32_t GeccCurve;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The treatment of X25519 shared secrets that are zero. The secret is zero for a few public keys,
/// whatever the private key is: the peer did not contribute to it (RFC 7748, sections 6.1 and 7).
enum GeccAllZero
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The item is rejected with `GECC_CODE_IDENTITY_RESULT`, as TLS 1.3 (RFC 8446, section 7.4.2)
  /// and other protocols require.
  GECC_ALL_ZERO_REJECT = 0,
  /// The shared secret is 32 zero bytes.
  GECC_ALL_ZERO_ACCEPT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccAllZero GeccAllZero;
#else
typedef int32_t GeccAllZero;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The kind of device that an engine uses.
enum GeccBackend
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// All GPUs, and the CPU for batches that are too small for them and for work that they fail to
  /// complete. Without a GPU, the CPU only.
  GECC_BACKEND_AUTO = 0,
  /// The CPU.
  GECC_BACKEND_CPU = 1,
  /// GPUs only: creating an engine fails without a GPU, and calls fail if all GPUs have failed.
  GECC_BACKEND_GPU = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccBackend GeccBackend;
#else
typedef int32_t GeccBackend;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The result of checking an item, in one byte: valid, or the first check that failed. Numbers
/// never change and are never reused. Later versions may add numbers.
enum GeccCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The item was not computed, because its call did not succeed.
  GECC_CODE_NONE = 0,
  /// Every check passed, and the item's results are valid.
  GECC_CODE_VALID = 1,
  /// The encoding of the signature is malformed (`gecc_signatures_from_der`).
  GECC_CODE_MALFORMED_SIGNATURE = 2,
  /// r is 0 or not below the group order. For BIP 340, r is not below p. For Ed25519, the
  /// encoding of R is not permitted by the rule.
  GECC_CODE_R_OUT_OF_RANGE = 3,
  /// s is 0 or not below the group order. For BIP 340 and Ed25519, s is not below the group
  /// order.
  GECC_CODE_S_OUT_OF_RANGE = 4,
  /// s is above n/2 and the policy requires low s.
  GECC_CODE_HIGH_S = 5,
  /// SM2: r + s is 0 modulo n.
  GECC_CODE_ZERO_T = 6,
  /// The point's encoding has the wrong tag, or a coordinate that is not below p.
  GECC_CODE_MALFORMED_POINT = 7,
  /// The encoding is well-formed, but no point of the curve has these coordinates.
  GECC_CODE_NOT_ON_CURVE = 8,
  /// The public key is the identity.
  GECC_CODE_IDENTITY_KEY = 9,
  /// The result of the computation is the identity, which the standard rejects. For X25519, the
  /// shared secret is zero.
  GECC_CODE_IDENTITY_RESULT = 10,
  /// The signature does not match the digest and the key.
  GECC_CODE_MISMATCH = 11,
  /// The recovery id is not in 0..=3.
  GECC_CODE_RECOVERY_ID_OUT_OF_RANGE = 12,
  /// No point of the curve has the x-coordinate that follows from r and the recovery id. For
  /// Ed25519, R is not a point.
  GECC_CODE_NO_SUCH_R = 13,
  /// A public scalar is not below the group order.
  GECC_CODE_SCALAR_OUT_OF_RANGE = 14,
  /// A private key is 0 or not below the group order (SM2 signing also rejects n - 1).
  GECC_CODE_SECRET_KEY_OUT_OF_RANGE = 15,
  /// An SM2 user id is longer than 8191 bytes.
  GECC_CODE_USER_ID_TOO_LONG = 16,
  /// A value is not below the modulus. No call of this interface returns it.
  GECC_CODE_VALUE_OUT_OF_RANGE = 17,
  /// The computed signature does not verify, because of a hardware error. Only if the engine
  /// checks signatures.
  GECC_CODE_FAULTY_SIGNATURE = 18,
  /// Ed25519: 8 times the public key is the identity, and the rule rejects that.
  GECC_CODE_SMALL_ORDER_KEY = 19,
  /// Ed25519: 8 times R is the identity, and the rule rejects that.
  GECC_CODE_SMALL_ORDER_R = 20,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccCode GeccCode;
#else
typedef uint8_t GeccCode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A rule that determines which Ed25519 signatures are valid. RFC 8032 leaves details open that
/// programs have decided differently. The rules differ only in signatures that a conforming signer
/// never produces. A point has small order if 8 times the point is the identity.
enum GeccEd25519Rule
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Any encoding of the key, and the equation without the cofactor: OpenSSL, Go, `verify` of
  /// ed25519-dalek.
  GECC_ED25519_RULE_COFACTORLESS = 1,
  /// Like `GECC_ED25519_RULE_COFACTORLESS`, and neither the key nor R has small order:
  /// `verify_strict` of ed25519-dalek, Solana.
  GECC_ED25519_RULE_STRICT = 2,
  /// Like `GECC_ED25519_RULE_STRICT`, and the key has its canonical encoding: libsodium.
  GECC_ED25519_RULE_LIBSODIUM = 3,
  /// Any encodings of the key and R, and the equation multiplied by 8: ZIP 215, Zcash, CometBFT.
  GECC_ED25519_RULE_ZIP215 = 4,
  /// A canonical encoding of the key, and the equation without the cofactor, which RFC 8032,
  /// section 5.1.7, calls sufficient.
  GECC_ED25519_RULE_RFC8032 = 5,
  /// Canonical encodings of the key and R, and the equation multiplied by 8: RFC 8032, section
  /// 5.1.7.
  GECC_ED25519_RULE_RFC8032_COFACTORED = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccEd25519Rule GeccEd25519Rule;
#else
typedef int32_t GeccEd25519Rule;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A hash of messages for ECDSA.
enum GeccHash
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// SHA-256, which the calls over messages use.
  GECC_HASH_SHA256 = 1,
  /// SHA-256 applied twice, as in Bitcoin.
  GECC_HASH_SHA256D = 2,
  /// The leftmost 256 bits of SHA-384 (FIPS 186-5, section 6.4).
  GECC_HASH_SHA384 = 3,
  /// The leftmost 256 bits of SHA-512.
  GECC_HASH_SHA512 = 4,
  /// Keccak-256 as in Ethereum, which differs from SHA3-256.
  GECC_HASH_KECCAK256 = 5,
  /// Keccak-256 of the prefix of EIP-191, version 0x45 (`personal_sign`), and the message.
  GECC_HASH_EIP191 = 6,
  /// SHA-256 applied twice to the content that Bitcoin's `signmessage` signs (BIP 137): a prefix,
  /// the length, and the message.
  GECC_HASH_BITCOIN_MESSAGE = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccHash GeccHash;
#else
typedef int32_t GeccHash;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The encoding of public keys and other points (SEC 1, section 2.3.3, or x-only). The number is
/// the width of a row in bytes.
enum GeccKeyEncoding
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// 32 bytes: x, of a point with an even y (BIP 340).
  GECC_KEY_ENCODING_X_ONLY = 32,
  /// 33 bytes: `02 || x` or `03 || x`.
  GECC_KEY_ENCODING_COMPRESSED = 33,
  /// 64 bytes: `x || y`, zeros for the identity.
  GECC_KEY_ENCODING_RAW = 64,
  /// 65 bytes: `04 || x || y`.
  GECC_KEY_ENCODING_UNCOMPRESSED = 65,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccKeyEncoding GeccKeyEncoding;
#else
typedef int32_t GeccKeyEncoding;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The form of masked points, big-endian. The number is the width of a row in bytes. Numbers from 1
/// to 31 are forms as well: as many of the first bytes of x, for comparing only. Two different
/// points agree in k bytes with a probability of 2^(-8k).
enum GeccMaskForm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// 32 bytes: x. A point and its negative have the same x.
  GECC_MASK_FORM_X = 32,
  /// 33 bytes: `02 || x` or `03 || x`.
  GECC_MASK_FORM_COMPRESSED = 33,
  /// 64 bytes: `x || y`.
  GECC_MASK_FORM_RAW = 64,
  /// 65 bytes: `04 || x || y`.
  GECC_MASK_FORM_UNCOMPRESSED = 65,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccMaskForm GeccMaskForm;
#else
typedef int32_t GeccMaskForm;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A restriction of valid signatures beyond the standard.
enum GeccPolicy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// No restriction: high s is accepted.
  GECC_POLICY_STANDARD = 0,
  /// s above n/2 is rejected with `GECC_CODE_HIGH_S`, as BIP 62 and EIP-2 require.
  GECC_POLICY_LOW_S = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccPolicy GeccPolicy;
#else
typedef int32_t GeccPolicy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The form of s that signing returns, of the two valid ones.
enum GeccSForm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Low for secp256k1, unchanged for other curves.
  GECC_S_FORM_CURVE_DEFAULT = 0,
  /// The form that is at most n/2. The recovery id is adapted to it.
  GECC_S_FORM_LOW = 1,
  /// Unchanged, as SEC 1 computes it.
  GECC_S_FORM_AS_COMPUTED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccSForm GeccSForm;
#else
typedef int32_t GeccSForm;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The encoding of a signature.
enum GeccSignatureForm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Detected for each signature from its length and content: `r || s` (64 bytes), `r || s || v`
  /// (65 bytes), or strict DER. A signature that matches two of these is malformed.
  GECC_SIGNATURE_FORM_AUTO = 0,
  /// `r || s`, 64 bytes.
  GECC_SIGNATURE_FORM_RS = 1,
  /// `r || s || v`, 65 bytes; v is 0 to 3, or 27 to 30.
  GECC_SIGNATURE_FORM_RSV = 2,
  /// A header of 27 to 42 and `r || s`, 65 bytes: Bitcoin's signed messages (BIP 137).
  GECC_SIGNATURE_FORM_HEADER_FIRST = 3,
  /// `r || s`, 64 bytes, with the recovery id in the top bit of s (EIP-2098).
  GECC_SIGNATURE_FORM_EIP2098 = 4,
  /// Strict DER.
  GECC_SIGNATURE_FORM_DER = 5,
  /// Strict DER, optionally followed by a byte of Bitcoin's signature hash type. For secp256k1.
  GECC_SIGNATURE_FORM_DER_HASH_TYPE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccSignatureForm GeccSignatureForm;
#else
typedef int32_t GeccSignatureForm;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A suite, which determines how byte strings are hashed to points of a curve. Both parties of a
/// protocol have to use the same one. Prefer those of RFC 9380 with `RO` in their name. The other
/// suites are for compatibility: they try x-coordinates until the curve has a point with one, so
/// that the time of a message depends on its bytes.
enum GeccSuite
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// `P256_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.2.
  GECC_SUITE_P256_SSWU_RO = 1,
  /// `P256_XMD:SHA-256_SSWU_NU_` of RFC 9380, section 8.2. Its points are not uniformly
  /// distributed.
  GECC_SUITE_P256_SSWU_NU = 2,
  /// `secp256k1_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.7.
  GECC_SUITE_SECP256K1_SSWU_RO = 3,
  /// `secp256k1_XMD:SHA-256_SSWU_NU_` of RFC 9380, section 8.7. Its points are not uniformly
  /// distributed.
  GECC_SUITE_SECP256K1_SSWU_NU = 4,
  /// SM2, try-and-rehash with SM3: `TryAndRehash_SM` of YACL, the library of SecretFlow.
  GECC_SUITE_SM2_REHASH = 5,
  /// SM2, try-and-increment with SM3 (PPCA 9-2023). Compare a few points with the other party's
  /// before use: the standard leaves the choice of the root open, which is the even y here.
  GECC_SUITE_SM2_INCREMENT = 6,
  /// P-256, try-and-rehash with SHA-256: private-join-and-compute
  /// (`ECGroup::GetPointByHashingToCurveSha256`).
  GECC_SUITE_P256_REHASH = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccSuite GeccSuite;
#else
typedef int32_t GeccSuite;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Page-locked memory, which GPUs access without a copy on the host. Calls may read columns from it
/// and write results to it. Without a GPU it behaves like any other memory.
///
/// It is faster for buffers of megabytes that are used many times: locking and unlocking a gigabyte
/// takes about 50 ms.
///
/// A buffer is valid from `gecc_buffer_new` to `gecc_buffer_free`, even after its engine is freed.
typedef struct GeccBuffer GeccBuffer;

/// A device or several that compute batches: GPUs, or threads of the CPU. Any number of threads may
/// use an engine concurrently, and a program rarely needs a second one.
///
/// An engine is valid from `gecc_engine_new` to `gecc_engine_free`. In a child of the process that
/// created it, its calls return `GECC_STATUS_FORKED`.
typedef struct GeccEngine GeccEngine;

/// A receiver of silent payments: a scan key, a spend public key and labels. It is valid from
/// `gecc_receiver_new` to `gecc_receiver_free`, which wipes it. Any number of threads may use it
/// concurrently.
typedef struct GeccReceiver GeccReceiver;

/// Options of an engine. Set `size` to `sizeof(GeccEngineOptions)` and everything else to zero for
/// the defaults: `GeccEngineOptions options = {.size = sizeof options};`.
///
/// Later versions may add fields at the end, with zero as the default. `size` determines which
/// fields there are.
typedef struct {
  /// The size of this struct in bytes.
  size_t size;
  /// A `GeccBackend`.
  int32_t backend;
  /// The number of threads for work on the CPU, 1 to 4096, or 0 for one per core.
  uint32_t threads;
  /// The limit in bytes on working memory, in addition to inputs and results, on the host and on
  /// each GPU; 0 for no limit. The minimum that a batch requires (6 MiB, and one for each thread)
  /// is used in any case.
  uint64_t max_memory;
  /// 1 to verify every signature before it is returned, otherwise 0. A signature that was
  /// computed wrongly can disclose its private key. Signing then costs as much as signing and
  /// verifying.
  int32_t check_signatures;
  /// 1 to verify signatures in groups where that is faster, otherwise 0. This applies to BIP 340,
  /// to Ed25519 by a rule with the cofactor, to `gecc_ecdsa_verify_recoverable`, and to the
  /// candidates of `gecc_ecdsa_recover_with_candidates`. An invalid item is then accepted with a
  /// probability of at most 2^-128 per group, whoever chose the items. Otherwise the results are
  /// the same.
  int32_t batch_verification;
} GeccEngineOptions;

/// A function of the caller that is called between the pieces of a call with the caller's context,
/// the number of finished items, and the number of all items. If it returns true, the call ends
/// with `GECC_STATUS_CANCELLED`. It must return normally, and must not throw or jump.
typedef bool (*GeccProgress)(void *context, size_t done, size_t items);

/// A byte string of any length: a message, or a user id.
typedef struct {
  /// The bytes. May be null if there are none. Needs no alignment.
  const uint8_t *data;
  /// The number of bytes.
  size_t length;
} GeccBytes;

/// A column that a call reads: one row of bytes per item. The parameter of the call determines the
/// width of a row.
typedef struct {
  /// The first row. May be null if there are no items. Needs no alignment.
  const uint8_t *data;
  /// The distance in bytes from the beginning of a row to the next: the width of a row if rows
  /// are adjacent, more if they are fields of records, 0 if all items have the same row.
  size_t stride;
} GeccRows;

/// A column of public keys or other points.
typedef struct {
  /// The first key. May be null if there are no items. Needs no alignment.
  const uint8_t *data;
  /// The distance in bytes from the beginning of a key to the next, or 0 if all items have the
  /// same key.
  size_t stride;
  /// A `GeccKeyEncoding`, the same for all keys.
  int32_t encoding;
} GeccKeys;

/// A variant of Ed25519 (RFC 8032, section 5.1). Its signatures never verify as those of another
/// variant or of plain Ed25519.
typedef struct {
  /// 1 for Ed25519ph, which signs the SHA-512 of a message: calls take messages, and hash them. 0
  /// for Ed25519ctx.
  int32_t prehashed;
  /// The context of the signatures, at most 255 bytes. It should not be empty for Ed25519ctx.
  GeccBytes context;
} GeccEd25519Variant;

/// The taproot outputs of rows. Row i has the outputs from `offsets[i]` up to, but not including,
/// `offsets[i + 1]`. They are given by their x-only keys or by the first eight bytes of these; the
/// other pointer is null.
typedef struct {
  /// One offset per row, and the number of all outputs. They must not decrease.
  const uint64_t *offsets;
  /// x-only keys of 32 bytes, big-endian, or null as their data.
  GeccRows keys;
  /// The first eight bytes of x-only keys, each as a big-endian number, or null.
  const uint64_t *prefixes;
} GeccOutputs;

/// An output that was paid to a receiver. If outputs are given by their first eight bytes, it is a
/// candidate: another output has the same bytes by chance with a probability of 2^-64.
typedef struct {
  /// The row, counted from 0.
  uint64_t row;
  /// The position of the output in its row.
  uint64_t output;
  /// The position of the receiver in the call.
  uint32_t receiver;
  /// The sender's counter, from 0.
  uint32_t k;
  /// The label of the address that was paid, or -1 for the address without a label.
  int64_t label;
  /// The number whose sum with the spend private key, modulo n, is the private key of the output:
  /// 32 bytes, big-endian. Secret.
  uint8_t tweak[32];
} GeccMatch;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Returns the version of the interface that the library has: `GECC_ABI_VERSION` of the matching
/// header.
///
/// Any thread may call this at any time.
uint32_t gecc_abi_version(void);

/// Returns the text of the calling thread's last call that did not return `GECC_STATUS_OK`, in
/// English and UTF-8, or an empty text if there is none. Successful calls do not change it.
///
/// Never returns null. The text is valid until the next call of the same thread that fails, or
/// until the thread ends. It never contains a secret.
const char *gecc_last_error(void);

/// Creates an engine. This takes some tens of milliseconds, or some seconds if GPUs have to be
/// started.
///
/// `options` may be null for the defaults, and is not used after the call. Writes the engine to
/// `engine`, or null on failure. Free it with `gecc_engine_free`. Any thread may call this at any
/// time.
///
/// Returns `GECC_STATUS_NO_DEVICE` if only GPUs are requested and none can be used,
/// `GECC_STATUS_INVALID_ARGUMENT` for invalid options, `GECC_STATUS_THREADS` if threads cannot be
/// started.
GeccStatus gecc_engine_new(const GeccEngineOptions *options, GeccEngine **engine);

/// Frees an engine. No call may use the engine when this is called, or its pointer afterwards.
/// Buffers of the engine may be freed later. Null is ignored.
void gecc_engine_free(GeccEngine *engine);

/// Writes a description of the engine and the reason for its choice, for example `CPU, 8 threads
/// (chosen automatically: ...)`.
///
/// Writes at most `capacity` bytes to `text`, including a final zero byte; a longer description is
/// truncated. `text` may be null if `capacity` is 0. Writes the length of the whole description in
/// bytes, without the zero byte, to `length`, which may be null. Any thread may call this at any
/// time.
GeccStatus gecc_engine_describe(const GeccEngine *engine, char *text, size_t capacity, size_t *length);

/// Writes the failures since the engine was created, one per line, or nothing if there are none:
/// GPUs that failed, kernels that cannot be used at present, and devices that computed self-tests
/// wrongly. Other GPUs or the CPU took over their work.
///
/// `text`, `capacity` and `length` are used as by `gecc_engine_describe`.
GeccStatus gecc_engine_failures(const GeccEngine *engine, char *text, size_t capacity, size_t *length);

/// Prepares everything that calls on a curve need, so that the first call does not have to wait:
/// tables, and for GPUs kernels. This takes some tens of milliseconds without a GPU, or some
/// seconds if kernels have to be compiled.
///
/// `curve` is a `GeccCurve`. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_KERNELS` or `GECC_STATUS_DEVICE` if a GPU cannot be prepared. Calls may
/// succeed nevertheless.
GeccStatus gecc_engine_warm_up(const GeccEngine *engine, int32_t curve);

/// Writes the number of the curve with a name: `secp256k1`, `p256`, `brainpoolp256r1` or `sm2`, or
/// a name from a standard, such as `secp256r1`, `prime256v1` or an object identifier. Case is
/// ignored.
///
/// `name` ends with a zero byte. The text of an error lists the curves. Any thread may call this at
/// any time.
GeccStatus gecc_curve_by_name(const char *name, GeccCurve *curve);

/// Returns the meaning of a code in English, for example `the signature does not match`, or `no
/// such code` for another byte.
///
/// Never returns null. The text is valid until the program ends. Any thread may call this at any
/// time.
const char *gecc_code_text(uint8_t code);

/// Returns the number of codes that are `GECC_CODE_VALID`. All items are valid if it equals
/// `items`.
///
/// `codes` has `items` bytes; for null, the result is 0. Any thread may call this at any time.
size_t gecc_count_valid(const uint8_t *codes, size_t items);

/// Registers `progress` for the calling thread, or removes it if null. Calls of the thread that
/// have columns then call it with `context` between pieces of about half a second, and end if it
/// returns true. Other threads are not affected. Initially a thread has no such function.
///
/// A call with few items is one piece, and does not call `progress`. A call that is cancelled
/// writes codes of 0, and its other results are meaningless. `progress` is called on the thread
/// that made the call. It may make calls, which do not report progress. A function that it
/// registers is dropped when it returns. `context` may be null.
void gecc_on_progress(GeccProgress progress, void *context);

/// Decodes signatures in strict DER (RFC 3279, section 2.2.3) to rows of 64 bytes `r || s`. BER,
/// trailing bytes, and integers that are negative or not minimal are rejected. Ranges are checked
/// when a signature is used.
///
/// Reads `der`, one per item. Writes `signatures`, 64 bytes each, zeros for malformed ones;
/// `codes`. Code other than valid: `GECC_CODE_MALFORMED_SIGNATURE`. Uses one thread. Any thread may
/// call this at any time.
GeccStatus gecc_signatures_from_der(size_t items, const GeccBytes *der, uint8_t *signatures, uint8_t *codes);

/// Decodes signatures of any form to rows of 64 bytes `r || s` and their recovery ids. The id is
/// 255 for forms that have none.
///
/// Reads `signatures`, one per item, of any length. Writes `rows`, 64 bytes each, zeros for
/// malformed ones; `recovery_ids`, one byte each; `codes`. `form` is a `GeccSignatureForm`. Code
/// other than valid: `GECC_CODE_MALFORMED_SIGNATURE`, also for an undefined v or header. Ranges are
/// checked when a signature is used, and only recovery checks whether a recovery id belongs to its
/// signature. Uses one thread. Any thread may call this at any time.
///
/// A signature of 65 bytes may be both `r || s || v` and header-first. `GECC_SIGNATURE_FORM_AUTO`
/// reads it as `r || s || v`. Returns `GECC_STATUS_INVALID_ARGUMENT` if most of the unambiguous
/// signatures are header-first: specify the form then.
GeccStatus gecc_signatures_read(int32_t form,
                                size_t items,
                                const GeccBytes *signatures,
                                uint8_t *rows,
                                uint8_t *recovery_ids,
                                uint8_t *codes);

/// Encodes signatures of 64 bytes `r || s` in DER.
///
/// Reads `signatures`. Writes `der`, `GECC_DER_SIZE` bytes per item, padded with zeros after the
/// signature; `lengths`, one byte per item, the length without padding. Uses one thread. Any thread
/// may call this at any time.
GeccStatus gecc_signatures_to_der(size_t items, GeccRows signatures, uint8_t *der, uint8_t *lengths);

/// Hashes messages to digests, which the calls over digests take. **Not constant-time**: all inputs
/// are public.
///
/// Reads `messages`, one per item. Writes `digests`, 32 bytes each. `hash` is a `GeccHash`. For
/// large batches, SHA-256, SHA-256 applied twice and Keccak-256 are computed on GPUs, if there are
/// any.
GeccStatus gecc_message_digests(const GeccEngine *engine,
                                int32_t hash,
                                size_t items,
                                const GeccBytes *messages,
                                uint8_t *digests);

/// Verifies one ECDSA signature per item (SEC 1, section 4.1.4). **Not constant-time**: all inputs
/// are public.
///
/// Reads `digests`, 32 bytes each; `signatures`, 64 bytes `r || s`; `keys`. Writes `codes`, one
/// byte per item. `curve` is a `GeccCurve`, `policy` a `GeccPolicy`.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_HIGH_S` (by policy), `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`,
/// `GECC_CODE_MISMATCH`.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_verify(const GeccEngine *engine,
                             int32_t curve,
                             size_t items,
                             GeccRows digests,
                             GeccRows signatures,
                             GeccKeys keys,
                             int32_t policy,
                             uint8_t *codes);

/// Verifies ECDSA signatures that come with recovery ids. The codes are those of
/// `gecc_ecdsa_verify`; the ids are only hints. If the engine verifies in groups
/// (`batch_verification` of its options), they make verification faster; otherwise they are
/// ignored. **Not constant-time**: all inputs are public.
///
/// Reads `recovery_ids`, one byte each, in addition to the columns of `gecc_ecdsa_verify`. An id
/// that is wrong or above 3 costs time but never changes a code, so a valid code does not prove
/// that the id is right.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_verify_recoverable(const GeccEngine *engine,
                                         int32_t curve,
                                         size_t items,
                                         GeccRows digests,
                                         GeccRows signatures,
                                         GeccRows recovery_ids,
                                         GeccKeys keys,
                                         int32_t policy,
                                         uint8_t *codes);

/// Signs one digest per item with ECDSA. Nonces follow RFC 6979 (HMAC-SHA-256). **Constant-time**
/// in keys and nonces.
///
/// Reads `digests`, 32 bytes each; `secret_keys`, 32 bytes each, big-endian; `additional_data`.
/// Writes `signatures`, 64 bytes `r || s`; `codes`. `curve` is a `GeccCurve`, `s_form` a
/// `GeccSForm`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and
/// `GECC_CODE_FAULTY_SIGNATURE` if the engine checks signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need
/// be neither secret nor random. Null data means none.
///
/// **Without additional data, using a private key on two curves discloses it**: the nonce then
/// depends on the key and the digest only, and two signatures of one digest determine the key. Use
/// a separate key, or at least separate additional data, for each curve.
///
/// Private keys are read in place. The caller has to wipe them.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_sign(const GeccEngine *engine,
                           int32_t curve,
                           size_t items,
                           GeccRows digests,
                           GeccRows secret_keys,
                           GeccRows additional_data,
                           int32_t s_form,
                           uint8_t *signatures,
                           uint8_t *codes);

/// Signs like `gecc_ecdsa_sign`, and also writes `recovery_ids`, one byte per item, 0 to 3: bit 0
/// is set if y(R) is odd, bit 1 if x(R) is not below n (SEC 1, section 4.1.6). **Constant-time** in
/// keys and nonces.
GeccStatus gecc_ecdsa_sign_recoverable(const GeccEngine *engine,
                                       int32_t curve,
                                       size_t items,
                                       GeccRows digests,
                                       GeccRows secret_keys,
                                       GeccRows additional_data,
                                       int32_t s_form,
                                       uint8_t *signatures,
                                       uint8_t *recovery_ids,
                                       uint8_t *codes);

/// Verifies one ECDSA signature per item over the SHA-256 of a message. Use `gecc_message_digests`
/// for other hashes. **Not constant-time**: all inputs are public.
///
/// Reads `messages`, one per item; `signatures`, 64 bytes `r || s`; `keys`. Writes `codes`: those
/// of `gecc_ecdsa_verify`. `curve` is a `GeccCurve`, `policy` a `GeccPolicy`.
///
/// An item takes up to 64 bytes of the library's memory during the call.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_verify_messages(const GeccEngine *engine,
                                      int32_t curve,
                                      size_t items,
                                      const GeccBytes *messages,
                                      GeccRows signatures,
                                      GeccKeys keys,
                                      int32_t policy,
                                      uint8_t *codes);

/// Signs the SHA-256 of one message per item with ECDSA. Nonces follow RFC 6979 (HMAC-SHA-256). Use
/// `gecc_message_digests` for other hashes. **Constant-time** in keys and nonces, but not in the
/// length of messages.
///
/// Reads `messages`, one per item; `secret_keys`, 32 bytes each, big-endian; `additional_data` like
/// `gecc_ecdsa_sign`. Writes `signatures`, 64 bytes `r || s`; `codes`: those of `gecc_ecdsa_sign`.
/// `curve` is a `GeccCurve`, `s_form` a `GeccSForm`.
///
/// Private keys are read in place. The caller has to wipe them. An item takes up to 64 bytes of the
/// library's memory during the call.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_sign_messages(const GeccEngine *engine,
                                    int32_t curve,
                                    size_t items,
                                    const GeccBytes *messages,
                                    GeccRows secret_keys,
                                    GeccRows additional_data,
                                    int32_t s_form,
                                    uint8_t *signatures,
                                    uint8_t *codes);

/// Recovers the public key that made each ECDSA signature (SEC 1, section 4.1.6). **Not
/// constant-time**: all inputs are public.
///
/// Reads `digests`, 32 bytes each; `signatures`, 64 bytes `r || s`; `recovery_ids`, one byte each,
/// 0 to 3. Writes `keys`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. High s is accepted.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_RECOVERY_ID_OUT_OF_RANGE`, `GECC_CODE_NO_SUCH_R`,
/// `GECC_CODE_IDENTITY_RESULT`.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_recover(const GeccEngine *engine,
                              int32_t curve,
                              size_t items,
                              GeccRows digests,
                              GeccRows signatures,
                              GeccRows recovery_ids,
                              uint8_t *keys,
                              uint8_t *codes);

/// Recovers the Ethereum address of the key that made each signature on secp256k1: the last 20
/// bytes of the Keccak-256 of `x || y`. **Not constant-time**: all inputs are public.
///
/// Reads the columns of `gecc_ecdsa_recover`. Writes `addresses`, 20 bytes each; `codes`: those of
/// `gecc_ecdsa_recover`. EIP-2 also requires low s for transactions, which is not checked here.
GeccStatus gecc_ecdsa_recover_addresses(const GeccEngine *engine,
                                        size_t items,
                                        GeccRows digests,
                                        GeccRows signatures,
                                        GeccRows recovery_ids,
                                        uint8_t *addresses,
                                        uint8_t *codes);

/// Recovers like `gecc_ecdsa_recover`, with a candidate for all keys or some of them: the key of
/// the expected signer, known from an earlier signature. If the engine verifies in groups
/// (`batch_verification` of its options), correct candidates make recovery faster; otherwise they
/// are ignored. **Not constant-time**: all inputs are public.
///
/// Reads `candidates` in addition to the columns of `gecc_ecdsa_recover`. A candidate that is wrong
/// or is not a key costs time but never changes a key or a code. A row of zeros with
/// `GECC_KEY_ENCODING_RAW` means that an item has no candidate.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and the statuses listed at the head of
/// this file.
GeccStatus gecc_ecdsa_recover_with_candidates(const GeccEngine *engine,
                                              int32_t curve,
                                              size_t items,
                                              GeccRows digests,
                                              GeccRows signatures,
                                              GeccRows recovery_ids,
                                              GeccKeys candidates,
                                              uint8_t *keys,
                                              uint8_t *codes);

/// Recovers addresses like `gecc_ecdsa_recover_addresses`, with candidates like
/// `gecc_ecdsa_recover_with_candidates`. The candidates are public keys, not addresses. **Not
/// constant-time**: all inputs are public.
GeccStatus gecc_ecdsa_recover_addresses_with_candidates(const GeccEngine *engine,
                                                        size_t items,
                                                        GeccRows digests,
                                                        GeccRows signatures,
                                                        GeccRows recovery_ids,
                                                        GeccKeys candidates,
                                                        uint8_t *addresses,
                                                        uint8_t *codes);

/// Verifies one BIP 340 signature per item over a message of 32 bytes, on secp256k1. **Not
/// constant-time**: all inputs are public.
///
/// Reads `messages`, 32 bytes each; `signatures`, 64 bytes; `keys`, with `GECC_KEY_ENCODING_X_ONLY`
/// or in another encoding, of which only the x-coordinates are used. Writes `codes`.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`, `GECC_CODE_MISMATCH`.
GeccStatus gecc_bip340_verify(const GeccEngine *engine,
                              size_t items,
                              GeccRows messages,
                              GeccRows signatures,
                              GeccKeys keys,
                              uint8_t *codes);

/// Signs one message of 32 bytes per item by BIP 340, on secp256k1. **Constant-time** in keys,
/// auxiliary data and nonces.
///
/// Reads `messages`, 32 bytes each; `secret_keys`, 32 bytes each, big-endian; `public_keys`, in any
/// encoding but x-only, or with null data if they are to be computed; `auxiliary`, 32 bytes of
/// auxiliary random data each, or with null data for fresh data from the operating system. Writes
/// `signatures`, 64 bytes; `codes`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`,
/// those of an invalid public key, and `GECC_CODE_FAULTY_SIGNATURE` if the engine checks
/// signatures.
///
/// Public keys are not checked against their private keys unless the engine checks signatures: a
/// wrong one is then rejected with `GECC_CODE_MISMATCH`. A signature made with a wrong public key
/// does not verify, and discloses nothing about the private key.
///
/// Private keys are read in place. The caller has to wipe them.
GeccStatus gecc_bip340_sign(const GeccEngine *engine,
                            size_t items,
                            GeccRows messages,
                            GeccRows secret_keys,
                            GeccKeys public_keys,
                            GeccRows auxiliary,
                            uint8_t *signatures,
                            uint8_t *codes);

/// Verifies one BIP 340 signature per item over a message of any length. **Not constant-time**: all
/// inputs are public.
///
/// Reads `messages`, one per item, and the other columns of `gecc_bip340_verify`. Writes `codes`:
/// those of `gecc_bip340_verify`.
GeccStatus gecc_bip340_verify_messages(const GeccEngine *engine,
                                       size_t items,
                                       const GeccBytes *messages,
                                       GeccRows signatures,
                                       GeccKeys keys,
                                       uint8_t *codes);

/// Signs one message of any length per item by BIP 340. **Constant-time** in keys, auxiliary data
/// and nonces, but not in the length of messages.
///
/// Reads `messages`, one per item, and the other columns of `gecc_bip340_sign`. Writes the columns
/// of `gecc_bip340_sign`.
GeccStatus gecc_bip340_sign_messages(const GeccEngine *engine,
                                     size_t items,
                                     const GeccBytes *messages,
                                     GeccRows secret_keys,
                                     GeccKeys public_keys,
                                     GeccRows auxiliary,
                                     uint8_t *signatures,
                                     uint8_t *codes);

/// Computes the output key of each internal key (BIP 341): `P + t G`, where P is the point of the
/// key with an even y, and t the tagged hash of its x and a Merkle root. **Not constant-time**: all
/// inputs are public.
///
/// Reads `keys`; `roots`, 32 bytes each, or with null data if there are none. Writes `outputs`, 64
/// bytes `x || y`, of which x is the output and the last bit of y its parity; `codes`. Codes other
/// than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`,
/// `GECC_CODE_SCALAR_OUT_OF_RANGE`, `GECC_CODE_IDENTITY_RESULT`.
GeccStatus gecc_taproot(const GeccEngine *engine,
                        size_t items,
                        GeccKeys keys,
                        GeccRows roots,
                        uint8_t *outputs,
                        uint8_t *codes);

/// Verifies one Ed25519 signature per item over a message of any length, by a rule. **Not
/// constant-time**: all inputs are public.
///
/// Reads `messages`, one per item; `signatures`, 64 bytes `R || S`; `keys`, 32 bytes each (RFC
/// 8032, section 5.1.2); `variant`, null for plain Ed25519. Writes `codes`. `rule` is a
/// `GeccEd25519Rule`. There is no default, because programs that must agree on signatures must
/// agree on the rule.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_SMALL_ORDER_KEY`,
/// `GECC_CODE_SMALL_ORDER_R`, `GECC_CODE_NO_SUCH_R` or `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_MISMATCH`.
GeccStatus gecc_ed25519_verify(const GeccEngine *engine,
                               int32_t rule,
                               const GeccEd25519Variant *variant,
                               size_t items,
                               const GeccBytes *messages,
                               GeccRows signatures,
                               GeccRows keys,
                               uint8_t *codes);

/// Signs one message of any length per item by Ed25519. **Constant-time** in keys and nonces, but
/// not in the length of messages.
///
/// Reads `messages`, one per item; `seeds`, the private keys, 32 bytes each; `variant`, null for
/// plain Ed25519. Every seed is a valid key. Writes `signatures`, 64 bytes `R || S`; `codes`. Code
/// other than valid: `GECC_CODE_FAULTY_SIGNATURE`, if the engine checks signatures.
///
/// Seeds are read in place. The caller has to wipe them.
GeccStatus gecc_ed25519_sign(const GeccEngine *engine,
                             const GeccEd25519Variant *variant,
                             size_t items,
                             const GeccBytes *messages,
                             GeccRows seeds,
                             uint8_t *signatures,
                             uint8_t *codes);

/// Computes the Ed25519 public key of each seed. **Constant-time** in seeds.
///
/// Reads `seeds`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status but
/// `GECC_STATUS_OK`, or untouched if an argument was rejected. There are no codes, because every
/// seed is a valid key.
///
/// Seeds are read in place. The caller has to wipe them.
GeccStatus gecc_ed25519_public_keys(const GeccEngine *engine, size_t items, GeccRows seeds, uint8_t *public_keys);

/// Reads Ed25519 public keys in any form: PEM (`PUBLIC KEY`), SubjectPublicKeyInfo in DER (RFC
/// 8410), JSON Web Keys (RFC 8037), lines of OpenSSH (`ssh-ed25519 AAAA...`), or the 32 bytes
/// themselves. **Not constant-time**: all inputs are public.
///
/// Reads `keys`, one per item. Writes `public_keys`, 32 bytes each; `codes`. Code other than valid:
/// `GECC_CODE_MALFORMED_POINT`. Only verification checks whether a key is a point. Any thread may
/// call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if all keys are in forms that state a purpose and none
/// can be read. The text of the error states the problem of the first one. Empty keys are ignored
/// here.
GeccStatus gecc_ed25519_public_keys_read(size_t items, const GeccBytes *keys, uint8_t *public_keys, uint8_t *codes);

/// Reads the seed in a file with an Ed25519 private key: PEM or DER (PKCS#8, RFC 8410), a JSON Web
/// Key (RFC 8037), or OpenSSH's format. A public key in the file must match it. **Constant-time**
/// in the seed, except for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `seed`, 32 bytes; zeros on failure. The caller has
/// to wipe the file and the seed. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` like `gecc_secret_key_read`.
GeccStatus gecc_ed25519_seed_read(const uint8_t *file, size_t bytes, uint8_t *seed);

/// Computes the X25519 shared secret of each private key with its peer (RFC 7748, section 6.1).
/// **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, and `peers`, 32 bytes each: u-coordinates, little-endian.
/// All values of 32 bytes are keys. Writes `secrets`, 32 bytes each; `codes`. `all_zero` is a
/// `GeccAllZero`. Code other than valid: `GECC_CODE_IDENTITY_RESULT`, if the secret is zero and
/// `all_zero` is `GECC_ALL_ZERO_REJECT`.
///
/// Private keys are read in place, and secrets are written directly to the caller's memory. The
/// caller has to wipe both. A secret is not uniformly random: derive keys from it.
GeccStatus gecc_x25519(const GeccEngine *engine,
                       int32_t all_zero,
                       size_t items,
                       GeccRows secret_keys,
                       GeccRows peers,
                       uint8_t *secrets,
                       uint8_t *codes);

/// Computes the X25519 public key of each private key (RFC 7748, section 6.1). **Constant-time** in
/// the private keys.
///
/// Reads `secret_keys`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status
/// but `GECC_STATUS_OK`, or untouched if an argument was rejected. There are no codes, because all
/// values of 32 bytes are keys.
///
/// Private keys are read in place. The caller has to wipe them.
GeccStatus gecc_x25519_public_keys(const GeccEngine *engine, size_t items, GeccRows secret_keys, uint8_t *public_keys);

/// Reads X25519 public keys in any form: SubjectPublicKeyInfo (RFC 8410) or an X.509 certificate,
/// each in DER or PEM (`PUBLIC KEY`, `CERTIFICATE`), JSON Web Keys (RFC 8037), COSE_Keys (RFC
/// 9053), or the 32 bytes themselves. A key that states another purpose, such as Ed25519, is not
/// read. **Not constant-time**: all inputs are public.
///
/// Reads `keys`, one per item. Writes `public_keys`, 32 bytes each; `codes`. Code other than valid:
/// `GECC_CODE_MALFORMED_POINT`. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if all keys are in forms that state a purpose and none
/// can be read. The text of the error states the problem of the first one. Empty keys are ignored
/// here.
GeccStatus gecc_x25519_public_keys_read(size_t items, const GeccBytes *keys, uint8_t *public_keys, uint8_t *codes);

/// Reads the private key in a file with an X25519 key: PEM or DER (PKCS#8, RFC 8410), a JSON Web
/// Key (RFC 8037), or a COSE_Key (RFC 9053). A public key in the file must match it.
/// **Constant-time** in the key, except for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `secret_key`, 32 bytes; zeros on failure. The
/// caller has to wipe the file and the key. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` like `gecc_secret_key_read`, also for a key of Ed25519.
GeccStatus gecc_x25519_secret_key_read(const uint8_t *file, size_t bytes, uint8_t *secret_key);

/// Verifies one SM2 signature per item over the digest e (GB/T 32918.2, section 7). **Not
/// constant-time**: all inputs are public.
///
/// Reads `digests`, 32 bytes e = SM3(Z_A || M) each, big-endian; `signatures`, 64 bytes `r || s`;
/// `keys`. Writes `codes`.
///
/// The code of an item is that of the first check that fails: `GECC_CODE_R_OUT_OF_RANGE`,
/// `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_ZERO_T`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`,
/// `GECC_CODE_MISMATCH`.
GeccStatus gecc_sm2_verify(const GeccEngine *engine,
                           size_t items,
                           GeccRows digests,
                           GeccRows signatures,
                           GeccKeys keys,
                           uint8_t *codes);

/// Signs one digest e per item with SM2 (GB/T 32918.2, section 6). Nonces follow RFC 6979
/// (HMAC-SM3). **Constant-time** in keys and nonces.
///
/// Reads `digests`, 32 bytes e each; `secret_keys`, 32 bytes each, big-endian; `additional_data`.
/// Writes `signatures`, 64 bytes `r || s`; `codes`. Codes other than valid:
/// `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and `GECC_CODE_FAULTY_SIGNATURE` if the engine checks
/// signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need
/// be neither secret nor random. Null data means none.
///
/// Private keys are read in place. The caller has to wipe them.
GeccStatus gecc_sm2_sign(const GeccEngine *engine,
                         size_t items,
                         GeccRows digests,
                         GeccRows secret_keys,
                         GeccRows additional_data,
                         uint8_t *signatures,
                         uint8_t *codes);

/// Verifies one SM2 signature per item over a message: e = SM3(Z_A || M), where Z_A depends on the
/// user id and the key. **Not constant-time**: all inputs are public.
///
/// Reads `messages`, one per item; `user_ids`, `user_id_count` of them: one per item, one for all
/// items, or none for the id that GM/T 0009 prescribes, `1234567812345678`; `signatures`, 64 bytes
/// `r || s`; `keys`. Writes `codes`: those of `gecc_sm2_verify`, and `GECC_CODE_USER_ID_TOO_LONG`
/// for ids of more than 8191 bytes.
///
/// An item takes up to 300 bytes of the library's memory during the call.
GeccStatus gecc_sm2_verify_messages(const GeccEngine *engine,
                                    size_t items,
                                    const GeccBytes *messages,
                                    const GeccBytes *user_ids,
                                    size_t user_id_count,
                                    GeccRows signatures,
                                    GeccKeys keys,
                                    uint8_t *codes);

/// Signs one message per item with SM2: e = SM3(Z_A || M), where Z_A depends on the user id and the
/// public key of the private key. **Constant-time** in keys and nonces, but not in the length of
/// messages.
///
/// Reads `messages` and `user_ids` like `gecc_sm2_verify_messages`; `secret_keys`, 32 bytes each,
/// big-endian; `additional_data` like `gecc_sm2_sign`. Writes `signatures`, 64 bytes `r || s`;
/// `codes`: those of `gecc_sm2_sign`, and `GECC_CODE_USER_ID_TOO_LONG` for ids of more than 8191
/// bytes.
///
/// Private keys are read in place. The caller has to wipe them. An item takes up to 300 bytes of
/// the library's memory during the call.
GeccStatus gecc_sm2_sign_messages(const GeccEngine *engine,
                                  size_t items,
                                  const GeccBytes *messages,
                                  const GeccBytes *user_ids,
                                  size_t user_id_count,
                                  GeccRows secret_keys,
                                  GeccRows additional_data,
                                  uint8_t *signatures,
                                  uint8_t *codes);

/// Computes the public key of each private key, `d * G`. **Constant-time** in the keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian. Writes `public_keys`, 64 bytes `x || y`;
/// `codes`. `curve` is a `GeccCurve`. Code other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`.
///
/// Private keys are read in place. The caller has to wipe them.
GeccStatus gecc_public_keys(const GeccEngine *engine,
                            int32_t curve,
                            size_t items,
                            GeccRows secret_keys,
                            uint8_t *public_keys,
                            uint8_t *codes);

/// Generates key pairs from the operating system's randomness. **Constant-time** in the keys.
///
/// Writes `secret_keys`, 32 bytes each, big-endian; `public_keys`, 64 bytes `x || y`. There are no
/// codes, because no item can fail. `curve` is a `GeccCurve`. After any status but `GECC_STATUS_OK`
/// both are zeros, or untouched if an argument was rejected.
///
/// Private keys are written directly to the caller's memory. The caller has to wipe them.
GeccStatus gecc_generate_keys(const GeccEngine *engine,
                              int32_t curve,
                              size_t items,
                              uint8_t *secret_keys,
                              uint8_t *public_keys);

/// Reads the coordinates of public keys in any form: SubjectPublicKeyInfo (RFC 5480) or an X.509
/// certificate, each in DER or PEM (`PUBLIC KEY`, `CERTIFICATE`), JSON Web Keys, SEC 1 octet
/// strings, or `x || y`. A key that names a curve must name this one. Of a certificate, only the
/// key of its subject is read: neither its signature nor its dates are checked. **Not
/// constant-time**: all inputs are public.
///
/// Reads `keys`, one per item. Writes `points`, 64 bytes `x || y`; `codes`. `curve` is a
/// `GeccCurve`. Codes other than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if all keys are in forms that name a curve and none can
/// be read. The text of the error states the problem of the first one. Empty keys are ignored here.
GeccStatus gecc_public_keys_read(const GeccEngine *engine,
                                 int32_t curve,
                                 size_t items,
                                 const GeccBytes *keys,
                                 uint8_t *points,
                                 uint8_t *codes);

/// Reads the private key in a file: PEM (`EC PRIVATE KEY`, `PRIVATE KEY`) or DER (SEC 1, PKCS#8),
/// or a JSON Web Key. Text around it and other PEM blocks are skipped. A curve in the file must be
/// this one, and a public key in the file must match the private key. **Constant-time** in the key,
/// except for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `secret_key`, 32 bytes, big-endian; zeros on
/// failure. `curve` is a `GeccCurve`. The caller has to wipe the file and the key. Any thread may
/// call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` for a file with no key or several, with an encrypted key,
/// or with a key of another curve. The text of the error states the problem without disclosing
/// anything about a key.
GeccStatus gecc_secret_key_read(int32_t curve, const uint8_t *file, size_t bytes, uint8_t *secret_key);

/// Computes the ECDH shared secret of each private key with its peer: the x-coordinate of `d * Q`
/// (SEC 1, section 3.3.1). **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `peers`. Writes `secrets`, 32 bytes each;
/// `codes`. `curve` is a `GeccCurve`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
///
/// Private keys are read in place, and secrets are written directly to the caller's memory. The
/// caller has to wipe both. A secret is not uniformly random: derive keys from it.
GeccStatus gecc_ecdh_secrets(const GeccEngine *engine,
                             int32_t curve,
                             size_t items,
                             GeccRows secret_keys,
                             GeccKeys peers,
                             uint8_t *secrets,
                             uint8_t *codes);

/// Computes the point `d * Q` of each private key and its peer, of which `gecc_ecdh_secrets`
/// returns the x-coordinate. **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `peers`. Writes `points`, 64 bytes `x || y`;
/// `codes`: those of `gecc_ecdh_secrets`. `curve` is a `GeccCurve`.
///
/// Private keys are read in place, and points are written directly to the caller's memory. The
/// caller has to wipe both: a point is as secret as its x-coordinate. After any status but
/// `GECC_STATUS_OK` points are zeros, or untouched if an argument was rejected.
GeccStatus gecc_ecdh_points(const GeccEngine *engine,
                            int32_t curve,
                            size_t items,
                            GeccRows secret_keys,
                            GeccKeys peers,
                            uint8_t *points,
                            uint8_t *codes);

/// Hashes messages of any length to points of the suite's curve (RFC 9380). **Constant-time** in
/// the bytes of the messages, though not in their lengths, with the suites of RFC 9380 (see
/// `GeccSuite`). With the others the time of a message depends on its bytes.
///
/// Reads `messages`, one per item. Writes `points`, 64 bytes `x || y`; `codes`. `suite` is a
/// `GeccSuite`. Codes other than valid: `GECC_CODE_IDENTITY_RESULT`, and `GECC_CODE_NOT_ON_CURVE`
/// if none of 100 x-coordinates belongs to a point. No message with such a code is known.
///
/// `dst` is the domain separation tag of the protocol, for example
/// `myapp-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_`. The suites of RFC 9380 require one; it has no
/// bytes for the other suites. Tags above 255 bytes are hashed, as section 5.3.3 of the RFC
/// specifies.
///
/// Messages are read in place. If they are secret, so are the points, and the caller has to wipe
/// both.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if the suite requires a tag and there is none, or the
/// other way round, and the statuses listed at the head of this file.
GeccStatus gecc_hash_to_curve(const GeccEngine *engine,
                              int32_t suite,
                              GeccBytes dst,
                              size_t items,
                              const GeccBytes *messages,
                              uint8_t *points,
                              uint8_t *codes);

/// Hashes messages to points like `gecc_hash_to_curve`, and multiplies each point by a private key:
/// `d * H(message)`. For private set intersection all items have the same key, passed with a stride
/// of 0. **Constant-time** in the private keys; in the bytes of the messages, though not in their
/// lengths, with the suites of RFC 9380 (see `GeccSuite`).
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `messages`, one per item. Writes `masked`,
/// points in the given form; `codes`. `suite` is a `GeccSuite`, `form` a `GeccMaskForm`, or a
/// number from 1 to 31 for as many bytes of x. `dst` is that of `gecc_hash_to_curve`. Codes other
/// than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and those of `gecc_hash_to_curve`.
///
/// Private keys and messages are read in place. The caller has to wipe the keys. A masked point
/// does not reveal its message to anybody without the key.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` if the suite requires a tag and there is none, or the
/// other way round, and the statuses listed at the head of this file.
GeccStatus gecc_mask_items(const GeccEngine *engine,
                           int32_t suite,
                           GeccBytes dst,
                           size_t items,
                           GeccRows secret_keys,
                           const GeccBytes *messages,
                           int32_t form,
                           uint8_t *masked,
                           uint8_t *codes);

/// Multiplies points by private keys, `d * P`, for example the masked points of the other party.
/// **Constant-time** in the private keys; the points are public.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `points`. Writes `masked`, points in the given
/// form; `codes`. `curve` is a `GeccCurve`, `form` a `GeccMaskForm`, or a number from 1 to 31 for
/// as many bytes of x. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
///
/// Private keys are read in place. The caller has to wipe them.
GeccStatus gecc_mask_points(const GeccEngine *engine,
                            int32_t curve,
                            size_t items,
                            GeccRows secret_keys,
                            GeccKeys points,
                            int32_t form,
                            uint8_t *masked,
                            uint8_t *codes);

/// Removes the masks of points: multiplies them by the inverses of private keys modulo the group
/// order. **Constant-time** in the private keys; the points are public.
///
/// Reads the columns of `gecc_mask_points`. Writes `unmasked`, points in the given form; `codes`:
/// those of `gecc_mask_points`.
///
/// Private keys are read in place. The caller has to wipe them. The library wipes their inverses.
GeccStatus gecc_unmask_points(const GeccEngine *engine,
                              int32_t curve,
                              size_t items,
                              GeccRows secret_keys,
                              GeccKeys points,
                              int32_t form,
                              uint8_t *unmasked,
                              uint8_t *codes);

/// Computes `scalars[i] * G` for public scalars. **Not constant-time**: use `gecc_public_keys` for
/// private keys.
///
/// Reads `scalars`, 32 bytes each, big-endian. Writes `points`, 64 bytes `x || y`, zeros for the
/// identity; `codes`. `curve` is a `GeccCurve`. Code other than valid:
/// `GECC_CODE_SCALAR_OUT_OF_RANGE`.
GeccStatus gecc_mul_base(const GeccEngine *engine,
                         int32_t curve,
                         size_t items,
                         GeccRows scalars,
                         uint8_t *points,
                         uint8_t *codes);

/// Computes `scalars[i] * points[i]` for public scalars. **Not constant-time**: use
/// `gecc_ecdh_secrets` for private keys.
///
/// Reads `scalars`, 32 bytes each, big-endian; `points`, in which a row of zeros is the identity.
/// Writes `products`, 64 bytes `x || y`, zeros for the identity; `codes`. `curve` is a `GeccCurve`.
/// Codes other than valid: `GECC_CODE_SCALAR_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_mul(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccRows scalars,
                    GeccKeys points,
                    uint8_t *products,
                    uint8_t *codes);

/// Computes `a[i] + b[i]`. **Not constant-time**: all inputs are public.
///
/// Reads points `a` and `b`, in which a row of zeros is the identity. Writes `sums`, 64 bytes `x ||
/// y`, zeros for the identity; `codes`. `curve` is a `GeccCurve`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_add(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccKeys a,
                    GeccKeys b,
                    uint8_t *sums,
                    uint8_t *codes);

/// Computes `2 * points[i]`. **Not constant-time**: all inputs are public.
///
/// Reads `points`, in which a row of zeros is the identity. Writes `doubles`, 64 bytes `x || y`,
/// zeros for the identity; `codes`. `curve` is a `GeccCurve`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_double(const GeccEngine *engine,
                       int32_t curve,
                       size_t items,
                       GeccKeys points,
                       uint8_t *doubles,
                       uint8_t *codes);

/// Computes the coordinates of public keys: decompresses compressed keys, and checks others. **Not
/// constant-time**: all inputs are public.
///
/// Reads `keys`. Writes `points`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. Codes other
/// than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
GeccStatus gecc_decompress(const GeccEngine *engine,
                           int32_t curve,
                           size_t items,
                           GeccKeys keys,
                           uint8_t *points,
                           uint8_t *codes);

/// Computes the sum of all points, `points[0] + points[1] + ...`, which is the identity if there
/// are none. **Not constant-time**: all inputs are public.
///
/// Reads `points`, in which a row of zeros is the identity; a stride of 0 is permitted for a single
/// item only. Writes one `sum`, 64 bytes `x || y`, zeros for the identity; one `code`; `bad_item`.
/// None of the three may be null, even if there are no items. `curve` is a `GeccCurve`.
///
/// An invalid point makes the whole sum fail: `code` is then `GECC_CODE_MALFORMED_POINT` or
/// `GECC_CODE_NOT_ON_CURVE` for the first one, `bad_item` is its index, counted from 0, and `sum`
/// is zeros. Otherwise `code` is `GECC_CODE_VALID` and `bad_item` is `items`. After any status but
/// `GECC_STATUS_OK`, `code` is 0, or all three are untouched if an argument was rejected.
GeccStatus gecc_sum(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccKeys points,
                    uint8_t *sum,
                    uint8_t *code,
                    size_t *bad_item);

/// Computes the sum of all products, `scalars[0] * points[0] + scalars[1] * points[1] + ...`
/// (multi-scalar multiplication), which is the identity if there are none. **Not constant-time**:
/// scalars must be public.
///
/// Reads `scalars`, 32 bytes each, big-endian; `points`, in which a row of zeros is the identity.
/// Only one of them may have a stride of 0, unless there is one item. Writes one `sum`, one `code`
/// and `bad_item` like `gecc_sum`. `curve` is a `GeccCurve`.
///
/// An item whose scalar is not below the group order or whose point is invalid makes the whole sum
/// fail, as for `gecc_sum`: `code` is then `GECC_CODE_SCALAR_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT` or `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_msm(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccRows scalars,
                    GeccKeys points,
                    uint8_t *sum,
                    uint8_t *code,
                    size_t *bad_item);

/// Creates a receiver.
///
/// `scan_key` has 32 bytes, big-endian. `spend_key` is a SEC 1 octet string of `spend_key_bytes`
/// bytes, 33 or 65. `labels` are the numbers m of the addresses that were given out, `label_count`
/// of them; 0 is the label for the wallet's own change. Writes the receiver to `receiver`, or null
/// on failure. Free it with `gecc_receiver_free`. Any thread may call this at any time. The only
/// branch that depends on the scan key is the check of its range. The caller has to wipe its own
/// copy.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` for unusable keys and labels.
GeccStatus gecc_receiver_new(const uint8_t *scan_key,
                             const uint8_t *spend_key,
                             size_t spend_key_bytes,
                             const uint32_t *labels,
                             size_t label_count,
                             GeccReceiver **receiver);

/// Wipes a receiver and frees it. No call may use it afterwards. Null is ignored.
void gecc_receiver_free(GeccReceiver *receiver);

/// Finds the outputs that were paid to receivers. **Constant-time** in scan keys: branches and
/// addresses do not depend on scan keys, shared points or tweaks. The duration of a call may
/// disclose which rows match, and how many outputs of each.
///
/// Reads `receivers`, `receiver_count` of them; `tweak_points`, one per row; `outputs`. Writes
/// `codes`, one byte per row; the first `capacity` matches, ordered by row, receiver and k, to
/// `matches`, which may be null if `capacity` is 0; and the number of all matches to `match_count`.
/// If that exceeds `capacity`, repeat the call with a larger array. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`. Such a row has
/// no matches.
///
/// In each row, k is increased from 0 while an output matches, up to 2322. The caller has to wipe
/// the tweaks of matches.
GeccStatus gecc_silent_payments_scan(const GeccEngine *engine,
                                     size_t items,
                                     const GeccReceiver *const *receivers,
                                     size_t receiver_count,
                                     GeccKeys tweak_points,
                                     GeccOutputs outputs,
                                     GeccMatch *matches,
                                     size_t capacity,
                                     size_t *match_count,
                                     uint8_t *codes);

/// Computes the tweak point of each transaction: `T = hash_BIP0352/Inputs(outpoint || A) A`. **Not
/// constant-time**: all inputs are public.
///
/// Reads `outpoints`, the smallest of each transaction, 36 bytes as in transactions; `input_keys`,
/// the sums A of the public keys of eligible inputs. Writes `tweak_points`, 64 bytes `x || y`;
/// `codes`. Codes other than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`, and `GECC_CODE_SCALAR_OUT_OF_RANGE` if the hash is 0 or not below n.
GeccStatus gecc_silent_payments_index(const GeccEngine *engine,
                                      size_t items,
                                      GeccRows outpoints,
                                      GeccKeys input_keys,
                                      uint8_t *tweak_points,
                                      uint8_t *codes);

/// Creates a buffer of `bytes` zero bytes, and locks it if there is a GPU and the driver permits it
/// (`gecc_buffer_is_locked`).
///
/// Writes the buffer to `buffer`, or null on failure. Free it with `gecc_buffer_free`. Any thread
/// may call this at any time.
///
/// Returns `GECC_STATUS_OUT_OF_MEMORY` if there is not enough memory.
GeccStatus gecc_buffer_new(const GeccEngine *engine, size_t bytes, GeccBuffer **buffer);

/// Returns the address of a buffer's first byte, which does not change during the buffer's
/// lifetime. Returns null for null and for an empty buffer.
uint8_t *gecc_buffer_data(const GeccBuffer *buffer);

/// Returns whether a buffer is page-locked: false without a GPU, if the driver refused to lock it,
/// and for null.
bool gecc_buffer_is_locked(const GeccBuffer *buffer);

/// Wipes a buffer, which may contain secrets, unlocks it and frees it. No call may use its memory
/// afterwards. Null is ignored.
void gecc_buffer_free(GeccBuffer *buffer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GECC_H */
