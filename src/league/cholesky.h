/* Dense symmetric positive definite matrices in row order: factoring, solving, inverting. Only the
   lower triangle is read. A thousand rows take a few tenths of a second. */
#ifndef LEAGUE_CHOLESKY_H
#define LEAGUE_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces the lower triangle with the Cholesky factor. False if the matrix is not positive
   definite within rounding errors. */
bool cholesky_factor(double *matrix, size_t size);

/* Solves for the right-hand side `vector`, in place. */
void cholesky_solve(const double *factor, size_t size, double *vector);

/* Computes the whole inverse, both triangles. `scratch` has the size of a matrix. */
void cholesky_invert(const double *factor, size_t size, double *scratch, double *inverse);

#endif
