"""Reports as text, Markdown and HTML: `page` has what all tasks share."""
