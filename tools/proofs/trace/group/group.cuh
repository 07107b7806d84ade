// Points, digits and flags that record the operations on them. The loops of curve/multiples.cuh and
// curve/multiply_add.cuh are compiled with these. A value is the number of the line that made it.
//
// A coordinate stores its kind and the line of its point, so that coordinates of different points
// cannot form a point.
#pragma once
#include "decide.cuh"

// A truth that is known, or a question about the line.
struct Flag {
    const char* question;
    int line;
    Flag(bool known) : question(known ? "true" : "false"), line(-1) {}
    Flag(const char* question, int line) : question(question), line(line) {}
    explicit operator bool() const { return line < 0 ? question[0] == 't' : decide(question, line); }
};

struct Sign {
    int line;
};
struct Digit {
    int line;
    Sign operator<(int zero) const {
        if (zero != 0) fail("a digit is compared");
        return Sign{line};
    }
    Flag operator!=(int zero) const {
        if (zero != 0) fail("a digit is compared");
        return Flag("present", line);
    }
    bool operator==(int zero) const { return !bool(*this != zero); }
};

// Masks are the complement of the line of the digit whose sign they are.
struct OddDigit {
    u32 index, negative;
};
static u32 mask_if(Sign sign) { return ~(u32)sign.line; }

template <int T, int W = 5> struct OddScalar {
    int which;
};

template <int T, int W> static OddDigit next_odd_digit(OddScalar<T, W>& s) {
    std::printf("digit %d\n", s.which);
    u32 line = (u32)lines++;
    return OddDigit{line, ~line};
}

enum Kind { kNone, kX, kThird, kY, kNegativeY, kSignedY, kPointX, kPointY, kPointZ, kOne, kZero };

struct fe {
    Kind kind = kNone;
    int line = -1;
    u32 mask = 0;
};

static fe fe_one() { return fe{kOne}; }
static fe fe_zero() { return fe{kZero}; }
static fe fe_neg(const fe& a) { return a.kind == kY ? fe{kNegativeY, a.line} : (fail("no y is negated"), fe{}); }
static fe fe_select(u32 mask, const fe& a, const fe& b) {
    if (a.kind != kNegativeY || b.kind != kY || a.line != b.line) fail("no y and its opposite");
    return fe{kSignedY, a.line, mask};
}

struct affine {
    fe x, y;
};
struct jacobian {
    fe x, y, z;
};
struct Multiple {
    fe x, y, third;
};

// An entry of a table: a multiple that depends on the line of a digit.
static Multiple entry(u32 digit) {
    std::printf("entry %u\n", digit);
    int line = lines++;
    return Multiple{{kX, line}, {kY, line}, {kThird, line}};
}

// The line of an addend: its entry, whether it is that of P or of lambda P, and the digit of its
// sign.
static int addend(const affine& a) {
    if ((a.x.kind != kX && a.x.kind != kThird) || a.y.kind != kSignedY || a.x.line != a.y.line) fail("no addend");
    std::printf("addend %d %d %u\n", a.x.line, (int)(a.x.kind == kThird), ~a.y.mask);
    return lines++;
}

static jacobian point(int line) { return jacobian{{kPointX, line}, {kPointY, line}, {kPointZ, line}}; }

static int line_of(const jacobian& p) {
    if (p.z.kind == kZero) {
        std::printf("identity\n");
        return lines++;
    }
    bool kinds = p.x.kind == kPointX && p.y.kind == kPointY && p.z.kind == kPointZ;
    if (!kinds || p.x.line != p.y.line || p.x.line != p.z.line) fail("no point");
    return p.x.line;
}

template <class... Lines> static jacobian made(const char* operation, Lines... operands) {
    std::printf("%s", operation);
    (std::printf(" %d", operands), ...);
    std::printf("\n");
    return point(lines++);
}

static jacobian to_jacobian(const affine& a) { return made("point", addend(a)); }
static jacobian jacobian_double(const jacobian& p) { return made("double", line_of(p)); }

static jacobian add_distinct(const jacobian& p, const affine& q) {
    int first = line_of(p);
    return made("add_distinct", first, addend(q));
}

static jacobian add_uniform(const jacobian& p, const affine& q) {
    int first = line_of(p);
    return made("add_uniform", first, addend(q));
}

// The flag is written as its line, or -1 where it is known to be false and -2 where it is known to
// be true.
static void add_var(jacobian& p, Flag& identity, const affine& q) {
    int flag = identity.line >= 0 ? identity.line : identity.question[0] == 't' ? -2 : -1;
    int first = flag == -2 ? -1 : line_of(p);
    p = made("add_var", first, addend(q), flag);
    identity = Flag("is_identity", p.x.line);
}

// What the loops read from.
struct Table {
    Multiple get(u32 index) { return entry(index); }
    void align() {}
};

struct Base {
    int count;
    int windows() const { return count; }
    void check(int window) const {
        if (window < 0 || window >= count) fail("no such window");
    }
    void prefetch(int window) const { check(window); }
    Digit get(affine& r, int window) const {
        check(window);
        std::printf("window %d\n", window);
        Digit digit = {lines++};
        Multiple m = entry((u32)digit.line);
        r = affine{m.x, m.y};
        return digit;
    }
};

// The terms of table_sum.cuh.
struct Source {
    int count;
    struct Place {
        Digit digit;
    };
    int terms() const { return count; }
    Place find(int term) const {
        if (term < 0 || term >= count) fail("no such term");
        std::printf("window %d\n", term);
        return Place{{lines++}};
    }
    affine load(const Place& place) const {
        Multiple m = entry((u32)place.digit.line);
        return affine{m.x, m.y};
    }
    void align() const {}
};

// What kernels/fpmul.cu has: sums in other coordinates, the table of G that is read by all lanes,
// and digits with carries.
struct sc {};
struct xyzz : jacobian {
    xyzz(const jacobian& p) : jacobian(p) {}
};
static affine generator() { return affine{}; }
// The generator stands for a sum that has no terms yet; its coordinates mean nothing.
static xyzz to_xyzz(const affine& a) { return a.x.kind == kNone ? xyzz(jacobian{}) : xyzz(to_jacobian(a)); }
static jacobian to_jacobian(const xyzz& p) { return p; }
static void add_distinct(xyzz& p, const affine& q) { p = add_distinct((const jacobian&)p, q); }

template <int T, int W> static void odd_scalar(OddScalar<T, W>& s, const sc&) { s.which = 0; }
// The digit's multiple of 2^(W window) G.
static affine exchange_window(const u32*, int window, OddDigit d) {
    std::printf("exchange %d %u\n", window, d.index);
    int line = lines++;
    return affine{{kX, line}, {kSignedY, line, d.negative}};
}

template <int N> struct SignedDigits {
    int taken = 0;
};
static SignedDigits<8> signed_digits_var(const sc&, int) { return SignedDigits<8>(); }
static Digit next_digit(SignedDigits<8>& s) {
    std::printf("window %d\n", s.taken++);
    return Digit{lines++};
}
static const int kTestBits = 11;
static affine digit_point_var(const u32*, u64 start, Digit digit) {
    std::printf("exchange %d %d\n", (int)(start >> (kTestBits - 1)), digit.line);
    int line = lines++;
    if (start & ((1 << (kTestBits - 1)) - 1)) fail("no window of a table begins there");
    return affine{{kX, line}, {kSignedY, line, ~(u32)digit.line}};
}

static void give(const jacobian& p) {
    int line = line_of(p);
    std::printf("result %d\n", line);
}
