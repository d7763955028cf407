# CHORALE_BUILD_INFO: values for `chorale --version' and table environment.
AC_DEFUN([CHORALE_BUILD_INFO], [
  AC_DEFINE_UNQUOTED([CHORALE_BUILD_CC], ["$CC"], [Compiler])
  AC_DEFINE_UNQUOTED([CHORALE_BUILD_OPTIONS],
    ["papi=$chorale_papi hwloc=$chorale_hwloc simgrid=$chorale_simgrid sanitizer=$chorale_sanitizer patented=$chorale_patented"],
    [Optional parts])
])
