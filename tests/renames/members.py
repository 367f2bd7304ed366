"""Rename methods and fields. usage: members.py NAMES.toml MOVES.toml [--dry]   (in the root of a checkout)

Each entry of [methods] and [fields], "module:Class.member" = "new", names modules and classes as they were before
[classes] and MOVES.toml were applied. mypy says of which class each object is. What it cannot say is listed.
"""

# ruff: noqa
from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

from mypy import build, config_parser, find_sources, nodes, options, patterns, types

ROOTS = ("bot", "rules", "render", "data", "tests")
names = tomllib.loads(Path(sys.argv[1]).read_text())
moves = tomllib.loads(Path(sys.argv[2]).read_text())["modules"]
dry = "--dry" in sys.argv
REPLACE = {"msgspec.structs.replace", "dataclasses.replace", "copy.replace"}


def moved(module: str) -> str:
    head, tail = module, []
    while head:
        if head in moves:
            return ".".join([moves[head], *tail])
        head, _, last = head.rpartition(".")
        tail.insert(0, last)
    return module


wanted: dict[str, str] = {}  # "new.module.NewClass.member": "new member"
by_member: dict[str, set[str]] = defaultdict(set)
for key, new in {**names["methods"], **names["fields"]}.items():
    module, _, rest = key.partition(":")
    cls, _, member = rest.rpartition(".")
    cls = ".".join([*cls.split(".")[:-1], names["classes"].get(f"{module}:{cls}", cls.split(".")[-1])])
    wanted[f"{moved(module)}.{cls}.{member}"] = new
    by_member[member].add(new)

opts = options.Options()
config_parser.parse_config_file(opts, lambda: None, "pyproject.toml", sys.stdout, sys.stderr)
opts.export_types = opts.preserve_asts = opts.check_untyped_defs = True
opts.incremental = False
opts.cache_dir = "/dev/null"
opts.strict_bytes = True
opts.disallow_untyped_defs = False
files = [p for p in subprocess.check_output(["git", "ls-files", "*.py"], text=True).split() if p.split("/")[0] in ROOTS]
files = [p for p in files if not p.startswith(("tests/renames", "bot/store/migrations"))]
opts.packages = opts.modules = []
opts.files = files
sources = find_sources.create_source_list(files, opts)
result = build.build(sources, opts)
print(len(result.errors), "messages of mypy", len(result.types), "types")
type_of = result.types

edits: dict[str, dict[tuple[int, int], tuple[str, str]]] = defaultdict(dict)  # path: (line, byte column): (old, new)
notes: list[str] = []
used: Counter[str] = Counter()


def new_name(info: nodes.TypeInfo, member: str) -> str | None:
    for base in info.mro:
        new = wanted.get(f"{base.fullname}.{member}")
        if new is not None:
            used[f"{base.fullname}.{member}"] += 1
            return new
    return None


def infos(kind: types.Type | None) -> list[nodes.TypeInfo] | None:
    """The classes that a value of a type may be of; None if it may be of any."""
    kind = types.get_proper_type(kind)
    match kind:
        case None | types.AnyType():
            return None
        case types.Instance():
            return [kind.type]
        case types.UnionType():
            parts = [infos(item) for item in kind.items]
            return None if any(part is None for part in parts) else [info for part in parts for info in part]
        case types.TypeVarType():
            return infos(kind.upper_bound) if not kind.values else [i for v in kind.values for i in infos(v) or []]
        case types.TupleType():
            return [kind.partial_fallback.type]
        case types.LiteralType() | types.TypedDictType():
            return [kind.fallback.type]
        case types.TypeType():
            return infos(kind.item)
        case types.CallableType() if kind.is_type_obj():
            return infos(kind.ret_type)
        case types.Overloaded() if kind.is_type_obj():
            return infos(kind.items[0].ret_type)
    return []


NOT_CHILDREN = {"node", "info", "type", "names", "mro", "definition", "unanalyzed_items", "original_def", "analyzed"}
NOT_CHILDREN |= {"def_frame", "var", "typeinfo", "impl", "unanalyzed_type", "metaclass", "local_definitions", "imports"}
ATTRIBUTES: dict[type, list[str]] = {}


def children(node: nodes.Node) -> list[nodes.Node]:
    kind = builtins_type(node)
    if kind not in ATTRIBUTES:
        ATTRIBUTES[kind] = [
            name
            for name in dir(kind)
            if not name.startswith("_") and name not in NOT_CHILDREN and not callable(getattr(kind, name, None))
        ]
    out: list[nodes.Node] = []
    for name in ATTRIBUTES[kind]:
        try:
            todo = [getattr(node, name)]
        except AttributeError:
            continue
        while todo:
            value = todo.pop()
            if isinstance(value, (list, tuple)):
                todo += value
            elif isinstance(value, (nodes.Statement, nodes.Expression, patterns.Pattern, nodes.Argument, nodes.Block)):
                out.append(value)
            elif isinstance(value, (nodes.FuncBase, nodes.ClassDef)):
                out.append(value)
    return out


builtins_type = type


class Visitor:
    def visit(self, root: nodes.Node) -> None:
        self.seen: set[int] = set()
        self._walk(root)

    def _walk(self, node: nodes.Node) -> None:
        if id(node) in self.seen:
            return
        self.seen.add(id(node))
        kind = builtins_type(node).__name__
        is_class = isinstance(node, nodes.ClassDef)
        if is_class:
            self.classes.append(node.info)
            for statement in node.defs.body:
                self.definition(statement)
        if method := METHODS.get(kind):
            getattr(self, method)(node)
        for child in children(node):
            self._walk(child)
        if is_class:
            self.classes.pop()

    def __init__(self, path: str) -> None:
        self.path, self.text = path, Path(path).read_bytes().split(b"\n")
        self.classes: list[nodes.TypeInfo] = []

    def note(self, node: nodes.Context, text: str) -> None:
        notes.append(f"{self.path}:{node.line}: {text}")

    def edit(self, line: int, column: int, old: str, new: str) -> bool:
        if self.text[line - 1][column : column + len(old)] != old.encode():
            return False
        before = edits[self.path].get((line, column))
        if before and before != (old, new):
            notes.append(f"{self.path}:{line}: {old}: both {before[1]} and {new}")
        edits[self.path][line, column] = old, new
        return True

    def choose(self, node: nodes.Context, kinds: list[nodes.TypeInfo] | None, member: str) -> str | None:
        if member not in by_member or member.startswith("__"):
            return None
        if kinds is None:
            if self.path.startswith("tests") or True:
                self.note(node, f"any: .{member} perhaps {sorted(by_member[member])}")
            return None
        new = {new_name(kind, member) for kind in kinds if kind.get(member) is not None or new_name(kind, member)}
        if len(new) > 1:
            self.note(node, f"differ: {member} of {[kind.fullname for kind in kinds]}: {new}")
            return None
        return next(iter(new), None)

    # --- uses ---
    def visit_member_expr(self, o: nodes.MemberExpr) -> None:
        self.member(o, o.expr, o.name)

    def member(self, o, base, name) -> None:
        if name not in by_member:
            return
        if isinstance(base, nodes.RefExpr) and isinstance(base.node, nodes.MypyFile):
            return
        if isinstance(base, nodes.RefExpr) and isinstance(base.node, nodes.TypeInfo):
            kinds = [base.node]
        elif isinstance(o, nodes.SuperExpr):
            kinds = [o.info] if o.info else None
        else:
            kind = type_of.get(base)
            if kind is None and isinstance(base, nodes.NameExpr) and base.name in ("self", "cls") and self.classes:
                kinds = [self.classes[-1]]
            else:
                kinds = infos(kind)
        new = self.choose(o, kinds, name)
        if new:
            if not self.edit(o.end_line, o.end_column - len(name), name, new):
                # f-strings of Python 3.11 give wrong columns
                spots = [
                    (n, m.start(1))
                    for n in range(o.line, (o.end_line or o.line) + 1)
                    for m in re.finditer(rb"\.(" + name.encode() + rb")\b", self.text[n - 1])
                ]
                if len(spots) == 1 or spots and all(s not in edits[self.path] for s in spots):
                    for spot in spots:
                        self.edit(*spot, name, new)
                    if len(spots) > 1:
                        self.note(o, f"all of {len(spots)} .{name} in an f-string -> {new}")
                elif not spots:
                    self.note(o, f"no place for .{name} -> {new}")

    def visit_super_expr(self, o: nodes.SuperExpr) -> None:
        self.member(o, o, o.name)

    def visit_name_expr(self, o: nodes.NameExpr) -> None:
        if o.name in by_member and self.classes and o.kind == nodes.MDEF:
            if new := new_name(self.classes[-1], o.name):
                self.edit(o.line, o.column, o.name, new) or self.note(o, f"no place for {o.name}")

    def visit_call_expr(self, o: nodes.CallExpr) -> None:
        keys = [name for name in o.arg_names if name in by_member]
        if not keys:
            return
        callee = o.callee
        full = callee.fullname if isinstance(callee, nodes.RefExpr) else ""
        kind = types.get_proper_type(type_of.get(callee))
        if full in REPLACE:
            kinds = infos(type_of.get(o.args[0]))
        elif isinstance(callee, nodes.MemberExpr) and callee.name == "_replace":
            kinds = infos(type_of.get(callee.expr))
        elif isinstance(kind, types.CallableType) and kind.is_type_obj():
            info = infos(kind.ret_type)[0]
            init = info.get("__init__")
            made = (
                init is None
                or init.plugin_generated
                or not isinstance(init.node, (nodes.FuncDef, nodes.OverloadedFuncDef))
            )
            new = info.get("__new__")
            if not made and not (new and new.plugin_generated):
                return
            kinds = [info]
        elif kind is None or isinstance(kind, types.AnyType):
            for key in keys:
                self.note(o, f"any call: {key}= perhaps {sorted(by_member[key])}")
            return
        else:
            if isinstance(kind, types.CallableType):
                for key in keys:
                    if key not in kind.arg_names:
                        self.note(o, f"**kwargs: {key}= perhaps {sorted(by_member[key])}")
            return
        for key in keys:
            if new := self.choose(o, kinds, key):
                self.keyword(o, key, new)

    def keyword(self, o: nodes.Context, key: str, new: str) -> None:
        found = CALLS[self.path].get((o.line, o.column, o.end_line, o.end_column), {}).get(key)
        if not found or not self.edit(*found, key, new):
            spots = [
                (n, m.start(1))
                for n in range(o.line, (o.end_line or o.line) + 1)
                for m in re.finditer(rb"\b(" + key.encode() + rb")=(?!=)", self.text[n - 1])
            ]
            if len(spots) == 1:
                self.edit(*spots[0], key, new)
            else:
                self.note(o, f"no place for {key}= -> {new}")

    def visit_class_pattern(self, o) -> None:
        node = o.class_ref.node
        if isinstance(node, nodes.TypeAlias):
            node = infos(node.target)
            node = node[0] if node else None
        if not isinstance(node, nodes.TypeInfo):
            return
        for key in o.keyword_keys:
            if key in by_member and (new := self.choose(o, [node], key)):
                spots = [
                    (n, m.start(1))
                    for n in range(o.line, (o.end_line or o.line) + 1)
                    for m in re.finditer(rb"\b(" + key.encode() + rb")=(?!=)", self.text[n - 1])
                    if (n, m.start(1)) >= (o.line, o.column) and (n != o.end_line or m.start(1) < o.end_column)
                ]
                if spots:
                    for spot in spots:
                        self.edit(*spot, key, new)
                else:
                    self.note(o, f"no place for {key}= in a pattern")

    def definition(self, statement: nodes.Statement) -> None:
        info = self.classes[-1]
        if isinstance(statement, nodes.OverloadedFuncDef):
            for item in statement.items:
                self.definition(item)
        elif isinstance(statement, nodes.Decorator):
            self.definition(statement.func)
        elif isinstance(statement, nodes.FuncDef):
            if new := (statement.name in by_member and new_name(info, statement.name)):
                for n in range(statement.line, statement.line + 30):
                    if m := re.search(rb"\bdef (" + statement.name.encode() + rb")\b", self.text[n - 1]):
                        self.edit(n, m.start(1), statement.name, new)
                        break
                else:
                    self.note(statement, f"no place for def {statement.name}")
        elif isinstance(statement, nodes.IfStmt):
            for block in [*statement.body, *([statement.else_body] if statement.else_body else [])]:
                for inner in block.body:
                    self.definition(inner)


METHODS = {
    "MemberExpr": "visit_member_expr",
    "SuperExpr": "visit_super_expr",
    "NameExpr": "visit_name_expr",
    "CallExpr": "visit_call_expr",
    "ClassPattern": "visit_class_pattern",
}

CALLS: dict[str, dict] = {}
for path in files:
    tree = ast.parse(Path(path).read_bytes())
    calls = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            calls[node.lineno, node.col_offset, node.end_lineno, node.end_col_offset] = {
                key.arg: (key.lineno, key.col_offset) for key in node.keywords if key.arg
            }
    CALLS[path] = calls

by_path = {str(Path(f.path)): f for f in result.files.values() if f.path}
sys.setrecursionlimit(100000)
for path in files:
    tree = by_path.get(path)
    if tree is None:
        print("not read:", path)
        continue
    visitor = Visitor(path)
    visitor.visit(tree)

# strings that name members
for path in files:
    for node in ast.walk(ast.parse(Path(path).read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if called in ("getattr", "hasattr", "setattr", "attrgetter", "methodcaller", "delattr", "object"):
                for arg in node.args:
                    if (
                        isinstance(arg, ast.Constant)
                        and isinstance(arg.value, str)
                        and arg.value.split(".")[-1] in by_member
                    ):
                        notes.append(
                            f"{path}:{node.lineno}: string in {called}: {arg.value} perhaps {sorted(by_member[arg.value.split('.')[-1]])}"
                        )

total = 0
for path, changes in edits.items():
    lines = Path(path).read_bytes().split(b"\n")
    for (line, column), (old, new) in sorted(changes.items(), reverse=True):
        text = lines[line - 1]
        lines[line - 1] = text[:column] + new.encode() + text[column + len(old) :]
        total += 1
    if not dry:
        Path(path).write_bytes(b"\n".join(lines))
print(total, "places in", len(edits), "files;", len(used), "of", len(wanted), "members used")
Path("/tmp/members.notes").write_text("\n".join(notes) + "\n")
Path("/tmp/members.unused").write_text("\n".join(sorted(set(wanted) - set(used))) + "\n")
print(Counter(note.split(": ", 1)[1].split(":")[0].split(" ")[0] for note in notes))
