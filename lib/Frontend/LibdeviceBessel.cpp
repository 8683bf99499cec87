//===- LibdeviceBessel.cpp - Bessel functions -----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Bessel functions in the language. Below 8, the zeros of a function are
// factors of its formula, each the sum of two numbers, so that the relative
// error stays small at them; beyond, Hankel's expansion (Abramowitz and
// Stegun, 9.2.5 to 9.2.10) has a small absolute error. The tables are made like
// those of LibdeviceSpecial.cpp.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

const char *const tilec::frontend::besselText = R"py(
# (J0(x) - 1) / x ** 2 by x ** 2, x <= 1.5.
J0_SMALL: constexpr = (
    9.128699114772199e-15, -2.4018710372261527e-12, 4.709485005262138e-10,
    -6.781683840356641e-08, 6.781684026705151e-06, -0.00043402777777747624,
    0.015624999999999967, -0.25,
)
# J0(x) and J1(x) / x over their first three zeros, by x ** 2 / 32 - 1, x <= 8.
J0_INNER: constexpr = (
    -3.432684359934213e-19, 1.205925227763414e-17, -3.7264341222968005e-16,
    1.01016149874519e-14, -2.3719707378135426e-13, 4.768506939351666e-12,
    -8.094862284820021e-11, 1.1411484161616151e-09, -1.308663632113344e-08,
    1.1892767699589979e-07, -8.272804159783322e-07, 4.19663832256583e-06,
    -1.4423681512582508e-05, 2.9532957425506736e-05, -2.6662941994458524e-05,
)
J1_INNER: constexpr = (
    -9.376243885049461e-21, 3.4809934752672713e-19, -1.1407131737776913e-17,
    3.289852606007807e-16, -8.251015879382001e-15, 1.7796220904319124e-13,
    -3.2576600989999913e-12, 4.98104328588705e-11, -6.23765743706761e-10,
    6.2391661263023405e-09, -4.821864203507793e-08, 2.7483022124820187e-07,
    -1.0759319268040335e-06, 2.552238212464633e-06, -2.7271448834411237e-06,
)
# Y0(x) and x * Y1(x) without their logarithms, over the first zero, by
# x ** 2 / 4.5 - 1, x <= 3.
Y0_INNER: constexpr = (
    9.63233030401896e-16, -9.991837751569509e-14, 8.51810651573888e-12,
    -5.843095062506166e-10, 3.138276880859109e-08, -1.274447204287166e-06,
    3.734246189674016e-05, -0.0007388940376109333, 0.008922347276268006,
    -0.05513371545494011, 0.11731068956802439,
)
Y1_INNER: constexpr = (
    -1.47663632139134e-14, 1.3682290104774452e-12, -1.0271204529932059e-10,
    6.091335337728883e-09, -2.7591530896830744e-07, 9.121654899417709e-06,
    -0.00020602882234585252, 0.0028552875570444537, -0.019470039763120166,
    0.023747381788995436, 0.1781636471945536,
)
# Y0(x) and Y1(x) over their second and third zeros, by x / 2.5 - 2.2, 3 <= x <= 8.
Y0_MIDDLE: constexpr = (
    -1.8924059043772112e-11, 4.3066443808354054e-11, 2.0155487689009436e-11,
    -4.534604179030454e-11, -2.2321024400372007e-10, 5.106344740768828e-10,
    -6.528869595006567e-10, 1.5005588272303797e-09, -3.958447632438963e-09,
    9.570017676108473e-09, -2.3888105197622285e-08, 3.611539951702269e-08,
    -2.2613825847222623e-09, 7.207819366480911e-07, -4.1789084434893895e-06,
    -1.0094001317480305e-05, 7.860381974764103e-05, 0.00021468888095858604,
    -0.0013311854923451212, -0.0022980329358830063, 0.01310656480363646,
    0.014674307745835963, -0.07222563164296746, -0.03048294325426261, 0.1387787118226028,
)
Y1_MIDDLE: constexpr = (
    -1.3906475142948343e-11, 3.0559830745926216e-11, 2.6720757544735414e-11,
    -5.875750334522849e-11, -1.5240484049464446e-10, 3.347444468925993e-10,
    -2.403093155889293e-10, 5.264942434979691e-10, -1.7184975060617045e-09,
    3.769726458821884e-09, -7.757528156189675e-09, 1.6747078185261345e-08,
    -3.99223221918474e-08, 9.670456692435359e-08, -8.1870627941484e-08,
    -1.3200326700636332e-07, -3.837116850250686e-06, 1.5466494038438974e-05,
    6.391824690279554e-05, -0.00024376650950425142, -0.0010749507838434113,
    0.0030607812559470997, 0.010271514094176183, -0.020264693585743287,
    -0.05485702173175784, 0.057081434051455805, 0.1091289651235328,
)
# The amplitudes of the cosine, and of the sine times x, by 64 / x ** 2, x >= 8.
P0: constexpr = (
    -2.0391504603291065e-10, 1.4750393967466458e-09, -5.095567444423025e-09,
    1.1738404575384732e-08, -2.220099170349574e-08, 4.2546291790572966e-08,
    -1.020564570797483e-07, 3.619758767812361e-07, -2.1839132224663715e-06,
    2.738088336416646e-05, -0.0010986328124932216, 1.0,
)
Q0: constexpr = (
    -1.078235006428609e-09, 8.088249905489177e-09, -2.8444194231938183e-08,
    6.40079649036521e-08, -1.0887535615406579e-07, 1.6342829702064716e-07,
    -2.5831887133138214e-07, 5.11982513493863e-07, -1.452991845967423e-06,
    6.590740788524885e-06, -5.544628875314295e-05, 0.0011444091796747814,
    -0.12499999999999996,
)
P1: constexpr = (
    2.1732281186744534e-10, -1.5735706702738963e-09, 5.444932988370198e-09,
    -1.2580302532198723e-08, 2.3923017346240325e-08, -4.6292540376970764e-08,
    1.1281774072269541e-07, -4.102441117732622e-07, 2.5809891297171923e-06,
    -3.5203992971025806e-05, 0.0018310546874928113, 1.0,
)
Q1: constexpr = (
    1.1424577689847677e-09, -8.575314163465168e-09, 3.018647452184739e-08,
    -6.803931359190881e-08, 1.1606383395683466e-07, -1.751070163064977e-07,
    2.791758304659646e-07, -5.60803397495266e-07, 1.6239446844997017e-06,
    -7.60470254876792e-06, 6.776768637519605e-05, -0.0016021728515490782,
    0.37499999999999994,
)

def away_from(x, zero: constexpr):
    return (x - zero[0]) - zero[1]


def j_inner(x, order: constexpr):
    """J0(x) or J1(x), 0 <= x <= 8."""
    if order == 0:
        table: constexpr = J0_INNER
        zeros: constexpr = ((2.404825557695773, -1.176691651530894e-16), (5.520078110286311, 8.088597146146722e-17), (8.653727912911013, -2.92812607320779e-16))
    else:
        table: constexpr = J1_INNER
        zeros: constexpr = ((3.8317059702075125, -1.5269184090088067e-16), (7.015586669815619, -9.414165653410389e-17), (10.173468135062722, 4.482162274768888e-16))
    value = libdevice.polynomial(fma(x * x, 0.03125, -1.0), table)
    for i in static_range(3):
        value = value * (away_from(x, zeros[i]) * (x + zeros[i][0]))
    if order == 1:
        return value * x
    # 1 at 0.
    return where(x < 1.5, fma(x * x, libdevice.polynomial(x * x, J0_SMALL), 1.0), value)


def y_inner(x, order: constexpr):
    """Y0(x) or Y1(x), 0 <= x <= 3."""
    if order == 0:
        table: constexpr = Y0_INNER
        zero: constexpr = (0.8935769662791675, 2.6596231539720385e-17)
        log_zero: constexpr = -0.11252280788079412
    else:
        table: constexpr = Y1_INNER
        zero: constexpr = (2.197141326031017, -4.8259835876454966e-17)
        log_zero: constexpr = 0.7871571181569951
    # log(x / zero), exact where it vanishes.
    ratio = div_rn(x, zero[0])
    rest = div_rn(fma(-ratio, zero[0], x) - ratio * zero[1], x)
    small = x < 0.25
    log = libdevice.log(where(small, x, ratio)) + where(small, -log_zero, rest)
    other = away_from(x, zero) * (x + zero[0]) * libdevice.polynomial(fma(x * x, 0.2222222222222222, -1.0), table)
    if order == 1:
        other = div_rn(other, x)
    value = fma(log * 0.6366197723675814, j_inner(x, order), other)
    return where(x == 0, -inf, value)


def y_middle(x, order: constexpr):
    """Y0(x) or Y1(x), 3 <= x <= 8."""
    if order == 0:
        value = away_from(x, (3.957678419314858, -1.0764340697562706e-16)) * away_from(x, (7.086051060301773, -8.835285723085408e-17))
        return value * libdevice.polynomial(fma(x, 0.4, -2.2), Y0_MIDDLE)
    value = away_from(x, (5.429681040794135, 4.162514026670377e-16)) * away_from(x, (8.596005868331169, 2.8415838340063664e-16))
    return value * libdevice.polynomial(fma(x, 0.4, -2.2), Y1_MIDDLE)


def bessel_outer(x, order: constexpr, is_y: constexpr):
    """J or Y beyond 8."""
    inverse = div_rn(1.0, x)
    t = (64.0 * inverse) * inverse
    p = libdevice.polynomial(t, P0 if order == 0 else P1)
    q = libdevice.polynomial(t, Q0 if order == 0 else Q1) * inverse
    sine = libdevice.sin(x)
    cosine = libdevice.cos(x)
    plus = sine + cosine
    minus = sine - cosine
    if order == 0:
        value = fma(p, minus, q * plus) if is_y else fma(p, plus, -q * minus)
    else:
        value = fma(-p, plus, q * minus) if is_y else fma(p, minus, q * plus)
    amplitude = div_rn(0.5641895835477563, sqrt_rn(x))
    return where(x == inf, 0.0, value * amplitude)


def j_of(x, order: constexpr):
    a = abs(x)
    value = where(a < 8.0, j_inner(a, order), bessel_outer(a, order, False))
    if order == 1:
        value = libdevice.copysign(1.0, x) * value
    return value


def y_of(x, order: constexpr):
    value = where(x < 3.0, y_inner(x, order), where(x < 8.0, y_middle(x, order), bessel_outer(x, order, True)))
    return where(x < 0, nan, value)


def j0(x):
    return j_of(x.to(float64), 0).to(x.dtype)


def j1(x):
    return j_of(x.to(float64), 1).to(x.dtype)


def y0(x):
    return y_of(x.to(float64), 0).to(x.dtype)


def y1(x):
    return y_of(x.to(float64), 1).to(x.dtype)


def greatest_order(x):
    """The greatest of all elements."""
    if len(x.shape) == 0:
        return x
    return max(x)


def orders_upward(first, second, order, x):
    """The function of an order from those of the orders 0 and 1, by
    C(k + 1) = 2 k / x C(k) - C(k - 1)."""
    before = first
    value = where(order == 0, first, second)
    for k in range(1, greatest_order(order)):
        after = fma(value, div_rn(2.0 * k.to(float64), x), -before)
        goes_on = (k < order) & (value > -inf)
        before = where(goes_on, value, before)
        value = where(goes_on, after, value)
    return value


def order_ratios(order, turn, x):
    """J of an order over that of the lower one `turn`, which is about x: the
    product of ratios of neighbours, found downwards from where they are 0."""
    room = (12.0 * libdevice.cbrt(order.to(float64))).to(int32) + 20
    start = where(order > turn, minimum(order, 2147460000) + room, 0)
    ratio = x * 0.0
    product = ratio + 1.0
    for i in range(0, greatest_order(where(start > 0, start - turn, 0))):
        k = start - i
        goes_on = k > turn
        ratio = where(goes_on, div_rn(x, fma(-x, ratio, 2.0 * k.to(float64))), ratio)
        product = where(goes_on & (k <= order), product * ratio, product)
    return product


def jn_of(n, x):
    a = abs(x)
    zero = j_of(a, 0)
    one = j_of(a, 1)
    b = where(a < inf, a, 1.0)
    real = n.to(float64)
    # Where (x / 2) ** n / n! is less than any number, so is J.
    vanishes = (n > 1) & (b < real) & (real * (libdevice.log(div_rn(b * 0.5, real)) + 1.0) < -760.0)
    order = where((n > 1) & (vanishes == 0), n, 0)
    b = where(order > 0, b, 1.0)
    turn = minimum(b, order.to(float64)).to(int32)
    value = orders_upward(zero, one, turn, b) * order_ratios(order, turn, b)
    value = where(n == 0, zero, where(n == 1, one, where(vanishes | (a == inf), 0.0, value)))
    value = where((x < 0) & ((n & 1) == 1), -value, value)
    return where((n < 0) | (x != x), nan, value)


def yn_of(n, x):
    zero = y_of(x, 0)
    one = y_of(x, 1)
    usual = (x > 0) & (x < inf)
    order = where(usual, maximum(n, 0), minimum(maximum(n, 0), 1))
    value = orders_upward(zero, one, order, where(usual, x, 1.0))
    return where((n < 0) | (x != x), nan, value)


def jn(n, x):
    order, wide = broadcast(to_tensor(n).to(int32), x.to(float64))
    return jn_of(order, wide).to(x.dtype)


def yn(n, x):
    order, wide = broadcast(to_tensor(n).to(int32), x.to(float64))
    return yn_of(order, wide).to(x.dtype)
)py";
