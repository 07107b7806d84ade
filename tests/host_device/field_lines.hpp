// Operations of the field that curves of every form have.
#pragma once
#include "numbers.hpp"

// On raw loose values: the caller knows about the Montgomery factor.
static bool run_field(const char* name, const Numbers& in, Numbers& out) {
    fe a = field(in, 0), b = field(in, 1);
    if (!strcmp(name, "fe_mul")) put(out, fe_mul(a, b).v);
    else if (!strcmp(name, "fe_sqr")) put(out, fe_sqr(a).v);
    else if (!strcmp(name, "fe_add")) put(out, fe_add(a, b).v);
    else if (!strcmp(name, "fe_sub")) put(out, fe_sub(a, b).v);
    else if (!strcmp(name, "fe_neg")) put(out, fe_neg(a).v);
    else if (!strcmp(name, "fe_half")) put(out, fe_half(a).v);
    else if (!strcmp(name, "fe_inv")) put(out, fe_inv(a).v);
    else if (!strcmp(name, "fe_sqrt")) put(out, fe_sqrt_candidate(a).v);
    else if (!strcmp(name, "fe_canonical")) put(out, fe_canonical(a).v);
    else if (!strcmp(name, "fe_is_zero")) put_flag(out, fe_is_zero(a));
    else return false;
    return true;
}
