#!/usr/bin/env python3
"""Compiles the blocks in the kernel dialect: compile_kernels.py CLANG ROOT PAGE...

Each block follows the prelude of OpenCL C, the structs of arguments.hpp and arithmetic.hpp, as in a program of
the library, and is compiled for real and complex elements, float and double, scalars and vectors.
"""

import itertools
import pathlib
import re
import subprocess
import sys

import markdown

KERNELS = "include/trifac/engine/kernel"


def kernel_text(header):
    return "\n".join(re.findall(r'R"kernel\((.*?)\)kernel"', header.read_text(), re.S))


def structs(header):
    """The structs that the host and the device share."""
    return "".join(f"typedef struct {{ {members} }} {name};\n" for name, members in
                   re.findall(r"^TRIFAC_KERNEL_STRUCT\((\w+), (.*?)\);", header.read_text(), re.M | re.S))


def compile_block(clang, root, block):
    """The compiler's messages, "" where all is well."""
    text = "".join(part(root / KERNELS / name) for part, name in
                   ((kernel_text, "prelude_opencl.hpp"), (structs, "arguments.hpp"),
                    (kernel_text, "arithmetic.hpp")))
    text += f'\n#line {block.line} "{block.page}"\n{block.code}'
    messages = ""
    for real, complex_, width in itertools.product(("float", "double"), (0, 1), (1, 4)):
        parameters = {"REAL": real, "DOUBLE": int(real == "double"), "COMPLEX": complex_,
                      "VW": width}
        command = [clang, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
                   "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "-Wno-gcc-compat",
                   "-Wno-ignored-pragmas", *(f"-D{k}={v}" for k, v in parameters.items()), "-"]
        messages += subprocess.run(command, input=text, text=True, capture_output=True).stderr
    return messages


def main():
    clang, root, *pages = sys.argv[1:]
    root, count, wrong = pathlib.Path(root), 0, ""
    for page in pages:
        for block in markdown.blocks(page, (root / page).read_text()):
            if block.language == "c" and not block.is_program():
                count += 1
                wrong += compile_block(clang, root, block)
    print(wrong if wrong else f"{count} blocks compiled")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
