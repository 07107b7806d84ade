// Verifies the signatures of Ethereum blocks from page-locked memory: `verify
// ethereum_blocks.rows`.
#include "gecc.hpp"
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

constexpr std::size_t RECORD = 32 + 33 + 64;

std::vector<char> read(const char *path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() < RECORD) {
        throw std::runtime_error("usage: verify FILE, with rows of 129 bytes");
    }
    return bytes;
}

std::size_t valid(const gecc::Engine &engine, const std::uint8_t *records, std::size_t items) {
    const auto keys = gecc::keys(records + 32, RECORD, GECC_KEY_ENCODING_COMPRESSED);
    const auto codes = engine.ecdsa_verify(GECC_CURVE_SECP256K1, items, gecc::rows(records, RECORD),
                                           gecc::rows(records + 65, RECORD), keys, GECC_POLICY_LOW_S);
    return static_cast<std::size_t>(std::count(codes.begin(), codes.end(), GECC_CODE_VALID));
}

} // namespace

int main(int argc, char **argv) try {
    const auto file = read(argc == 2 ? argv[1] : "");
    const gecc::Engine engine;
    const std::size_t items = file.size() / RECORD;
    const gecc::Buffer records(engine, file.size());
    std::copy(file.begin(), file.end(), records.data());
    std::cout << valid(engine, records.data(), items) << " of " << items << " valid\n";
    records.data()[0] ^= 1;
    std::cout << valid(engine, records.data(), items) << " of " << items << " valid\n";
    try {
        const gecc::Engine refused(static_cast<GeccBackend>(77));
    } catch (const gecc::Error &error) {
        std::cout << "status " << error.status() << ": " << error.what() << "\n";
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
