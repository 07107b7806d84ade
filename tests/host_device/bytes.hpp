// The input and output of drivers whose arguments and results are bytes: a line is `operation
// argument ...`; arguments are bytes in hexadecimal, `-` for none, and so are results, the numbers
// among them as 32 bytes.
#pragma once
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "field/scalar.cuh"
#include "hash/message.cuh"

typedef std::vector<u8> Bytes;

static Bytes from_hex(const char* digits) {
    Bytes r;
    for (; digits[0] != '-' && digits[0] != 0; digits += 2) {
        unsigned value;
        sscanf(digits, "%2x", &value);
        r.push_back((u8)value);
    }
    return r;
}

struct Number {
    u32 v[8];

    explicit Number(const Bytes& bytes) {
        for (int w = 0; w < 8; w++) {
            const u8* b = &bytes[28 - 4 * w];
            v[w] = (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
        }
    }
    sc scalar() const {
        sc r;
        words_copy(r.v, v);
        return r;
    }
};

static void put(const u32* number) {
    for (int i = 7; i >= 0; i--) printf("%08x", number[i]);
}

static void put(const HashState& digest) {
    for (int i = 0; i < 8; i++) printf("%08x", digest.v[i]);
}

// A message in an array of words, `start` bytes from its beginning, with other bytes around it.
struct Message {
    std::vector<u32> words;
    BytesSource source;

    Message(const Bytes& start, const Bytes& bytes) {
        u64 first = start[0];
        words.assign((first + bytes.size() + 3) / 4 + 1, 0xa5a5a5a5);
        if (!bytes.empty()) memcpy((u8*)words.data() + first, bytes.data(), bytes.size());
        source = {words.data(), first, bytes.size()};
    }
};

// `run` returns false if it knows no operation of that name.
template <class Run> static int answer_lines(Run run) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        std::string name = strtok(line, " \n");
        std::vector<Bytes> in;
        while (char* digits = strtok(nullptr, " \n")) in.push_back(from_hex(digits));
        if (!run(name, in)) {
            fprintf(stderr, "no operation named %s\n", name.c_str());
            return 1;
        }
        putchar('\n');
    }
    return 0;
}
