"""Options that commands share, in groups: a command takes a group as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

R = TypeVar("R")


def takes(**groups: Callable[..., object]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Replace parameters of a command by the options of groups; the command gets what the groups return.

    ``groups``: by the name of the parameter a function of options, such as :func:`crawl_options`; a group may take
    groups itself.
    """

    def with_groups(function: Callable[..., R]) -> Callable[..., R]:
        # typer reads options from the signature, so the options of groups are put into the signature of the wrapper.
        own = inspect.signature(function, eval_str=True)
        offered = {place: inspect.signature(group, eval_str=True).parameters for place, group in groups.items()}
        parameters = [
            each
            for name, parameter in own.parameters.items()
            for each in (
                [option.replace(kind=parameter.kind) for option in offered[name].values()]
                if name in offered
                else [parameter]
            )
        ]

        @wraps(function)
        def with_options(**values: Any) -> R:
            found = {
                place: group(**{name: values.pop(name) for name in offered[place] if name in values})
                for place, group in groups.items()
            }
            return function(**values, **found)

        with_options.__annotations__ = {each.name: each.annotation for each in parameters}
        with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        return with_options

    return with_groups


def part_of(group: Callable[..., R], *names: str) -> Callable[..., R]:
    """A group with some of its options alone."""

    @wraps(group)
    def partly(**values: Any) -> R:
        return group(**values)

    whole = inspect.signature(group, eval_str=True)
    partly.__signature__ = whole.replace(parameters=[whole.parameters[name] for name in names])  # type: ignore[attr-defined]
    return partly
