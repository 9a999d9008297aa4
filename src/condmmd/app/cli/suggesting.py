"""Which column could have which role, and the command that would test them."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from condmmd.app.cli.parser import make_parser
from condmmd.app.columns import ColumnLook

__all__ = ["Roles", "command_of", "guess_roles", "parsed", "role_of"]

OUTCOME_NAMES = re.compile(r"^(y|outcome|target|response)s?$", re.IGNORECASE)
GROUP_NAMES = re.compile(
    r"^(treat(ed|ment)?|group|arm|expos(ed|ure)|case|intervention|sample|period|cohort)$", re.IGNORECASE
)
PASSED_ON = ("delimiter", "encoding", "sheet", "max_memory", "max_columns")


@dataclass(frozen=True)
class Roles:
    """What each column is to be.

    Attributes
    ----------
    outcomes, covariates
        Names.
    named
        Whether the covariates were named, not what is left of all columns.
    group, values
        The column that tells the samples apart, and two of its values where it has more; None with two files.
    left_out
        Columns that are no covariate, each with the reason.
    blocks
        The column of the blocks, if there is one.
    guessed
        Which of "outcome" and "group" nobody named.
    candidates
        Columns that could be the group.
    """

    outcomes: tuple[str, ...]
    covariates: tuple[str, ...]
    named: bool
    group: str | None
    values: tuple[str, str] | None
    left_out: dict[str, str]
    blocks: str | None
    guessed: tuple[str, ...]
    candidates: tuple[str, ...]

    def without(self, name: str, reason: str) -> Roles:
        """One covariate less."""
        left = tuple(other for other in self.covariates if other != name)
        return replace(self, covariates=left, left_out={**self.left_out, name: reason})


def guess_roles(looks: Sequence[ColumnLook], options: argparse.Namespace) -> Roles:
    """What was said, and for the rest a guess from the columns themselves."""
    outcomes = tuple(dict.fromkeys(options.outcome or ()))
    others = _but(looks, {*outcomes, *(options.covariates or ()), options.blocks})
    candidates = tuple(one.name for one in others if len(one.values) == 2)
    group, values = options.group, tuple(options.groups) if options.groups else None
    guessed = []
    if options.file2 is None and group is None:
        group, values = _guess_group(others, candidates, values)
        guessed.append("group")
    if not outcomes:
        outcomes = _guess_outcome(_but(others, {group}))
        guessed.append("outcome")
    left = _but(looks, {*outcomes, group, options.blocks})
    reasons = _left_out(looks, options)
    left_out = {one.name: reasons[one.name] for one in left if one.name in reasons}
    wanted = dict.fromkeys(options.covariates or [one.name for one in left])
    return Roles(
        outcomes, tuple(name for name in wanted if name not in left_out), bool(options.covariates), group, values,
        left_out, options.blocks, tuple(guessed), candidates,
    )  # fmt: skip


def _but(looks: Sequence[ColumnLook], taken: set[str | None]) -> list[ColumnLook]:
    return [one for one in looks if one.name not in taken]


def _left_out(looks: Sequence[ColumnLook], options: argparse.Namespace) -> dict[str, str]:
    """Columns that are not to be covariates, or cannot be, each with the reason."""
    return dict.fromkeys(options.exclude, "--exclude") | {one.name: one.trouble for one in looks if one.trouble}


def _guess_group(
    looks: Sequence[ColumnLook], candidates: tuple[str, ...], values: tuple[str, str] | None
) -> tuple[str | None, tuple[str, str] | None]:
    """A column of two values; else one of few, and the two values that most rows have."""
    if candidates:
        return min(candidates, key=lambda name: not GROUP_NAMES.match(name)), values
    few = [one for one in looks if len(one.values) > 2 and one.kind.startswith("category")]
    usable = [one for one in few if not any(value.startswith("-") for value in one.values[:2])]
    return (usable[0].name, (usable[0].values[0], usable[0].values[1])) if usable else (None, None)


def _guess_outcome(looks: Sequence[ColumnLook]) -> tuple[str, ...]:
    """By its name; else the last column of which there are many values, or the last."""
    looks = [one for one in looks if not one.trouble]
    named = [one.name for one in looks if OUTCOME_NAMES.match(one.name)]
    many = [one.name for one in looks if one.kind.startswith("number") and not one.values]
    return tuple((named or many[-1:] or [one.name for one in looks[-1:]])[:1])


def role_of(name: str, roles: Roles) -> str:
    """In a word, with a question mark where it is a guess."""
    single = (("outcome", roles.outcomes), ("group", (roles.group,)), ("blocks", (roles.blocks,)))
    for role, names in single:
        if name in names:
            return f"{role}?" if role in roles.guessed else role
    return "covariate" if name in roles.covariates else "left out"


def command_of(roles: Roles, options: argparse.Namespace, *, drop_missing: bool) -> list[str]:
    """The words of a command that tests them; everything that was said of how to read the file is said again."""
    words = ["test", *(_path(path) for path in (options.file, options.file2) if path is not None)]
    words += _option("--outcome", roles.outcomes)
    if roles.named:
        words += _option("--covariates", roles.covariates)
    else:
        words += _option("--exclude", tuple(name for name in roles.left_out if name != roles.blocks))
    words += [] if roles.group is None else _option("--group", (roles.group,))
    words += ["--groups", *roles.values] if roles.values is not None else []
    words += [] if roles.blocks is None else _option("--blocks", (roles.blocks,))
    kept = {*roles.outcomes, *roles.covariates}
    for flag, names in (("--categorical", options.categorical), ("--numeric", options.numeric)):
        words += _option(flag, tuple(name for name in dict.fromkeys(names) if name in kept))
    words += ["--drop-missing"] if drop_missing else []
    defaults = make_parser().parse_args(["look", "FILE"])
    for name in PASSED_ON:
        if getattr(options, name) != getattr(defaults, name):
            words.append(f"--{name.replace('_', '-')}={getattr(options, name)}")
    return words


def _path(path: str) -> str:
    return f"./{path}" if path.startswith("-") and path != "-" else path


def _option(flag: str, names: tuple[str, ...]) -> list[str]:
    """An option and its values; a value that looks like an option is tied to it."""
    if any(name.startswith("-") for name in names):
        return [f"{flag}={name}" for name in names]
    return [flag, *names] if names else []


def parsed(words: Sequence[str]) -> tuple[argparse.Namespace, str]:
    """The command as it would be understood, and as it is pasted."""
    return make_parser().parse_args(list(words)), shlex.join(["condmmd", *words])
