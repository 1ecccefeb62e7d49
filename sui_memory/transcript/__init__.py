"""Foreign files to records to exchanges: how other programs' transcripts are read."""
