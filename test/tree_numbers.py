# SPDX-License-Identifier: Apache-2.0
"""Tests that scripts/check_numbers.py refuses each way to print or read a
number in the current locale, and accepts code that no locale changes."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "scripts"))
import check_numbers  # noqa: E402


def refused(source, name="src/device/compile/jit.c"):
    return list(check_numbers.wrong(source, name))


class Numbers(unittest.TestCase):
    def bad(self, source, **where):
        self.assertTrue(refused(source, **where), source)

    def good(self, source, **where):
        self.assertEqual(refused(source, **where), [], source)

    def test_conversions(self):
        for letter in "aAeEfFgG":
            for flags in ("", ".17", "-+ #012.3", "*.*", ".*", "L", "l",
                          "'.2", "1$"):
                self.bad(f'snprintf(t, n, "x%{flags}{letter}", v);')
        self.bad('jit_define(jit, "SPAN", "%.17g", v);')
        self.bad('fprintf(f, "%d of %s: %g", a, b, v);')

    def test_not_in_a_call(self):
        self.bad('static const char form[] = "%.17e";')
        self.bad('#define FORM "%.17g"')
        self.bad('const char *form = f32 ? "%.9ef" : "%.17e";')

    def test_macros_and_parts(self):
        self.bad('snprintf(t, n, "%." DIGITS "g", v);')
        self.bad('snprintf(t, n, "%" FORM, v);')
        self.bad('snprintf(t, n, "%." TEXT(17) "g", v);')
        self.bad('snprintf(t, n, "%.17" "g", v);')
        self.bad('snprintf(t, n, "%.17" /* of f64 */\n    "g", v);')
        self.bad('snprintf(t, n, "%.17\\\ng", v);')
        self.bad('#define FORM "%.17"')
        self.bad(r'snprintf(t, n, "\x25.17g", v);')
        self.bad(r'snprintf(t, n, "%.3\147", v);')
        self.bad('snprintf(form, n, "%%.%dg", digits);')

    def test_readers(self):
        for call in ("strtod(t, &e)", "strtof(t, &e)", "strtold(t, &e)",
                     "strtod_l(t, &e, c)", "atof(t)", 'sscanf(t, "%d", &i)',
                     'fscanf(f, "%s", t)', "vsscanf(t, f, a)", "wcstod(t, e)",
                     "std::stod(t)", "strfromd(t, n, f, v)",
                     "gcvt(v, 9, t)", "strtol(t, &e, 10)", "atoi(t)",
                     "strtoull(t, NULL, 10)", "strtoimax(t, &e, 10)",
                     "atoll(t)", "wcstoul(t, e, 10)", "std::stoi(t)"):
            self.bad(f"x = {call};")
            self.bad(f"x = {call};", name="tools/farsum/outcome.c")

    def test_locales_and_lists(self):
        self.bad('setlocale(LC_ALL, "C");')
        self.bad("uselocale(c);")
        self.bad("vsnprintf(t, n, format, list);")
        self.bad("#include <sstream>\nstd::ostringstream out;")

    def test_messages(self):
        self.good('FAIL(ERR_ARGUMENT, "tolerance %g", v);')
        self.good('GO_FAIL(ERR_CELL, good ? "%g" : "%f", v);')
        self.bad('FAIL(ERR_CELL, "%s", text(snprintf(t, n, "%g", v)));')
        write = 'c_locale_write(out, "energy %.15g\\n", e);'
        self.good(write, name="tools/farsum/outcome.c")
        self.bad(write, name="src/cost/kept_times.c")
        self.bad('fprintf(out, "energy %.15g\\n", e);',
                 name="tools/farsum/outcome.c")

    def test_what_no_locale_changes(self):
        self.good('snprintf(t, n, "%d %5lld %s %% %zu", a, b, c, d);')
        self.good('snprintf(t, n, "%" PRId64 " edges", v);')
        self.good('snprintf(t, n, "%-10s%.3s", a, b);')
        self.good('fputs("100 %% of all, 3 %% error", f);')
        self.good("int a = b % edge, c = d %e;")
        self.good("/* as %g lays them out */ // %e, strtod")
        self.good("#define setlocale(category, name) vk_locale()")
        self.good('if (f("%d")) g(\'%\', "ge");')

    def test_programs_stay_in_c(self):
        for name in ("bench/near_rows.c", "test/methods.c"):
            self.bad('setlocale(LC_ALL, "");', name=name)
            self.good('printf("%g,", atof(argv[1]));', name=name)
        self.good('setlocale(LC_ALL, "C");', name="test/unit/locale.c")

    def test_the_tree(self):
        self.assertEqual(check_numbers.main([]), 0)


if __name__ == "__main__":
    unittest.main()
