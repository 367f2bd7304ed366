"""Print figures that say how easy the code is to read: lines, docstrings, vague names, doubled names, complexity.

usage: python -m tests.figures   (`make figures`)
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path

from radon.complexity import cc_visit

ROOT = Path(__file__).parents[1]
PRODUCT = ("bot", "rules", "render", "data")
VAGUE_LOCALS = {"one", "found", "told", "given", "asked", "shown", "wish"}
MAX_COMPLEXITY = 25
"""By radon: branches, boolean operators and comprehensions of a function."""
SUFFIXES = {".py", ".js", ".css", ".html", ".mako"}


def sources(*folders: str) -> list[Path]:
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES)
    return sorted(path for path in paths if "__pycache__" not in path.parts)


def count_lines(paths: list[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def count_docstrings(tree: ast.Module) -> int:
    """Count docstrings of modules, classes and functions, and those that follow a field or a constant."""
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef))
    functions = (node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    statements = [statement for body in bodies for statement in body] + [body[0] for body in functions]
    return sum(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str)
        for each in statements
    )


def local_names(tree: ast.Module) -> Counter[str]:
    """Count the places where a local name or a parameter is bound."""
    names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return Counter(names) + Counter(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))


def main() -> int:
    product, tests = sources(*PRODUCT), sources("tests")
    classes, vague, docstrings = defaultdict[str, list[str]](list), Counter[str](), Counter[str]()
    lines, complex_functions = Counter[str](), list[tuple[int, str]]()
    constants = list[str]()
    for path in (path for path in product if path.suffix == ".py"):
        text, name = path.read_text("utf-8"), str(path.relative_to(ROOT))
        tree, package = ast.parse(text), name.split("/", 1)[0]
        lines[package] += len(text.splitlines())
        docstrings[package] += count_docstrings(tree)
        vague.update({local: count for local, count in local_names(tree).items() if local in VAGUE_LOCALS})
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(name)
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            constants += [t.id for t in targets if isinstance(t, ast.Name) and t.id.endswith(("_MOST", "_LEAST"))]
        blocks = (block for block in cc_visit(text) if not hasattr(block, "methods"))
        complex_functions += [(block.complexity, f"{name}:{block.lineno} {block.fullname}") for block in blocks]
    doubled = {name: places for name, places in sorted(classes.items()) if len(places) > 1}
    complex_functions = sorted((each for each in complex_functions if each[0] > MAX_COMPLEXITY), reverse=True)
    pages = (path.read_text("utf-8") for path in ROOT.rglob("*.md") if not {".venv", "build"} & {*path.parts})
    words = sum(len(page.split()) for page in pages if not page.startswith("<!-- generated"))
    print(f"lines: product {count_lines(product)}, tests {count_lines(tests)}")
    shares = (f"{name} {100 * docstrings[name] / count:.1f}" for name, count in sorted(lines.items()))
    print(f"docstrings in 100 lines: {100 * docstrings.total() / lines.total():.1f} ({', '.join(shares)})")
    print(f"vague locals: {vague.total()} ({', '.join(f'{name} {count}' for name, count in vague.most_common())})")
    print(f"constants named _MOST or _LEAST: {len(constants)} {constants}")
    print(f"class names that several modules define: {len(doubled)}")
    for name, places in doubled.items() if "-v" in sys.argv else ():
        print(f"  {name}: {', '.join(places)}")
    print(f"functions of a complexity above {MAX_COMPLEXITY}: {len(complex_functions)}")
    for complexity, place in complex_functions:
        print(f"  {complexity} {place}")
    print(f"words in *.md that are not generated: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
