"""What evaluations measure, and how sure it is: a measure a file."""
