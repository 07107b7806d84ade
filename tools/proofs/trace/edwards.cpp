// Prints the operations of one formula: `edwards NAME DECISIONS`. See
// trace/edwards/field/field.cuh.
#include "curve/edwards_tables.cuh"
static bool asked_small_order(const ed_projective& a) {
    int x = line_of(a.x.v), y = line_of(a.y.v), z = line_of(a.z.v);
    return decide("small_order", x, y, z);
}
// Has a proof of its own, as a loop.
#define ed_is_of_small_order asked_small_order
#include "scheme/ed25519.cuh"
#include <cstring>

static void give(const char* name, const fe& a) {
    int line = line_of(a.v);
    std::printf("result %s %d\n", name, line);
}

static void give(const char* name, int value) {
    std::printf("result %s %d\n", name, value);
}

static void give(const ed_affine& a) {
    give("x", a.x), give("y", a.y);
}

static void give(const ed_projective& a) {
    give("x", a.x), give("y", a.y), give("z", a.z);
}

static void give(const ed_extended& a) {
    give("x", a.x), give("y", a.y), give("z", a.z), give("t", a.t);
}

static void give(const ed_completed& a) {
    give("x", a.x), give("y", a.y), give("z", a.z), give("t", a.t);
}

static void give(const ed_niels& a) {
    give("sum", a.sum), give("difference", a.difference), give("product", a.product);
}

static void give(const ed_addend& a) {
    give(a.niels), give("z2", a.z2);
}

static ed_affine affine_point() {
    return {variable<fe>("x1"), variable<fe>("y1")};
}

static ed_projective projective_point() {
    return {variable<fe>("X1"), variable<fe>("Y1"), variable<fe>("Z1")};
}

static ed_extended extended_point() {
    return {variable<fe>("X1"), variable<fe>("Y1"), variable<fe>("Z1"), variable<fe>("T1")};
}

static ed_completed completed_point() {
    return {variable<fe>("completed.x"), variable<fe>("completed.y"), variable<fe>("completed.z"),
            variable<fe>("completed.t")};
}

static ed_niels niels_point() {
    return {variable<fe>("niels.sum"), variable<fe>("niels.difference"), variable<fe>("niels.product")};
}

static ed_addend addend_point() {
    return {{variable<fe>("addend.sum"), variable<fe>("addend.difference"), variable<fe>("addend.product")},
            variable<fe>("addend.z2")};
}

static void decode(bool is_odd, bool canonical) {
    fe encoding = variable<fe>("number1");
    if (is_odd) encoding.v[7] |= 0x80000000;
    ed_affine point = {fe_zero(), fe_zero()};
    give("verdict", ed_decode_var(point, encoding.v, canonical));
    give(point);
}

static void encode() {
    fe encoding;
    ed_encode(encoding.v, projective_point(), variable<fe>("inverse"));
    int top, line = line_below(encoding.v, top);
    give("line", line), give("top", top);
}

static void compare() {
    ed_projective sum = projective_point();
    fe inverse = variable<fe>("inverse"), r = variable<fe>("number1");
    give("verdict", ed25519_compare(sum, inverse, r.v, 0));
}

static void compare_cofactored() {
    ed_projective sum = projective_point();
    ed_affine minus_r = {variable<fe>("x2"), variable<fe>("y2")};
    give("verdict", ed25519_compare_cofactored(sum, minus_r));
}

int main(int, char** arguments) {
    auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
    decisions = arguments[2];
    if (is("identity")) give(ed_identity());
    else if (is("completed identity")) give(to_extended(ed_completed_identity()));
    else if (is("generator")) give(ed_generator());
    else if (is("affine to extended")) give(to_extended(affine_point()));
    else if (is("extended to projective")) give(to_projective(extended_point()));
    else if (is("completed to projective")) give(to_projective(completed_point()));
    else if (is("completed to extended")) give(to_extended(completed_point()));
    else if (is("affine to niels")) give(to_niels(affine_point()));
    else if (is("niels to extended")) give(to_extended(niels_point()));
    else if (is("completed to niels")) give(to_niels(completed_point(), variable<fe>("inverse")));
    else if (is("extended to addend")) give(to_addend(extended_point()));
    else if (is("double")) give(ed_double(projective_point()));
    else if (is("add")) give(ed_add(extended_point(), addend_point(), 0));
    else if (is("subtract")) give(ed_add(extended_point(), addend_point(), ~0u));
    else if (is("add affine")) give(ed_add_affine(extended_point(), niels_point(), 0));
    else if (is("subtract affine")) give(ed_add_affine(extended_point(), niels_point(), ~0u));
    else if (is("is identity")) give("verdict", ed_is_identity(projective_point()));
    else if (is("decode even")) decode(false, false);
    else if (is("decode odd")) decode(true, false);
    else if (is("decode canonical even")) decode(false, true);
    else if (is("decode canonical odd")) decode(true, true);
    else if (is("encodes small order")) give("verdict", ed_encodes_small_order_var(variable<fe>("number1").v));
    else if (is("encode")) encode();
    else if (is("compare")) compare();
    else if (is("compare cofactored")) compare_cofactored();
    else return 1;
}
