# SPDX-License-Identifier: Apache-2.0
"""The command's choices and refusals, and its progress line on a terminal."""

import os
import pty
import re
import subprocess
import unittest

from command import FARSUM, CommandTest


class Refused(CommandTest):
    def followed(self, words, pattern):
        """Runs the command, expects a refusal, follows its advice (the last
        words) and runs again."""
        done = self.refused(1, pattern, "run", *words)
        advice = done.err.rsplit(";", 1)[1]
        more = re.findall(r"use (--[a-z-]+) (\S+)", advice)
        less = re.findall(r"leave out (--[a-z-]+)", advice)
        self.assertTrue(more or less, done.err)
        words = list(map(str, words))
        for name in less:
            del words[words.index(name):words.index(name) + 2]
        for name, value in more:
            if name in words:
                words[words.index(name) + 1] = value
            else:
                words += [name, value]
        self.farsum("run", *words, "--report", "r.json")
        return more, self.json("r.json")

    def test_precision(self):
        self.farsum("gen", "uniform", "-n", 600, "-o", "u.xyz")
        words = ["u.xyz", "--tolerance", "1e-12", "--precision"]
        for precision in ["f32", "mixed"]:
            more, report = self.followed(
                words + [precision],
                "best that %s reaches; f64 reaches 1e-12: use --precision f64"
                % precision)
            self.assertEqual(more, [("--precision", "f64")])
            self.assertEqual(report["precision"], "f64")
        self.farsum("gen", "uniform", "-n", 6000, "-o", "u.xyz")
        self.followed(words + ["f32"], "use --precision f64")

    def test_method(self):
        self.farsum("gen", "uniform", "-n", 600, "-o", "u.xyz")
        self.followed(["u.xyz", "--method", "direct"], "open boundaries")
        self.followed(["u.xyz", "--periodic", "none", "--method", "ewald"],
                      "periodic")
        self.followed(["u.xyz", "--method", "spectral", "--support", 3,
                       "--tolerance", "1e-10"], "leave out --support")
        self.followed(["u.xyz", "--memory-limit", "2000"], "--memory-limit")


class Told(CommandTest):
    def test_references_are_f64(self):
        self.farsum("gen", "uniform", "-n", 300, "-o", "u.xyz")
        for words in [["--method", "ewald"],
                      ["--method", "direct", "--periodic", "none"]]:
            out = self.farsum("run", "u.xyz", *words, "--precision", "f32",
                              "-o", "o.xyz", "--report", "r.json").out
            self.assertRegex(out, r"by \w+ on host, f64,")
            self.assertEqual(self.json("r.json")["precision"], "f64")
            self.assertEqual(self.frame("o.xyz").keys["farsum_precision"],
                             "f64")


class Progress(CommandTest):
    def on_terminal(self, *words):
        """Standard error of a run on a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([FARSUM, *map(str, words)], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = b""
        try:
            while True:
                part = os.read(ours, 4096)
                if not part:
                    break
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(), 0, text)
        return text.decode()

    def test_line(self):
        self.farsum("gen", "uniform", "-n", 20000, "-o", "u.xyz")
        words = ["run", "u.xyz", "--periodic", "none", "--method", "direct",
                 "--threads", 1]
        text = self.on_terminal(*words)
        shares = re.findall(r"\r\033\[Ksumming all pairs, (\d+) %", text)
        self.assertGreater(len(shares), 2, text)
        self.assertEqual(shares, sorted(shares, key=int))
        self.assertIn("tuning direct", text)
        self.assertTrue(text.endswith("\r\033[K"), text)
        self.assertEqual(self.farsum(*words).err, "")


if __name__ == "__main__":
    unittest.main()
