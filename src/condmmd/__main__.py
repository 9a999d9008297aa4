"""``python -m condmmd``: the command line."""

import sys

from condmmd.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
