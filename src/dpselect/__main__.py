"""`python -m dpselect` is `dpselect`."""

from dpselect.cli import main

if __name__ == "__main__":
    main()
