/* See cholesky.h. Everything is built from inner products of parts of rows, which are read in
   memory order. */
#include "league/cholesky.h"

#include <math.h>
#include <string.h>

/* Uses eight independent sums, so that additions overlap in the processor. */
static double inner_product(const double *a, const double *b, size_t count) {
    double sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t lane = 0; lane < 8; lane++)
            sums[lane] += a[i + lane] * b[i + lane];
    double rest = 0;
    for (; i < count; i++)
        rest += a[i] * b[i];
    return rest + ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

bool cholesky_factor(double *matrix, size_t size) {
    for (size_t row = 0; row < size; row++) {
        double *own = matrix + row * size;
        for (size_t column = 0; column < row; column++) {
            const double *other = matrix + column * size;
            own[column] = (own[column] - inner_product(own, other, column)) / other[column];
        }
        double pivot = own[row] - inner_product(own, own, row);
        if (!(pivot > own[row] * 1e-15) || !isfinite(pivot))
            return false;
        own[row] = sqrt(pivot);
    }
    return true;
}

void cholesky_solve(const double *factor, size_t size, double *vector) {
    for (size_t row = 0; row < size; row++) {
        const double *own = factor + row * size;
        vector[row] = (vector[row] - inner_product(own, vector, row)) / own[row];
    }
    for (size_t row = size; row-- > 0;) {
        const double *own = factor + row * size;
        vector[row] /= own[row];
        for (size_t column = 0; column < row; column++)
            vector[column] -= own[column] * vector[row];
    }
}

void cholesky_invert(const double *factor, size_t size, double *scratch, double *inverse) {
    /* Row i of the scratch becomes column i of the factor's inverse, which is zero before i. */
    for (size_t i = 0; i < size; i++) {
        double *column = scratch + i * size;
        column[i] = 1 / factor[i * size + i];
        for (size_t row = i + 1; row < size; row++) {
            const double *own = factor + row * size;
            column[row] = -inner_product(own + i, column + i, row - i) / own[row];
        }
    }
    for (size_t i = 0; i < size; i++)
        for (size_t j = i; j < size; j++)
            inverse[i * size + j] = inverse[j * size + i] =
                inner_product(scratch + i * size + j, scratch + j * size + j, size - j);
}
