/* See proportion.h. */
#include "analysis/proportion.h"

#include <math.h>

#define Z_95 1.959963984540054

Chance proportion_chance(double wins, double count) {
    double share = wins / count;
    double weight = Z_95 * Z_95 / count;
    double middle = (share + weight / 2) / (1 + weight);
    double half = Z_95 / (1 + weight) * sqrt(share * (1 - share) / count + weight / (4 * count));
    /* Rounding must not move the value out of the interval. */
    return (Chance){.value = share,
                    .low = fmin(share, fmax(0, middle - half)),
                    .high = fmax(share, fmin(1, middle + half))};
}

double proportion_p_value(double wins, double count, double other_wins, double other_count) {
    double share = (wins + 1) / (count + 2);
    double other = (other_wins + 1) / (other_count + 2);
    double deviation =
        sqrt(share * (1 - share) / (count + 2) + other * (1 - other) / (other_count + 2));
    return erfc((share - other) / deviation / sqrt(2)) / 2;
}
