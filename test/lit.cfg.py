"""How the tests run; values that the build knows come from lit.site.cfg.py.

Three suites share this file: `tilec` is test/, `examples` is examples/, whose files
are tests too, and `roundtrip` is every .mlir test once more, with each IR printed,
parsed and compared (`tile-opt --verify-roundtrip`).
"""

import os
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

roundtrip = config.tilec_suite == "roundtrip"
config.name = config.tilec_suite
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
if not roundtrip:
    config.suffixes += [".tile", ".py", ".test"]
config.excludes = ["lit.cfg.py", "check.py", "Inputs", "cpp"]
config.test_source_root = config.tilec_suite_source
config.test_exec_root = config.tilec_suite_binary

# A test that hangs is a failure, where lit is able to stop it.
try:
    import psutil  # noqa: F401

    lit_config.maxIndividualTestTime = 300
except ImportError:
    pass

#===-- Environment: lit starts tests in an almost empty one ------------------===#

bin_dir = os.path.join(config.tilec_binary_dir, "bin")
llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "CUDA_VISIBLE_DEVICES"])
llvm_config.with_environment("PATH", [bin_dir, config.llvm_tools_dir], append_path=True)
if shutil.which("ptxas") is None:
    llvm_config.with_environment("PATH", "/usr/local/cuda/bin", append_path=True)
# LLVM's libraries are not instrumented: what they poison or grow, they do not unpoison or announce.
llvm_config.with_environment(
    "ASAN_OPTIONS",
    "detect_leaks=0:allocator_may_return_null=1:allow_user_poisoning=0:detect_container_overflow=0",
)
llvm_config.with_environment("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")

#===-- Substitutions ---------------------------------------------------------===#

# The tools are on the PATH; %name is a tool by its full path.
tools = {tool: os.path.join(bin_dir, tool) for tool in config.tilec_tools.split(";")}
if roundtrip:
    tools["tile-opt"] += " --verify-roundtrip"
config.substitutions += [("%" + name + r"\b", command) for name, command in tools.items()]
config.substitutions += [
    (r"%python\b", config.tilec_python),
    (r"%cxx\b", config.tilec_cxx),
    (r"%check-example\b", f"{config.tilec_python} {config.tilec_source_dir}/test/e2e/Inputs/check_example.py"),
    (r"%build\b", config.tilec_binary_dir),
    (r"%toolkit\b", config.tilec_cuda_toolkit),
    (r"%capi\b", os.path.join(config.tilec_binary_dir, "test", "capi")),
    (r"%lib\b", os.path.join(config.tilec_binary_dir, "lib")),
    (r"%unit\b", os.path.join(config.tilec_binary_dir, "test", "unit")),
    (r"%examples\b", os.path.join(config.tilec_source_dir, "examples")),
    (r"%src\b", config.tilec_source_dir),
    (r"%emulator\b", os.path.join(config.tilec_binary_dir, "test", "emulator")),
    (r"%llvm-include\b", config.llvm_include_dir),
]
# tile-opt without % takes the flags of this suite too.
llvm_config.add_tool_substitutions([ToolSubst("tile-opt", tools["tile-opt"])], [])

#===-- Features: what a test may ask for with REQUIRES -----------------------===#

if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
toolkit = config.tilec_cuda_toolkit
if toolkit and any(os.path.exists(f"{toolkit}/{lib}/libnvJitLink.so") for lib in ["lib64", "lib"]):
    config.available_features.add("nvjitlink")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("cuda")
for name in tools:
    if os.path.exists(os.path.join(bin_dir, name)):
        config.available_features.add(name)
if "-fsanitize=address" in config.tilec_cxx_flags:
    config.available_features.add("asan")
