"""tilec from Python, by its C interfaces: the compiler and the interpreter of libtilec, the launches of libtilec-rt.

    compiler, runtime = Compiler(), Runtime()
    ptx = compiler.compile("k.py", "add", ["*fp32:16", "*fp32:16", "*fp32:16", "i32"], {"BLOCK": 1024}, arch=runtime.arch)
    kernel = runtime.kernel(ptx)
    launch = kernel.bind((blocks,), types_and_bits)     # (tilec_type, address or the bits of a number) of each argument
    launch(stream)                                      # may be captured in a CUDA graph

Only what a benchmark needs is here. Every failure is a capi.Error with the libraries' own messages. The libraries are
looked for in TILEC_LIBRARY_DIR, beside this folder (as in a bundle) and in the build folder.
"""
import ctypes as c
import os

HERE = os.path.dirname(os.path.abspath(__file__))
POINTER = 0x100
CHECK_ADDRESS = 1
PHASES = {"tile": 0, "tilegpu": 1, "llvm": 2, "llvmir": 3, "ptx": 4}


class Error(RuntimeError):
    """A call that failed: the messages of the library with "; " between."""


class Diagnostic(c.Structure):
    pass


Diagnostic._fields_ = [("severity", c.c_int), ("file", c.c_char_p), ("line", c.c_uint), ("column", c.c_uint),
                       ("message", c.c_char_p), ("num_notes", c.c_size_t), ("notes", c.POINTER(Diagnostic))]
Report = c.CFUNCTYPE(None, c.POINTER(Diagnostic), c.c_void_p)


class Sink(c.Structure):
    _fields_ = [("report", Report), ("user", c.c_void_p)]


class HostArgument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_uint32), ("unwritten", c.c_int), ("data", c.c_void_p), ("bytes", c.c_size_t),
                ("rank", c.c_size_t), ("shape", c.POINTER(c.c_int64)), ("bits", c.c_uint64), ("reserved", c.c_uint64 * 2)]


class InterpretOptions(c.Structure):
    _fields_ = [("meter", c.c_int), ("check", c.c_int), ("check_nan", c.c_int), ("schedule", c.c_int), ("seed", c.c_uint64),
                ("print", c.c_void_p), ("user", c.c_void_p), ("reserved", c.c_uint64 * 2)]


class DeviceInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("arch", c.c_char_p), ("major", c.c_int), ("minor", c.c_int), ("memory_bytes", c.c_uint64),
                ("l2_bytes", c.c_uint64), ("multiprocessors", c.c_uint32), ("shared_per_block", c.c_uint32)]


class LaunchArgument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_uint32), ("flags", c.c_uint32), ("bits", c.c_uint64)]


def find_library(name):
    """The path of a library of tilec."""
    places = [os.environ.get("TILEC_LIBRARY_DIR"), os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "..", "build", "lib")]
    for place in filter(None, places):
        path = os.path.join(place, name)
        if os.path.exists(path):
            return os.path.abspath(path)
    raise Error(f"{name} is not there: build it, or set TILEC_LIBRARY_DIR to its folder")


class Library:
    """A library whose calls return a tilec_status and take a sink last."""

    def __init__(self, name):
        self.path = find_library(name)
        self.dll = c.CDLL(self.path)

    def call(self, name, *args):
        """Calls a function with a sink after `args`; raises Error with what the sink got."""
        messages = []

        def report(diagnostic, _):
            one = diagnostic.contents
            place = f"{one.file.decode()}:{one.line}:{one.column}: " if one.file else ""
            messages.append(place + one.message.decode())

        sink = Sink(Report(report), None)
        status = getattr(self.dll, name)(*args, c.byref(sink))
        if status:
            raise Error("; ".join(messages) or f"{name} gave status {status}")

    def text(self, name, *args):
        function = getattr(self.dll, name)
        function.restype = c.c_char_p
        return function(*args).decode()

    def handle(self, name, *args, free):
        """The handle that a function gives through its last parameter but the sink."""
        handle = c.c_void_p()
        self.call(name, *args, c.byref(handle))
        return Handle(handle, getattr(self.dll, free))


class Handle:
    """A handle that frees itself."""

    def __init__(self, value, free):
        self._as_parameter_, self.free = value, free

    def __del__(self):
        self.free(self._as_parameter_)


class Compiler(Library):
    """libtilec."""

    def __init__(self):
        super().__init__("libtilec.so.0")
        self.dll.tilec_text_data.restype = c.c_char_p
        self.version = self.text("tilec_version")

    def options(self, kernel, signature=(), constants=None, arch=None, num_warps=0, num_stages=0):
        """tilec_options for one kernel. `signature` lists types with hints, `constants` are Python values."""
        handle = c.c_void_p()
        self.dll.tilec_options_create(c.byref(handle))
        options = Handle(handle, self.dll.tilec_options_free)
        self.call("tilec_options_add_kernel", options, kernel.encode(), ", ".join(signature).encode())
        for name, value in (constants or {}).items():
            self.call("tilec_options_define", options, name.encode(), repr(value).encode())
        if arch:
            self.call("tilec_options_set_arch", options, arch.encode())
        self.call("tilec_options_set_num_warps", options, num_warps)
        self.call("tilec_options_set_num_stages", options, num_stages)
        return options

    def module(self, source, options, text=None):
        """A module of the file `source`, or of `text` under that name."""
        if text is None:
            return self.handle("tilec_module_from_file", os.fsencode(source), options, free="tilec_module_free")
        data = text.encode()
        return self.handle("tilec_module_from_text", data, c.c_size_t(len(data)), os.fsencode(source), options, free="tilec_module_free")

    def emit(self, module, options, phase="ptx"):
        text = self.handle("tilec_module_emit", module, options, PHASES[phase], free="tilec_text_free")
        return self.dll.tilec_text_data(text).decode()

    def compile(self, source, kernel, signature=(), constants=None, text=None, **options):
        """A kernel of a file, or of `text`, as PTX."""
        given = self.options(kernel, signature, constants, **options)
        return self.emit(self.module(source, given, text), given)

    def type(self, text):
        """The number of a type: `*fp32`."""
        number = c.c_uint32()
        self.call("tilec_type_parse", text.encode(), c.byref(number))
        return number.value

    def interpret(self, module, arguments, grid, check=False):
        """Runs a module's kernel on host memory: `arguments` are (name, type, value), a value is an array of NumPy or
        PyTorch, which the kernel reads and writes, or a number."""
        given = (HostArgument * len(arguments))()
        for slot, (name, kind, value) in zip(given, arguments):
            slot.name, slot.type = name.encode(), self.type(kind)
            if kind.startswith("*"):
                slot.data, slot.bytes = address(value), value.nbytes
            else:
                slot.bits = scalar_bits(kind, value)
        options = InterpretOptions(check=check)
        self.call("tilec_module_interpret", module, None, given, c.c_size_t(len(arguments)), (c.c_int64 * 3)(*three(grid)),
                  c.byref(options), None)


class Runtime(Library):
    """libtilec-rt with its first GPU, in the context that other libraries share."""

    def __init__(self, driver=None):
        super().__init__("libtilec-rt.so.0")
        self.driver = self.handle("tilecrt_driver_load", os.fsencode(driver) if driver else None, free="tilecrt_driver_free")
        self.device = self.handle("tilecrt_device_open", self.driver, 0, free="tilecrt_device_free")
        self.dll.tilecrt_device_get_info.restype = c.POINTER(DeviceInfo)
        info = self.dll.tilecrt_device_get_info(self.device).contents
        self.name, self.arch, self.l2_bytes = info.name.decode(), info.arch.decode(), info.l2_bytes
        self.driver_version = self.dll.tilecrt_driver_version(self.driver)
        self.streams = {}

    def stream(self, cuda):
        """The tilecrt_stream of a CUstream of another library."""
        if cuda not in self.streams:
            self.streams[cuda] = self.handle("tilecrt_stream_wrap", self.device, c.c_void_p(cuda), free="tilecrt_stream_free")
        return self.streams[cuda]

    def kernel(self, ptx, name=None):
        return Kernel(self, ptx, name)


class Kernel:
    """A kernel of a PTX text in all its versions."""

    def __init__(self, runtime, ptx, name=None):
        self.runtime = runtime
        image = ptx.encode()
        module = runtime.handle("tilecrt_module_load", runtime.device, image, c.c_size_t(len(image)), None, c.c_size_t(0),
                                free="tilecrt_module_free")
        self.handle = runtime.handle("tilecrt_kernel_get", module, name.encode() if name else None, free="tilecrt_kernel_free")

    def usage(self):
        """Registers and bytes of local memory of a thread."""
        registers, local = c.c_int(), c.c_int()
        self.runtime.dll.tilecrt_kernel_usage(self.handle, c.c_size_t(0), c.byref(registers), c.byref(local))
        return registers.value, local.value

    def bind(self, grid, arguments):
        """A function of a CUstream that launches with these arguments: (tilec_type, address or number)."""
        given = (LaunchArgument * len(arguments))()
        for slot, (number, bits) in zip(given, arguments):
            slot.type, slot.bits = number, bits
            slot.flags = CHECK_ADDRESS if number & POINTER else 0
        size = (c.c_uint64 * 3)(*three(grid))
        count = c.c_size_t(len(arguments))

        def launch(stream):
            self.runtime.call("tilecrt_launch", self.handle, size, given, count, self.runtime.stream(stream), None)
        return launch


def address(array):
    """Where an array of NumPy or PyTorch lies."""
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


def three(grid):
    return (tuple(grid) + (1, 1))[:3]


def scalar_bits(kind, value):
    """The bits of a number as a scalar of that type."""
    if kind == "fp32":
        return c.c_uint32.from_buffer(c.c_float(value)).value
    if kind == "fp64":
        return c.c_uint64.from_buffer(c.c_double(value)).value
    return int(value) & (2 ** 64 - 1 if kind.endswith("64") else 2 ** 32 - 1)
