// An interface of the same shape as IEccCryptor of SecretFlow's PSI (psi/cryptor/ecc_cryptor.h, as of
// January 2026), for psi_ecc_cryptor.cpp to be compiled without SecretFlow.
//
// There the byte strings are absl::Span, yacl::Buffer and yacl::ByteContainerView, and functions of
// many items other than EccMask are not virtual: they call the function of one item for each. They
// have to become virtual for a device that computes batches.
#ifndef PSI_CRYPTOR_ECC_CRYPTOR_H
#define PSI_CRYPTOR_ECC_CRYPTOR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace psi {

inline constexpr int kEccKeySize = 32;

// A point in the representation of its library: yacl::crypto::EcPoint has these alternatives and
// others.
using EcPoint = std::variant<std::array<std::uint8_t, 32>, std::array<std::uint8_t, 128>>;

class IEccCryptor {
public:
    virtual ~IEccCryptor() = default;

    // kEccKeySize bytes, little-endian.
    virtual void SetPrivateKey(const std::array<std::uint8_t, kEccKeySize> &key) = 0;

    // The bytes of a serialised point.
    virtual std::size_t GetMaskLength() const = 0;

    virtual EcPoint HashToCurve(std::string_view item) const = 0;
    virtual std::string SerializeEcPoint(const EcPoint &point) const = 0;
    virtual EcPoint DeserializeEcPoint(std::string_view bytes) const = 0;

    virtual std::vector<EcPoint> HashInputs(const std::vector<std::string> &items) const = 0;
    virtual std::vector<EcPoint> EccMask(const std::vector<EcPoint> &points) const = 0;
    virtual std::vector<std::string> SerializeEcPoints(const std::vector<EcPoint> &points) const = 0;
    virtual std::vector<EcPoint> DeserializeEcPoints(const std::vector<std::string> &items) const = 0;
};

} // namespace psi

#endif
