"""Every rule of scripts/check-source catches what it is for, and leaves good code alone."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = ROOT / "scripts" / "check-source"
LONG = "".join(f"  step({number});\n" for number in range(80))

# rule, path in the tree, text
BAD = [
    ("arrows", "liblocker/core/turn.cc", '#include "runtime/event.h"\n'),
    ("arrows", "liblocker/runtime/acquire.cc", '#include "backends/local/store.h"\n'),
    ("arrows", "liblocker/backends/local/store.cc", '#include "backends/zookeeper/path.h"\n'),
    ("arrows", "liblocker/backends/local/store.cc", '#include "api/handle.h"\n'),
    ("arrows", "cli/render.cc", '#include "core/turn.h"\n'),
    ("arrows", "cli/render.cc", "#include <core/turn.h>\n"),
    ("arrows", "cli/render.cc", '#include "locker/result.h"\n'),
    ("arrows", "liblocker/include/locker/a.h", '#pragma once\n#include "core/turn.h"\n'),
    ("header-homes", "liblocker/core/turn.cc", "#include <boost/asio/awaitable.hpp>\n"),
    ("header-homes", "cli/render.cc", "#include <boost/asio/awaitable.hpp>\n"),
    ("header-homes", "liblocker/include/locker/a.h", "#pragma once\n#include <unistd.h>\n"),
    ("header-homes", "liblocker/runtime/a.h", "#pragma once\n#include <nlohmann/json.hpp>\n"),
    ("header-homes", "liblocker/runtime/a.cc", "#include <sqlite3.h>\n"),
    ("header-homes", "liblocker/backends/local/a.cc", "#include <zookeeper/zookeeper.h>\n"),
    ("header-homes", "liblocker/runtime/a.cc", "#include <boost/beast/http.hpp>\n"),
    ("header-homes", "cli/render.cc", "#include <CLI/CLI.hpp>\n"),
    ("header-homes", "tests/unit/turn_test.cc", "#include <catch2/catch.hpp>\n"),
    ("header-homes", "liblocker/core/turn.cc", "#include <thread>\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  co_await g({.owner = text});\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  co_await g([text] { h(); });\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  co_await g(h(x));\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  co_await g(a ? b : c);\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  if (co_await g(x)) h();\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  h(co_await g(x));\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", "void f() {\n  auto x = (co_await g(y)).value();\n}\n"),
    ("await-grammar", "liblocker/runtime/a.cc", 'void f() {\n  co_await g("text");\n}\n'),
    ("await-parameters", "liblocker/runtime/a.cc", "awaitable<void> f(const std::string& name) {\n}\n"),
    ("await-parameters", "liblocker/runtime/a.cc", "awaitable<void> f(std::string_view name);\n"),
    ("await-parameters", "liblocker/runtime/a.cc", "awaitable<Result<int>> f(std::span<int> all);\n"),
    (
        "await-under-lock",
        "liblocker/runtime/a.cc",
        "void f() {\n  const std::scoped_lock lock(mutex_);\n  co_await g(x);\n}\n",
    ),
    ("file-length", "liblocker/core/a.cc", "\n" * 501),
    ("function-length", "liblocker/core/a.cc", "void f() {\n" + LONG + "}\n"),
    ("words", "liblocker/core/a.cc", "// TO" + "DO: later\n"),
    ("words", "docs/a.md", "FIX" + "ME\n"),
    ("words", "docs/a.md", "see /wo" + "rk/main\n"),
    ("words", "scripts/a", "cd /wo" + "rk/somewhere\n"),
    ("threads-and-clocks", "liblocker/api/locker_thread.cc", "// excused, but nothing is wrong\n"),
    ("words", "liblocker/core/a.cc", "class LockManager {};\n"),
    ("words", "liblocker/core/a.cc", "struct TurnImpl {};\n"),
    ("words", "liblocker/core/string_utils.cc", "\n"),
    ("errors-are-values", "liblocker/core/a.cc", "void f() {\n  throw Error();\n}\n"),
    (
        "total-switches",
        "cli/a.cc",
        "int f(Kind k) {\n  switch (k) {\n    case Kind::a: return 1;\n    default: return 2;\n  }\n}\n",
    ),
    ("threads-and-clocks", "tests/unit/a.cc", "void f() {\n  std::thread(g).detach();\n}\n"),
    ("threads-and-clocks", "cli/a.cc", "void f() {\n  std::this_thread::sleep_for(x);\n}\n"),
    ("threads-and-clocks", "liblocker/core/a.cc", "auto t = std::chrono::steady_clock::now();\n"),
    ("library-is-silent", "liblocker/core/a.cc", 'void f() {\n  std::cerr << "x";\n}\n'),
    ("headers", "liblocker/core/a.h", "#ifndef A\n#define A\n#endif\n"),
    ("headers", "liblocker/core/a.h", "#pragma once\nusing namespace std;\n"),
    ("interpreters", "scripts/a", "#!/usr/bin/env python3\n"),
    ("top-level", "build.sh", "\n"),
    ("top-level", "include/a.h", "#pragma once\n"),
]

GOOD = {
    "liblocker/runtime/acquire.cc": """#include "runtime/acquire.h"

#include <boost/asio/awaitable.hpp>

#include <locker/result.h>

#include "core/turn.h"

// The words class LockManager, throw and "co_await f({})" in a comment are harmless.
awaitable<Result<void>> leave(SessionPtr session, std::string id) {
  const int limit = 1'000;
  const auto executor = co_await boost::asio::this_coro::executor;
  Result<void> left = co_await session->leave(id);
  left = co_await line->session().leave(id);
  while (busy(left)) left = co_await again(session, id, limit, 3, true);
  {
    const std::scoped_lock lock(mutex_);
    count(left);
  }
  co_await event_->wait();
  co_return co_await last(id);
}

int width(char mark) {
  switch (mark) {
    case 'a':
      return 1;
    default:
      return 2;
  }
}
""",
    "liblocker/core/turn.h": "#pragma once\n\n#include <span>\n\n#include <locker/errc.h>\n",
    "liblocker/backends/local/store.cc": '#include <sqlite3.h>\n\n#include "backends/registry.h"\n',
    "cli/main.cc": '#include <CLI/CLI.hpp>\n\n#include <locker/errc.h>\n\n#include "cli/render.h"\n',
    "docs/index.md": "Work in peace.\n",
    "meson.build": "project('a')\n",
}


def check(tree, files):
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    command = [CHECK, "--root", tree]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("rule,path,text", BAD)
def test_rule_catches(tmp_path, rule, path, text):
    found = check(tmp_path, {path: text})
    assert found.returncode == 1
    assert [line for line in found.stdout.splitlines() if line.startswith(path) and f": {rule}: " in line]


def test_good_code_passes(tmp_path):
    found = check(tmp_path, GOOD)
    assert (found.stdout, found.returncode) == ("", 0)


def test_every_rule_has_a_bad_example():
    listed = subprocess.run([CHECK, "--list-rules"], capture_output=True, text=True, check=True)
    rules = {line.split("\t")[0] for line in listed.stdout.splitlines()}
    assert rules == {rule for rule, _, _ in BAD}


def test_this_tree_keeps_the_rules():
    found = subprocess.run([CHECK], capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("", 0)
