"""Reports: `tables` and `figures` of results, and the `page` that has them.

The templates in ``templates/`` have the words of each task's page. Reports are deterministic.
"""
