// A driver answers one line of input at a time: `operation argument ...`, arguments and results
// being numbers of 64 hexadecimal digits.
#pragma once
#include <cstdio>
#include <cstring>

#include "field/field.cuh"
#include "field/scalar.cuh"

static const int kMaxNumbers = 52;

struct Numbers {
    u32 words[kMaxNumbers][8];
    int count;
};

static fe field(const Numbers& in, int i) {
    fe r;
    words_copy(r.v, in.words[i]);
    return r;
}

static sc scalar(const Numbers& in, int i) {
    sc r;
    words_copy(r.v, in.words[i]);
    return r;
}

static void put(Numbers& out, const u32* words) {
    words_copy(out.words[out.count++], words);
}

static void put_flag(Numbers& out, bool flag) {
    const u32 words[8] = {flag, 0, 0, 0, 0, 0, 0, 0};
    put(out, words);
}

static void read_number(const char* digits, u32* words) {
    for (int i = 0; i < 8; i++) sscanf(digits + 8 * (7 - i), "%8x", &words[i]);
}

// `run` returns false if it knows no operation of that name.
template <class Run> static int answer_lines(Run run) {
    char line[66 * (kMaxNumbers + 1)];
    while (fgets(line, sizeof line, stdin)) {
        Numbers in = {}, out = {};
        char* name = strtok(line, " \n");
        while (char* digits = strtok(nullptr, " \n")) read_number(digits, in.words[in.count++]);
        if (!run(name, in, out)) {
            fprintf(stderr, "no operation named %s\n", name);
            return 1;
        }
        for (int k = 0; k < out.count; k++) {
            for (int i = 7; i >= 0; i--) printf("%08x", out.words[k][i]);
            putchar(k + 1 < out.count ? ' ' : '\n');
        }
    }
    return 0;
}
