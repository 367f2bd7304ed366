from __future__ import annotations

import io

from PIL import Image, ImageSequence


def halve_picture(data: bytes) -> bytes:
    """Return a picture or film at half its width and height, in its own format and with its frames' durations."""
    with Image.open(io.BytesIO(data)) as whole:
        size = (max(1, whole.width // 2), max(1, whole.height // 2))
        frames, times = [], []
        for frame in ImageSequence.Iterator(whole):
            half = frame.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            # Stills get a palette, because in full colours the halved picture may take more bytes than the original.
            frames.append(half if whole.format == "WEBP" else half.quantize(48, dither=Image.Dither.NONE))
            times.append(frame.info.get("duration", 0))
        written = io.BytesIO()
        several = {"save_all": True, "append_images": frames[1:], "duration": times, "loop": 0}
        frames[0].save(written, whole.format, **(several if len(frames) > 1 else {}))
        return written.getvalue()
