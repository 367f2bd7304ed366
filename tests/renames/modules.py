"""Move modules and packages: git mv, imports, dotted names and paths in all text files.

usage: modules.py MAP.toml   (run in the root of a checkout with a clean tree)

MAP.toml has a table `modules`: "old.dotted.name" = "new.dotted.name"; a package moves with all it holds, more exact
entries first. It is applied at once, so that names may be exchanged.
"""

# ruff: noqa
from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOTS = ("bot", "rules", "render", "data", "tests")
TEXTS = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".in", ".mako", ".cfg", ".po", ".html", ".js", ""}

mapping = tomllib.loads(Path(sys.argv[1]).read_text())["modules"]


def dotted(path: Path) -> str:
    parts = list(path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


files = [
    Path(p)
    for p in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    if p
]
pys = [p for p in files if p.suffix == ".py" and p.parts[0] in ROOTS]
modules = {dotted(p): p for p in pys}
packages = {m for m, p in modules.items() if p.name == "__init__.py"}
dirs = {".".join(p.parts[:i]) for p in files if p.parts[0] in ROOTS for i in range(1, len(p.parts))}


def new_name(name: str) -> str:
    """The new dotted name of a module, package, or folder."""
    head, tail = name, []
    while head:
        if head in mapping:
            return ".".join([mapping[head], *tail])
        head, _, last = head.rpartition(".")
        tail.insert(0, last)
    return name


moved = {m: new_name(m) for m in {*modules, *dirs}}
changed = {m: n for m, n in moved.items() if m != n}
for old in mapping:
    if old not in moved:
        sys.exit(f"no such module: {old}")

# --- imports -------------------------------------------------------------------------------------------------------


class Edit:
    def __init__(self, text: str) -> None:
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line.encode()))
        self.data = text.encode()
        self.edits: list[tuple[int, int, str]] = []

    def at(self, line: int, col: int) -> int:
        return self.starts[line - 1] + col

    def replace(self, node: ast.AST, by: str) -> None:
        self.edits.append((self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset), by))

    def done(self) -> str:
        data = self.data
        for start, end, by in sorted(set(self.edits), reverse=True):
            data = data[:start] + by.encode() + data[end:]
        return data.decode()


def bound_names(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def rewrite(path: Path, text: str) -> str:
    tree = ast.parse(text)
    edit = Edit(text)
    renames: dict[str, str] = {}
    taken = bound_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            parts, hit = [], False
            for alias in node.names:
                name = moved.get(alias.name, alias.name)
                hit |= name != alias.name
                parts.append(name + (f" as {alias.asname}" if alias.asname else ""))
                if name != alias.name and not alias.asname:
                    renames.setdefault("!" + alias.name, name)
            if hit:
                edit.replace(node, "import " + ", ".join(parts))
        elif (
            isinstance(node, ast.ImportFrom) and node.module and node.level == 0 and node.module.split(".")[0] in ROOTS
        ):
            by_package: dict[str, list[str]] = {}
            hit = False
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in moved and (node.module in packages or node.module in dirs) and full in modules:
                    package, _, base = moved[full].rpartition(".")
                    local = alias.asname or alias.name
                    if alias.asname:
                        text_of = f"{base} as {alias.asname}" if base != alias.asname else base
                    elif base != alias.name:
                        if base in taken:
                            text_of = f"{base} as {alias.name}"
                            print(f"{path}: {base} is taken, kept `as {alias.name}`")
                        else:
                            renames[alias.name] = base
                            text_of = base
                    else:
                        text_of = base
                else:
                    package = moved.get(node.module, node.module)
                    text_of = alias.name + (f" as {alias.asname}" if alias.asname else "")
                hit |= package != node.module or text_of != alias.name + (f" as {alias.asname}" if alias.asname else "")
                by_package.setdefault(package, []).append(text_of)
            if hit:
                indent = " " * node.col_offset
                lines = []
                for package, names in by_package.items():
                    line = f"from {package} import {', '.join(names)}"
                    if len(line) + node.col_offset > 118:
                        line = (
                            f"from {package} import (\n{indent}    " + f",\n{indent}    ".join(names) + f",\n{indent})"
                        )
                    lines.append(line)
                edit.replace(node, f"\n{indent}".join(lines))
        elif isinstance(node, ast.ImportFrom) and node.level:
            print(f"{path}: relative import")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in renames:
            edit.replace(node, renames[node.id])
        elif isinstance(node, ast.Attribute):
            chain, inner = [node.attr], node.value
            while isinstance(inner, ast.Attribute):
                chain.insert(0, inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                name = ".".join([inner.id, *chain])
                if "!" + name in renames:
                    edit.replace(node, renames["!" + name])
    lines = text.splitlines(keepends=True)
    import io
    import tokenize

    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            by = texts(token.string)
            if by != token.string:
                (r1, c1), (r2, c2) = token.start, token.end
                start = edit.starts[r1 - 1] + len(lines[r1 - 1][:c1].encode())
                end = edit.starts[r2 - 1] + len(lines[r2 - 1][:c2].encode())
                edit.edits.append((start, end, by))
    return edit.done()


# --- names in texts ------------------------------------------------------------------------------------------------

names = sorted(changed, key=len, reverse=True)
by_dots = {m: n for m, n in changed.items() if "." in m}
by_paths = {m.replace(".", "/"): n.replace(".", "/") for m, n in by_dots.items()}


def pattern(keys):
    return (
        re.compile(
            r"(?<![\w./-])(" + "|".join(re.escape(k) for k in sorted(keys, key=len, reverse=True)) + r")(?![\w])"
        )
        if keys
        else None
    )


dots, paths = pattern(by_dots), pattern(by_paths)


def texts(text: str) -> str:
    if dots:
        text = dots.sub(lambda m: by_dots[m[1]], text)
        text = paths.sub(lambda m: by_paths[m[1]], text)
    return text


for path in files:
    if path.suffix not in TEXTS or not path.is_file():
        continue
    try:
        before = path.read_text()
    except UnicodeDecodeError:
        continue
    after = rewrite(path, before) if path.suffix == ".py" and path.parts[0] in ROOTS else texts(before)
    if after != before:
        path.write_text(after)

# --- files ---------------------------------------------------------------------------------------------------------


def target(path: Path) -> Path:
    if path.parts[0] not in ROOTS:
        return path
    if path.suffix == ".py" and path.name != "__init__.py":
        return Path(*moved[dotted(path)].split(".")).with_suffix(".py")
    return Path(*moved[".".join(path.parts[:-1])].split(".")) / path.name if len(path.parts) > 1 else path


def deeper(old: str, new: str) -> bool:
    return new.startswith(old + ".")


moves = [(p, target(p)) for p in files if target(p) != p]
stage = Path(".moving")
for i, (old, new) in enumerate(moves):
    (stage / str(i)).parent.mkdir(exist_ok=True)
    subprocess.run(["git", "mv", str(old), str(stage / str(i))], check=True)
for i, (old, new) in enumerate(moves):
    new.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "mv", str(stage / str(i)), str(new)], check=True)
print(len(moves), "files moved")
