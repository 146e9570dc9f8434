/* fault.cpp - diagnoses, seeds and replays. */
#include "grid.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <map>
#include <set>

namespace simt
{

bool lost;

namespace
{

/* ---- how often each kernel has run ------------------------------------------------------------------------ */

const char *tally_path;
std::map<std::string, unsigned> tally; /* launches that the file does not know yet, by the name of the template */
constexpr unsigned TALLY_STEP = 8;
const char *names_path;
std::set<std::string> named; /* kernels that the file of names has */

void append(const char *path, const std::string &line)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) (void)!write(fd, line.data(), line.size()), close(fd);
}

/* ---- diagnoses --------------------------------------------------------------------------------------------- */

uint64_t seed = 1;
bool began, quiet;
int policy_wanted = -1;
const char *fault_kind;
std::string text, arguments, replay_text;

/* "reverse<256>" out of __PRETTY_FUNCTION__ with "K = {anonymous}::reverse<256>]". */
std::string kernel_of(const char *name)
{
    const char *k = name ? strstr(name, "K = ") : nullptr;
    if (!k) return "?";
    std::string s(k + 4);
    if (!s.empty() && s.back() == ']') s.pop_back();
    for (const std::string nameless : {"{anonymous}::", "<unnamed>::"})
        for (size_t at; (at = s.find(nameless)) != s.npos;) s.erase(at, nameless.size());
    return s;
}

/* The command line of this process, as a shell would take it where no argument has a blank. */
std::string own_command()
{
    std::string s;
    char part[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0) s.append(part, (size_t)n);
    if (fd >= 0) close(fd);
    for (char &c : s)
        if (c == 0) c = ' ';
    while (!s.empty() && s.back() == ' ') s.pop_back();
    return s;
}

void note(const char *kind, int64_t block, int64_t thread, const std::string &where, const char *format, va_list args)
{
    char what[512], thread_text[96] = "";
    vsnprintf(what, sizeof what, format, args);
    if (thread >= 0)
        snprintf(thread_text, sizeof thread_text, ", block %lld thread %lld (warp %lld lane %lld)", (long long)block,
                 (long long)thread, (long long)(thread / LANES), (long long)(thread % LANES));
    if (lost) return;
    lost = true;
    fault_kind = kind;
    text = std::string(kind) + ": " + what + where + thread_text;
    if (g.running) text += ", launch " + std::to_string(g.launch);
    text += ", seed " + std::to_string(seed);
    if (g.running) text += ", kernel " + kernel_of(g.spec.name);
    if (!quiet) fprintf(stderr, "# simt: %s\n# replay: %s\n", text.c_str(), simt_replay());
}

/* A fiber's own stack may be what is broken. */
alignas(16) char signal_stack[32 << 10];

void crashed(int number, siginfo_t *info, void *)
{
    char line[1024];
    const char *what =
        number == SIGSEGV || number == SIGBUS ? "touched memory that it must not" : "computed the impossible";
    if (in_stack_guard(info->si_addr)) what = "needs more stack than a simulated thread has";
    if (!self && memory_owns(info->si_addr)) what = "host code touched device memory";
    int n = snprintf(line, sizeof line,
                     "# simt: crash: signal %d, address %p: %s; %s, block %lld thread %lld, seed %llu\n# replay: %s\n",
                     number, info->si_addr, what, self ? g.spec.name : "on the host", self ? (long long)now.block : -1,
                     self ? (long long)now.thread : -1, (unsigned long long)seed, simt_replay());
    if (n > 0) (void)!write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    _exit(1);
}

} // namespace

std::string place(const site &at)
{
    const char *file = at.file_name(), *slash = strrchr(file, '/');
    return std::string(slash ? slash + 1 : file) + ":" + std::to_string(at.line());
}

void fault(const char *kind, const site &at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(kind, now.block, now.thread, " at " + place(at), format, args);
    va_end(args);
    leave_grid();
}

void note_fault(const char *kind, int64_t block, int64_t thread, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(kind, block, thread, "", format, args);
    va_end(args);
}

void count_launch()
{
    if (names_path && named.insert(g.spec.name).second) append(names_path, std::string(g.spec.name) + "\n");
    if (!tally_path) return;
    std::string name = kernel_of(g.spec.name);
    name = name.substr(0, name.find('<'));
    unsigned &n = tally[name];
    if (++n < TALLY_STEP) return;
    n = 0;
    append(tally_path, name + " " + std::to_string(TALLY_STEP) + "\n");
}

void fault_begin()
{
    if (began) return;
    began = true;
    const char *e;
    static const char *const policies[] = {"uniform", "burst", "starve"};
    if ((e = getenv("SAT_SIMT_SEED"))) simt_seed(strtoull(e, nullptr, 0));
    if ((e = getenv("SAT_SIMT_QUIET"))) quiet = *e == '1';
    tally_path = getenv("SAT_SIMT_TALLY");
    names_path = getenv("SAT_SIMT_NAMES");
    if ((e = getenv("SAT_SIMT_POLICY")))
        for (int i = 0; i < 3; i++)
            if (!strcasecmp(e, policies[i])) policy_wanted = i;
    stack_t stack = {};
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(number, &action, nullptr);
}

int forced_policy()
{
    return policy_wanted;
}

bool device_alive()
{
    return !lost;
}

const char *fault_text()
{
    return text.c_str();
}

} // namespace simt

using namespace simt;

void simt_seed(uint64_t value)
{
    fault_begin();
    seed = value;
    rng.state = value * 0xd1342543de82ef95u + 1; /* neighbours share nothing */
    lost = false;
    fault_kind = nullptr;
    g.launch = 0;
}

void simt_case(const char *given)
{
    arguments = given ? given : "";
}

const char *simt_replay(void)
{
    std::string command = own_command();
    if (!arguments.empty()) command = command.substr(0, command.find(' ')) + " " + arguments;
    replay_text = "SAT_SIMT_SEED=" + std::to_string(seed) + " " + command;
    return replay_text.c_str();
}

const char *simt_fault(void)
{
    return fault_kind;
}

simt_counts simt_count(void)
{
    return counts;
}
