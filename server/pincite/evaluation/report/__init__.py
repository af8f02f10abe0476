"""What the reports of all evaluations share: a model of tables, figures, and templates.

A report is a template of the task (``templates/<task>.html`` and ``.md``), filled with tables and
figures that the task makes of its result. Equal results make equal reports.
"""
