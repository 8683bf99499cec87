"""Special functions in decimal arithmetic, by their textbook series: what the code of
the device library is compared with. Slow, and right to 40 digits.

Formulas are of Abramowitz and Stegun, "Handbook of Mathematical Functions", by number.
"""

import math
import statistics
from decimal import Decimal, getcontext, localcontext

getcontext().prec = 60
getcontext().Emin, getcontext().Emax = -(10**6), 10**6
ONE = Decimal(1)
EULER = Decimal("0.57721566490153286060651209008240243104215933593992359880576723488486772677766467")


def arctangent_of_inverse(n):
    square, power, total, k = n * n, ONE / n, ONE / n, 1
    while abs(power) > Decimal(10) ** -(getcontext().prec + 5):
        power = -power / square
        total += power / (2 * k + 1)
        k += 1
    return total


with localcontext() as wide:
    wide.prec = 500
    PI = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))


def sine_and_cosine(x):
    """Of any x."""
    with localcontext() as context:
        context.prec += max(0, x.adjusted()) + 5
        x -= (x / (2 * PI)).to_integral_value() * 2 * PI
        sums, term, k = [Decimal(0), ONE], ONE, 1
        while abs(term) > Decimal(10) ** -context.prec:
            term = term * x / k
            sums[(k + 1) % 2] += -term if k % 4 > 1 else term
            k += 1
    return +sums[0], +sums[1]


def bernoulli(count):
    """B_2, B_4, ... (23.1.3)."""
    numbers = [ONE]
    for m in range(1, 2 * count + 1):
        row = ONE
        total = Decimal(0)
        for k in range(m):
            total += row * numbers[k]
            row = row * (m + 1 - k) / (k + 1)
        numbers.append(-total / (m + 1))
    return numbers[2::2]


BERNOULLI = bernoulli(30)


def gamma_parts(x):
    """log(gamma(x + k)) for a large x + k, and x (x + 1) ... (x + k - 1)."""
    product = ONE
    while x < 60:
        product *= x
        x += 1
    series = sum(b / (2 * k * (2 * k - 1) * x ** (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1))  # 6.1.40
    return (x - ONE / 2) * x.ln() - x + (2 * PI).ln() / 2 + series, product


def tgamma(x):
    log, product = gamma_parts(x)
    return log.exp() / product


def lgamma(x):
    if x < -100:
        return (PI / abs(x * sinpi(x))).ln() - lgamma(-x)  # 6.1.17
    log, product = gamma_parts(x)
    return log - abs(product).ln()


def erf(x):
    term = total = x
    k = 0
    while abs(term) > abs(total) * Decimal(10) ** -getcontext().prec:
        k += 1
        term = term * -x * x / k  # 7.1.5
        total += term / (2 * k + 1)
    return 2 / PI.sqrt() * total


def erfc(x):
    if x > 4:
        return (-x * x).exp() * erfcx(x)
    with localcontext() as context:
        context.prec += int(x * x) + 5
        return 1 - erf(x)


def erfcx(x):
    if x <= 4:
        return (x * x).exp() * erfc(x)
    fraction = x
    for k in range(int((50 / x) ** 2) + 10, 0, -1):
        fraction = x + Decimal(k) / 2 / fraction  # 7.1.14
    return 1 / (fraction * PI.sqrt())


def solve(function, slope, start):
    for _ in range(4):
        start -= function(start) / slope(start)
    return start


def erfcinv(y):
    if y > 1:
        return -erfcinv(2 - y)
    start = Decimal(-statistics.NormalDist().inv_cdf(max(float(y) / 2, 1e-300)) / 2**0.5)
    return solve(lambda t: erfc(t).ln() - y.ln(), lambda t: -2 / PI.sqrt() * (-t * t).exp() / erfc(t), start)


def erfinv(x):
    if abs(x) > ONE / 2:
        return erfcinv(1 - abs(x)).copy_sign(x)
    return solve(lambda t: erf(t) - x, lambda t: 2 / PI.sqrt() * (-t * t).exp(), x * Decimal("0.8862"))


def normcdfinv(p):
    return -Decimal(2).sqrt() * erfcinv(2 * p)


def normcdf(x):
    return erfc(-x / Decimal(2).sqrt()) / 2


def power_series(n, x, sign):
    """Jn (9.1.10) for the sign -1, In (9.6.10) for 1."""
    with localcontext() as context:
        context.prec += int(x)
        quarter = x * x / 4
        term = total = ONE
        k = 0
        while abs(term) > abs(total) * Decimal(10) ** -context.prec:
            k += 1
            term = term * sign * quarter / (k * (n + k))
            total += term
        for k in range(1, n + 1):
            total = total * x / (2 * k)
        return +total


def expansion(n, x):
    """P and Q of 9.2.9 and 9.2.10."""
    term, sums, k = ONE, [ONE, Decimal(0)], 0
    while abs(term) > Decimal(10) ** -50 and k < 2 * x:
        k += 1
        term = term * (4 * n * n - (2 * k - 1) ** 2) / (k * 8 * x)
        sums[k % 2] += -term if k % 4 > 1 else term
    return sums


def hankel(n, x, is_y):
    p, q = expansion(n, x)
    angle = PI * (2 * n + 1) / 4
    with localcontext() as context:
        context.prec += max(0, x.adjusted()) + 5
        s, c = sine_and_cosine(x - angle)
    return (2 / (PI * x)).sqrt() * (p * s + q * c if is_y else p * c - q * s)


def jn(n, x):
    if x < 0:
        return (-1) ** n * jn(n, x.copy_negate())
    return power_series(n, x, -1) if x < (60 if n < 2 else 300) else hankel(n, x, False)


def yn_series(n, x):
    """Y0 and Y1 (9.1.11)."""
    with localcontext() as context:
        context.prec += int(x)
        quarter, sums = x * x / 4, Decimal(0)
        term = ONE if n == 0 else x / 2
        harmonic = -2 * EULER + (0 if n == 0 else 1)
        k = 0
        while k < 5 or abs(term) > Decimal(10) ** -context.prec:
            sums += harmonic * term
            k += 1
            term = -term * quarter / (k * (n + k))
            harmonic += ONE / k + ONE / (n + k)
        first = 0 if n == 0 else 2 / x
        return +((2 * (x / 2).ln() * power_series(n, x, -1) - sums - first) / PI)


def yn(n, x):
    before, value = [yn_series(k, x) if x < 60 else hankel(k, x, True) for k in (0, 1)]
    for k in range(1, n):
        before, value = value, 2 * k / x * value - before
    return value if n else before


def modified(n, x):
    value = power_series(n, abs(x), 1)
    return value.copy_sign(x) if n else value


def sinpi(x):
    return sine_and_cosine(PI * (x % 2))[0]


def cospi(x):
    return sine_and_cosine(PI * (x % 2))[1]


FUNCTIONS = dict(
    tgamma=tgamma, lgamma=lgamma, erfinv=erfinv, erfcinv=erfcinv, erfcx=erfcx, normcdf=normcdf, normcdfinv=normcdfinv,
    j0=lambda x: jn(0, x), j1=lambda x: jn(1, x), y0=lambda x: yn(0, x), y1=lambda x: yn(1, x), jn=lambda x, n: jn(n, x), yn=lambda x, n: yn(n, x),
    cyl_bessel_i0=lambda x: modified(0, x), cyl_bessel_i1=lambda x: modified(1, x), sinpi=sinpi, cospi=cospi, exp10=lambda x: 10**x,
)  # fmt: skip


def limit(name, x, n):
    """The value where the series have none or need none; else None."""
    nan, inf, sign = math.nan, math.inf, math.copysign(1, x)
    if x != x or (name in ["jn", "yn"] and n < 0):
        return nan
    pole = x <= 0 and (math.isinf(x) or x == int(x))
    if name == "tgamma":
        return sign * inf if x == 0 else nan if pole else inf if x > 1000 else (-1.0) ** (math.floor(x) % 2) * 0.0 if x < -1000 else None
    if name == "lgamma":
        return inf if pole or x == inf else None
    if name in ["erfinv", "erfcinv", "normcdfinv"]:
        low, high, middle = dict(erfinv=(-1, 1, 0), erfcinv=(0, 2, 1), normcdfinv=(0, 1, 0.5))[name]
        ends = -inf if name != "erfcinv" else inf
        return nan if not low <= x <= high else ends if x == low else -ends if x == high else (x if name == "erfinv" else 0.0) if x == middle else None
    if name == "normcdf" and abs(x) > 50:
        return float(x > 0)
    if name == "erfcx" and (x < -50 or x == inf):
        return inf if x < 0 else 0.0
    if name in ["y0", "y1", "yn"]:
        return -inf if x == 0 else nan if x < 0 else 0.0 if x == inf else None
    if name in ["j0", "j1", "jn"] and (math.isinf(x) or x == 0):
        return 1.0 if x == 0 and (name == "j0" or name == "jn" and n == 0) else math.copysign(0, x) if name == "j1" else 0.0
    if name in ["cyl_bessel_i0", "cyl_bessel_i1"] and abs(x) > 1000:
        return inf * (sign if name.endswith("1") else 1)
    if name == "cyl_bessel_i1" and x == 0:
        return x
    if name == "cospi" and abs(2 * x) % 2 == 1:
        return 0.0
    if name in ["sinpi", "cospi"]:
        if abs(x) > 1e20:
            return nan if math.isinf(x) else x * 0 if name == "sinpi" else 1.0
        return x * 0 if name == "sinpi" and x == int(x) else None
    if name == "exp10" and abs(x) > 1000:
        return inf if x > 0 else 0.0
    return None


def value(name, x, n=0):
    """The function at a float, as a float or a Decimal."""
    known = limit(name, x, n)
    if known is not None:
        return known
    result = FUNCTIONS[name](Decimal(x), n) if name in ["jn", "yn"] else FUNCTIONS[name](Decimal(x))
    size = 0.0 if abs(result) < Decimal("1e-400") else math.inf if abs(result) > Decimal("1e400") else None
    return result if size is None else math.copysign(size, result)
