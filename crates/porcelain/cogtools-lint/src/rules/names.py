# Says where the script on standard input does not parse, or reads a name that nothing defines.
# Nothing of the script runs.
import ast, builtins, sys

try:
    tree = ast.parse(sys.stdin.buffer.read())
except SyntaxError as error:
    print(f"{error.lineno}: {error.msg}", file=sys.stderr)
else:
    # What the site module adds, and modules have.
    bound = {*dir(builtins), "exit", "quit", "help", "__file__", "__annotations__"}
    read = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                read.append(node)
            else:
                bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound.update(node.names)
        else:
            # A function, a class, an exception or a pattern.
            names = (getattr(node, "name", None), getattr(node, "rest", None))
            bound.update(name for name in names if isinstance(name, str))
    # Whatever can define names in another way.
    if not bound & {"*"} and not {"exec", "globals", "vars"} & {node.id for node in read}:
        for node in sorted(read, key=lambda node: node.lineno):
            if node.id not in bound:
                print(f"{node.lineno}: nothing defines the name '{node.id}'", file=sys.stderr)
                bound.add(node.id)
