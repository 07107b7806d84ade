// The elliptic curve of SecretFlow's ECDH-PSI computed by gecc: an implementation of its pluggable
// IEccCryptor for SM2, with the points that YACL computes (TryAndRehash_SM, 33 bytes per point).
// `psi_ecc_cryptor` lets two parties find the items that they have in common.
#include "ecc_cryptor.h"
#include "gecc.hpp"
#include <algorithm>
#include <iostream>
#include <set>

namespace psi {

class GeccSm2Cryptor : public IEccCryptor {
public:
    // Generates a private key. The engine has to outlive the cryptor.
    explicit GeccSm2Cryptor(const gecc::Engine &engine) : engine_(engine), private_key_(engine, kEccKeySize) {
        std::array<std::uint8_t, POINT> public_key;
        gecc::check(gecc_generate_keys(engine_.get(), GECC_CURVE_SM2, 1, private_key_.data(), public_key.data()));
    }

    // The caller has to wipe the key. EccMask throws if it is 0 or not below the group order.
    void SetPrivateKey(const std::array<std::uint8_t, kEccKeySize> &key) override {
        std::reverse_copy(key.begin(), key.end(), private_key_.data());
    }

    std::size_t GetMaskLength() const override { return COMPRESSED; }

    // Not constant-time: the number of tries depends on the item.
    EcPoint HashToCurve(std::string_view item) const override { return HashInputs({std::string(item)}).front(); }

    std::string SerializeEcPoint(const EcPoint &point) const override {
        const auto &coordinates = CoordinatesOf(point);
        std::string bytes(COMPRESSED, '\0');
        bytes[0] = static_cast<char>(2 + coordinates[POINT - 1] % 2);
        std::copy_n(coordinates.begin(), COMPRESSED - 1, bytes.begin() + 1);
        return bytes;
    }

    EcPoint DeserializeEcPoint(std::string_view bytes) const override {
        return DeserializeEcPoints({std::string(bytes)}).front();
    }

    std::vector<EcPoint> HashInputs(const std::vector<std::string> &items) const override {
        std::vector<GeccBytes> messages;
        messages.reserve(items.size());
        for (const auto &item : items) {
            messages.push_back({reinterpret_cast<const std::uint8_t *>(item.data()), item.size()});
        }
        const GeccBytes no_tag{nullptr, 0};
        Results results(items.size());
        gecc::check(gecc_hash_to_curve(engine_.get(), GECC_SUITE_SM2_REHASH, no_tag, items.size(), messages.data(),
                                       results.points.data(), results.codes.data()));
        return results.Valid();
    }

    // Constant-time in the private key.
    std::vector<EcPoint> EccMask(const std::vector<EcPoint> &points) const override {
        std::vector<std::uint8_t> rows(points.size() * POINT);
        auto row = rows.begin();
        for (const auto &point : points) {
            row = std::copy_n(CoordinatesOf(point).begin(), POINT, row);
        }
        // A stride of 0: the key of all points.
        const auto key = gecc::rows(private_key_.data(), 0);
        Results results(points.size());
        gecc::check(gecc_mask_points(engine_.get(), GECC_CURVE_SM2, points.size(), key,
                                     gecc::keys(rows.data(), POINT, GECC_KEY_ENCODING_RAW), GECC_MASK_FORM_RAW,
                                     results.points.data(), results.codes.data()));
        return results.Valid();
    }

    std::vector<std::string> SerializeEcPoints(const std::vector<EcPoint> &points) const override {
        std::vector<std::string> items;
        items.reserve(points.size());
        for (const auto &point : points) {
            items.push_back(SerializeEcPoint(point));
        }
        return items;
    }

    // Throws if one of the items is not a point of the curve.
    std::vector<EcPoint> DeserializeEcPoints(const std::vector<std::string> &items) const override {
        std::vector<std::uint8_t> rows;
        rows.reserve(items.size() * COMPRESSED);
        for (const auto &item : items) {
            if (item.size() != COMPRESSED) {
                throw std::invalid_argument("a point of " + std::to_string(item.size()) + " bytes, not 33");
            }
            rows.insert(rows.end(), item.begin(), item.end());
        }
        Results results(items.size());
        gecc::check(gecc_decompress(engine_.get(), GECC_CURVE_SM2, items.size(),
                                    gecc::keys(rows.data(), COMPRESSED, GECC_KEY_ENCODING_COMPRESSED),
                                    results.points.data(), results.codes.data()));
        return results.Valid();
    }

private:
    static constexpr std::size_t POINT = GECC_MASK_FORM_RAW;
    static constexpr std::size_t COMPRESSED = GECC_MASK_FORM_COMPRESSED;
    // A point is `x || y` at the beginning of this alternative.
    using Coordinates = std::array<std::uint8_t, 128>;

    static const Coordinates &CoordinatesOf(const EcPoint &point) { return std::get<Coordinates>(point); }

    // The results of a call.
    struct Results {
        explicit Results(std::size_t items) : points(items * POINT), codes(items) {}

        // Returns the points. Throws if an item was rejected.
        std::vector<EcPoint> Valid() const {
            std::vector<EcPoint> valid;
            valid.reserve(codes.size());
            for (std::size_t item = 0; item < codes.size(); item++) {
                if (codes[item] != GECC_CODE_VALID) {
                    throw std::invalid_argument("item " + std::to_string(item) + ": " + gecc_code_text(codes[item]));
                }
                Coordinates coordinates{};
                std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(item * POINT), POINT, coordinates.begin());
                valid.push_back(coordinates);
            }
            return valid;
        }

        std::vector<std::uint8_t> points;
        std::vector<std::uint8_t> codes;
    };

    const gecc::Engine &engine_;
    // Big-endian, and wiped when it is freed.
    gecc::Buffer private_key_;
};

} // namespace psi

namespace {

// What a party sends first: its masked items.
std::vector<std::string> masked(const psi::IEccCryptor &cryptor, const std::vector<std::string> &items) {
    return cryptor.SerializeEcPoints(cryptor.EccMask(cryptor.HashInputs(items)));
}

// What it computes of the other party's masked items.
std::vector<std::string> masked_again(const psi::IEccCryptor &cryptor, const std::vector<std::string> &items) {
    return cryptor.SerializeEcPoints(cryptor.EccMask(cryptor.DeserializeEcPoints(items)));
}

// A private key for a test, little-endian.
constexpr std::array<std::uint8_t, psi::kEccKeySize> TEST_KEY{
    0x8e, 0x2c, 0xe7, 0x19, 0x5d, 0x62, 0xe5, 0x60, 0xaa, 0xf5, 0xcc, 0x37, 0x8a, 0x10, 0xba, 0x42,
    0x53, 0xad, 0x13, 0xfc, 0x8e, 0xf5, 0xf3, 0x87, 0x50, 0x7e, 0x31, 0x7f, 0x52, 0x39, 0x4f, 0x7d};

// Multiples of a number below 3000.
std::vector<std::string> items(int step) {
    std::vector<std::string> items;
    for (int number = 0; number < 3000; number += step) {
        items.push_back("item " + std::to_string(number));
    }
    return items;
}

std::string hexadecimal(const std::string &bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[byte & 15];
    }
    return text;
}

// Two parties with random keys. A protocol sends the items in another order (docs/masking.md).
void intersect(psi::IEccCryptor &alice, psi::IEccCryptor &bob) {
    const auto of_alice = items(2);
    const auto of_bob = items(3);
    const auto both_of_alice = masked_again(bob, masked(alice, of_alice));
    const auto both_of_bob = masked_again(alice, masked(bob, of_bob));
    const std::set<std::string> common(both_of_bob.begin(), both_of_bob.end());
    std::vector<std::string> found;
    for (std::size_t item = 0; item < of_alice.size(); item++) {
        if (common.count(both_of_alice[item]) != 0) {
            found.push_back(of_alice[item]);
        }
    }
    std::cout << found.size() << " of " << of_alice.size() << " and " << of_bob.size() << " items in common, "
              << (found == items(6) ? "as expected" : "others than expected") << "\n";
}

} // namespace

int main() try {
    const gecc::Engine engine;
    psi::GeccSm2Cryptor alice(engine);
    psi::GeccSm2Cryptor bob(engine);
    intersect(alice, bob);

    // The key and items of tests/vectors/hash_to_curve.json.
    alice.SetPrivateKey(TEST_KEY);
    for (const auto &mask : masked(alice, {"", "item 0", "item 69", "item 990"})) {
        std::cout << hexadecimal(mask) << "\n";
    }

    auto not_a_point = masked(bob, {"item 0", "item 1"});
    not_a_point[1][0] = 5;
    try {
        alice.DeserializeEcPoints(not_a_point);
    } catch (const std::invalid_argument &error) {
        std::cout << error.what() << "\n";
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
