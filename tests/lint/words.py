#!/usr/bin/env python3
"""words.py FILE... - sentences in which "those that", "such", "as many as", "likewise" or "of which" stand for a noun.

Of Markdown the whole text is read, of C and CUDA the comments.  Prints "FILE: SENTENCE"."""
import re
import sys

STAND_INS = re.compile(r"\b(those (that|which|of)|(?<!no )such(?! as)|so many|so few|as many( \w+)? as|"
                       r"as much( \w+)? as|likewise|of which|the latter|the former)\b", re.I)


def text_of(name):
    with open(name, encoding="utf-8") as f:
        text = f.read()
    if name.endswith(".md"):
        return re.sub(r"```.*?```", ". ", text, flags=re.S)
    comments = re.findall(r"/\*(.*?)\*/|//([^\n]*)", text, re.S)
    return ". ".join(re.sub(r"\s*\n\s*\*? ?", " ", block or line) for block, line in comments)


for name in sys.argv[1:]:
    for sentence in re.split(r"(?<=[.;:!?]) ", re.sub(r"\s+", " ", text_of(name))):
        if STAND_INS.search(sentence):
            print(f"{name}: {sentence.strip()}")
