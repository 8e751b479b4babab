/* The number by which `native.py` knows that it calls what it was written for. */
#include "kernels.h"

EXPORT int lg_abi(void) { return ABI; }
