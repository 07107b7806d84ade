// gecc for C++17: engines and buffers that free themselves, and statuses as exceptions. What calls
// take and give, see gecc.h.
#ifndef GECC_HPP
#define GECC_HPP

#include "gecc.h"
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gecc {

// A call that did not return GECC_STATUS_OK, with the text of gecc_last_error.
class Error : public std::runtime_error {
public:
    explicit Error(GeccStatus status) : std::runtime_error(gecc_last_error()), status_(status) {}
    GeccStatus status() const noexcept { return status_; }

private:
    GeccStatus status_;
};

inline void check(GeccStatus status) {
    if (status != GECC_STATUS_OK) {
        throw Error(status);
    }
}

// Digests, signatures and other columns: rows one after the other, fields of records, or one row
// for all (a stride of 0).
inline GeccRows rows(const std::uint8_t *data, std::size_t stride) { return GeccRows{data, stride}; }

inline GeccKeys keys(const std::uint8_t *data, std::size_t stride, GeccKeyEncoding encoding) {
    return GeccKeys{data, stride, encoding};
}

// What computes batches. Any number of threads may use it at once; it must outlive their calls.
class Engine {
public:
    explicit Engine(GeccBackend backend = GECC_BACKEND_AUTO) : Engine(options(backend)) {}

    explicit Engine(const GeccEngineOptions &options) {
        GeccEngine *engine = nullptr;
        check(gecc_engine_new(&options, &engine));
        engine_.reset(engine);
    }

    // The default options of a backend, to be changed and given to the constructor.
    static GeccEngineOptions options(GeccBackend backend) {
        GeccEngineOptions options{};
        options.size = sizeof options;
        options.backend = backend;
        return options;
    }

    // For calls that have no method here.
    const GeccEngine *get() const noexcept { return engine_.get(); }

    std::string describe() const {
        std::size_t length = 0;
        check(gecc_engine_describe(get(), nullptr, 0, &length));
        std::string text(length + 1, '\0');
        check(gecc_engine_describe(get(), text.data(), text.size(), nullptr));
        text.resize(length);
        return text;
    }

    // A code for each item.
    std::vector<std::uint8_t> ecdsa_verify(GeccCurve curve, std::size_t items, GeccRows digests, GeccRows signatures,
                                           GeccKeys keys, GeccPolicy policy = GECC_POLICY_STANDARD) const {
        std::vector<std::uint8_t> codes(items);
        check(gecc_ecdsa_verify(get(), curve, items, digests, signatures, keys, policy, codes.data()));
        return codes;
    }

private:
    struct Free {
        void operator()(GeccEngine *engine) const noexcept { gecc_engine_free(engine); }
    };
    std::unique_ptr<GeccEngine, Free> engine_;
};

// Page-locked memory, for what an engine with GPUs reads and writes often.
class Buffer {
public:
    Buffer(const Engine &engine, std::size_t bytes) : size_(bytes) {
        GeccBuffer *buffer = nullptr;
        check(gecc_buffer_new(engine.get(), bytes, &buffer));
        buffer_.reset(buffer);
    }

    std::uint8_t *data() const noexcept { return gecc_buffer_data(buffer_.get()); }
    std::size_t size() const noexcept { return size_; }
    bool is_locked() const noexcept { return gecc_buffer_is_locked(buffer_.get()); }

private:
    struct Free {
        void operator()(GeccBuffer *buffer) const noexcept { gecc_buffer_free(buffer); }
    };
    std::unique_ptr<GeccBuffer, Free> buffer_;
    std::size_t size_;
};

} // namespace gecc

#endif
