"""Supporting sentences compared with what readers judged (`judged`) and marked (`marked`)."""
