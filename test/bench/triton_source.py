"""A kernel of triton_kernels.py as what Triton's compiler takes. Needs no PyTorch."""


def triton_source(name, signature, constants):
    """Triton's source object of a kernel for tilec's names of the types with their hints, and for constants."""
    import triton
    import triton_kernels
    function = getattr(triton_kernels, name)
    types, attributes, folded = {n: "constexpr" for n in constants}, {}, dict(constants)
    for argument, kind in zip((n for n in function.arg_names if n not in constants), signature):
        base, _, hint = kind.partition(":")
        types[argument] = "constexpr" if hint == "1" else base
        if hint == "1":
            folded[argument] = 1
        elif hint == "16":
            attributes[(function.arg_names.index(argument),)] = [["tt.divisibility", 16]]
    return triton.compiler.ASTSource(function, {n: types[n] for n in function.arg_names}, folded, attributes)
