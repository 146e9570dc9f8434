"""What both peer benches share: the machine in words, and tables as Markdown and CSV."""
import csv
import os
import platform
import subprocess
import time


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
        return done.stdout.splitlines()[0].strip() if done.stdout else "?"
    except OSError:
        return "not installed"


def machine(versions):
    """The block that stands above every table."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        info = dict(line.rstrip("\n").partition("\t: ")[::2] for line in f if "\t: " in line)
    model = next((v.strip() for k, v in info.items() if k.strip() == "model name"), platform.machine())
    flags = next((v for k, v in info.items() if k.strip() == "flags"), "")
    isa = "AVX-512" if "avx512bw" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    with open("/etc/os-release", encoding="utf-8") as f:
        system = next(line.split('"')[1] for line in f if line.startswith("PRETTY_NAME"))
    lines = [f"machine: {model}, {len(os.sched_getaffinity(0))} cores in use, {isa}",
             f"system: {system}, kernel {platform.release()}, {first_line('gcc', '--version')}",
             f"date: {time.strftime('%Y-%m-%d', time.gmtime())}"]
    return lines + [f"{name}: {version}" for name, version in versions.items()]


def write(path, title, block, intro, sections):
    """sections: (heading, columns, rows); also to the terminal."""
    text = [f"# {title}", "", "```", *block, "```", "", *intro, ""]
    for heading, columns, rows in sections:
        text += [f"## {heading}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        text += ["| " + " | ".join(map(str, row)) + " |" for row in rows] + [""]
    body = "\n".join(text)
    print(body)
    with open(path + ".md", "w", encoding="utf-8") as f:
        f.write(body)
    with open(path + ".csv", "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        for heading, columns, rows in sections:
            out.writerow(["table", *columns])
            out.writerows([heading, *row] for row in rows)
