"""An extension of Griffe: examples in docstrings as code; Markdown would take them for quotes."""

import re

from griffe import Extension, Object

#: A paragraph that begins with a prompt.
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(Extension):
    """Put a fence around each example."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Change the docstring of an object that has one."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
