"""Check names.toml against the code. usage: check.py [--names NAMES.toml] [--root ROOT] [--by-name]

Prints one line for each fault and exits with 1 if there is any. Lines that begin with "note" are no faults.
With --by-name it also lists the places that a language server does not rename: keywords of `replace(...)` and of
class patterns, strings given to `getattr`, and strings that equal a renamed member in the module of its class.
"""

# ruff: noqa
from __future__ import annotations

import argparse
import ast
import builtins
import keyword
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

PACKAGES = ("bot", "rules", "render")
MEMBERS = ("methods", "fields")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ODD_CONSTANT = re.compile(
    r"(^|_)(MOST|LEAST|OFTEN|FORGET|DOUBTFUL|DOUBTED|AT_ONCE|EVERY|PATIENCE)(_|$)|_(SECONDS|FEW)$"
)
GOOD_CONSTANT = re.compile(r"^_?(MAX|MIN)_")
CLASS_NAME = re.compile(r"^_?[A-Z](?:[A-Za-z0-9]*[a-z][A-Za-z0-9]*)?$")


class Class:
    """A class of the project: where it is defined, its members, and its bases as they are written."""

    def __init__(self, module: str, node: ast.ClassDef) -> None:
        self.module, self.name, self.node = module, node.name, node
        self.key = f"{module}:{node.name}"
        self.members: set[str] = set()
        for item in node.body:
            if isinstance(item, FUNCTIONS):
                self.members.add(item.name)
                for sub in ast.walk(item):
                    if (
                        isinstance(sub, ast.Attribute)
                        and isinstance(sub.ctx, ast.Store)
                        and isinstance(sub.value, ast.Name)
                        and sub.value.id in ("self", "cls")
                    ):
                        self.members.add(sub.attr)
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                self.members.add(item.target.id)
            elif isinstance(item, ast.Assign):
                for target in item.targets:
                    self.members |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
        self.parents: list[Class] = []
        self.foreign: list[str] = []


class Module:
    """A module: its syntax tree, what it defines at its top level, and what it imports."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.text = path.read_text()
        self.tree = ast.parse(self.text)
        self.kinds: dict[str, str] = {}
        self.values: dict[str, ast.expr | None] = {}
        self.imports: dict[str, tuple[str, str | None]] = {}
        self.aliased: set[str] = set()
        self.classes: dict[str, Class] = {}
        self._read(self.tree.body)

    def _read(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, FUNCTIONS):
                self.kinds[node.name] = "function"
            elif isinstance(node, ast.ClassDef):
                self.kinds[node.name] = "class"
                self.classes[node.name] = Class(self.name, node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                            self.kinds.setdefault(name.id, "constant")
                            self.values.setdefault(name.id, node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                self.kinds.setdefault(node.target.id, "constant")
                self.values.setdefault(node.target.id, node.value)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = (node.module or "", alias.name)
                    if alias.asname and alias.asname != alias.name:
                        self.aliased.add(alias.asname)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self.imports[alias.asname or alias.name.partition(".")[0]] = (alias.name, None)
            elif isinstance(node, ast.If | ast.Try | ast.With):
                for part in ("body", "orelse", "finalbody"):
                    self._read(getattr(node, part, []))
                for handler in getattr(node, "handlers", []):
                    self._read(handler.body)


class Code:
    """All modules of the project and its tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        for package in (*PACKAGES, "tests", "tools"):
            for path in sorted((root / package).rglob("*.py")):
                name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
                self.modules[name] = Module(name, path)
        self.children: dict[str, list[Class]] = defaultdict(list)
        for module in self.modules.values():
            for one in module.classes.values():
                for base in one.node.bases:
                    found = self.class_of(module, base)
                    if isinstance(found, Class):
                        one.parents.append(found)
                        self.children[found.key].append(one)
                    elif found:
                        one.foreign.append(found)

    def origin(self, module: str, name: str) -> tuple[str, str] | None:
        """The module that defines a name that another may only hand on; None if it is not the project's."""
        seen = set()
        while (module, name) not in seen and module in self.modules:
            seen.add((module, name))
            there = self.modules[module]
            if name in there.kinds:
                return module, name
            if name not in there.imports or there.imports[name][1] is None:
                return None
            module, name = there.imports[name]
        return None

    def class_of(self, module: Module, base: ast.expr) -> Class | str | None:
        if isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name):
            found = self.origin(module.name, base.id)
            if found and found[1] in self.modules[found[0]].classes:
                return self.modules[found[0]].classes[found[1]]
            return base.id
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.value.id in module.imports:
            source, name = module.imports[base.value.id]
            path = source if name is None else f"{source}.{name}"
            found = self.origin(path, base.attr)
            if found and found[1] in self.modules[found[0]].classes:
                return self.modules[found[0]].classes[found[1]]
        return ast.unparse(base)

    def ancestors(self, one: Class) -> list[Class]:
        return list({c.key: c for p in one.parents for c in (p, *self.ancestors(p))}.values())

    def descendants(self, one: Class) -> list[Class]:
        return list({c.key: c for k in self.children[one.key] for c in (k, *self.descendants(k))}.values())

    def find_class(self, key: str) -> Class | None:
        module, _, name = key.partition(":")
        return self.modules[module].classes.get(name) if module in self.modules else None


def annotated(one: Class) -> set[str]:
    """Names of a class's fields."""
    targets = [item.target for item in one.node.body if isinstance(item, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def is_near(module: str, other: str) -> bool:
    """Whether a module may use a class of another: rules know neither the bot nor pictures, and no other game."""
    games = ("campaign", "forts", "matchbox", "ramspeed", "squadrons")
    mine = {game for game in games if f".{game}" in module}
    theirs = {game for game in games if f".{game}" in other}
    if module.startswith("tests."):
        return not mine or not theirs or bool(mine & theirs)
    if other.startswith("tests.") or (theirs and not mine & theirs):
        return False
    return other.startswith("rules.") or other.split(".", maxsplit=1)[0] == module.split(".", maxsplit=1)[0]


def is_class_like(module: Module, name: str) -> bool:
    if module.kinds[name] == "class":
        return True
    return module.kinds[name] == "constant" and bool(CLASS_NAME.match(name)) and name != "_"


class Check:
    def __init__(self, code: Code, names: dict) -> None:
        self.code, self.names = code, names
        self.faults: list[str] = []
        self.notes: list[str] = []
        self.tops: dict[tuple[str, str], str] = {}
        self.members: dict[tuple[str, str], str] = {}
        for table in ("classes", "constants", "functions"):
            for key, new in names.get(table, {}).items():
                module, _, old = key.partition(":")
                if (module, old) in self.tops:
                    self.fault(f"{key} stands in two tables")
                self.tops[module, old] = new
        for table in MEMBERS:
            for key, new in names.get(table, {}).items():
                owner, _, old = key.rpartition(".")
                if (owner, old) in self.members and self.members[owner, old] != new:
                    self.fault(f"{key} stands in two tables")
                self.members[owner, old] = new

    def fault(self, text: str) -> None:
        self.faults.append(text)

    def run(self) -> None:
        self.existence()
        self.forms()
        self.top_collisions()
        self.shadows()
        self.member_collisions()
        self.overrides()
        self.protocols()
        self.duplicates()
        self.constants()

    def new_of(self, module: str, name: str) -> str:
        return self.tops.get((module, name), name)

    def existence(self) -> None:
        kinds = {"classes": ("class", "constant"), "constants": ("constant",), "functions": ("function",)}
        for table, allowed in kinds.items():
            for key in self.names.get(table, {}):
                module, _, old = key.partition(":")
                if module not in self.code.modules:
                    self.fault(f"no module: {key}")
                elif old not in self.code.modules[module].kinds:
                    self.fault(f"no such name: {key}")
                elif self.code.modules[module].kinds[old] not in allowed:
                    self.fault(f"{key} is a {self.code.modules[module].kinds[old]}, but stands in [{table}]")
        for (owner, old), _new in self.members.items():
            one = self.code.find_class(owner)
            if one is None:
                self.fault(f"no such class: {owner} (of {old})")
            elif old not in one.members:
                self.fault(f"no such member: {owner}.{old}")

    def forms(self) -> None:
        for table in ("classes", "constants", "functions", *MEMBERS):
            for key, new in self.names.get(table, {}).items():
                old = key.rpartition(":")[2].rpartition(".")[2]
                if not new.isidentifier() or keyword.iskeyword(new) or keyword.issoftkeyword(new):
                    self.fault(f"{key}: {new} is no name")
                if table not in MEMBERS and hasattr(builtins, new):
                    self.fault(f"{key}: {new} is a builtin")
                if new == old:
                    self.fault(f"{key} keeps its name")
                good = {
                    "classes": CLASS_NAME.match(new) is not None,
                    "constants": re.fullmatch(r"_?[A-Z][A-Z0-9_]*", new) is not None
                    or key.rpartition(":")[2].islower(),
                    "functions": re.fullmatch(r"_?[a-z][a-z0-9_]*", new) is not None,
                }.get(table, True)
                if not good:
                    self.fault(f"{key}: {new} has not the form of [{table}]")
                if table != "constants" and old.startswith("_") != new.startswith("_"):
                    self.fault(f"{key}: {new} is {'public' if old.startswith('_') else 'private'}")

    def top_collisions(self) -> None:
        for module in self.code.modules.values():
            after: dict[str, set[tuple[str, str]]] = defaultdict(set)
            for name in module.kinds:
                after[self.new_of(module.name, name)].add((module.name, name))
            for local, (source, name) in module.imports.items():
                if name is None:
                    after[local].add((source, ""))
                    continue
                found = self.code.origin(source, name) or (source, name)
                new = local if local in module.aliased else self.new_of(*found) if found[1] == name else local
                after[new].add(found)
            for new, found in after.items():
                if len(found) > 1 and any(one in self.tops for one in found):
                    text = f"{module.name}: {new} would be {' and '.join(sorted(':'.join(one) for one in found))}"
                    if module.name.startswith("tests.") and not any(one[0] == module.name for one in found):
                        self.notes.append(f"alias an import by hand: {text}")
                    else:
                        self.fault(text)
            if module.path.name == "__init__.py":
                for (owner, old), new in self.tops.items():
                    if owner == module.name and f"{owner}.{new}" in self.code.modules:
                        self.fault(f"{owner}:{old}: {new} is a module of that package")

    def shadows(self) -> None:
        for module in self.code.modules.values():
            renamed: dict[str, str] = {}
            for name in module.kinds:
                if (module.name, name) in self.tops:
                    renamed[name] = self.tops[module.name, name]
            for local, (source, name) in module.imports.items():
                if name is None or local in module.aliased:
                    continue
                found = self.code.origin(source, name)
                if found and found in self.tops and found[1] == name:
                    renamed[local] = self.tops[found]
            if renamed:
                self._shadows(module, module.tree, [], renamed)

    def _shadows(self, module: Module, node: ast.AST, scopes: list[set[str]], renamed: dict[str, str]) -> None:
        if isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            outer = []
            if isinstance(node, FUNCTIONS):
                outer = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            for part in outer:
                if part is not None:
                    self._shadows(module, part, scopes, renamed)
            scopes = [*scopes, bound_names(node)]
            skip = set(map(id, outer))
            for child in ast.iter_child_nodes(node):
                if id(child) not in skip:
                    self._shadows(module, child, scopes, renamed)
            return
        if isinstance(node, ast.Name) and node.id in renamed:
            new = renamed[node.id]
            if not any(node.id in scope for scope in scopes) and any(new in scope for scope in scopes):
                self.fault(f"{module.name}:{node.lineno}: {node.id} would become {new}, which is a local name there")
        for child in ast.iter_child_nodes(node):
            self._shadows(module, child, scopes, renamed)

    def member_collisions(self) -> None:
        for module in self.code.modules.values():
            for one in module.classes.values():
                family = [one, *self.code.ancestors(one)]
                after: dict[str, set[str]] = defaultdict(set)
                for member in {name for part in family for name in part.members}:
                    for part in family:
                        if member in part.members:
                            after[self.members.get((part.key, member), member)].add(member)
                for new, olds in after.items():
                    if len(olds) > 1 and any(self.members.get((part.key, old)) for part in family for old in olds):
                        self.fault(f"{one.key}: {new} would be {' and '.join(sorted(olds))}")

    def overrides(self) -> None:
        for (owner, old), new in self.members.items():
            one = self.code.find_class(owner)
            if one is None:
                continue
            for other in (*self.code.descendants(one), *self.code.ancestors(one)):
                if old in other.members and self.members.get((other.key, old)) != new and not old.startswith("__"):
                    there = self.members.get((other.key, old), "keeps its name")
                    self.fault(f"{owner}.{old} -> {new}, but {other.key}.{old}: {there}")

    def protocols(self) -> None:
        """Classes that look as if they implemented a protocol whose members are renamed."""
        for module in self.code.modules.values():
            for one in module.classes.values():
                if not any(ast.unparse(base).split("[")[0] == "Protocol" for base in one.node.bases):
                    continue
                methods = {name for name in one.members if not name.startswith("__")}
                renamed = {name: self.members[one.key, name] for name in methods if (one.key, name) in self.members}
                for other_module in self.code.modules.values():
                    for other in other_module.classes.values():
                        if other is one or not methods:
                            continue
                        has = {m for part in (other, *self.code.ancestors(other)) for m in part.members}
                        if not methods <= has:
                            continue
                        for name in methods:
                            for part in (other, *self.code.ancestors(other)):
                                if name in part.members:
                                    there = self.members.get((part.key, name))
                                    if there != renamed.get(name):
                                        self.notes.append(
                                            f"{part.key}.{name} -> {there}, but of the protocol {one.key}:"
                                            f" {renamed.get(name)}"
                                        )

    def duplicates(self) -> None:
        where: dict[str, list[str]] = defaultdict(list)
        for module in self.code.modules.values():
            if module.name.split(".")[0] not in PACKAGES:
                continue
            for name in module.kinds:
                if is_class_like(module, name):
                    where[self.new_of(module.name, name)].append(f"{module.name}:{name}")
        same = self.names.get("same", {})
        for new, keys in sorted(where.items()):
            if len(keys) > 1 and new not in same:
                self.fault(f"class {new} in {len(keys)} modules: {', '.join(keys)}")
        for new in same:
            if len(where.get(new, ())) < 2:
                self.fault(f"[same] {new} is defined in fewer than two modules")

    def constants(self) -> None:
        for module in self.code.modules.values():
            if module.name.split(".")[0] not in PACKAGES or ".migrations." in module.name:
                continue
            for name, kind in module.kinds.items():
                new = self.new_of(module.name, name)
                if kind == "constant" and ODD_CONSTANT.search(new) and not GOOD_CONSTANT.match(new):
                    self.notes.append(f"constant {module.name}:{new}")

    def _replaced(self, module: Module, call: ast.Call) -> list[str]:
        """Keywords of a `replace`, by the classes that have all of them as members and that it may be about."""
        keys = {k.arg for k in call.keywords if k.arg}
        maybe = [one for one, fields in self.fields_by_class() if keys <= fields and is_near(module.name, one.module)]
        if not keys or not maybe:
            return []
        found = []
        for key in sorted(keys):
            news: dict[str, list[str]] = defaultdict(list)
            for one in maybe:
                owners = [part for part in (one, *self.code.ancestors(one)) if key in part.members]
                news[self.members.get((owners[0].key, key), key)].append(one.name)
            if set(news) != {key}:
                text = "; ".join(f"{new} ({', '.join(names[:6])})" for new, names in sorted(news.items()))
                sure = "" if len(news) == 1 else " perhaps"
                found.append(f"{module.name}:{call.lineno}: {ast.unparse(call.func)}({key}=):{sure} {text}")
        return found

    @cache  # noqa: B019 - one value, for as long as the program runs
    def fields_by_class(self) -> list[tuple[Class, set[str]]]:
        return [
            (one, {name for part in (one, *self.code.ancestors(one)) for name in annotated(part)})
            for module in self.code.modules.values()
            for one in module.classes.values()
        ]

    def by_name(self) -> list[str]:
        """Places where a renamed member stands in a string or a keyword that a language server leaves alone."""
        fields = defaultdict(set)
        owners = defaultdict(set)
        for (owner, old), new in self.members.items():
            fields[old].add(f"{owner}.{old} -> {new}")
            owners[owner.partition(":")[0]].add(old)
        tops = defaultdict(set)
        for (module, old), new in self.tops.items():
            tops[old].add(f"{module}:{old} -> {new}")
        found = []
        for module in self.code.modules.values():
            for node in ast.walk(module.tree):
                hits: list[tuple[str, str]] = []
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    if name.split(".")[-1] in ("replace", "_replace", "__replace__"):
                        found += self._replaced(module, node)
                    if name in ("getattr", "hasattr", "setattr", "delattr") or name.endswith(
                        ("attrgetter", "methodcaller")
                    ):
                        for arg in node.args:
                            for sub in ast.walk(arg):
                                if isinstance(sub, ast.Constant) and isinstance(sub.value, str) and sub.value in fields:
                                    hits.append((sub.value, f"{name}({sub.value!r})"))
                    if name.endswith(("patch.setattr", "monkeypatch.setattr", "patch.object")):
                        for arg in node.args:
                            if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
                                last = arg.value.rpartition(".")[2]
                                if last in fields or last in tops:
                                    hits.append((last, f"{name}({arg.value!r})"))
                if isinstance(node, ast.MatchClass):
                    hits += [(k, f"case {ast.unparse(node.cls)}({k}=)") for k in node.kwd_attrs if k in fields]
                for old, text in hits:
                    found.append(
                        f"{module.name}:{node.lineno}: {text}: {'; '.join(sorted(fields[old] | tops[old])[:4])}"
                    )
            if module.name in owners:
                for node in ast.walk(module.tree):
                    if (
                        isinstance(node, ast.Constant)
                        and isinstance(node.value, str)
                        and node.value in owners[module.name]
                    ):
                        found.append(f"{module.name}:{node.lineno}: string {node.value!r}")
        return found


@cache
def bound_names(node: ast.AST) -> set[str]:
    """Names that a function, lambda or comprehension binds in its own scope."""
    names: set[str] = set()
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        args = node.args
        names |= {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        names |= {a.arg for a in (args.vararg, args.kwarg) if a}
        todo = list(node.body) if isinstance(node, FUNCTIONS) else [node.body]
    else:
        todo = [gen.target for gen in node.generators]
    outer: set[str] = set()
    while todo:
        sub = todo.pop()
        if isinstance(sub, (*FUNCTIONS, ast.ClassDef)):
            names.add(sub.name)
            continue
        if isinstance(sub, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            names |= {w.target.id for w in ast.walk(sub) if isinstance(w, ast.NamedExpr)}
            continue
        if isinstance(sub, ast.Global | ast.Nonlocal):
            outer |= set(sub.names)
        elif isinstance(sub, ast.Name) and isinstance(sub.ctx, ast.Store | ast.Del):
            names.add(sub.id)
        elif (isinstance(sub, ast.ExceptHandler) and sub.name) or (
            isinstance(sub, ast.MatchAs | ast.MatchStar) and sub.name
        ):
            names.add(sub.name)
        elif isinstance(sub, ast.MatchMapping) and sub.rest:
            names.add(sub.rest)
        elif isinstance(sub, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in sub.names}
        todo.extend(ast.iter_child_nodes(sub))
    return names - outer


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", type=Path, default=Path(__file__).with_name("names.toml"))
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--by-name", action="store_true")
    args = parser.parse_args()
    names = tomllib.loads(args.names.read_text())
    check = Check(Code(args.root), names)
    check.run()
    for line in dict.fromkeys(check.faults):
        print(line)
    for line in dict.fromkeys(check.notes):
        print("note", line)
    if args.by_name:
        for line in dict.fromkeys(check.by_name()):
            print("by name", line)
    counts = {table: len(value) for table, value in names.items() if hasattr(value, "__len__")}
    print(counts, len(set(check.faults)), "faults")
    return bool(check.faults)


if __name__ == "__main__":
    raise SystemExit(main())
