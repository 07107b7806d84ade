// Prints the operations of one formula: `formulas NAME [DECISIONS]`. See trace/field/open.cuh.
#include "curve/affine_add.cuh"
#include "curve/multiples.cuh"
#include "curve/table_sum.cuh"
#include "curve/xyzz.cuh"
#include "scheme/recovery.cuh"
#include <cstring>

static void give(const char* name, fe a) {
    std::printf("result %s %d\n", name, a.line);
}

static void give(const char* name, int value) {
    std::printf("verdict %s %d\n", name, value);
}

static void give(const affine& p) {
    give("x", p.x);
    give("y", p.y);
}

static void give(const jacobian& p) {
    give("x", p.x);
    give("y", p.y);
    give("z", p.z);
}

static void give(const xyzz& p) {
    give("x", p.x);
    give("y", p.y);
    give("zz", p.zz);
    give("zzz", p.zzz);
}

static affine affine_point(const char* x, const char* y) {
    return affine{fe_variable(x), fe_variable(y)};
}

static jacobian first_jacobian() {
    return jacobian{fe_variable("X1"), fe_variable("Y1"), fe_variable("z1")};
}

static xyzz first_xyzz() {
    return xyzz{fe_variable("X1"), fe_variable("Y1"), fe_variable("ZZ1"), fe_variable("ZZZ1")};
}

static xyzz second_xyzz() {
    return xyzz{fe_variable("X2"), fe_variable("Y2"), fe_variable("ZZ2"), fe_variable("ZZZ2")};
}

// The multiples as they are put: what stands at each is printed.
struct PrintedMultiples {
    Multiple entries[kOddMultiples];

    void put(int m, const Multiple& entry) {
        entries[m] = entry;
        std::printf("put %d %d %d %d\n", m, entry.x.line, entry.y.line, entry.third.line);
    }
    Multiple get(int m) {
        return entries[m];
    }
};

static void affine_sum(bool a_finite, bool b_finite) {
    affine a = affine_point("x1", "y1"), b = affine_point("x2", "y2");
    fe denominator;
    AdditionCase which =
        addition_case(denominator, a_finite, b_finite, a.x, b.x, [&](fe& ay, fe& by) { ay = a.y, by = b.y; });
    give("case", which);
    give("denominator", denominator);
    if (which == kChord || which == kTangent) give(add_on_line(which, a, b, fe_variable("inverse")));
}

static void add_to_jacobian(bool identity) {
    jacobian p = first_jacobian();
    add_var(p, identity, affine_point("x2", "y2"));
    give("identity", identity);
    give(p);
}

static void add_to_xyzz(bool identity) {
    xyzz p = first_xyzz();
    add_var(p, identity, affine_point("x2", "y2"));
    give("identity", identity);
    give(p);
}

static void multiples() {
    PrintedMultiples store;
    affine p = affine_point("x1", "y1");
    give("z", put_multiples(store, p));
    fe z_inverse = fe_variable("inverse");
    finish_multiples(store, p, z_inverse);
}

static void recovery(u8 id) {
    const sc r = {{1}};
    affine point;
    give("verdict", lift_r(point, r, id));
    give(point);
}

int main(int count, char** arguments) {
    const char* name = arguments[1];
    auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
    if (count > 2) decisions = arguments[2];
    if (is("jacobian_double")) give(jacobian_double(first_jacobian()));
    else if (is("affine_to_jacobian_double")) give(affine_to_jacobian_double(affine_point("x1", "y1")));
    else if (is("add_distinct")) give(add_distinct(first_jacobian(), affine_point("x2", "y2")));
    else if (is("add_var")) add_to_jacobian(false);
    else if (is("add_var_to_identity")) add_to_jacobian(true);
    else if (is("add_uniform")) give(add_uniform(first_jacobian(), affine_point("x2", "y2")));
    else if (is("scale_by_inverse")) give(scale_by_inverse(fe_variable("X1"), fe_variable("Y1"), fe_variable("inverse")));
    else if (is("affine_sum")) affine_sum(true, true);
    else if (is("affine_sum_with_first")) affine_sum(true, false);
    else if (is("affine_sum_with_second")) affine_sum(false, true);
    else if (is("affine_sum_with_neither")) affine_sum(false, false);
    else if (is("double_on_line")) give(double_on_line(affine_point("x1", "y1"), fe_variable("inverse")));
    else if (is("xyzz_double")) give(xyzz_double(affine_point("x1", "y1")));
    else if (is("xyzz_to_jacobian")) give(to_jacobian(first_xyzz()));
    else if (is("xyzz_add_var")) add_to_xyzz(false);
    else if (is("xyzz_add_var_to_identity")) add_to_xyzz(true);
    else if (is("xyzz_add_distinct")) {
        xyzz p = first_xyzz();
        add_distinct(p, affine_point("x2", "y2"));
        give(p);
    }
    else if (is("xyzz_double_sum")) give(xyzz_double(first_xyzz()));
    else if (is("xyzz_add_sums")) give(xyzz_add_var(first_xyzz(), second_xyzz()));
    else if (is("double_times_0")) give(double_times(first_xyzz(), 0));
    else if (is("double_times_1")) give(double_times(first_xyzz(), 1));
    else if (is("multiples")) multiples();
    else if (is("is_on_curve")) give("on_curve", is_on_curve(affine_point("number1", "root")));
    else if (is("compare_result")) give("verdict", compare_result(first_jacobian(), sc{{1}}));
    else if (is("recovery")) recovery(0);
    else if (is("recovery_of_odd")) recovery(1);
    else return 1;
}
