// Numbers of eight words that write down what is done with them. Functions of cuda/ that only call others are compiled
// with these in the place of what they call, and what they print is the sequence of calls.
//
// Word 0 of such a number is the line that made it, the other words are a mark; eight words without the mark are a
// constant. Words are copied as the device code copies them.
#pragma once
#include "primitives/types.cuh"
#include <cstdio>
#include <cstdlib>

static const u32 kMark = 0x5eed1234;
static int lines = 0;

static void fail(const char* what) {
    std::printf("error %s\n", what);
    std::exit(0);
}

static bool is_line(const u32* words) {
    for (int i = 1; i < 8; i++)
        if (words[i] != kMark + i) return false;
    return true;
}

static void name_line(u32* words) {
    words[0] = (u32)lines++;
    for (u32 i = 1; i < 8; i++) words[i] = kMark + i;
}

// The line of eight words; constants get theirs here.
static int line_of(const u32* words) {
    if (is_line(words)) return (int)words[0];
    std::printf("constant ");
    for (int i = 7; i >= 0; i--) std::printf("%08x", words[i]);
    std::printf("\n");
    return lines++;
}

template <class N> static N variable(const char* name) {
    N r;
    std::printf("variable %s\n", name);
    name_line(r.v);
    return r;
}

template <class N> static N recorded(const char* operation, const u32* a) {
    N r;
    int line = line_of(a);
    std::printf("%s %d\n", operation, line);
    name_line(r.v);
    return r;
}

template <class N> static N recorded(const char* operation, const u32* a, const u32* b) {
    N r;
    int first = line_of(a), second = line_of(b);
    std::printf("%s %d %d\n", operation, first, second);
    name_line(r.v);
    return r;
}

static void give(const u32* words) {
    int line = line_of(words);
    std::printf("result %d\n", line);
}
