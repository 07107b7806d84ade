/*
 * gecc: batches of elliptic-curve operations (ECDSA, BIP 340, SM2 and ECDH on secp256k1, P-256, brainpoolP256r1 and
 * SM2, and Ed25519) on NVIDIA GPUs and CPUs, for C and what calls C.
 *
 * A batch has `items` items, which a call takes and answers in columns. A bad item gets its own code and disturbs no
 * other.
 *
 * **Columns that a call reads** are `GeccRows` or `GeccKeys`: the first row, and the distance from each row to the
 * next in bytes. Records work as they lie: of `32 digest | 33 key | 64 signature` all three columns have a stride
 * of 129. A stride of 0 gives all items the same row. Numbers, coordinates and digests are 32 bytes, big-endian;
 * signatures 64 bytes `r || s`. Ed25519 has encodings of its own.
 *
 * **Columns that a call writes** are memory of the caller's, with the rows one after the other: `items` times the
 * width of a row. What lay there before does not matter. `codes` has one byte an item, a `GeccCode`. Where it is not
 * `GECC_CODE_VALID` the item's other results mean nothing. Sums over all items have one result and one code instead.
 * **Codes are no truth values**: `if (codes[i])` holds for rejected items too. Compare with `GECC_CODE_VALID`, or ask
 * `gecc_count_valid`.
 *
 * **What a call returns** is a `GeccStatus`, and says nothing of the items. After any status but `GECC_STATUS_OK`
 * results mean nothing: codes are 0, or untouched if an argument was refused. `gecc_last_error` has the text. Every
 * call can return `GECC_STATUS_NULL_POINTER` and `GECC_STATUS_INVALID_ARGUMENT`; those that take an engine
 * `GECC_STATUS_FORKED`, `GECC_STATUS_PANIC`, `GECC_STATUS_OTHER`, and with `GECC_BACKEND_GPU` `GECC_STATUS_DEVICE` and
 * `GECC_STATUS_KERNELS`. No panic and no exception leaves a call. As in any program, memory that runs out elsewhere
 * than in `gecc_buffer_new` ends the process.
 *
 * **What the caller promises**, as no call can check it: pointers that are not null lead to memory that may be read,
 * or written, in the sizes that are said; nobody writes to it while a call runs; an engine or buffer is from its
 * `_new`, and is not freed while a call uses it or twice. Memory is used only while a call runs, and stays the
 * caller's, with the secrets in it. What a call can check it does: null, numbers, strides below a row's width, sizes
 * beyond the address space, alignment, and memory that is written and overlaps other memory of the call (columns count
 * from their first byte to their last). With no items no column is looked at: pointers may be null, and strides and
 * encodings may be anything.
 *
 * **Threads.** Any number of threads may call at once, with one engine or several. A call returns when its results are
 * there. Large batches are worth the most: a call is for millions of items as well as for one.
 *
 * **Long calls** can be ended, and say how far they are: `gecc_on_progress`.
 *
 * **Secrets.** Calls that are **constant-time** in private keys say so; the others are for public data. The library
 * wipes its own memory of secrets, and writes none of them in a text.
 *
 * **Versions.** `GECC_ABI_VERSION` is raised when something here changes, not when something is added. A program
 * compares it with `gecc_abi_version` where it loads the library itself.
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

/// The most bytes that a signature has in DER.
#define GECC_DER_SIZE 72

/// What a call returns. Numbers are never changed and never used again for something else; later versions may add some.
enum GeccStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The call has done what it was asked for. What became of each item is in the codes.
  GECC_STATUS_OK = 0,
  /// A pointer is null that must not be.
  GECC_STATUS_NULL_POINTER = 1,
  /// A number, size, stride or alignment is not allowed, memory that is written overlaps other memory of the call, or
  /// a text is not UTF-8.
  GECC_STATUS_INVALID_ARGUMENT = 2,
  /// The curve does not have the scheme: ECDSA is not on SM2's curve.
  GECC_STATUS_NO_SCHEME = 3,
  /// GPUs were asked for, and none can be used.
  GECC_STATUS_NO_DEVICE = 4,
  /// All GPUs failed, and the engine may not use the CPU instead.
  GECC_STATUS_DEVICE = 5,
  /// Kernels could not be compiled, stored or loaded.
  GECC_STATUS_KERNELS = 6,
  /// The operating system refused to start threads.
  GECC_STATUS_THREADS = 7,
  /// The engine was made before this process forked from another. Make one after the fork.
  GECC_STATUS_FORKED = 8,
  /// There is not enough memory for a buffer.
  GECC_STATUS_OUT_OF_MEMORY = 9,
  /// The call met a defect of the library, which stopped it. Results mean nothing. Other calls go on. Free the engine
  /// when they have ended, make a new one, and report what the library wrote to standard error.
  GECC_STATUS_PANIC = 10,
  /// An error that this version of the interface has no number for. `gecc_last_error` says what it is.
  GECC_STATUS_OTHER = 11,
  /// The caller's function has ended the call (`gecc_on_progress`).
  GECC_STATUS_CANCELLED = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccStatus GeccStatus;
#else
typedef int32_t GeccStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A curve. Calls take it as a number, and refuse another with `GECC_STATUS_INVALID_ARGUMENT`.
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
  /// The curve of SM2 (GB/T 32918.5-2017). Without ECDSA.
  GECC_CURVE_SM2 = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccCurve GeccCurve;
#else
typedef int32_t GeccCurve;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which kind of device an engine uses.
enum GeccBackend
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// All GPUs, and the CPU for what is too small for them or what they leave undone; the CPU alone where there is no
  /// GPU.
  GECC_BACKEND_AUTO = 0,
  /// The CPU.
  GECC_BACKEND_CPU = 1,
  /// GPUs only: an engine cannot be made where there is none, and calls fail where all have failed.
  GECC_BACKEND_GPU = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccBackend GeccBackend;
#else
typedef int32_t GeccBackend;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What a call says of an item, in one byte: valid, or the first check that failed. Numbers are never changed and never
/// used again for something else; later versions may add some.
enum GeccCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Nothing is known of the item: its call did not succeed.
  GECC_CODE_NONE = 0,
  /// Every check passed, and the item's results are there.
  GECC_CODE_VALID = 1,
  /// The encoding of the signature is malformed (`gecc_signatures_from_der`).
  GECC_CODE_MALFORMED_SIGNATURE = 2,
  /// r is 0 or not below the group order; of BIP 340: not below p; of Ed25519: R is not encoded as the rule asks.
  GECC_CODE_R_OUT_OF_RANGE = 3,
  /// s is 0 or not below the group order; of BIP 340 and Ed25519: not below that.
  GECC_CODE_S_OUT_OF_RANGE = 4,
  /// s is above n/2 and the policy asks for low s.
  GECC_CODE_HIGH_S = 5,
  /// SM2: r + s is 0 modulo n.
  GECC_CODE_ZERO_T = 6,
  /// The point's encoding has the wrong tag, or a coordinate that is not below p.
  GECC_CODE_MALFORMED_POINT = 7,
  /// The encoding is well-formed, but no point of the curve has these coordinates.
  GECC_CODE_NOT_ON_CURVE = 8,
  /// The identity where a public key is needed.
  GECC_CODE_IDENTITY_KEY = 9,
  /// The computation ends in the identity, which the standard rejects.
  GECC_CODE_IDENTITY_RESULT = 10,
  /// The signature does not belong to this digest and key.
  GECC_CODE_MISMATCH = 11,
  /// The recovery id is not in 0..=3.
  GECC_CODE_RECOVERY_ID_OUT_OF_RANGE = 12,
  /// No point of the curve has the x-coordinate that r and the recovery id give; of Ed25519: R is no point.
  GECC_CODE_NO_SUCH_R = 13,
  /// A public scalar is not below the group order.
  GECC_CODE_SCALAR_OUT_OF_RANGE = 14,
  /// A private key is 0 or not below the group order (SM2 signing also rejects n - 1).
  GECC_CODE_SECRET_KEY_OUT_OF_RANGE = 15,
  /// An SM2 user id is longer than 8191 bytes.
  GECC_CODE_USER_ID_TOO_LONG = 16,
  /// A value is not below the modulus. No call of this interface gives it.
  GECC_CODE_VALUE_OUT_OF_RANGE = 17,
  /// The signature that was computed does not verify: the processor errs. Only where the engine checks signatures.
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

/// Which Ed25519 signatures are valid. RFC 8032 leaves open what programs have decided in different ways; the rules
/// differ only in signatures that no honest signer makes. A point has small order if 8 times it is the identity.
enum GeccEd25519Rule
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Any encoding of the key, and the equation without the cofactor: OpenSSL, Go, `verify` of ed25519-dalek.
  GECC_ED25519_RULE_COFACTORLESS = 1,
  /// The same, and neither the key nor R has small order: `verify_strict` of ed25519-dalek, Solana.
  GECC_ED25519_RULE_STRICT = 2,
  /// The same, and the key has its canonical encoding: libsodium.
  GECC_ED25519_RULE_LIBSODIUM = 3,
  /// Any encodings of the key and R, and the equation times 8: ZIP 215, Zcash, CometBFT.
  GECC_ED25519_RULE_ZIP215 = 4,
  /// The key has its canonical encoding, and the equation is without the cofactor: RFC 8032, section 5.1.7, with the
  /// equation that suffices.
  GECC_ED25519_RULE_RFC8032 = 5,
  /// The key and R have their canonical encodings, and the equation times 8: RFC 8032, section 5.1.7.
  GECC_ED25519_RULE_RFC8032_COFACTORED = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccEd25519Rule GeccEd25519Rule;
#else
typedef int32_t GeccEd25519Rule;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What ECDSA signs of a message.
enum GeccHash
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// SHA-256, which the calls over messages have.
  GECC_HASH_SHA256 = 1,
  /// SHA-256 of the SHA-256, as Bitcoin has it.
  GECC_HASH_SHA256D = 2,
  /// The leftmost 256 bits of SHA-384 (FIPS 186-5, section 6.4).
  GECC_HASH_SHA384 = 3,
  /// The leftmost 256 bits of SHA-512.
  GECC_HASH_SHA512 = 4,
  /// Keccak-256, as Ethereum has it: not SHA3-256.
  GECC_HASH_KECCAK256 = 5,
  /// Keccak-256 of the message behind the prefix of EIP-191, version 0x45 (`personal_sign`).
  GECC_HASH_EIP191 = 6,
  /// SHA-256 twice of what Bitcoin's `signmessage` signs (BIP 137): a prefix, the length, and the message.
  GECC_HASH_BITCOIN_MESSAGE = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccHash GeccHash;
#else
typedef int32_t GeccHash;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How public keys and other points are encoded (SEC 1, section 2.3.3, or x-only). The number is the bytes of a row.
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

/// What verification asks for beyond the standard.
enum GeccPolicy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Nothing: high s is accepted.
  GECC_POLICY_STANDARD = 0,
  /// s above n/2 is rejected with `GECC_CODE_HIGH_S`, as BIP 62 and EIP-2 ask.
  GECC_POLICY_LOW_S = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccPolicy GeccPolicy;
#else
typedef int32_t GeccPolicy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which of the two valid values of s signing gives.
enum GeccSForm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Low for secp256k1, as computed for the other curves.
  GECC_S_FORM_CURVE_DEFAULT = 0,
  /// The one that is at most n/2; the recovery id is that of this form.
  GECC_S_FORM_LOW = 1,
  /// As SEC 1 computes it.
  GECC_S_FORM_AS_COMPUTED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccSForm GeccSForm;
#else
typedef int32_t GeccSForm;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How the bytes of a signature are arranged.
enum GeccSignatureForm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Decided for each signature by length and content: `r || s` (64 bytes), `r || s || v` (65), or strict DER. One
  /// that fits two of these is malformed.
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
  /// Strict DER, with or without a byte of Bitcoin's signature hash type behind it. For secp256k1.
  GECC_SIGNATURE_FORM_DER_HASH_TYPE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GeccSignatureForm GeccSignatureForm;
#else
typedef int32_t GeccSignatureForm;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Page-locked memory, from and to which GPUs copy without help of the host. Any call may read its columns there and
/// write its results there; where there is no GPU it serves like any other memory.
///
/// It pays for buffers of megabytes that are used many times: locking a gigabyte and unlocking it takes about 50 ms.
///
/// It lasts from `gecc_buffer_new` to `gecc_buffer_free`, also after its engine is freed.
typedef struct GeccBuffer GeccBuffer;

/// What computes batches: GPUs, or threads of its own. One engine serves any number of threads at once, and a program
/// seldom needs a second one.
///
/// It lasts from `gecc_engine_new` to `gecc_engine_free`. In a child of the process that made it, its calls return
/// `GECC_STATUS_FORKED`.
typedef struct GeccEngine GeccEngine;

/// Who is looked for: a scan key, a spend public key and labels. It lasts from `gecc_receiver_new` to
/// `gecc_receiver_free`, which wipes it, and serves any number of threads.
typedef struct GeccReceiver GeccReceiver;

/// How an engine shall be. Set `size` to `sizeof(GeccEngineOptions)` and all else to zero for the defaults:
/// `GeccEngineOptions options = {.size = sizeof options};`.
///
/// Later versions may add fields at the end, of which zero is the default. `size` tells the library which are there.
typedef struct {
  /// Bytes of this struct.
  size_t size;
  /// A `GeccBackend`.
  int32_t backend;
  /// Threads for work on the CPU, 1 to 4096; 0 for one per core.
  uint32_t threads;
  /// Upper limit in bytes for working memory beside inputs and results, on the host and on each GPU; 0 for none. What
  /// a batch cannot do without (6 MiB, and one for each thread) is used in any case.
  uint64_t max_memory;
  /// 1 to verify every signature before it is returned, 0 not to. One that was computed wrongly can give its private
  /// key away. Signing then costs as much as signing and verifying.
  int32_t check_signatures;
  /// 1 to verify signatures in groups where that is faster, 0 not to: those of BIP 340, of Ed25519 by a rule with the
  /// cofactor, of `gecc_ecdsa_verify_recoverable`, and the candidates of `gecc_ecdsa_recover_with_candidates`. An
  /// invalid item is then taken to be valid with a probability of at most 2^-128 for each group, whoever chose the
  /// items; otherwise results are the same.
  int32_t batch_equations;
} GeccEngineOptions;

/// A function of the caller's that is asked between the pieces of a call: with the caller's context, how many items are
/// done, and how many the call has. The call ends with `GECC_STATUS_CANCELLED` where it returns true. It has to return,
/// not to throw or jump.
typedef bool (*GeccProgress)(void *context, size_t done, size_t items);

/// Bytes of any length: a message, or a user id.
typedef struct {
  /// The bytes. May be null where there are none. Needs no alignment.
  const uint8_t *data;
  /// How many.
  size_t length;
} GeccBytes;

/// A column that a call reads: a row of bytes for each item. The width of a row is that of the call's parameter.
typedef struct {
  /// The first row. May be null where there are no items. Needs no alignment.
  const uint8_t *data;
  /// Bytes from the beginning of a row to that of the next: the width of a row where they lie one after the other,
  /// more where they are fields of records, 0 where one row serves all items.
  size_t stride;
} GeccRows;

/// A column of public keys or other points.
typedef struct {
  /// The first key. May be null where there are no items. Needs no alignment.
  const uint8_t *data;
  /// Bytes from the beginning of a key to that of the next, or 0 where one key serves all items.
  size_t stride;
  /// A `GeccKeyEncoding`, the same for all keys.
  int32_t encoding;
} GeccKeys;

/// A variant of Ed25519 (RFC 8032, section 5.1). Its signatures never verify as those of another, or of Ed25519 itself.
typedef struct {
  /// 1 for Ed25519ph, which signs SHA-512 of a message in its place: calls take messages, and hash them. 0 for
  /// Ed25519ctx.
  int32_t prehashed;
  /// What signatures are made for: at most 255 bytes. That of Ed25519ctx should not be empty.
  GeccBytes context;
} GeccEd25519Variant;

/// The taproot outputs of rows: row i has those from `offsets[i]` to before `offsets[i + 1]`. They are known by their
/// x-only keys or by the first eight bytes of these; the pointer to the others is null.
typedef struct {
  /// One more than there are rows. They do not decrease, and the last is how many outputs there are.
  const uint64_t *offsets;
  /// x-only keys of 32 bytes, big-endian, or null as their data.
  GeccRows keys;
  /// The first eight bytes of x-only keys, each as a big-endian number, or null.
  const uint64_t *prefixes;
} GeccOutputs;

/// An output that is paid to a receiver. Where outputs are known by their first bytes alone it is a candidate: another
/// output has the same eight bytes by chance once in 2^64.
typedef struct {
  /// The row, counted from 0.
  uint64_t row;
  /// The output, by its place in the row.
  uint64_t output;
  /// The receiver, by its place in the call.
  uint32_t receiver;
  /// The counter of the sender, from 0.
  uint32_t k;
  /// The label of the address that was paid; -1 for that without one.
  int64_t label;
  /// What is added to the spend private key for that of the output, modulo n: 32 bytes, big-endian. Secret.
  uint8_t tweak[32];
} GeccMatch;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The version of the interface that the library has: `GECC_ABI_VERSION` of the header that belongs to it.
///
/// Any thread may call this at any time.
uint32_t gecc_abi_version(void);

/// The text of the last call of the calling thread that did not return `GECC_STATUS_OK`, in English and UTF-8; empty
/// before there is one. A call that succeeds leaves it as it is.
///
/// Never null. The text stays where it is until the next call of the same thread that fails, or until the thread ends:
/// copy what is needed longer. It never has a secret in it.
const char *gecc_last_error(void);

/// Makes an engine, which takes some tens of milliseconds, and some seconds where GPUs have to be started.
///
/// `options` may be null for the defaults, and is not needed after the call. The engine is written to `engine`, to be
/// freed by `gecc_engine_free`; on failure null is. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_NO_DEVICE` when only GPUs are asked for and none can be used, `GECC_STATUS_INVALID_ARGUMENT`
/// for options that are not allowed, `GECC_STATUS_THREADS` when threads cannot be started.
GeccStatus gecc_engine_new(const GeccEngineOptions *options, GeccEngine **engine);

/// Frees an engine when no call uses it any more. Null is allowed, and nothing then happens. Buffers of the engine may
/// be freed later. The pointer must not be used after this.
void gecc_engine_free(GeccEngine *engine);

/// Writes what the engine is and why it was chosen, for instance `CPU, 8 threads (chosen automatically: ...)`.
///
/// At most `capacity` bytes are written to `text`, with a zero byte at the end; what does not fit is left out. `text`
/// may be null where `capacity` is 0. The length of the whole text in bytes, without the zero byte, goes to `length`,
/// which may be null. Any thread may call this at any time.
GeccStatus gecc_engine_describe(const GeccEngine *engine, char *text, size_t capacity, size_t *length);

/// Writes which GPUs have failed since the engine was made, which kernels it cannot use for now, and what gave wrong
/// answers to items whose answers are known: one a line, nothing where all is well. Their work went to other GPUs or to
/// the CPU.
///
/// `text`, `capacity` and `length` are as for `gecc_engine_describe`. Any thread may call this at any time.
GeccStatus gecc_engine_failures(const GeccEngine *engine, char *text, size_t capacity, size_t *length);

/// Makes ready what calls on a curve need, for which the first of them would otherwise wait: tables, and for GPUs
/// kernels, which may have to be compiled. Takes some tens of milliseconds without a GPU, and some seconds where
/// kernels have to be compiled.
///
/// `curve` is a `GeccCurve`. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_KERNELS` or `GECC_STATUS_DEVICE` when a GPU cannot be made ready; calls may work all the same.
GeccStatus gecc_engine_warm_up(const GeccEngine *engine, int32_t curve);

/// The number of the curve with a name, ended by a zero byte: `secp256k1`, `p256`, `brainpoolp256r1` or `sm2`, or
/// another that a standard has, as `secp256r1`, `prime256v1` or an object identifier. Case does not matter. The error
/// text lists the curves.
///
/// Any thread may call this at any time.
GeccStatus gecc_curve_by_name(const char *name, GeccCurve *curve);

/// What a code says, in English, for instance `the signature does not match`. For a byte that is no code:
/// `no such code`.
///
/// Never null; the text lasts as long as the program. Any thread may call this at any time.
const char *gecc_code_text(uint8_t code);

/// How many of a call's codes are `GECC_CODE_VALID`. All items are valid if this is their number.
///
/// `codes` has `items` bytes; if it is null, none is valid. Any thread may call this at any time.
size_t gecc_count_valid(const uint8_t *codes, size_t items);

/// From now on calls of the calling thread that have columns ask `progress` between pieces of about half a second, with
/// `context`, and end where it returns true. Null for `progress` ends that. Other threads have their own, and none to
/// begin with.
///
/// A call with few items is one piece, and asks nothing. A call that ends so writes codes of 0, and its other results
/// mean nothing. `progress` is called by the thread that made the call, and may make calls, which ask nobody; what it
/// says here itself ends when it returns. `context` may be null.
void gecc_on_progress(GeccProgress progress, void *context);

/// Signatures in strict DER (RFC 3279, section 2.2.3) as rows of 64 bytes `r || s`: no BER, no bytes behind, integers
/// minimal and not negative. Ranges are checked where a signature is used.
///
/// Reads `der`, as many as items. Writes `signatures`, 64 bytes each, zeros where one is malformed; `codes`. Code other
/// than valid: `GECC_CODE_MALFORMED_SIGNATURE`. One thread computes this. Any thread may call this at any time.
GeccStatus gecc_signatures_from_der(size_t items, const GeccBytes *der, uint8_t *signatures, uint8_t *codes);

/// Signatures of any form as rows of 64 bytes `r || s`, and the recovery ids in them. Of forms
/// without one an id is 255.
///
/// Reads `signatures`, as many as items, of any length. Writes `rows`, 64 bytes each, zeros where one is malformed;
/// `recovery_ids`, a byte each; `codes`. `form` is a `GeccSignatureForm`. Code other than valid:
/// `GECC_CODE_MALFORMED_SIGNATURE`, also where v or the header is not defined. Ranges are checked where a signature is
/// used, and that a recovery id belongs to it by recovery alone. One thread computes this. Any thread may call this at
/// any time.
///
/// A signature of 65 bytes can be `r || s || v` and header-first. With `GECC_SIGNATURE_FORM_AUTO`
/// it is read as the former; where more of the others are header-first than not,
/// `GECC_STATUS_INVALID_ARGUMENT` is returned: say the form.
GeccStatus gecc_signatures_read(int32_t form,
                                size_t items,
                                const GeccBytes *signatures,
                                uint8_t *rows,
                                uint8_t *recovery_ids,
                                uint8_t *codes);

/// Signatures of 64 bytes `r || s` in DER.
///
/// Reads `signatures`. Writes `der`, `GECC_DER_SIZE` bytes an item, zeros behind the signature; `lengths`, a byte an
/// item, of the signature alone. One thread computes this. Any thread may call this at any time.
GeccStatus gecc_signatures_to_der(size_t items, GeccRows signatures, uint8_t *der, uint8_t *lengths);

/// The digest of each message, as the calls over digests take it. **Not constant-time**: everything here is public.
///
/// Reads `messages`, as many as items. Writes `digests`, 32 bytes each. `hash` is a `GeccHash`. SHA-256, SHA-256 twice
/// and Keccak-256 of large batches are computed on GPUs, where there are any.
GeccStatus gecc_message_digests(const GeccEngine *engine,
                                int32_t hash,
                                size_t items,
                                const GeccBytes *messages,
                                uint8_t *digests);

/// Verifies one ECDSA signature per item (SEC 1, section 4.1.4). **Not constant-time**: everything here is public.
///
/// Reads `digests`, 32 bytes each; `signatures`, 64 bytes `r || s`; `keys`. Writes `codes`, one byte an item. `curve`
/// is a `GeccCurve`, `policy` a `GeccPolicy`.
///
/// The first check that fails is the item's code: `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_HIGH_S` (by policy), `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`,
/// `GECC_CODE_IDENTITY_RESULT`, `GECC_CODE_MISMATCH`.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_verify(const GeccEngine *engine,
                             int32_t curve,
                             size_t items,
                             GeccRows digests,
                             GeccRows signatures,
                             GeccKeys keys,
                             int32_t policy,
                             uint8_t *codes);

/// Verifies like `gecc_ecdsa_verify` signatures with recovery ids, by fewer operations where the engine verifies in
/// groups (`batch_equations` of its options); otherwise the ids serve for nothing. **Not constant-time**: everything
/// here is public.
///
/// Reads `recovery_ids`, one byte each, besides. Codes are those of `gecc_ecdsa_verify`, whatever the ids are: one that
/// is wrong or above 3 costs time alone. A valid code does not say that the id is the signature's.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_verify_recoverable(const GeccEngine *engine,
                                         int32_t curve,
                                         size_t items,
                                         GeccRows digests,
                                         GeccRows signatures,
                                         GeccRows recovery_ids,
                                         GeccKeys keys,
                                         int32_t policy,
                                         uint8_t *codes);

/// Signs one digest per item with ECDSA, with nonces of RFC 6979 (HMAC-SHA-256). **Constant-time** in keys and nonces.
///
/// Reads `digests`, 32 bytes each; `secret_keys`, 32 bytes each, big-endian; `additional_data`. Writes `signatures`,
/// 64 bytes `r || s`; `codes`. `curve` is a `GeccCurve`, `s_form` a `GeccSForm`. Codes other than valid:
/// `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and `GECC_CODE_FAULTY_SIGNATURE` where the engine checks signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need be neither secret
/// nor random; null as their data stands for none.
///
/// **A private key that signs on two curves is given away** without them: the nonce is then made of the key and the
/// digest alone, and two signatures of one digest determine the key. Have a key, or at least additional data, for
/// each curve.
///
/// Private keys are read where they lie. They are the caller's to wipe.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_sign(const GeccEngine *engine,
                           int32_t curve,
                           size_t items,
                           GeccRows digests,
                           GeccRows secret_keys,
                           GeccRows additional_data,
                           int32_t s_form,
                           uint8_t *signatures,
                           uint8_t *codes);

/// Signs like `gecc_ecdsa_sign`, and writes the `recovery_ids` besides, one byte an item, 0 to 3: bit 0 says that y(R)
/// is odd, bit 1 that x(R) is not below n (SEC 1, section 4.1.6). **Constant-time** in keys and nonces.
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

/// Verifies one ECDSA signature per item over the SHA-256 of a message; for other hashes there is
/// `gecc_message_digests`. **Not constant-time**: everything here is public.
///
/// Reads `messages`, as many as items; `signatures`, 64 bytes `r || s`; `keys`. Writes `codes`: those of
/// `gecc_ecdsa_verify`. `curve` is a `GeccCurve`, `policy` a `GeccPolicy`.
///
/// On the way an item takes up to 64 bytes of the library's memory.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_verify_messages(const GeccEngine *engine,
                                      int32_t curve,
                                      size_t items,
                                      const GeccBytes *messages,
                                      GeccRows signatures,
                                      GeccKeys keys,
                                      int32_t policy,
                                      uint8_t *codes);

/// Signs the SHA-256 of one message per item with ECDSA, with nonces of RFC 6979 (HMAC-SHA-256). **Constant-time** in
/// keys and nonces, not in the length of messages. For other hashes there is `gecc_message_digests`.
///
/// Reads `messages`, as many as items; `secret_keys`, 32 bytes each, big-endian; `additional_data` as
/// `gecc_ecdsa_sign` does. Writes `signatures`, 64 bytes `r || s`; `codes`: those of `gecc_ecdsa_sign`. `curve` is a
/// `GeccCurve`, `s_form` a `GeccSForm`.
///
/// Private keys are read where they lie. They are the caller's to wipe. On the way an item takes up to 64 bytes of the
/// library's memory.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_sign_messages(const GeccEngine *engine,
                                    int32_t curve,
                                    size_t items,
                                    const GeccBytes *messages,
                                    GeccRows secret_keys,
                                    GeccRows additional_data,
                                    int32_t s_form,
                                    uint8_t *signatures,
                                    uint8_t *codes);

/// The public key that made each ECDSA signature (SEC 1, section 4.1.6). **Not constant-time**: everything here is
/// public.
///
/// Reads `digests`, 32 bytes each; `signatures`, 64 bytes `r || s`; `recovery_ids`, one byte each, 0 to 3. Writes
/// `keys`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. High s is accepted.
///
/// The first check that fails is the item's code: `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_RECOVERY_ID_OUT_OF_RANGE`, `GECC_CODE_NO_SUCH_R`, `GECC_CODE_IDENTITY_RESULT`.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_recover(const GeccEngine *engine,
                              int32_t curve,
                              size_t items,
                              GeccRows digests,
                              GeccRows signatures,
                              GeccRows recovery_ids,
                              uint8_t *keys,
                              uint8_t *codes);

/// The Ethereum address of the key that made each signature on secp256k1: the last 20 bytes of the Keccak-256 of
/// `x || y`. **Not constant-time**: everything here is public.
///
/// Reads what `gecc_ecdsa_recover` reads. Writes `addresses`, 20 bytes each; `codes`, the same ones. EIP-2 also asks
/// transactions for low s, which is not checked here.
GeccStatus gecc_ecdsa_recover_addresses(const GeccEngine *engine,
                                        size_t items,
                                        GeccRows digests,
                                        GeccRows signatures,
                                        GeccRows recovery_ids,
                                        uint8_t *addresses,
                                        uint8_t *codes);

/// Recovers like `gecc_ecdsa_recover`, with a candidate for each key or for some: the key of the signer who is
/// expected, kept from an earlier signature. Candidates that are right are found by fewer operations where the engine
/// verifies in groups (`batch_equations` of its options); otherwise they serve for nothing. **Not constant-time**:
/// everything here is public.
///
/// Reads `candidates` besides. Keys and codes are those of `gecc_ecdsa_recover`, whatever the candidates are: one that
/// is wrong or is no key costs time alone. A row of zeros of `GECC_KEY_ENCODING_RAW` says that an item has none.
///
/// Returns `GECC_STATUS_NO_SCHEME` for `GECC_CURVE_SM2`, and what is said at the head of this file.
GeccStatus gecc_ecdsa_recover_with_candidates(const GeccEngine *engine,
                                              int32_t curve,
                                              size_t items,
                                              GeccRows digests,
                                              GeccRows signatures,
                                              GeccRows recovery_ids,
                                              GeccKeys candidates,
                                              uint8_t *keys,
                                              uint8_t *codes);

/// Gives the addresses of `gecc_ecdsa_recover_addresses`, with candidates as `gecc_ecdsa_recover_with_candidates` takes
/// them: public keys, not addresses. **Not constant-time**: everything here is public.
GeccStatus gecc_ecdsa_recover_addresses_with_candidates(const GeccEngine *engine,
                                                        size_t items,
                                                        GeccRows digests,
                                                        GeccRows signatures,
                                                        GeccRows recovery_ids,
                                                        GeccKeys candidates,
                                                        uint8_t *addresses,
                                                        uint8_t *codes);

/// Verifies one BIP 340 signature per item over a message of 32 bytes, on secp256k1. **Not constant-time**: everything
/// here is public.
///
/// Reads `messages`, 32 bytes each; `signatures`, 64 bytes; `keys`, with `GECC_KEY_ENCODING_X_ONLY` or in another
/// encoding, of which the x-coordinates count. Writes `codes`.
///
/// The first check that fails is the item's code: `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_IDENTITY_RESULT`,
/// `GECC_CODE_MISMATCH`.
GeccStatus gecc_bip340_verify(const GeccEngine *engine,
                              size_t items,
                              GeccRows messages,
                              GeccRows signatures,
                              GeccKeys keys,
                              uint8_t *codes);

/// Signs one message of 32 bytes per item by BIP 340, on secp256k1. **Constant-time** in keys, auxiliary data and
/// nonces.
///
/// Reads `messages`, 32 bytes each; `secret_keys`, 32 bytes each, big-endian; `public_keys`, those of the private keys
/// in any encoding but x-only, or null as their data where they shall be computed; `auxiliary`, 32 bytes of auxiliary
/// random data each, or null as their data for fresh ones of the operating system. Writes `signatures`, 64 bytes;
/// `codes`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, those of a public key that is none, and
/// `GECC_CODE_FAULTY_SIGNATURE` where the engine checks signatures.
///
/// Whether public keys belong to their private keys is not checked, unless the engine checks signatures: then
/// `GECC_CODE_MISMATCH` says that one does not. A signature with a wrong one does not verify, and gives nothing away.
///
/// Private keys are read where they lie. They are the caller's to wipe.
GeccStatus gecc_bip340_sign(const GeccEngine *engine,
                            size_t items,
                            GeccRows messages,
                            GeccRows secret_keys,
                            GeccKeys public_keys,
                            GeccRows auxiliary,
                            uint8_t *signatures,
                            uint8_t *codes);

/// Verifies one BIP 340 signature per item over a message of any length. **Not constant-time**: everything here is
/// public.
///
/// Reads `messages`, as many as items, and what else `gecc_bip340_verify` reads. Writes `codes`, the same ones.
GeccStatus gecc_bip340_verify_messages(const GeccEngine *engine,
                                       size_t items,
                                       const GeccBytes *messages,
                                       GeccRows signatures,
                                       GeccKeys keys,
                                       uint8_t *codes);

/// Signs one message of any length per item by BIP 340. **Constant-time** in keys, auxiliary data and nonces, not in
/// the length of messages.
///
/// Reads `messages`, as many as items, and what else `gecc_bip340_sign` reads. Writes what that does.
GeccStatus gecc_bip340_sign_messages(const GeccEngine *engine,
                                     size_t items,
                                     const GeccBytes *messages,
                                     GeccRows secret_keys,
                                     GeccKeys public_keys,
                                     GeccRows auxiliary,
                                     uint8_t *signatures,
                                     uint8_t *codes);

/// The output key of each internal key (BIP 341): `P + t G`, where P is the point of the key with an even y, and t the
/// tagged hash of its x and a Merkle root. **Not constant-time**: everything here is public.
///
/// Reads `keys`; `roots`, 32 bytes each, or null as their data where there are none. Writes `outputs`, 64 bytes
/// `x || y`, of which x is the output and the last bit of y its parity; `codes`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, `GECC_CODE_SCALAR_OUT_OF_RANGE`,
/// `GECC_CODE_IDENTITY_RESULT`.
GeccStatus gecc_taproot(const GeccEngine *engine,
                        size_t items,
                        GeccKeys keys,
                        GeccRows roots,
                        uint8_t *outputs,
                        uint8_t *codes);

/// Verifies one Ed25519 signature per item over a message of any length, by a rule. **Not constant-time**: everything
/// here is public.
///
/// Reads `messages`, as many as items; `signatures`, 64 bytes `R || S`; `keys`, 32 bytes each (RFC 8032, section
/// 5.1.2); `variant`, which is null for Ed25519 itself. Writes `codes`. `rule` is a `GeccEd25519Rule`: programs that
/// must agree on signatures must agree on it, and there is no default.
///
/// The first check that fails is the item's code: `GECC_CODE_S_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_SMALL_ORDER_KEY`, `GECC_CODE_SMALL_ORDER_R`, `GECC_CODE_NO_SUCH_R` or
/// `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_MISMATCH`.
GeccStatus gecc_ed25519_verify(const GeccEngine *engine,
                               int32_t rule,
                               const GeccEd25519Variant *variant,
                               size_t items,
                               const GeccBytes *messages,
                               GeccRows signatures,
                               GeccRows keys,
                               uint8_t *codes);

/// Signs one message of any length per item by Ed25519. **Constant-time** in keys and nonces, not in the length of
/// messages.
///
/// Reads `messages`, as many as items; `seeds`, the private keys, 32 bytes each; `variant`, which is null for Ed25519
/// itself. Every seed is a key. Writes `signatures`, 64 bytes `R || S`; `codes`. Code other than valid:
/// `GECC_CODE_FAULTY_SIGNATURE`, where the engine checks signatures.
///
/// Seeds are read where they lie. They are the caller's to wipe.
GeccStatus gecc_ed25519_sign(const GeccEngine *engine,
                             const GeccEd25519Variant *variant,
                             size_t items,
                             const GeccBytes *messages,
                             GeccRows seeds,
                             uint8_t *signatures,
                             uint8_t *codes);

/// The Ed25519 public key of each seed. **Constant-time** in seeds.
///
/// Reads `seeds`, 32 bytes each. Writes `public_keys`, 32 bytes each; zeros after any status but `GECC_STATUS_OK`, or
/// untouched if an argument was refused. There are no codes, as every seed is a key.
///
/// Seeds are read where they lie. They are the caller's to wipe.
GeccStatus gecc_ed25519_public_keys(const GeccEngine *engine, size_t items, GeccRows seeds, uint8_t *public_keys);

/// The 32 bytes of Ed25519 public keys in any form: PEM (`PUBLIC KEY`), SubjectPublicKeyInfo in DER (RFC 8410), JSON
/// Web Keys (RFC 8037), lines of OpenSSH (`ssh-ed25519 AAAA...`), or the bytes themselves. **Not constant-time**:
/// everything here is public.
///
/// Reads `keys`, as many as items. Writes `public_keys`, 32 bytes each; `codes`. Code other than valid:
/// `GECC_CODE_MALFORMED_POINT`. Whether a key is a point is not looked at, but by verification. Any thread may call
/// this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` where all keys are in forms that say what they are for, and none can be read:
/// the error text says why of the first. Empty keys do not count.
GeccStatus gecc_ed25519_public_keys_read(size_t items, const GeccBytes *keys, uint8_t *public_keys, uint8_t *codes);

/// The seed in a file with an Ed25519 private key: PEM or DER (PKCS#8, RFC 8410), a JSON Web Key (RFC 8037), or as
/// OpenSSH writes it. A public key beside it has to be its own. **Constant-time** in the seed, but for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `seed`, 32 bytes; zeros on failure. The file and the seed are the
/// caller's to wipe. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` as `gecc_secret_key_read` does.
GeccStatus gecc_ed25519_seed_read(const uint8_t *file, size_t bytes, uint8_t *seed);

/// Verifies one SM2 signature per item over the digest e (GB/T 32918.2, section 7). **Not constant-time**: everything
/// here is public.
///
/// Reads `digests`, 32 bytes e = SM3(Z_A || M) each, big-endian; `signatures`, 64 bytes `r || s`; `keys`. Writes
/// `codes`.
///
/// The first check that fails is the item's code: `GECC_CODE_R_OUT_OF_RANGE`, `GECC_CODE_S_OUT_OF_RANGE`,
/// `GECC_CODE_ZERO_T`, `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`,
/// `GECC_CODE_IDENTITY_RESULT`, `GECC_CODE_MISMATCH`.
GeccStatus gecc_sm2_verify(const GeccEngine *engine,
                           size_t items,
                           GeccRows digests,
                           GeccRows signatures,
                           GeccKeys keys,
                           uint8_t *codes);

/// Signs one digest e per item with SM2 (GB/T 32918.2, section 6), with nonces of RFC 6979 (HMAC-SM3).
/// **Constant-time** in keys and nonces.
///
/// Reads `digests`, 32 bytes e each; `secret_keys`, 32 bytes each, big-endian; `additional_data`. Writes
/// `signatures`, 64 bytes `r || s`; `codes`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, and
/// `GECC_CODE_FAULTY_SIGNATURE` where the engine checks signatures.
///
/// `additional_data`, 32 bytes each, are hashed into the nonces (RFC 6979, section 3.6). They need be neither secret
/// nor random; null as their data stands for none.
///
/// Private keys are read where they lie. They are the caller's to wipe.
GeccStatus gecc_sm2_sign(const GeccEngine *engine,
                         size_t items,
                         GeccRows digests,
                         GeccRows secret_keys,
                         GeccRows additional_data,
                         uint8_t *signatures,
                         uint8_t *codes);

/// Verifies one SM2 signature per item over a message: e = SM3(Z_A || M), where Z_A is of the user id and the key.
/// **Not constant-time**: everything here is public.
///
/// Reads `messages`, as many as items; `user_ids`, `user_id_count` of them: as many as items, one for all items, or
/// none for the id that GM/T 0009 prescribes, `1234567812345678`; `signatures`, 64 bytes `r || s`; `keys`. Writes
/// `codes`: those of `gecc_sm2_verify`, and `GECC_CODE_USER_ID_TOO_LONG` above 8191 bytes.
///
/// On the way an item takes up to 300 bytes of the library's memory.
GeccStatus gecc_sm2_verify_messages(const GeccEngine *engine,
                                    size_t items,
                                    const GeccBytes *messages,
                                    const GeccBytes *user_ids,
                                    size_t user_id_count,
                                    GeccRows signatures,
                                    GeccKeys keys,
                                    uint8_t *codes);

/// Signs one message per item with SM2: e = SM3(Z_A || M), where Z_A is of the user id and the private key's public
/// key. **Constant-time** in keys and nonces, not in the length of messages.
///
/// Reads `messages` and `user_ids` as `gecc_sm2_verify_messages` does; `secret_keys`, 32 bytes each, big-endian;
/// `additional_data` as `gecc_sm2_sign` does. Writes `signatures`, 64 bytes `r || s`; `codes`: those of
/// `gecc_sm2_sign`, and `GECC_CODE_USER_ID_TOO_LONG` above 8191 bytes.
///
/// Private keys are read where they lie. They are the caller's to wipe. On the way an item takes up to 300 bytes of the
/// library's memory.
GeccStatus gecc_sm2_sign_messages(const GeccEngine *engine,
                                  size_t items,
                                  const GeccBytes *messages,
                                  const GeccBytes *user_ids,
                                  size_t user_id_count,
                                  GeccRows secret_keys,
                                  GeccRows additional_data,
                                  uint8_t *signatures,
                                  uint8_t *codes);

/// The public key of each private key, `d * G`. **Constant-time** in the keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian. Writes `public_keys`, 64 bytes `x || y`; `codes`. `curve` is a
/// `GeccCurve`. Code other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`.
///
/// Private keys are read where they lie. They are the caller's to wipe.
GeccStatus gecc_public_keys(const GeccEngine *engine,
                            int32_t curve,
                            size_t items,
                            GeccRows secret_keys,
                            uint8_t *public_keys,
                            uint8_t *codes);

/// Fresh key pairs from the operating system's randomness. **Constant-time** in the keys.
///
/// Writes `secret_keys`, 32 bytes each, big-endian; `public_keys`, 64 bytes `x || y`. There are no codes, as no item
/// can fail. `curve` is a `GeccCurve`. After any status but `GECC_STATUS_OK` both are zeros, or untouched if an
/// argument was refused.
///
/// Private keys are written where they stay, and are the caller's to wipe.
GeccStatus gecc_generate_keys(const GeccEngine *engine,
                              int32_t curve,
                              size_t items,
                              uint8_t *secret_keys,
                              uint8_t *public_keys);

/// The coordinates of public keys in any form: SubjectPublicKeyInfo (RFC 5480) or an X.509 certificate, each in DER or
/// PEM (`PUBLIC KEY`, `CERTIFICATE`), JSON Web Keys, SEC 1 octet strings, or `x || y`. Those that name a curve have to
/// name this one. Of a certificate only the key of its subject is taken: neither its signature nor its dates are
/// checked.
/// **Not constant-time**: everything here is public.
///
/// Reads `keys`, as many as items. Writes `points`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. Codes other
/// than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` where all keys are in forms that name a curve, and none can be read: the
/// error text says why of the first. Empty keys do not count.
GeccStatus gecc_public_keys_read(const GeccEngine *engine,
                                 int32_t curve,
                                 size_t items,
                                 const GeccBytes *keys,
                                 uint8_t *points,
                                 uint8_t *codes);

/// The private key in a file: PEM (`EC PRIVATE KEY`, `PRIVATE KEY`) or DER (SEC 1, PKCS#8), or a JSON Web Key. Text and
/// other blocks of PEM beside it are skipped. It has to name this curve, where it names one, and a public key beside it
/// has to be its own. **Constant-time** in the key, but for its base64.
///
/// Reads `file`, which has `bytes` bytes. Writes `secret_key`, 32 bytes, big-endian; zeros on failure. `curve` is a
/// `GeccCurve`. The file and the key are the caller's to wipe. Any thread may call this at any time.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` for a file that has no key or several, an encrypted one, or one of another
/// curve: the error text says which, and shows nothing of a key.
GeccStatus gecc_secret_key_read(int32_t curve, const uint8_t *file, size_t bytes, uint8_t *secret_key);

/// The ECDH shared secret of each private key with its peer: the x-coordinate of `d * Q` (SEC 1, section 3.3.1).
/// **Constant-time** in the private keys.
///
/// Reads `secret_keys`, 32 bytes each, big-endian; `peers`. Writes `secrets`, 32 bytes each; `codes`. `curve` is a
/// `GeccCurve`. Codes other than valid: `GECC_CODE_SECRET_KEY_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
///
/// Private keys are read where they lie, and secrets are written where they stay. Both are the caller's to wipe. A
/// secret is not uniformly random: derive keys from it.
GeccStatus gecc_ecdh_secrets(const GeccEngine *engine,
                             int32_t curve,
                             size_t items,
                             GeccRows secret_keys,
                             GeccKeys peers,
                             uint8_t *secrets,
                             uint8_t *codes);

/// `scalars[i] * G` for public scalars. **Not constant-time**: for private keys there is `gecc_public_keys`.
///
/// Reads `scalars`, 32 bytes each, big-endian. Writes `points`, 64 bytes `x || y`, zeros for the identity; `codes`.
/// `curve` is a `GeccCurve`. Code other than valid: `GECC_CODE_SCALAR_OUT_OF_RANGE`.
GeccStatus gecc_mul_base(const GeccEngine *engine,
                         int32_t curve,
                         size_t items,
                         GeccRows scalars,
                         uint8_t *points,
                         uint8_t *codes);

/// `scalars[i] * points[i]` for public scalars. **Not constant-time**: for private keys there is `gecc_ecdh_secrets`.
///
/// Reads `scalars`, 32 bytes each, big-endian; `points`, where a row of zeros is the identity. Writes `products`, 64
/// bytes `x || y`, zeros for the identity; `codes`. `curve` is a `GeccCurve`. Codes other than valid:
/// `GECC_CODE_SCALAR_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_mul(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccRows scalars,
                    GeccKeys points,
                    uint8_t *products,
                    uint8_t *codes);

/// `a[i] + b[i]`. **Not constant-time**: everything here is public.
///
/// Reads points `a` and `b`, where a row of zeros is the identity. Writes `sums`, 64 bytes `x || y`, zeros for the
/// identity; `codes`. `curve` is a `GeccCurve`. Codes other than valid: `GECC_CODE_MALFORMED_POINT`,
/// `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_add(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccKeys a,
                    GeccKeys b,
                    uint8_t *sums,
                    uint8_t *codes);

/// `2 * points[i]`. **Not constant-time**: everything here is public.
///
/// Reads `points`, where a row of zeros is the identity. Writes `doubles`, 64 bytes `x || y`, zeros for the identity;
/// `codes`. `curve` is a `GeccCurve`. Codes other than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_double(const GeccEngine *engine,
                       int32_t curve,
                       size_t items,
                       GeccKeys points,
                       uint8_t *doubles,
                       uint8_t *codes);

/// The coordinates of public keys: compressed ones are decompressed, others checked. **Not constant-time**: everything
/// here is public.
///
/// Reads `keys`. Writes `points`, 64 bytes `x || y`; `codes`. `curve` is a `GeccCurve`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`.
GeccStatus gecc_decompress(const GeccEngine *engine,
                           int32_t curve,
                           size_t items,
                           GeccKeys keys,
                           uint8_t *points,
                           uint8_t *codes);

/// The sum of all points, `points[0] + points[1] + ...`; of no points the identity. **Not constant-time**: everything
/// here is public.
///
/// Reads `points`, where a row of zeros is the identity; a stride of 0 is for one item alone. Writes one `sum`, 64
/// bytes `x || y`, zeros for the identity; one `code`; `bad_item`. None of the three may be null, also with no items.
/// `curve` is a `GeccCurve`.
///
/// A point that is none makes the whole sum fail: `code` is then `GECC_CODE_MALFORMED_POINT` or
/// `GECC_CODE_NOT_ON_CURVE` for the first one, `bad_item` is its number, counted from 0, and `sum` is zeros. Else
/// `code` is `GECC_CODE_VALID` and `bad_item` is `items`. After any status but `GECC_STATUS_OK` `code` is 0, or all
/// three are untouched if an argument was refused.
GeccStatus gecc_sum(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccKeys points,
                    uint8_t *sum,
                    uint8_t *code,
                    size_t *bad_item);

/// The sum of all products, `scalars[0] * points[0] + scalars[1] * points[1] + ...`, for public scalars (multi-scalar
/// multiplication); of no products the identity. **Not constant-time**: scalars must be public.
///
/// Reads `scalars`, 32 bytes each, big-endian; `points`, where a row of zeros is the identity. Only one of them may
/// have a stride of 0, unless there is one item. Writes one `sum`, one `code` and `bad_item` as `gecc_sum` does.
/// `curve` is a `GeccCurve`.
///
/// An item without a scalar below the group order or without a point makes the whole sum fail, as for `gecc_sum`:
/// `code` is then `GECC_CODE_SCALAR_OUT_OF_RANGE`, `GECC_CODE_MALFORMED_POINT` or `GECC_CODE_NOT_ON_CURVE`.
GeccStatus gecc_msm(const GeccEngine *engine,
                    int32_t curve,
                    size_t items,
                    GeccRows scalars,
                    GeccKeys points,
                    uint8_t *sum,
                    uint8_t *code,
                    size_t *bad_item);

/// Makes a receiver.
///
/// `scan_key` has 32 bytes, big-endian; `spend_key` is a SEC 1 octet string of `spend_key_bytes`, 33 or 65; `labels`
/// are the numbers m of the addresses that were handed out, `label_count` of them; 0 is that of the wallet's own
/// change. The receiver is written to `receiver`, to be freed by `gecc_receiver_free`; on failure null is. Any thread
/// may call this at any time. What branches on the scan key is only whether it is in range. The caller's copy is the
/// caller's to wipe.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` for keys and labels that cannot be used.
GeccStatus gecc_receiver_new(const uint8_t *scan_key,
                             const uint8_t *spend_key,
                             size_t spend_key_bytes,
                             const uint32_t *labels,
                             size_t label_count,
                             GeccReceiver **receiver);

/// Wipes a receiver and frees it. No call may use it any more. Null is allowed, and nothing then happens.
void gecc_receiver_free(GeccReceiver *receiver);

/// The outputs that are paid to receivers. **Constant-time** in scan keys: no branch and no address depends on them, on
/// shared points or on tweaks. Who measures the time of a call may learn which rows match, and how many outputs of
/// each.
///
/// Reads `receivers`, `receiver_count` of them; `tweak_points`, one for each row; `outputs`. Writes `codes`, a byte a
/// row; the first `capacity` matches, by row, receiver and k, to `matches`, which may be null where `capacity` is 0;
/// and how many there are to `match_count`: with more than `capacity` a second call has room for all. Codes other than
/// valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`. Then nothing is found in the
/// row.
///
/// In each row k goes on from 0 while an output matches, up to 2322. Tweaks of matches are the caller's to wipe.
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

/// The tweak point of each transaction: `T = hash_BIP0352/Inputs(outpoint || A) A`. **Not constant-time**: everything
/// here is public.
///
/// Reads `outpoints`, the smallest of each transaction, 36 bytes as transactions have them; `input_keys`, the sums A of
/// the public keys of eligible inputs. Writes `tweak_points`, 64 bytes `x || y`; `codes`. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`, and `GECC_CODE_SCALAR_OUT_OF_RANGE`
/// where the hash is 0 or not below n.
GeccStatus gecc_silent_payments_index(const GeccEngine *engine,
                                      size_t items,
                                      GeccRows outpoints,
                                      GeccKeys input_keys,
                                      uint8_t *tweak_points,
                                      uint8_t *codes);

/// Makes a buffer of `bytes` bytes, all zero, and locks it where there is a GPU and the driver allows it
/// (`gecc_buffer_is_locked`).
///
/// The buffer is written to `buffer`, to be freed by `gecc_buffer_free`; on failure null is. Any thread may call this
/// at any time.
///
/// Returns `GECC_STATUS_OUT_OF_MEMORY` when there is not so much memory.
GeccStatus gecc_buffer_new(const GeccEngine *engine, size_t bytes, GeccBuffer **buffer);

/// The first byte of a buffer. It stays where it is as long as the buffer lasts. Null for null, and where there are no
/// bytes.
uint8_t *gecc_buffer_data(const GeccBuffer *buffer);

/// Whether a buffer is locked: not where there is no GPU, and not where the driver refuses. False for null.
bool gecc_buffer_is_locked(const GeccBuffer *buffer);

/// Wipes a buffer, as it may have held secrets, unlocks it and frees it. No call may use its memory any more. Null is
/// allowed, and nothing then happens.
void gecc_buffer_free(GeccBuffer *buffer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GECC_H */
