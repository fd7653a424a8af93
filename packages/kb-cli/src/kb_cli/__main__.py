"""`python -m kb_cli` is `kb`."""

import sys

from kb_cli.main import main

sys.exit(main())
