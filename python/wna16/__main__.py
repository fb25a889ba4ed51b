"""python -m wna16"""

import sys

from .cli import main

sys.exit(main())
