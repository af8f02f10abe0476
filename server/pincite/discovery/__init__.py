"""The works around a bibliography: what its works cite, and what cites them.

The literature that an author may have missed is small: it is connected with the works that they
cite. `neighbours` are these works, as one more bibliography, and what each is connected with. Some
are known at home, from the reference lists of the library's papers; `openalex` fetches others, once
the author agrees: only identifiers are sent, and no text of a draft. `order` ranks them at a
place.
"""
