"""python moving_picture.py FRAMES FILE.gif: pictures of a window as one that moves.

The frames are ``NUMBER-MILLISECONDS.png``. All share the colours that serve them best, so that what
stays does not flicker.
"""

import sys
from pathlib import Path

from PIL import Image

#: What GitHub and the Marketplace show without a delay.
MAX_BYTES = 2_000_000
#: Letters stay smooth with as many.
_COLOURS = 160


def main(folder: Path, picture: Path) -> None:
    """Write the picture; fail if it is too large."""
    files = sorted(folder.glob("*.png"))
    frames = [Image.open(file).convert("RGB") for file in files]
    width, height = frames[0].size
    together = Image.new("RGB", (width, height * len(frames)))
    for number, frame in enumerate(frames):
        together.paste(frame, (0, number * height))
    colours = together.quantize(_COLOURS, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames)
    seconds = [int(file.stem.split("-")[1]) for file in files]
    first.save(
        picture, save_all=True, append_images=others, duration=seconds, loop=0, optimize=True
    )
    if picture.stat().st_size > MAX_BYTES:
        sys.exit(f"{picture} has {picture.stat().st_size:,} bytes, more than {MAX_BYTES:,}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
