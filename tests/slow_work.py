"""Functions that tests compute in other processes, which import them from here."""

import os
import time


def product(item, shared):
    return item * float(sum(shared[:9])) + float(shared[-1])


def slowly(item, shared):
    time.sleep(0.1)
    return product(item, shared)


def fail(item):
    return 1 // (item - 3)


def die(_item):
    os._exit(1)
