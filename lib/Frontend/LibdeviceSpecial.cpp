//===- LibdeviceSpecial.cpp - gamma and inverse error functions -----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Functions of the device library that are more than a few lines, in the
// language: gamma and error functions, arithmetic rounded in a direction. The
// tables are Chebyshev interpolations at the degree where the relative error is
// below 2^-53 / 4, made in 60 decimal digits, highest power first. f32 goes
// through f64, so that its error is half a unit.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

const char *const tilec::frontend::specialText = R"py(
def polynomial(u, coefficients: constexpr):
    value = fma(u, coefficients[0], coefficients[1])
    for i in static_range(2, len(coefficients)):
        value = fma(value, u, coefficients[i])
    return value


def in_f64(function, x):
    return function(x.to(float64)).to(x.dtype)


# The gamma function.


def factors_between(x, n, base: constexpr, count: constexpr):
    """What leads from the gamma function near `base` to that of x, n being
    the whole number next to x: the product of x - 1, ..., x - (n - base), or
    of x, ..., x + (base - 1 - n); at most `count` factors."""
    above = n >= base
    step = where(above, -1.0, 1.0)
    steps = where(above, n - base, base - n)
    factor = where(above, x - 1.0, x)
    product = where(steps >= 1.0, factor, 1.0)
    for k in static_range(1, count):
        product = where(steps > k, product * fma(step, k, factor), product)
    return above, product


def is_whole(x):
    return x == libdevice.trunc(x)


# 1 / gamma(1 + r), -1/2 <= r <= 1/2.
RECIPROCAL_GAMMA: constexpr = (
    -2.0089029426546426e-07, 1.1381399831291624e-06, -1.2522789061953959e-06,
    -2.013669597649538e-05, 0.00012805062395872252, -0.00021524132949518019,
    -0.0011651676268270008, 0.007218943211819261, -0.009621971526040088,
    -0.04219773455372746, 0.16653861138224896, -0.042002635034137134, -0.6558780715202536,
    0.5772156649015331, 1.0,
)
# gamma(x) * exp(x) / x ** (x - 1/2) by 1 / x, x >= 8.
STIRLING: constexpr = (
    0.001308431040619661, 0.0001499684036573141, -0.0015298030008776115,
    0.00017902612548872463, 0.0019650548960102, -0.0005751930650823517,
    -0.006721090632890305, 0.008703570399585794, 0.20888568955257744, 2.5066282746310007,
)

def gamma_of(x):
    n = libdevice.rint(x)
    above, product = factors_between(x, n, 1, 9)
    around = polynomial(x - n, RECIPROCAL_GAMMA)
    near = div_rn(where(above, product, 1.0), where(above, around, around * product))
    # Stirling's formula; gamma(x) gamma(-x) = -pi / (x sin(pi x)).
    a = abs(x)
    far = minimum(a, 200.0)
    root = libdevice.pow(far, fma(far, 0.5, -0.25))
    most = root * libdevice.exp(-far) * polynomial(div_rn(1.0, far), STIRLING)
    mirrored = div_rn(-3.141592653589793, a * libdevice.sinpi(a))
    outer = where(x > 0, most * root, div_rn(div_rn(mirrored, most), root))
    value = where(a < 8.0, near, outer)
    return where((x < 0) & is_whole(x), nan, value)


def tgamma(x):
    return in_f64(gamma_of, x)


# log(gamma(2 + r)) / r, -3/4 <= r <= 3/4.
LOG_GAMMA: constexpr = (
    5.651199752890551e-09, -1.1762180039120533e-08, 5.44975992724667e-09,
    -1.1522812466004708e-08, 5.259737574224569e-08, -1.1060221587733411e-07,
    2.0932593642376665e-07, -4.4354751403466155e-07, 9.561433179732912e-07,
    -2.041295578809546e-06, 4.374624862105019e-06, -9.438986188290163e-06,
    2.0507251014029554e-05, -4.492631609378552e-05, 9.945750896518875e-05,
    -0.0002231547505331797, 0.000509669524967145, -0.0011927539121683196,
    0.0028905103307347415, -0.007385551028659911, 0.02058080842778463, -0.06735230105319825,
    0.3224670334241132, 0.42278433509846713,
)
# The rest of log(gamma(x)) times x, by 1 / x ** 2, x >= 8.
LOG_STIRLING: constexpr = (
    0.11001554697563673, -0.027742741357277903, 0.006383322059276921, -0.001917287055870562,
    0.000841749570829054, -0.0005952380914267929, 0.0007936507936450394,
    -0.0027777777777777744, 0.08333333333333333,
)

def log_gamma_of(x):
    n = where(x >= 1.25, maximum(libdevice.rint(x), 2.0), libdevice.rint(x))
    above, product = factors_between(x, n, 2, 10)
    r = x - n
    steps = libdevice.log(abs(product))
    near = fma(r, polynomial(r, LOG_GAMMA), where(above, steps, -steps))
    a = maximum(abs(x), 8.0)
    inverse = div_rn(1.0, a)
    rest = fma(inverse, polynomial(inverse * inverse, LOG_STIRLING), 0.4189385332046727)
    far = fma(a - 0.5, libdevice.log(a) - 1.0, rest)
    mirrored = libdevice.log(div_rn(3.141592653589793, a * abs(libdevice.sinpi(a)))) - far
    value = where(abs(x) < 8.0, near, where(x > 0, far, mirrored))
    value = where((x <= 0) & is_whole(x), inf, value)
    return where(x == x, value, x)


def lgamma(x):
    return in_f64(log_gamma_of, x)


# Inverses of the error functions.

# erfinv(x) / x by w = -log(1 - x * x): by w - 3.125 below 6.25, by sqrt(w) - 4.3
# below 6.1 ** 2, and divided by sqrt(w), by 1 / sqrt(w).
ERFINV_INNER: constexpr = (
    -3.5932028927020693e-22, 3.194015548136271e-21, 1.999259988861535e-20,
    -3.4734793888538036e-19, 6.075050702072414e-19, 1.5510787009902526e-17,
    -1.2215637192404172e-16, -3.94018812230432e-17, 6.521333511502239e-15,
    -4.0020031087558496e-14, -8.07192593899004e-14, 2.6305268312595183e-12,
    -1.2978805369932565e-11, -5.414303283919504e-11, 1.051223377050429e-09,
    -4.1126604371632185e-09, -2.907039127564132e-08, 4.23478816822246e-07,
    -1.3654691758785656e-06, -1.3882523393957483e-05, 0.00018673420801981186,
    -0.0007407025341546431, -0.006033670871426851, 0.24015818242558834, 1.6536545626831027,
)
ERFINV_OUTER: constexpr = (
    -3.0278227462693096e-16, 5.931574040730956e-16, 7.104686952568636e-15,
    -1.8369340295417047e-14, -4.6081778181039046e-14, 1.338316603684903e-13,
    1.0732831821133789e-13, 4.278833077833209e-13, -4.205669338523364e-12,
    2.4181587065623194e-12, 3.964084017768438e-11, -1.6215910810152307e-10,
    2.9095227257399043e-10, 1.7136812354515062e-10, -3.0576308370219185e-09,
    1.0934598166312182e-08, -2.100821019014245e-08, 7.85054158679267e-09,
    1.038219663441913e-07, -4.555708294201763e-07, 1.2229081326958482e-06,
    -2.5342193096382583e-06, 4.519577397909832e-06, -8.142447534420034e-06,
    1.8785619876619873e-05, -5.8322853623220336e-05, 0.0001968538346489371,
    -0.0005670163614639058, 0.0006246699907168887, 1.0100450970686878, 4.142724044720679,
)
ERFINV_FAR: constexpr = (
    6.205017350626979e+19, -6.987933538107887e+18, -9.218842600337969e+17,
    1.030752956546011e+17, 9330375689230872.0, -1051433123919596.1, -29440626559651.22,
    3182269550613.1045, 337842552171.49567, -40036298132.678185, 2698099580.408807,
    -347181556.1521164, 49929602.047630906, -6580878.383670796, 883241.8303789234,
    -123335.13132810351, 17900.72123320202, -2727.3806577902124, 443.25192089615496,
    -78.31378040170434, 15.560693864202118, -4.082669619001684, 1.612909878209322,
    -0.34242031741044526, -0.17013582640832925, 0.9888039234196565,
)

def inverse_error(x, product, has_far: constexpr):
    """erfinv(x), where `product` is 1 - x * x."""
    w = -libdevice.log(product)
    inner = polynomial(w - 3.125, ERFINV_INNER)
    root = sqrt_rn(w)
    outer = polynomial(root - 4.3, ERFINV_OUTER)
    if has_far:
        far = root * polynomial(div_rn(1.0, root) - 0.10151515151515152, ERFINV_FAR)
        outer = where(root < 6.05, outer, far)
    value = where(product == 0, x * inf, x * where(w < 6.25, inner, outer))
    return where((product >= 0) & (product <= 1), value, nan)


def erfinv_of(x):
    return inverse_error(x, fma(-x, x, 1.0), False)


def erfcinv_of(x):
    return inverse_error(1.0 - x, fma(-x, x, 2.0 * x), True)


def normcdfinv_of(x):
    # 0 has no sign.
    return fma(erfcinv_of(2.0 * x), -1.4142135623730951, 0.0)


def erfinv(x):
    return in_f64(erfinv_of, x)


def erfcinv(x):
    return in_f64(erfcinv_of, x)


def normcdfinv(x):
    return in_f64(normcdfinv_of, x)


# (1 + 2 x) exp(x * x) erfc(x) by (x - 3) / (x + 3).
SCALED_ERFC: constexpr = (
    8.864219016427092e-10, 9.885798831139365e-10, -8.500397929772615e-09,
    -1.3326364813003834e-08, 4.180784698845582e-08, 1.0187000600072885e-07,
    -1.4160064940265987e-07, -6.166496077604353e-07, 3.5683839153992204e-07,
    3.472414602875686e-06, -7.315105164159062e-07, -2.0100567931289227e-05,
    4.949484992570595e-06, 0.00012509935235563107, -0.00010515979981501177,
    -0.0007798322721083991, 0.0018886903591561553, 0.002529391816066239,
    -0.023770514918645888, 0.06830802734397848, -0.11927366341530699, 0.1296451587027606,
    -0.04756229435345087, -0.13562110612458117, 1.2530080582697296,
)

def erfcx_of(x):
    a = abs(x)
    b = minimum(a, 1e18)
    right = div_rn(0.5 * polynomial(div_rn(b - 3.0, b + 3.0), SCALED_ERFC), a + 0.5)
    # exp of the square, which is not rounded.
    square = x * x
    power = libdevice.exp(square)
    power = where(power < inf, fma(power, fma(x, x, -square), power), power)
    value = where(x < 0, 2.0 * power - right, right)
    return where(x == x, value, x)


def erfcx(x):
    return in_f64(erfcx_of, x)


# Modified Bessel functions.

# I0(x) and I1(x) / x by x ** 2 below 8, and sqrt(x) exp(8 - x) times them by
# 16 / x - 1.
I0_INNER: constexpr = (
    8.487698345602824e-37, 4.601357767863732e-34, 5.0327117729737235e-31,
    3.829411247002327e-28, 2.5987841051325663e-25, 1.4962822964042478e-22,
    7.242279005317181e-20, 2.896902788810415e-17, 9.385967122158306e-15,
    2.4028075474081917e-12, 4.709502797312111e-10, 6.781684027758202e-08,
    6.781684027778812e-06, 0.00043402777777777445, 0.015625000000000007, 0.25, 1.0,
)
I0_OUTER: constexpr = (
    -2.107220871671306e-07, -5.7284365310934306e-08, 1.5447136402908632e-06,
    4.37373210570516e-07, -5.302937961866474e-06, -1.6580690447869544e-06,
    1.1569548829516595e-05, 4.4651198243829035e-06, -1.8446958247449613e-05,
    -1.0390989806520248e-05, 2.2596321344491444e-05, 2.24782159075025e-05,
    -1.63016592452612e-05, -3.99574822262355e-05, -2.0061024842025802e-05,
    2.2516715252558654e-05, 6.422526940049253e-05, 0.00011722922712111929,
    0.00026447814967526547, 0.0008864171997553542, 0.0044232871978572745,
    0.03321691558081694, 0.4060543949232788, 10.017664276583613, 1198.8712780306598,
)
I1_INNER: constexpr = (
    2.716505589516919e-35, 1.3808181584914298e-32, 1.408926251589232e-29,
    9.956969230500738e-27, 6.2370206832638684e-24, 3.2918259018287706e-21,
    1.448455537254395e-18, 5.214425120919993e-16, 1.5017547367976848e-13,
    3.3639305668982475e-11, 5.651403356704746e-09, 6.781684027764357e-07,
    5.42534722222271e-05, 0.0026041666666666574, 0.06250000000000001, 0.5,
)
I1_OUTER: constexpr = (
    2.1904056757911198e-07, 5.2174210546599766e-08, -1.6062254176013321e-06,
    -4.0012395075862086e-07, 5.5188611802362155e-06, 1.5341496780925344e-06,
    -1.2066278229025791e-05, -4.224523639868166e-06, 1.9337532805194832e-05,
    1.015503918125506e-05, -2.397951547229943e-05, -2.2746951032301388e-05,
    1.8007601561854206e-05, 4.182192716241959e-05, 2.001950312640096e-05,
    -2.5119408627678787e-05, -6.966676561631853e-05, -0.00012856679138710886,
    -0.0002981352505225381, -0.0010385227203378296, -0.005469789958242034,
    -0.04482927739285043, -0.6535326012470588, -29.063080004455923, 1160.7804465749152,
)

def modified_bessel(a, inner, outer: constexpr):
    far = where(a < 8.0, 8.0, a)
    power = libdevice.exp(far - 8.0) * div_rn(1.0, sqrt_rn(far))
    return where(a < 8.0, inner, power * polynomial(div_rn(16.0, far) - 1.0, outer))


def i0_of(x):
    a = abs(x)
    value = modified_bessel(a, polynomial(x * x, I0_INNER), I0_OUTER)
    return where(a == inf, inf, value)


def i1_of(x):
    a = abs(x)
    value = modified_bessel(a, a * polynomial(x * x, I1_INNER), I1_OUTER)
    return libdevice.copysign(where(a == inf, inf, value), x)


def cyl_bessel_i0(x):
    return in_f64(i0_of, x)


def cyl_bessel_i1(x):
    return in_f64(i1_of, x)


def rcp64h(x):
    """The reciprocal without the low 32 bits."""
    bits = div_rn(1.0, x.to(float64)).to(int64, bitcast=True)
    return (bits & -4294967296).to(float64, bitcast=True)


# Arithmetic that is rounded in a direction.


def fraction_and_exponent(x):
    """A finite number as a fraction of at least 1 (or 0) and a power of 2."""
    e = libdevice.exponent_of(x)
    return where(x == 0, x, libdevice.ldexp(x, -e)), e


def exact_rest(x, y, z, nearest):
    """The sign of x * y + z - nearest of f64 as that of the result, for finite
    numbers: the exact sum of the fractions in three parts (Boldo and Muller, "Exact
    and approximated error of the FMA"). A term or product that is far below the
    other one counts by its sign alone."""
    a, i = fraction_and_exponent(x)
    b, j = fraction_and_exponent(y)
    c, k = fraction_and_exponent(z)
    scale = where((x == 0) | (y == 0), k, i + j)
    scale = where((z != 0) & (k - scale > 120), k - 120, scale)
    c = libdevice.ldexp(c, maximum(k - scale, -120))
    first = fma(a, b, c)
    high = a * b
    low = fma(a, b, -high)
    sum_low, rest_low = exact_sum(c, low)
    sum_high, rest_high = exact_sum(high, sum_low)
    middle = (sum_high - first) + rest_high
    second, third = exact_sum(middle, rest_low)
    rest = (first - libdevice.ldexp(nearest, -scale)) + second
    return where(rest == 0, third, rest)


def exact_sum(x, y):
    """The nearest sum, and what it leaves."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def fma_toward(x, y, z, direction: constexpr):
    if direction == "n":
        return fma(x, y, z)
    # Zeros get the sign that they have in this direction.
    nearest = -fma(-x, y, -z) if direction == "d" else fma(x, y, z)
    finite = (abs(x) < inf) & (abs(y) < inf) & (abs(z) < inf)
    if x.dtype == float64:
        return libdevice.moved_toward(nearest, exact_rest(x, y, z, nearest), finite, direction)
    total, low = exact_sum(x.to(float64) * y.to(float64), z.to(float64))
    rest = (total - nearest.to(float64)) + low
    return libdevice.moved_toward(nearest, rest, finite, direction)


def whole_toward(x, dtype: constexpr, direction: constexpr):
    """A whole number of 64 bits as a float."""
    nearest = x.to(dtype)
    high = (x >> 32).to(float64) * 4294967296.0
    low = (x & 4294967295).to(float64)
    rest = (high - nearest.to(float64)) + low
    return libdevice.moved_toward(nearest, rest, rest == rest, direction)


def ll2float_toward(x, direction: constexpr):
    return whole_toward(x, float32, direction)


def ull2float_toward(x, direction: constexpr):
    return whole_toward(x.to(uint64), float32, direction)


def ll2double_toward(x, direction: constexpr):
    return whole_toward(x, float64, direction)


def ull2double_toward(x, direction: constexpr):
    return whole_toward(x.to(uint64), float64, direction)
)py";
