"""`python -m gecc` is the command `gecc`."""

from gecc._command import main

main()
