"""How fast `acp_state` is: `python -m benchmarks`. The README beside this file tells the rest."""
