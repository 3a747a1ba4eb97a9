"""Recipe for Conan 2: `conan create cmake/packaging/conan` packs the headers, or with
`-o "trifac/*:kernels=True"` the compiled calls, too (static, or shared with `-o "trifac/*:shared=True"`)."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load, rm

SOURCES = "../../.."


class Trifac(ConanFile):
    name = "trifac"
    description = "Dense Cholesky and LU factorizations as C++20 templates"
    license = "BSD-3-Clause"
    topics = ("linear-algebra", "cholesky", "lu", "header-only")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"kernels": [True, False], "shared": [True, False]}
    default_options = {"kernels": False, "shared": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, SOURCES, "include/trifac/version.hpp"))
        self.version = re.search(r'VERSION_STRING "(.*)"', header).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*"):
            copy(self, pattern, os.path.join(self.recipe_folder, SOURCES), self.export_sources_folder)

    def configure(self):
        if not self.options.kernels:
            del self.options.shared
            self.package_type = "header-library"

    def package_id(self):
        if not self.info.options.kernels:
            self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "BENCHMARKS", "STUDY", "EXAMPLES"):
            toolchain.cache_variables[f"TRIFAC_BUILD_{part}"] = False
        toolchain.cache_variables["TRIFAC_BUILD_KERNELS"] = bool(self.options.kernels)
        for part in ("OPENMP", "LAPACK", "OPENCL", "STARPU", "DISTRIBUTED", "CUDA", "CUSOLVER"):
            toolchain.cache_variables[f"TRIFAC_WITH_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        if self.options.kernels:  # both are built
            other = "*trifac-kernels.a" if self.options.shared else "*trifac-kernels.so*"
            rm(self, other, os.path.join(self.package_folder, "lib"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # trifac's own CMake package, which finds OpenMP, LAPACK and the others for a backend's
        # component.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/trifac"]
        self.cpp_info.bindirs = []
        if self.options.kernels:
            self.cpp_info.libs = ["trifac-kernels"]
            self.cpp_info.defines = ["TRIFAC_USE_KERNELS=1"]
        else:
            self.cpp_info.libdirs = []
