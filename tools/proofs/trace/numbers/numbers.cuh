// Numbers of eight words that record the operations on them. Functions of cuda/ that only call
// others are compiled with these instead of the called functions and print the sequence of calls.
//
// Word 0 of such a number is twice the line that made it, plus one if the number was decided to be
// odd; the other words are a mark. Words without the mark are a constant. Words are
// copied as the device code copies them.
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

static bool is_line(const u32* words, int count) {
    for (int i = 1; i < count; i++)
        if (words[i] != kMark + i) return false;
    return true;
}

static void name_line(u32* words, int count = 8, bool odd = false) {
    words[0] = 2 * (u32)lines++ + odd;
    for (u32 i = 1; i < count; i++) words[i] = kMark + i;
}

// The line of a number; constants get theirs here.
static int line_of(const u32* words, int count = 8) {
    if (is_line(words, count)) return (int)(words[0] / 2);
    std::printf("constant ");
    for (int i = count - 1; i >= 0; i--) std::printf("%08x", words[i]);
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
