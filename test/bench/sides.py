"""The sides of a case: tilec and Triton on the same kernels in the same configurations, and the peers.

Each side is a list of candidates (configuration, function that makes a measure.Side), of which the fastest right one counts.
"""
import json
import re

import engine as tilec
from measure import Side
from triton_source import triton_source


def all_sides(case, sets, engine, triton_sm80=False):
    """Name of each side -> its candidates."""
    compilers = {"tilec": lambda p: tilec_launches(engine, p), "Triton": triton_launches}
    if triton_sm80:
        compilers["Triton sm_80"] = lambda p: triton_sm80_launches(engine, p)
    sides = {}
    if case.programs:
        for name, launches in compilers.items():
            sides[name] = [(c, maker(case, sets, p, c, launches(p))) for p, c in configurations(case)]
    if case.descriptors:
        configs, make = case.descriptors
        sides["Triton descriptors"] = [(c, lambda c=c: Side([make(c, d) for d in sets], written(case, sets), c)) for c in configs]
    for name, function in case.peers.items():
        sides[name] = [(None, lambda function=function: peer(sets, function))]
    return sides


def configurations(case):
    """Every program of the case in every configuration; where there are several programs, the configuration names its own."""
    for program in case.programs:
        for config in program.configs:
            yield program, config


def written(case, sets):
    """The outputs that a kernel leaves in the sets."""
    return lambda i: {name: sets[i][name] for name in case.bounds}


def maker(case, sets, program, config, launches):
    """A function that makes the side of one configuration."""
    def make():
        runs = launches(sets, config)
        if program.finish:
            runs = [lambda run=run, d=d: (run(), program.finish(d, config)) for run, d in zip(runs, sets)]
        return Side(runs, written(case, sets), dict(kernel=program.kernel, **config) if len(case.programs) > 1 else config)
    return make


def peer(sets, function):
    """A side that returns its outputs; the last ones of each set are kept."""
    outputs = [None] * len(sets)

    def launch(i):
        outputs[i] = function(sets[i])
    return Side([lambda i=i: launch(i) for i in range(len(sets))], lambda i: outputs[i])


def tilec_launches(engine, program):
    def make(sets, config):
        bind = engine.compile(program.kernel, program.arguments(sets[0]), config)
        return [bind(program.arguments(d), program.grid(config)) for d in sets]
    return make


def triton_launches(program):
    def make(sets, config):
        import triton_kernels
        kernel, grid = getattr(triton_kernels, program.kernel), program.grid(config)
        return [lambda a=program.arguments(d): kernel[grid](*a, **config) for d in sets]
    return make


def triton_sm80_launches(engine, program):
    """Triton's own code for sm_80: the peer of code without Hopper's instructions."""
    def make(sets, config):
        arguments = program.arguments(sets[0])
        ptx, signature, scratch = compile_triton(program.kernel, arguments, config, 80)
        bind = engine.load(ptx, signature + ["i64"] * scratch)
        return [bind((*program.arguments(d), *[0] * scratch), program.grid(config)) for d in sets]
    return make


def compile_triton(name, arguments, config, capability):
    """Triton's PTX with metadata that tilec's runtime reads, the types of the arguments, and how many addresses of scratch
    memory, which these kernels do not use, follow them."""
    import triton
    constants, options = tilec.split(config)
    kinds = tilec.hints(arguments)
    done = triton.compile(triton_source(name, kinds, constants), target=triton.backends.compiler.GPUTarget("cuda", capability, 32), options=options)
    ptx = done.asm["ptx"]
    entry, declared = re.search(r"\.entry\s+(\w+)\((.*?)\)", ptx, re.DOTALL).groups()
    visible = [kind.partition(":")[0] for kind in kinds if not kind.endswith(":1")]
    scratch = declared.count(".param") - len(visible)
    params = [dict(name=f"p{i}", type=kind) for i, kind in enumerate(visible + ["i64"] * scratch)]
    warps = options.get("num_warps", 4)
    lines = [dict(schema=1, compiler="Triton", arch=f"sm_{capability}"),
             dict(kernel=entry, entry=entry, params=params, constants={}, folded={}, hidden=[], num_warps=warps, num_stages=1, threads=32 * warps,
                  cluster=[1, 1, 1], dynamic_shared=done.metadata.shared, requires=[], source="")]
    return "".join(f"// tilec: {json.dumps(line)}\n" for line in lines) + ptx, kinds, scratch
