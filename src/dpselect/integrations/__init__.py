"""Other libraries' words for what dpselect does: dp-accounting, OpenDP. Nothing here decides anything about privacy."""
