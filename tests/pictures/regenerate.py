"""Draw the golden pictures again, and a page with old beside new: `python -m tests.pictures.regenerate`."""

import base64
from pathlib import Path

from tests.pictures.golden import FOLDER, GOLDEN, drawn, unlike

PAGE = Path("build") / "gallery.html"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    rows = []
    pictures = {name: picture for system in GOLDEN for name, picture in drawn(system, "webp").items()}
    for name, picture in pictures.items():
        path = FOLDER / f"{name}.webp"
        old = path.read_bytes() if path.exists() else b""
        far = "new" if not old else "{:.1f} mean, {:.1f} at most".format(*unlike(old, picture.data))
        pictures = "".join(
            f'<img src="data:image/webp;base64,{base64.b64encode(data).decode()}">'
            for data in (old, picture.data)
            if data
        )
        rows.append(f"<h2>{name}</h2><p>{len(picture.data)} bytes; {far}</p><div>{pictures}</div>")
        path.write_bytes(picture.data)
    PAGE.parent.mkdir(exist_ok=True)
    style = "body{background:#111;color:#ddd;font-family:sans-serif}img{width:48%;margin:1%}"
    PAGE.write_text(f"<!doctype html><meta charset=utf-8><title>Gallery</title><style>{style}</style>{''.join(rows)}")


if __name__ == "__main__":
    main()
