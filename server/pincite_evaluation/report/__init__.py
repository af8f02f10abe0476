"""Shared parts of all reports: tables, figures, and templates.

A report is the template of a task (``templates/<task>.html`` and ``.md``), filled with tables and
figures of the task's result. Reports are deterministic.
"""
