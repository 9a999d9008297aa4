"""``python -m condmmd``: the command line."""

import sys

from condmmd.cli import main

if __name__ == "__main__":
    sys.exit(main())
