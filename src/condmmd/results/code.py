"""A call as code: what a person can paste to repeat a run, with every option that is not its default."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any

from condmmd.data.checks import PerGroup
from condmmd.kernels import FromFunction, Kernel

__all__ = ["call_code"]

# A representation of any length; and a sequence that is longer than this is data, not an option.
LONG = 100_000
MANY = 20
# Models that differ from fit to fit unless they have a seed; without one their code would not repeat the run.
RANDOM = ("sklearn.ensemble", "sklearn.tree", "sklearn.neural_network")


@dataclass
class _Writer:
    """Values as code, and what that code has to import or has to be given."""

    imports: set[tuple[str, str]] = field(default_factory=set)
    given: list[str] = field(default_factory=list)

    def write(self, value: Any, name: str) -> str:
        """``value`` as code; ``name`` stands for what only the user has, such as arrays."""
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            value = value.item()
        writers: tuple[tuple[bool, Callable[[Any, str], str]], ...] = (
            (value is None or isinstance(value, bool | int | float | str), lambda plain, _: repr(plain)),
            (isinstance(value, list | tuple) and len(value) <= MANY, self._sequence),
            (isinstance(value, Kernel), self._kernel),
            (is_dataclass(value), self._dataclass),
            (callable(getattr(value, "get_params", None)), self._estimator),
            (inspect.isfunction(value), self._function),
            (True, self._name),
        )
        return next(write for applies, write in writers if applies)(value, name)

    def _sequence(self, value: list[Any] | tuple[Any, ...], name: str) -> str:
        inner = ", ".join(self.write(part, f"{name}_{number}") for number, part in enumerate(value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"

    def _name(self, _value: Any, name: str) -> str:
        self.given.append(name)
        return name

    def _kernel(self, kernel: Kernel, name: str) -> str:
        functions = [part for part in _parts(kernel) if isinstance(part, FromFunction)]
        if functions:
            return self._function(functions[0].function, name) if kernel is functions[0] else self._name(kernel, name)
        code = repr(kernel)
        for found in re.findall(r"\b([A-Z]\w*)\(", code):
            self._import(kernel.__class__ if found == kernel.__class__.__name__ else None, found)
        return code

    def _dataclass(self, value: Any, name: str) -> str:
        self._import(type(value), type(value).__name__)
        options = []
        for part in fields(value):
            own = getattr(value, part.name)
            default = part.default_factory() if part.default_factory is not MISSING else part.default
            if part.init and not _same(own, default):
                inner = part.name if not isinstance(value, PerGroup) else f"{name}_{part.name}"
                options.append(f"{part.name}={self.write(own, inner)}")
        return f"{type(value).__name__}({', '.join(options)})"

    def _estimator(self, value: Any, name: str) -> str:
        """A scikit-learn estimator, with those inside it; by name if its text is no code, or not all that it is."""
        inside = [value, *(v for v in value.get_params(deep=True).values() if hasattr(v, "get_params"))]
        modules = [_public_module(type(one)) for one in inside if not isinstance(one, type)]
        code = re.sub(r"\s+", " ", _long_text(value))
        random = any(
            str(module).startswith(RANDOM) and one.random_state is None
            for module, one in zip(modules, inside, strict=True)
        )
        if None in modules or random or not _is_code(code):
            return self._name(value, name)
        for module, one in zip(modules, inside, strict=True):
            self.imports.add((str(module), type(one).__name__))
        return code

    def _function(self, value: Callable[..., Any], name: str) -> str:
        module = sys.modules.get(value.__module__)
        if module is None or value.__module__ == "__main__" or getattr(module, value.__name__, None) is not value:
            return self._name(value, name)
        self.imports.add((value.__module__, value.__name__))
        return value.__name__

    def _import(self, kind: type | None, name: str) -> None:
        package = sys.modules["condmmd"]
        public = getattr(package, name, None) is not None
        self.imports.add(("condmmd" if public else (kind.__module__ if kind else "condmmd.kernels"), name))


def _public_module(kind: type) -> str | None:
    """Where a class can be imported from: the package before its first private part, if it is there."""
    parts = kind.__module__.split(".")
    public = [part for number, part in enumerate(parts) if not any(p.startswith("_") for p in parts[: number + 1])]
    module = sys.modules.get(".".join(public))
    return ".".join(public) if module is not None and getattr(module, kind.__name__, None) is kind else None


def _long_text(value: Any) -> str:
    try:
        return str(value.__repr__(N_CHAR_MAX=LONG))
    except TypeError:
        return repr(value)


def _is_code(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _parts(kernel: Any) -> list[Any]:
    inner = [getattr(kernel, "kernel", None), *getattr(kernel, "factors", ()), *getattr(kernel, "terms", ())]
    return [kernel, *(part for one in inner if one is not None for part in _parts(one))]


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if hasattr(value, "shape") or hasattr(default, "shape") or type(value) is not type(default):
        return False
    return bool(value == default)


def call_code(function: Callable[..., Any], data: Sequence[str], options: Mapping[str, Any]) -> str:
    """Code that repeats a call.

    Parameters
    ----------
    function
        What was called; it must be a name of the package.
    data
        Names of the arguments that hold the data.
    options
        The arguments; of its keywords those that are not the default are written, but for the table, which is among the
        data, and ``compute``, which changes no answer.
    """
    writer = _Writer({("condmmd", function.__name__)})
    defaults = {
        name: parameter.default for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in {"data", "compute"}
    }  # fmt: skip
    written = [
        f"{name}={writer.write(options[name], name)}" for name, default in defaults.items()
        if name in options and not _same(options[name], default)
    ]  # fmt: skip
    by_module: dict[str, list[str]] = {}
    for module, name in sorted(writer.imports):
        by_module.setdefault(module, []).append(name)
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in by_module.items()]
    remark = f"  # {', '.join(dict.fromkeys(writer.given))}: as in this run" if writer.given else ""
    return "\n".join([*lines, "", f"result = {function.__name__}({', '.join([*data, *written])}){remark}"])
