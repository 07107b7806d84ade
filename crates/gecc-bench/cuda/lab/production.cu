// Chained multiplications and squarings as the library's other kernels make them, modulo p and modulo the order n.
//
// gecc_method_production_field_256_mul and _sqr, gecc_method_production_order_256_mul and _sqr: names, effect and
// launch contract as in lab/methods.cu. The modulus is p or n of the curve that the file is compiled for; the one that
// is passed is not used. k is 256, or 0 where the reduction of p is a fold.
#include "lab/methods.cuh"
#include "methods/production.cuh"

GECC_METHOD(production_field, ProductionField, 256, GECC_UNROLL_BY_4)
GECC_METHOD(production_order, ProductionOrder, 256, GECC_UNROLL_BY_4)
