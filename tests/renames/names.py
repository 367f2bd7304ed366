"""Rename top-level names of modules. usage: names.py NAMES.toml [tables]   (in the root of a checkout)

Each entry "module:Name" = "New". Handles uses in the module, `from module import Name`, `module.Name`, re-exports, and
quoted annotations. Local names that shadow a top-level name stay. Backticked mentions in docstrings, comments and
documents follow where a name has one renaming only.
"""

# ruff: noqa
from __future__ import annotations

import ast
import builtins
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import defaultdict
from pathlib import Path

ROOTS = ("bot", "rules", "render", "data", "tests")
table = tomllib.loads(Path(sys.argv[1]).read_text())
kinds = sys.argv[2].split(",") if len(sys.argv) > 2 else ["classes", "constants", "functions"]
files = [
    Path(p)
    for p in subprocess.run(["git", "ls-files", "--cached"], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    if p and Path(p).is_file()
]
pys = [p for p in files if p.suffix == ".py" and p.parts[0] in ROOTS]


def dotted(path):
    parts = list(path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


modules = {dotted(p): p for p in pys}
texts = {m: p.read_text() for m, p in modules.items()}
trees = {m: ast.parse(t) for m, t in texts.items()}


def top_names(tree):
    names = set()
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {a.asname or a.name.split(".")[0] for a in node.names}
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            todo += [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            for h in getattr(node, "handlers", []):
                todo += h.body
            if isinstance(node, ast.For):
                names |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        for t in (
            [*node.targets]
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, (ast.AnnAssign, ast.AugAssign))
            else []
        ):
            names |= {n.id for n in ast.walk(t) if isinstance(n, ast.Name)}
    return names


tops = {m: top_names(t) for m, t in trees.items()}
wanted: dict[str, dict[str, str]] = defaultdict(dict)
missing = 0
for kind in kinds:
    for key, new in table.get(kind, {}).items():
        m, _, name = key.partition(":")
        if m not in modules or name not in tops[m]:
            print("missing", key)
            missing += 1
            continue
        wanted[m][name] = new


# re-exports
def resolve(node, alias):
    return (node.module, alias.name)


def top_imports(tree):
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.If, ast.Try)):
            todo += [*node.body, *node.orelse]
        if isinstance(node, ast.ImportFrom):
            yield node


changed = True
while changed:
    changed = False
    for m, tree in trees.items():
        for node in top_imports(tree):
            if node.module in modules and not node.level:
                for a in node.names:
                    local = a.asname or a.name
                    new = wanted.get(node.module, {}).get(a.name)
                    if new and a.asname in (None, a.name) and wanted[m].get(local) != new:
                        wanted[m][local] = new
                        changed = True
# collisions
for m, names in list(wanted.items()):
    after = [names.get(n, n) for n in tops[m]]
    for old, new in list(names.items()):
        if after.count(new) > 1 or new in dir(builtins):
            print("collision", m, old, new)


class Bound(ast.NodeVisitor):
    """Names bound in one function scope."""

    def __init__(self, node):
        self.names, self.outer = set(), set()
        a = node.args
        for arg in [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg, a.kwarg])]:
            self.names.add(arg.arg)
        for child in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(child)
        self.names -= self.outer

    def visit_Name(self, n):
        if isinstance(n.ctx, (ast.Store, ast.Del)):
            self.names.add(n.id)

    def visit_FunctionDef(self, n):
        self.names.add(n.name)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, n):
        pass

    def visit_ListComp(self, n):
        for w in ast.walk(n):
            if isinstance(w, ast.NamedExpr):
                self.names.add(w.target.id)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Import(self, n):
        self.names |= {a.asname or a.name.split(".")[0] for a in n.names}

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, n):
        if n.name:
            self.names.add(n.name)
        self.generic_visit(n)

    def visit_MatchAs(self, n):
        if n.name:
            self.names.add(n.name)
        self.generic_visit(n)

    def visit_MatchStar(self, n):
        if n.name:
            self.names.add(n.name)

    def visit_MatchMapping(self, n):
        if n.rest:
            self.names.add(n.rest)
        self.generic_visit(n)

    def visit_Global(self, n):
        self.outer |= {*n.names}

    def visit_Nonlocal(self, n):
        pass


class Walk(ast.NodeVisitor):
    def __init__(self, m):
        self.m, self.text = m, texts[m]
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0]
        for l in self.lines:
            self.starts.append(self.starts[-1] + len(l.encode()))
        self.edits = {}
        self.scopes: list[tuple[set, dict]] = []  # bound names, and local renames (from local imports)
        self.renames = dict(wanted.get(m, {}))
        self.mods = self.module_aliases(trees[m].body)

    def module_aliases(self, body):
        out = {}
        for top in body:
            for node in (
                ast.walk(top) if not isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else []
            ):
                self.alias(node, out)
        return out

    def alias(self, node, out):
        if isinstance(node, ast.Import):
            for a in node.names:
                if a.asname and a.name in modules:
                    out[a.asname] = a.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for a in node.names:
                if f"{node.module}.{a.name}" in modules:
                    out[a.asname or a.name] = f"{node.module}.{a.name}"

    def at(self, line, col):
        return self.starts[line - 1] + col

    def put(self, start, length, new):
        self.edits[start] = (start + length, new)

    def lookup(self, name):
        for i in range(len(self.scopes) - 1, -1, -1):
            bound, local, is_class = self.scopes[i]
            if is_class and i != len(self.scopes) - 1:
                continue
            if name in local:
                return local[name]
            if name in bound:
                return None
        return self.renames.get(name)

    def module_of(self, name):
        for i in range(len(self.scopes) - 1, -1, -1):
            bound, local, is_class = self.scopes[i]
            if is_class and i != len(self.scopes) - 1:
                continue
            if ("mod", name) in local:
                return local["mod", name]
            if name in bound:
                return None
        return self.mods.get(name)

    def visit_Name(self, n):
        new = self.lookup(n.id)
        if new:
            self.put(self.at(n.lineno, n.col_offset), len(n.id.encode()), new)

    def visit_Attribute(self, n):
        m = None
        if isinstance(n.value, ast.Name):
            m = self.module_of(n.value.id)
        if m is None:
            chain, inner = [], n.value
            while isinstance(inner, ast.Attribute):
                chain.insert(0, inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                full = ".".join([inner.id, *chain])
                if full in modules and inner.id in tops[self.m]:
                    m = full
        new = wanted.get(m, {}).get(n.attr) if m else None
        if new:
            end = self.at(n.end_lineno, n.end_col_offset)
            self.put(end - len(n.attr.encode()), len(n.attr.encode()), new)
        self.generic_visit(n)

    def named(self, n, scope_new):
        if scope_new:
            line = self.lines[n.lineno - 1].encode()
            col = line.index(n.name.encode(), n.col_offset + (3 if isinstance(n, ast.FunctionDef) else 5))
            self.put(self.at(n.lineno, col), len(n.name.encode()), scope_new)

    def visit_FunctionDef(self, n):
        self.named(n, self.lookup(n.name))
        for d in n.decorator_list:
            self.visit(d)
        for d in [*n.args.defaults, *filter(None, n.args.kw_defaults)]:
            self.visit(d)
        for a in [*n.args.posonlyargs, *n.args.args, *n.args.kwonlyargs, *filter(None, [n.args.vararg, n.args.kwarg])]:
            if a.annotation:
                self.visit(a.annotation)
        if n.returns:
            self.visit(n.returns)
        self.function(n, n.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def function(self, n, body):
        bound = Bound(n)
        local = {}
        aliases = {}
        names = set(bound.names)
        for sub in ast.walk(n):
            if isinstance(sub, ast.ImportFrom) and not sub.level and sub.module in modules:
                for a in sub.names:
                    new = wanted.get(sub.module, {}).get(a.name)
                    if new and a.asname in (None, a.name):
                        local[a.name] = new
            self.alias(sub, aliases) if isinstance(sub, (ast.Import, ast.ImportFrom)) else None
        for k, v in aliases.items():
            local["mod", k] = v
        self.scopes.append((names, local, False))
        for c in body:
            self.visit(c)
        self.scopes.pop()

    def visit_Lambda(self, n):
        for d in [*n.args.defaults, *filter(None, n.args.kw_defaults)]:
            self.visit(d)
        self.scopes.append((Bound(n).names, {}, False))
        self.visit(n.body)
        self.scopes.pop()

    def visit_ClassDef(self, n):
        self.named(n, self.lookup(n.name))
        for d in [*n.decorator_list, *n.bases]:
            self.visit(d)
        for k in n.keywords:
            self.visit(k.value)
        bound = set()
        for c in n.body:
            if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound.add(c.name)
            for t in [*c.targets] if isinstance(c, ast.Assign) else [c.target] if isinstance(c, ast.AnnAssign) else []:
                if isinstance(t, ast.Name):
                    bound.add(t.id)
        # annotations of a field named like a type are looked up in the class first: leave such names
        self.scopes.append((bound, {}, True))
        for c in n.body:
            again = (
                isinstance(c, ast.Assign)
                and len(c.targets) == 1
                and isinstance(c.targets[0], ast.Name)
                and c.targets[0].id
            )
            if again:
                bound.discard(again)
                self.visit(c.value)
                bound.add(again)
            else:
                self.visit(c)
        self.scopes.pop()

    def comp(self, n):
        names = set()
        for g in n.generators:
            names |= {w.id for w in ast.walk(g.target) if isinstance(w, ast.Name)}
        self.visit(n.generators[0].iter)
        self.scopes.append((names, {}, False))
        for i, g in enumerate(n.generators):
            self.visit(g.target)
            if i:
                self.visit(g.iter)
            for c in g.ifs:
                self.visit(c)
        if isinstance(n, ast.DictComp):
            self.visit(n.key)
            self.visit(n.value)
        else:
            self.visit(n.elt)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comp

    def visit_Global(self, n):
        pass

    def visit_ImportFrom(self, n):
        if n.level or n.module not in modules:
            return
        for a in n.names:
            new = wanted.get(n.module, {}).get(a.name)
            if new:
                start = self.at(a.lineno, a.col_offset)
                if a.asname == a.name:
                    end = self.at(a.end_lineno, a.end_col_offset)
                    self.put(start, end - start, f"{new} as {new}")
                else:
                    self.put(start, len(a.name.encode()), new)

    def visit_Assign(self, n):
        if any(isinstance(x, ast.Name) and x.id == "__all__" for x in n.targets) and isinstance(
            n.value, (ast.List, ast.Tuple)
        ):
            for e in n.value.elts:
                new = self.renames.get(e.value) if isinstance(e, ast.Constant) else None
                if new:
                    self.put(self.at(e.lineno, e.col_offset), len(repr(e.value)), f'"{new}"')
        self.generic_visit(n)

    def quoted(self, n):
        """Rename in a string that is a type."""
        if not (isinstance(n, ast.Constant) and isinstance(n.value, str)) or n.lineno != n.end_lineno:
            return

        def by(match):
            prefix, name = match[1] or "", match[2]
            if prefix:
                m = self.module_of(prefix[:-1]) or prefix[:-1]
                return prefix + wanted.get(m, {}).get(name, name)
            return self.lookup(name) or name

        new = re.sub(r"\b([A-Za-z_]\w*\.)?([A-Za-z_]\w*)\b", by, n.value)
        if new != n.value:
            start, end = self.at(n.lineno, n.col_offset), self.at(n.end_lineno, n.end_col_offset)
            self.put(start, end - start, f'"{new}"')

    def visit_Call(self, n):
        name = n.func.id if isinstance(n.func, ast.Name) else n.func.attr if isinstance(n.func, ast.Attribute) else ""
        if name in ("cast", "TypeVar", "NewType", "ParamSpec") and n.args:
            self.quoted(n.args[0])
        if name in ("setattr", "getattr", "delattr", "hasattr", "delitem", "setitem") and len(n.args) > 1:
            target, key = n.args[0], n.args[1]
            m = self.module_of(target.id) if isinstance(target, ast.Name) else None
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                inner = self.module_of(target.value.id)
                m = f"{inner}.{target.attr}" if inner and f"{inner}.{target.attr}" in modules else m
            if m and isinstance(key, ast.Constant) and key.value in wanted.get(m, {}):
                start, end = self.at(key.lineno, key.col_offset), self.at(key.end_lineno, key.end_col_offset)
                self.put(start, end - start, f'"{wanted[m][key.value]}"')
        self.generic_visit(n)

    def visit_Constant(self, n):
        if (
            isinstance(n.value, str)
            and re.fullmatch(r"(?:bot|rules|render|tests|data)(?:\.\w+)+[.:]\w+", n.value)
            and n.lineno == n.end_lineno
        ):
            m, sep, name = re.match(r"(.*)([.:])(\w+)$", n.value).groups()
            if name in wanted.get(m, {}):
                start, end = self.at(n.lineno, n.col_offset), self.at(n.end_lineno, n.end_col_offset)
                self.put(start, end - start, f'"{m}{sep}{wanted[m][name]}"')

    def done(self):
        self.visit(trees[self.m])
        data = self.text.encode()
        for start in sorted(self.edits, reverse=True):
            end, new = self.edits[start]
            data = data[:start] + new.encode() + data[end:]
        return data.decode()


# mentions
one: dict[str, set[str]] = defaultdict(set)
for m, names in wanted.items():
    for old, new in names.items():
        one[old].add(new)
defined = defaultdict(int)
for m in modules:
    for n in tops[m]:
        defined[n] += 1


def mentions(m, text):
    own = wanted.get(m, {})

    def by(match):
        prefix, name = match[1] or "", match[2]
        if prefix:
            mod = prefix.rstrip(".")
            for full in modules:
                if full == mod or full.endswith("." + mod):
                    if name in wanted.get(full, {}):
                        return f"`{prefix}{wanted[full][name]}"
            return match[0]
        if name in own:
            return f"`{own[name]}"
        if name in tops.get(m, ()):
            return match[0]
        if len(one.get(name, ())) == 1 and (name[0].isupper() and len(name) > 4):
            return f"`{next(iter(one[name]))}"
        return match[0]

    return re.sub(r"`((?:[a-z_]\w*\.)+)?([A-Za-z_]\w*)(?=[`(.])", by, text)


count = 0
for m, path in modules.items():
    new = Walk(m).done()
    lines = new.splitlines(keepends=True)
    out, edits = new, []
    offsets = [0]
    for l in lines:
        offsets.append(offsets[-1] + len(l))
    for token in tokenize.generate_tokens(io.StringIO(new).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and "`" in token.string):
            by = mentions(m, token.string)
            if by != token.string:
                edits.append(
                    (offsets[token.start[0] - 1] + token.start[1], offsets[token.end[0] - 1] + token.end[1], by)
                )
    for s, e, by in reversed(edits):
        out = out[:s] + by + out[e:]
    if out != texts[m]:
        path.write_text(out)
        count += 1
for path in files:
    if path.suffix == ".md" and path.name != "CHANGELOG.md":
        t = path.read_text()
        n = mentions("", t)
        if n != t:
            path.write_text(n)
            count += 1
print(count, "files", missing, "missing")
