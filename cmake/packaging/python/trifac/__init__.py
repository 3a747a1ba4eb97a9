"""Dense Cholesky and LU factorizations of matrices and of stacks of them: `trifac.linalg`."""

from importlib.metadata import PackageNotFoundError, version

from . import linalg

try:
    __version__ = version("trifac")
except PackageNotFoundError:  # from a build folder
    __version__ = "unknown"

__all__ = ["linalg"]
