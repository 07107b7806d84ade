// Questions about digits, flags and points. They are answered by the digits of `decisions`, further
// ones by 0.
#pragma once
#include "primitives/types.cuh"
#include <cstdio>
#include <cstdlib>

static const char* decisions = "";
static int lines = 0;

[[noreturn]] static void fail(const char* what) {
    std::printf("error %s\n", what);
    std::exit(0);
}

static bool decide(const char* question, int line) {
    bool answer = *decisions == '1';
    if (*decisions) decisions++;
    std::printf("%s %d %d\n", question, line, (int)answer);
    lines++;
    return answer;
}
