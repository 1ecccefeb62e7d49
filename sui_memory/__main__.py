"""`python -m sui_memory`."""

from sui_memory.cli import main

if __name__ == "__main__":
    main()
