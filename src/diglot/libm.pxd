"""What kernels use of C's library. Cython's own file would be newer in each environment that is made for a build."""

cdef extern from "math.h" nogil:
    const double INFINITY
    const double NAN
    double ceil(double x)
    double erfc(double x)
    double exp(double x)
    double fabs(double x)
    double floor(double x)
    double log(double x)
    double log1p(double x)
    double sqrt(double x)
