"""What happens to a table, from left to right, in two lines."""

STEPS = (
    ("table", "rows with labels"),
    ("features", "φ of X, ψ of Y"),
    ("moments", "A and M, for many labels"),
    ("contrast", "D, one line of algebra"),
    ("spectrum", "eigenvalues, energies"),
    ("levels", "all from one spectrum"),
    ("null draws", "the same, 999 times"),
    ("verdict", "p-value, effect, where"),
)
WIDTH, HEIGHT, A_LINE = 176, 78, 4


def draw():
    lines = -(-len(STEPS) // A_LINE)
    width, height = WIDTH * A_LINE, HEIGHT * lines
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">']
    for k, (name, what) in enumerate(STEPS):
        x, y = WIDTH * (k % A_LINE) + 4, HEIGHT * (k // A_LINE) + 8
        parts += [
            f'<rect x="{x}" y="{y}" width="146" height="54" rx="7" fill="#eef3f7" stroke="#30638e"/>',
            f'<text x="{x + 73}" y="{y + 24}" text-anchor="middle" font-size="15" fill="#1f3f5a">{name}</text>',
            f'<text x="{x + 73}" y="{y + 43}" text-anchor="middle" font-size="11.5" fill="#444">{what}</text>',
        ]
        if (k + 1) % A_LINE:
            parts.append(f'<text x="{x + 151}" y="{y + 33}" font-size="18" fill="#888">→</text>')
    return "\n".join([*parts, "</svg>", ""])
