// Words and limbs that record the operations on them: divsteps_30 and divsteps_inverse of
// field/inverse.cuh are compiled with these instead of u32 and i32. An operand is a line, or a
// number after `#`.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

static int lines = 0;

[[noreturn]] static void fail(const char* what) {
    std::printf("error %s\n", what);
    std::exit(0);
}

struct Value {
    bool constant = false;
    long number = -1;  // the constant, or the line
    void print() const {
        if (!constant && number < 0) fail("a value that was never set");
        std::printf(constant ? " #%ld" : " %ld", number);
    }
};

static Value made(const char* operation, const Value& a, const Value& b) {
    std::printf("%s", operation);
    a.print();
    b.print();
    std::printf("\n");
    return Value{false, lines++};
}

// A word is moved to the right with zeros, a limb with its sign.
template <bool kSigned> struct Register : Value {
    Register() {}
    Register(int known) : Value{true, known} {}
    explicit Register(const Value& value) : Value(value) {}
};
using Word = Register<false>;
using Limb = Register<true>;

#define OPERATION(symbol, name) \
    template <bool S> static Register<S> operator symbol(const Register<S>& a, const Register<S>& b) { \
        return Register<S>(made(name, a, b)); \
    } \
    template <bool S> static Register<S> operator symbol(const Register<S>& a, int b) { \
        return a symbol Register<S>(b); \
    } \
    template <bool S> static Register<S> operator symbol(int a, const Register<S>& b) { \
        return Register<S>(a) symbol b; \
    } \
    template <bool S, class B> static Register<S>& operator symbol##=(Register<S>& a, const B& b) { \
        return a = a symbol b; \
    }
OPERATION(&, "and")
OPERATION(|, "or")
OPERATION(^, "xor")
OPERATION(+, "add")
OPERATION(-, "sub")
template <bool S> static Register<S> operator<<(const Register<S>& a, int b) {
    return Register<S>(made("shl", a, Register<S>(b)));
}
template <bool S> static Register<S> operator>>(const Register<S>& a, int b) {
    return Register<S>(made(S ? "sar" : "shr", a, Register<S>(b)));
}
template <bool S> static Register<S>& operator<<=(Register<S>& a, int b) { return a = a << b; }
template <bool S> static Register<S>& operator>>=(Register<S>& a, int b) { return a = a >> b; }

template <class R> static R variable(const char* name, int part = 0) {
    std::printf("variable %s %d\n", name, part);
    return R(Value{false, lines++});
}

struct DivstepMatrix {
    Limb u, v, q, r;
};
struct EightWords {
    Word v[8];
};
struct Modulus {
    static Word word(int i) { return variable<Word>("modulus", i); }
};

// The functions called by divsteps_inverse print the limbs of their arguments and return new limbs.
static void print_limbs(const Limb* limbs) {
    for (int i = 0; i < 9; i++) limbs[i].print();
}
static void name_limbs(Limb* limbs) {
    for (int i = 0; i < 9; i++) limbs[i] = variable<Limb>("part", i);
}
static Limb limb30(const Word* words, int i) {
    std::printf("limb #%d", i);
    for (int k = 0; k < 8; k++) words[k].print();
    std::printf("\n");
    return Limb(Value{false, lines++});
}
static void print_matrix(const DivstepMatrix& t) {
    for (const Limb& limb : {t.u, t.v, t.q, t.r}) limb.print();
}
static Limb steps(DivstepMatrix& t, Limb theta, Word f, Word g) {
    std::printf("steps");
    theta.print(), f.print(), g.print();
    std::printf("\n");
    Limb result = Limb(Value{false, lines++});
    for (Limb* limb : {&t.u, &t.v, &t.q, &t.r}) *limb = variable<Limb>("entry");
    return result;
}
static void apply(const char* name, Limb* a, Limb* b, const DivstepMatrix& t) {
    std::printf("%s", name);
    print_limbs(a), print_limbs(b), print_matrix(t);
    std::printf("\n");
    lines++;
    name_limbs(a), name_limbs(b);
}
static void apply_to_values(Limb* f, Limb* g, const DivstepMatrix& t) { apply("values", f, g, t); }
template <class M> static void apply_to_cofactors(Limb* d, Limb* e, const DivstepMatrix& t, const Limb* modulus) {
    std::printf("of");
    print_limbs(modulus);
    std::printf("\n");
    lines++;
    apply("cofactors", d, e, t);
}
static void add_modulus_if_negative(Limb* d, const Limb* modulus) {
    std::printf("raised");
    print_limbs(d), print_limbs(modulus);
    std::printf("\n");
    lines++;
    name_limbs(d);
}
static void negate_limbs(Limb* d, Limb mask) {
    std::printf("negated");
    print_limbs(d), mask.print();
    std::printf("\n");
    lines++;
    name_limbs(d);
}
static void give(const Value& value) {
    std::printf("result");
    value.print();
    std::printf("\n");
}
