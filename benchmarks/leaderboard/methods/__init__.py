"""Methods of others, written here from their papers: one short file each, checked against published code's numbers."""
